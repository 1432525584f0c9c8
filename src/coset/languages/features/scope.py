"""What the names of a template stand for, and of which kind a value is: an id, a channel, a record, or plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from coset.languages.features.expand import walk
from coset.languages.features.tree import Definition, Feature, TemplateOption
from coset.languages.promela import tree as t
from coset.source.records import dataclass
from coset.source.text import Span

ID, DATA, CHANNEL, ZERO = "id", "data", "channel", "zero"
"""Kinds of values; `zero` is the literal 0, which is data, or the id of no component.  A record has the name of its type."""

COUNT = "NCOMP"


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared name.  `per_component` if it is an array of NCOMP elements."""

    name: str
    type: t.TypeName
    size: t.Expression | None
    span: Span

    @property
    def kind(self) -> str:
        return kind_of(self.type)

    @property
    def per_component(self) -> bool:
        return isinstance(self.size, t.Reference) and self.size.name == COUNT


def kind_of(type_: t.TypeName) -> str:
    if type_.name == "pid":
        return ID
    if type_.name == "chan":
        return CHANNEL
    return DATA if type_.name in ("bit", "bool", "byte", "short", "int", "unsigned", "mtype") else type_.name


def variables(declarations: Iterable[object]) -> Iterator[Variable]:
    for each in declarations:
        if isinstance(each, t.DeclarationStatement):
            each = each.declaration
        if isinstance(each, t.Declaration):
            for item in each.items:
                yield Variable(item.name, each.type, item.size, item.span)


@dataclass(frozen=True)
class Scope:
    """The names of one template."""

    definition: Definition
    globals: Mapping[str, Variable]
    locals: Mapping[str, Variable]
    records: Mapping[str, Mapping[str, Variable]]
    features: Mapping[str, Feature]
    constants: frozenset[str]

    def variable(self, name: str) -> Variable | None:
        return self.locals.get(name) or self.globals.get(name)

    def field(self, record: str, name: str) -> Variable | None:
        return self.records.get(record, {}).get(name)

    def leaf(self, x: t.Reference) -> Variable | None:
        """What a reference ends in: a variable, or a field of a record."""
        found, rest = self.variable(x.name), x.rest
        while found is not None and rest is not None:
            found, rest = self.field(found.kind, rest.name), rest.rest
        return found

    def type_of(self, x: t.Reference) -> str | None:
        found = self.leaf(x)
        return None if found is None else found.type.name


def globals_of(units: Iterable[t.Unit]) -> dict[str, Variable]:
    return {each.name: each for each in variables(units)}


def records_of(units: Iterable[t.Unit]) -> dict[str, dict[str, Variable]]:
    return {
        unit.name: {each.name: each for each in variables(unit.fields)} for unit in units if isinstance(unit, t.Typedef)
    }


def constants_of(units: Iterable[t.Unit]) -> frozenset[str]:
    """The names of mtype constants."""
    return frozenset(name for unit in units if isinstance(unit, t.MtypeDeclaration) for name, _ in unit.names)


def locals_of(body: tuple[t.Statement, ...]) -> dict[str, Variable]:
    return {each.name: each for each in variables(node for node in walk(body) if isinstance(node, t.Declaration))}


def features_in(body: tuple[t.Statement, ...], known: Iterable[str]) -> Iterator[Feature]:
    """The features that a template asks for: names in capitals that are declared nowhere, as `F[i]` or `F[i].to[j]`."""
    names = frozenset(known) | {node.variable for node in walk(body) if isinstance(node, TemplateOption)}
    for node in walk(body):
        if isinstance(node, t.Reference) and node.index is not None and node.name.isupper() and node.name not in names:
            rest = node.rest
            if rest is None:
                yield Feature(node.name, 1, (), node.span)
            elif rest.name == "to" and rest.index is not None and rest.rest is None:
                yield Feature(node.name, 2, (), node.span)
