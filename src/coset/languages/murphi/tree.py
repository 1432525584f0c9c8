"""The syntax tree of Murphi: expressions, types, statements, declarations and rules.

Nodes are compared by identity: the checker (`check.py`) keeps what it finds out about a node in tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields

from coset.properties.formula import Formula
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    span: Span = field(repr=False, kw_only=True)

    def walk(self) -> Iterator[Node]:
        """This node and everything below it."""
        yield self
        for each in fields(self):
            for child in nodes(getattr(self, each.name)):
                yield from child.walk()


def nodes(value: object) -> Iterator[Node]:
    """The nodes in a field of a node."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes(item)


# --- expressions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Expression(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Name(Expression):
    """A variable, a constant, a parameter, an alias, or a member of an enumeration."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Field(Expression):
    record: Expression
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Element(Expression):
    array: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Expression):
    """`!`, `-` or `~`."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Expression):
    """`&` and `|` are logical between truth values and bitwise between numbers."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expression):
    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Quantifier(Node):
    """`i: T`, or `i := low to high by step`."""

    name: str
    type: Type | None = None
    low: Expression | None = None
    high: Expression | None = None
    step: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Quantified(Expression):
    """`forall` or `exists`."""

    kind: str
    quantifier: Quantifier
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class IsUndefined(Expression):
    of: Expression


@dataclass(frozen=True, slots=True, eq=False)
class IsMember(Expression):
    of: Expression
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Count(Expression):
    """`MultisetCount(i: m, condition)`."""

    name: str
    multiset: Expression
    condition: Expression


# --- types ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Type(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class NamedType(Type):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class BooleanType(Type):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class RangeType(Type):
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True, eq=False)
class EnumType(Type):
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ScalarsetType(Type):
    size: Expression


@dataclass(frozen=True, slots=True, eq=False)
class UnionType(Type):
    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordType(Type):
    fields: tuple[VarDecl, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType(Type):
    index: Type
    element: Type


@dataclass(frozen=True, slots=True, eq=False)
class MultisetType(Type):
    size: Expression
    element: Type


# --- declarations --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Declaration(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class ConstDecl(Declaration):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class TypeDecl(Declaration):
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class VarDecl(Declaration):
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Declaration):
    type: Type
    by_reference: bool


@dataclass(frozen=True, slots=True, eq=False)
class AliasDecl(Declaration):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Function(Declaration):
    """A function, or a procedure: it has no `result`."""

    parameters: tuple[Parameter, ...]
    result: Type | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


# --- statements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Statement(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Statement):
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class AliasStatement(Statement):
    aliases: tuple[AliasDecl, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorStatement(Statement):
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class PropertyStatement(Statement):
    """`assert`, `invariant`, `assume`, `cover` or `liveness` inside of a rule."""

    category: str
    message: str
    condition: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Clear(Statement):
    target: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Undefine(Statement):
    target: Expression


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    quantifier: Quantifier
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    """One clause after the other; the last one has no condition if it is `else`."""

    clauses: tuple[tuple[Expression | None, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Case(Node):
    """`case a, b:`; without values it is `else`."""

    values: tuple[Expression, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Statement):
    of: Expression
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Put(Statement):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Return(Statement):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class CallStatement(Statement):
    call: Call


@dataclass(frozen=True, slots=True, eq=False)
class MultisetAdd(Statement):
    value: Expression
    multiset: Expression


@dataclass(frozen=True, slots=True, eq=False)
class MultisetRemove(Statement):
    """Of the element that a `choose` names, or, with a condition, of all elements for which it holds."""

    name: str
    multiset: Expression
    condition: Expression | None


# --- rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class AnyRule(Node):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Rule(AnyRule):
    name: str | None
    guard: Expression | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    priority: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class StartState(AnyRule):
    name: str | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Property(AnyRule):
    """`invariant` (or `assert`), `assume`, `cover` or `liveness`."""

    category: str
    name: str
    condition: Expression


@dataclass(frozen=True, slots=True, eq=False)
class FormulaProperty(AnyRule):
    """A temporal formula that is not in the file.  `category` is "ltl", "ctl" or "invariant"."""

    category: str
    name: str
    formula: Formula[Expression]


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset(AnyRule):
    quantifiers: tuple[Quantifier, ...]
    rules: tuple[AnyRule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AliasRule(AnyRule):
    aliases: tuple[AliasDecl, ...]
    rules: tuple[AnyRule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choose(AnyRule):
    """`choose i: m do`: the rules for each element of a multiset."""

    name: str
    multiset: Expression
    rules: tuple[AnyRule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Program(Node):
    """Declarations, functions and rules, in the order of the text."""

    parts: tuple[Declaration | AnyRule, ...]
