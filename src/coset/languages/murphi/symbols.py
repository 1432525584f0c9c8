"""What the names of a Murphi file denote, and what the checker has found out about its tree."""

from __future__ import annotations

from dataclasses import field

from coset.languages.murphi import tree as t
from coset.languages.murphi.types import Multiset, Named, Simple, Type, Union
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(eq=False, slots=True)
class Symbol:
    name: str
    span: Span | None


@dataclass(eq=False, slots=True)
class Constant(Symbol):
    """A number, a truth value, or with `member_of` the member of an enumeration in that place."""

    type: Simple
    number: int
    member_of: Named | None = None

    @property
    def value(self) -> int:
        return self.number + (self.member_of.base if self.member_of is not None else 0)


@dataclass(eq=False, slots=True)
class TypeName(Symbol):
    type: Type


@dataclass(eq=False, slots=True)
class Variable(Symbol):
    """A variable; a `local` one lives in a rule or function.  A parameter that is not `assignable` is read only."""

    type: Type
    local: bool = False
    by_reference: bool = False
    assignable: bool = True


@dataclass(eq=False, slots=True)
class Bound(Symbol):
    """A name for each value of a type: of a quantifier, a loop, a ruleset, a `choose`."""

    type: Simple
    multiset: Multiset | None = None
    """What it is an element of, if it is."""


@dataclass(eq=False, slots=True)
class Alias(Symbol):
    """A name for an expression, which is read as if it stood there."""

    value: t.Expression


@dataclass(eq=False, slots=True)
class FunctionName(Symbol):
    tree: t.Function
    parameters: tuple[Variable, ...]
    result: Type | None


@dataclass(eq=False, slots=True)
class Found:
    """What the checker knows, by the identity of nodes: types of expressions and types, and what names denote."""

    program: t.Program
    types: dict[int, Type] = field(default_factory=dict)
    symbols: dict[int, Symbol] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    """The global variables."""
    unions: list[Union] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)

    def type_of(self, node: t.Node) -> Type:
        return self.types[id(node)]

    def symbol_of(self, node: t.Node) -> Symbol:
        return self.symbols[id(node)]
