"""Names and types: which variable a name means, and of what it is made.

Records are flattened here: a variable of a record type becomes one model variable per leaf, so that
`t a[3]` with `typedef t { byte b[2]; chan c }` is `a.b` of shape (3, 2) and `a.c` of shape (3,).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache

from coset.languages.promela import codes, tree
from coset.model import domain as d
from coset.model.model import ChannelType, Initial, NewChannel, Variable
from coset.source.diagnostics import Diagnostics, suggest
from coset.source.records import dataclass
from coset.source.text import Span

MACHINE = {
    "bit": d.BIT, "bool": d.BOOL, "byte": d.BYTE, "short": d.SHORT, "int": d.INT, "pid": d.PROCESS, "chan": d.CHANNEL,
}  # fmt: skip
ROW_OF_BITS = d.Domain("bit", 0, 255)
"""Arrays of bits are arrays of bytes in SPIN, and so is the only field of a message."""


@dataclass(frozen=True, slots=True)
class Record:
    """A `typedef`."""

    name: str
    fields: tuple[Symbol, ...]

    def field(self, name: str) -> Symbol | None:
        return next((f for f in self.fields if f.name == name), None)


Type = d.Domain | Record
MOST_ELEMENTS, MOST_FIELDS = 1_000_000, 10_000
"""Of one variable: values, and names for them, which typedefs in typedefs multiply."""


@lru_cache(maxsize=4096)
def extent(type_: Type) -> tuple[int, int]:
    """How many names there are in a value of a type, and how many elements."""
    if not isinstance(type_, Record):
        return 1, 1
    parts = [(extent(field.type), field.size or 1) for field in type_.fields]
    return max(1, sum(names for (names, _), _ in parts)), sum(elements * size for (_, elements), size in parts)


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A declared name.  `leaves` maps the path of field names below it to the variable of the model;
    for a field of a record it is empty.  `size` is None for what is not an array."""

    name: str
    type: Type
    size: int | None
    span: Span
    initial: Initial = ()
    leaves: dict[tuple[str, ...], Variable] = field(default_factory=dict)
    constant: int | None = None
    """The literal initial value, where SPIN takes the variable as a constant (array bounds, `active [n]`)."""


@dataclass(slots=True)
class Scope:
    """The names of one block; `number` is the path of blocks from the outermost one."""

    number: tuple[int, ...]
    outer: Scope | None
    names: dict[str, Symbol] = field(default_factory=dict)
    inner: int = 0

    def enter(self) -> Scope:
        self.inner += 1
        return Scope((*self.number, self.inner), self)

    def find(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def visible(self) -> Iterator[str]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.outer


class Types:
    """The types of a program: mtype sets and records."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        self.sets: dict[str | None, list[str]] = {None: []}
        self.records: dict[str, Record] = {}
        self.constants: dict[str, tuple[int, str | None]] = {}

    # --- mtype -----------------------------------------------------------------------------------

    def declare_mtype(self, declaration: tree.MtypeDeclaration) -> None:
        """Number the names: from the last one up, each set by itself, going on where the set was left."""
        known = self.sets.setdefault(declaration.subtype, [])
        for name, span in reversed(declaration.names):
            if name in self.constants:
                if self.constants[name][1] != declaration.subtype:
                    self.diagnostics.error(codes.REDECLARED, f"'{name}' is already an mtype constant", span)
                continue
            known.append(name)
            self.constants[name] = (len(known), declaration.subtype)
            if len(known) > 255:
                self.diagnostics.error(codes.TOO_MANY, "more than 255 mtype constants in one set", span)

    def mtype(self, subtype: str | None) -> d.Domain:
        names = self.sets.get(subtype, [])
        labels = tuple((number, name) for number, name in enumerate(names, 1))
        return d.Domain("mtype" if subtype is None else f"mtype:{subtype}", 0, 255, labels=labels)

    # --- records ---------------------------------------------------------------------------------

    def resolve(self, name: tree.TypeName, width: int | None = None, array: bool = False) -> Type:
        """The type that a name stands for."""
        if name.name == "mtype":
            if name.subtype is not None and name.subtype not in self.sets:
                self.unknown_type(name.subtype, name.span, [s for s in self.sets if s is not None])
            return self.mtype(name.subtype)
        if name.name == "unsigned":
            return d.unsigned(width if width is not None else 8)
        if name.name in ("bit", "bool") and array:
            return d.Domain(name.name, 0, 255)
        if name.name in MACHINE:
            return MACHINE[name.name]
        if name.name in self.records:
            return self.records[name.name]
        self.unknown_type(name.name, name.span, [*MACHINE, "mtype", "unsigned", *self.records])
        return d.INT

    def unknown_type(self, name: str, span: Span, candidates: list[str]) -> None:
        close = suggest(name, candidates)
        hint = f"did you mean '{close}'?" if close else None
        self.diagnostics.error(codes.NO_TYPE, f"there is no type '{name}'", span, hint)

    def message(self, fields: tuple[tree.TypeName, ...], capacity: int, name: str) -> ChannelType:
        """The type of a channel; a record is as many fields as it has leaves."""
        flat: list[d.Domain] = []
        for type_name in fields:
            flat.extend(leaf_domains(self.resolve(type_name)))
        if len(flat) == 1 and flat[0] in (d.BIT, d.BOOL):
            flat = [ROW_OF_BITS]
        return ChannelType(name, capacity, tuple(flat))


def leaf_domains(type_: Type) -> Iterator[d.Domain]:
    """The domains of the values that make up one value of a type, in order."""
    if isinstance(type_, d.Domain):
        yield type_
        return
    for symbol in type_.fields:
        for _ in range(symbol.size or 1):
            yield from leaf_domains(symbol.type)


def leaves(symbol: Symbol) -> Iterator[tuple[tuple[str, ...], d.Domain, tuple[int, ...], tuple[int, ...], Initial]]:
    """The leaves of a symbol: field path, domain, shape, subscripts per part of the name, initial value."""
    shape = () if symbol.size is None else (symbol.size,)
    if isinstance(symbol.type, d.Domain):
        yield (), symbol.type, shape, (len(shape),), symbol.initial
        return
    for inner in symbol.type.fields:
        for path, domain, below, split, initial in leaves(inner):
            spread = initial
            if shape and not isinstance(initial, NewChannel) and len(initial) > 1:
                spread = initial * shape[0]
            yield (inner.name, *path), domain, shape + below, (len(shape), *split), spread


def model_variables(symbol: Symbol, owner: str | None, name: str, hidden: bool) -> list[Variable]:
    """The variables of the model for a declared name; they are also entered in `symbol.leaves`."""
    result = []
    for path, domain, shape, split, initial in leaves(symbol):
        if isinstance(initial, NewChannel):
            kind = initial.type
            initial = NewChannel(ChannelType(".".join((name, *path)), kind.capacity, kind.fields))
        variable = Variable(".".join((name, *path)), domain, shape, owner, initial, hidden, split, symbol.span)
        symbol.leaves[path] = variable
        result.append(variable)
    return result
