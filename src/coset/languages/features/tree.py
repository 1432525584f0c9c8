"""Featured networks as data: what procs.def, globals.def, features.def and the templates say.

A template is the body of a proctype in Promela, with two statements of its own:

    :: for i in client { to = i }     ->  TemplateOption("i", "client", ...): one option for every client
    lookup(to, out)                   ->  Lookup(Reference("to"), Reference("out")): out is the channel of component `to`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from coset.languages.promela.tree import Expression, Number, Reference, Statement, TypeName, Unit
from coset.source.records import dataclass
from coset.source.text import Source, Span


@dataclass(frozen=True, slots=True)
class TemplateOption(Statement):
    """`for variable in proctype { body }`, the first statement of an option."""

    variable: str
    proctype: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Lookup(Statement):
    """`lookup(component, channel)`: the channel variable gets the channel of the component."""

    component: Expression
    channel: Reference


@dataclass(frozen=True, slots=True)
class Component(Number):
    """The literal id of a component, from the expansion of a template option."""


@dataclass(frozen=True, slots=True)
class Definition:
    """`count: name <- [capacity] of {fields}`."""

    count: int
    name: str
    capacity: int
    fields: tuple[TypeName, ...]
    span: Span

    @property
    def message(self) -> str:
        return ", ".join(field.name for field in self.fields)


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature and who has it: `members` are hosts (unary) or pairs of host and partner (binary)."""

    name: str
    arity: int
    members: tuple[tuple[int, ...], ...] = ()
    span: Span | None = None

    def __str__(self) -> str:
        """As features.def has it.

        >>> print(Feature("FILTER", 2, ((3, 5), (4, 5))), Feature("AUTORESP", 1, ((1,),)))
        FILTER[(3,5),(4,5)] AUTORESP[1]
        """
        shown = (str(m[0]) if self.arity == 1 else f"({m[0]},{m[1]})" for m in self.members)
        return f"{self.name}[{','.join(shown)}]"


@dataclass(frozen=True, slots=True)
class Template:
    """The body of a proctype."""

    name: str
    body: tuple[Statement, ...]
    source: Source


@dataclass(frozen=True)
class Network:
    """A featured network.  Components are numbered from 1 in the order of the definitions."""

    name: str
    definitions: tuple[Definition, ...]
    globals: Source
    units: tuple[Unit, ...]
    """What globals.def declares."""
    templates: Mapping[str, Template]
    features: tuple[Feature, ...]
    """Every feature that a template asks for, with those who have it."""

    @cached_property
    def types(self) -> dict[int, str]:
        """The proctype of each component."""
        names = [each.name for each in self.definitions for _ in range(each.count)]
        return dict(enumerate(names, 1))

    @property
    def size(self) -> int:
        return len(self.types)

    def ids(self, proctype: str) -> list[int]:
        return [number for number, name in self.types.items() if name == proctype]

    def definition(self, proctype: str) -> Definition:
        return next(each for each in self.definitions if each.name == proctype)

    def feature(self, name: str) -> Feature | None:
        return next((each for each in self.features if each.name == name), None)

    def instances(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """What is switched on: `("FILTER", (1, 2))`."""
        for feature in self.features:
            for member in feature.members:
                yield feature.name, member

    def featured(self, instances: Mapping[str, tuple[tuple[int, ...], ...]]) -> Network:
        """The same network with these features and no others."""
        return replace(self, features=tuple(replace(f, members=instances.get(f.name, ())) for f in self.features))

    def sized(self, counts: Mapping[str, int]) -> Network:
        """The same network with other numbers of components."""
        return replace(
            self, definitions=tuple(replace(each, count=counts.get(each.name, each.count)) for each in self.definitions)
        )
