"""Which components an id may name, and whose channels a channel variable may hold, by following where values go.

Two places are in one class if a value can go from one to the other: by an assignment, in a message, through `lookup`.  A class
has the types of the components whose ids start there: `_pid` is of the template's own type, the name of a template option
of the type that it ranges over.  Where messages go depends on channels, and channels on ids, so this is repeated until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from coset.languages.features import codes
from coset.languages.features.expand import walk
from coset.languages.features.restrictions import Restrictions
from coset.languages.features.scope import CHANNEL, ID, Scope, kind_of
from coset.languages.features.tree import Definition, Lookup, Template, TemplateOption
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics


class Place(NamedTuple):
    """Where an id or a channel may be: a variable of a template or a global one (`owner` is ""), or a field of the messages
    to a proctype.  `path` is the name, or the number of the field, with the names of fields of records."""

    what: str
    owner: str
    path: tuple[str, ...]


class Flow:
    """The classes of places in all templates of a network."""

    def __init__(
        self, definitions: Mapping[str, Definition], templates: Mapping[str, Template], scopes: Mapping[str, Scope]
    ) -> None:
        self.definitions, self.templates, self.scopes = definitions, templates, scopes
        self.parent: dict[Place, Place] = {}
        self.types: dict[Place, frozenset[str]] = {}
        self.changed = True
        while self.changed:
            self.changed = False
            for template in templates.values():
                self.follow(template)

    def find(self, place: Place) -> Place:
        while (above := self.parent.get(place, place)) != place:
            place = above
        return place

    def of(self, place: Place) -> frozenset[str]:
        """The types of the components that a place may name."""
        return self.types.get(self.find(place), frozenset())

    def join(self, one: Place, other: Place) -> None:
        one, other = self.find(one), self.find(other)
        if one != other:
            self.parent[other] = one
            self.add(one, self.types.pop(other, frozenset()))
            self.changed = True

    def add(self, place: Place, types: frozenset[str]) -> None:
        place = self.find(place)
        known = self.types.get(place, frozenset())
        if not types <= known:
            self.types[place] = known | types
            self.changed = True

    # --- following the text ----------------------------------------------------------------------------

    def follow(self, template: Template) -> None:
        owner = template.name
        for node in walk(template.body):
            match node:
                case t.Declaration(items=items):
                    for item in items:
                        if isinstance(item.initial, t.Expression):
                            self.flow(owner, t.Reference(item.span, item.name), item.initial)
                case t.Assign(target=target, value=value):
                    self.flow(owner, target, value)
                case Lookup(component=component, channel=channel):
                    self.add(self.place(owner, channel), self.possible(owner, component))
                case t.Send(channel=channel, arguments=sent):
                    for receiver in self.receivers(owner, channel):
                        for number, argument in enumerate(sent):
                            self.message(owner, receiver, number, argument)
                case t.Receive(arguments=arguments) | t.Poll(arguments=arguments):
                    for number, received in enumerate(arguments):
                        if isinstance(received, t.Bind):
                            self.message(owner, owner, number, received.target)

    def flow(self, owner: str, target: t.Reference, value: t.Expression) -> None:
        kind = self.kind(owner, target)
        if kind in (ID, CHANNEL):
            self.into(self.place(owner, target), owner, value)

    def into(self, place: Place, owner: str, value: t.Expression) -> None:
        for source in sources(value):
            if (types := self.literal(owner, source)) is not None:
                self.add(place, types)
            else:
                self.join(place, self.place(owner, source))

    def message(self, owner: str, receiver: str, number: int, value: t.Expression) -> None:
        """A field of a message to a proctype, and a value that is put there or taken from there."""
        fields = self.definitions[receiver].fields
        if number >= len(fields):
            return
        kind = kind_of(fields[number])
        field = Place("message", receiver, (str(number),))
        if kind == ID:
            self.into(field, owner, value)
        elif isinstance(value, t.Reference) and kind in self.scopes[owner].records:
            variable = self.place(owner, value)
            for path in self.ids_in(owner, kind):
                self.join(field._replace(path=(*field.path, *path)), variable._replace(path=(*variable.path, *path)))

    def ids_in(self, owner: str, record: str) -> Iterator[tuple[str, ...]]:
        for name, variable in self.scopes[owner].records[record].items():
            if variable.kind == ID:
                yield (name,)
            elif variable.kind in self.scopes[owner].records:
                yield from ((name, *path) for path in self.ids_in(owner, variable.kind))

    # --- places ----------------------------------------------------------------------------------------

    def place(self, owner: str, x: t.Reference) -> Place:
        path, rest = [x.name], x.rest
        while rest is not None:
            path.append(rest.name)
            rest = rest.rest
        return Place("variable", owner if x.name in self.scopes[owner].locals else "", tuple(path))

    def kind(self, owner: str, x: t.Reference) -> str:
        return Restrictions(self.scopes[owner], Diagnostics()).kind(x)

    def literal(self, owner: str, x: t.Reference) -> frozenset[str] | None:
        """The types of what stands for a component by itself; None for variables."""
        if x.name in ("_pid", "in"):
            return frozenset({owner})
        ranges = {
            node.proctype
            for node in walk(self.templates[owner].body)
            if isinstance(node, TemplateOption) and node.variable == x.name
        }
        return frozenset(ranges) if ranges and self.scopes[owner].variable(x.name) is None else None

    def possible(self, owner: str, x: t.Expression) -> frozenset[str]:
        """The types of the components that an id may name."""
        found: frozenset[str] = frozenset()
        for source in sources(x):
            types = self.literal(owner, source)
            found |= self.of(self.place(owner, source)) if types is None else types
        return found

    def receivers(self, owner: str, channel: t.Reference) -> frozenset[str]:
        """The proctypes whose channel a channel variable may be."""
        return frozenset({owner}) if channel.name == "in" else self.of(self.place(owner, channel))


def sources(x: t.Expression) -> Iterator[t.Reference]:
    """The places that a value may come from; 0 is the id of no component."""
    if isinstance(x, t.Reference):
        yield x
    elif isinstance(x, t.Conditional):
        yield from sources(x.yes)
        yield from sources(x.no)


def check_messages(flow: Flow, diagnostics: Diagnostics) -> None:
    """Whatever is sent fits the channels of all who may get it: a balanced system (Definition 2)."""
    for name, template in flow.templates.items():
        restrictions = Restrictions(flow.scopes[name], diagnostics)
        restrictions.options = [node.variable for node in walk(template.body) if isinstance(node, TemplateOption)]
        for node in walk(template.body):
            if isinstance(node, t.Send) and node.channel.name != "in":
                receivers = flow.receivers(name, node.channel)
                if not receivers:
                    message = f"no component has its channel in `{node.channel.name}`"
                    diagnostics.error(codes.CHANNEL_USE, message, node.channel.span, "use `lookup` before")
                for receiver in sorted(receivers):
                    restrictions.arguments(node, flow.definitions[receiver].fields)


def sends_to(flow: Flow, name: str) -> list[str]:
    """The proctypes that a proctype can send to, all of their components: what balanced means (Definition 2.3)."""
    found: set[str] = set()
    for node in walk(flow.templates[name].body):
        if isinstance(node, t.Send) and node.channel.name != "in":
            found |= flow.receivers(name, node.channel)
    return sorted(found)
