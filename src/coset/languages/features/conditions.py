"""When abs(m) says something about all sizes: the conditions of Theorem 1 of Miller, Calder and Donaldson (2007), made precise.

* The specification is open symmetric (by construction) and safely featured (Definition 8): global variables are arrays with an
  element for each component, which only that component sets or reads.
* It is in guarded-command form: inside of `atomic` only the first statement can block.  Otherwise a process could be parked in
  the middle of an atomic block, before the full channel of a component that abs(m) does not have.
* Values depend on nothing that abs(m) knows only in part (`imprecise`), and nothing depends on the number of components.
* The formula has no next operator, and speaks of components 1 to m, which ids are compared with (`formulas`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from coset.languages.features.expand import walk
from coset.languages.features.flow import Flow
from coset.languages.features.imprecise import imprecise, not_mtypes
from coset.languages.features.obstacle import Obstacle
from coset.languages.features.scope import COUNT, Scope
from coset.languages.features.text import expression, reference
from coset.languages.features.tree import Lookup, Network, TemplateOption
from coset.languages.promela import tree as t
from coset.source.text import Source, Span

Room = frozenset[str]
"""Channel variables that surely have room for a message."""


_CONDITIONAL = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|include)\b", re.MULTILINE)
_TAKEN = re.compile(r"\b(?:ABS|linkABS|Abstract)\b")
"""Names that abs(m) has for itself."""


def obstacles(network: Network, flow: Flow) -> list[Obstacle]:
    """What stands against a proof by abstraction."""
    found: dict[Obstacle, None] = {}
    for definition in network.definitions:
        if definition.capacity == 0:
            found[Obstacle(f"`{definition.name}` has a rendezvous channel", definition.span)] = None
    for each in (*of_one_size(network), *not_mtypes(network, flow)):
        found[each] = None
    for name, template in network.templates.items():
        scope = flow.scopes[name]
        for each in (
            *unsafe(template.body, scope),
            *Blocking().outside(template.body),
            *imprecise(template.body, scope, name == network.definitions[0].name),
        ):
            found[each] = None
    return list(found)


# --- the same text for all sizes ---------------------------------------------------------------------------


def of_one_size(network: Network) -> Iterator[Obstacle]:
    """Declarations that mean something else if there are more components, and names that mean something else in abs(m)."""
    for match in _CONDITIONAL.finditer(network.globals.text):
        yield Obstacle("what globals.def says may depend on the number of components", at(network.globals, match))
    for source in (network.globals, *(each.source for each in network.templates.values())):
        for match in _TAKEN.finditer(source.text):
            yield Obstacle(f"`{match[0]}` has a meaning of its own in abs(m)", at(source, match))
    declared = (network.units, *(each.body for each in network.templates.values()))
    for item in (node for node in walk(declared) if isinstance(node, t.Declarator)):
        per_component = isinstance(item.size, t.Reference) and item.size.name == COUNT
        for part in (item.initial, None if per_component else item.size):
            if any(isinstance(node, t.Reference) and node.name == COUNT for node in walk(part)):
                yield Obstacle(f"`{item.name}` depends on the number of components", item.span)


def at(source: Source, match: re.Match[str]) -> Span:
    return Span(source, match.start(), match.end())


# --- safely featured ---------------------------------------------------------------------------------------


def unsafe(body: tuple[t.Statement, ...], scope: Scope) -> Iterator[Obstacle]:
    """Global variables that are not of one component alone, and arrays in which abs(m) would confuse components."""
    for variable in scope.globals.values():
        if not variable.per_component:
            yield Obstacle(f"`{variable.name}` is shared by all components: not safely featured", variable.span)
    for variable in scope.locals.values():
        if variable.per_component:
            yield Obstacle(
                f"`{variable.name}` has an element for each component, of which most are abstracted", variable.span
            )
    for record, fields in scope.records.items():
        for field in fields.values():
            if field.per_component:
                why = f"`{field.name}` of `{record}` has an element for each component, of which most are abstracted"
                yield Obstacle(why, field.span)
    for node in walk(body):
        if isinstance(node, t.Reference) and node.name in scope.globals and node.name not in scope.locals:
            index = node.index
            if scope.globals[node.name].per_component and not (isinstance(index, t.Reference) and index.name == "_pid"):
                yield Obstacle(f"`{reference(node)}` is of another component: not safely featured", node.span)


# --- guarded-command form -------------------------------------------------------------------------------------


class Blocking:
    """Finds statements inside of `atomic` that can block and are not the first."""

    def outside(self, steps: tuple[t.Statement, ...]) -> Iterator[Obstacle]:
        """Look for atomic blocks."""
        for step in steps:
            match step:
                case t.Block(control="atomic", body=body):
                    yield from self.sequence(body, False, frozenset())[1]
                case t.Block(control="d_step"):
                    yield Obstacle("`d_step` chooses in the order of the text: use `atomic`", step.span)
                case t.Block(body=body):
                    yield from self.outside(body)
                case t.If(options=options) | t.Do(options=options):
                    for option in options:
                        yield from self.outside(opened(option))
                case t.Labelled(statement=inner):
                    yield from self.outside((inner,))
                case t.DeclarationStatement() if not step.leading:
                    yield Obstacle("variables are declared at the beginning", step.span)

    def sequence(self, steps: tuple[t.Statement, ...], begun: bool, room: Room) -> tuple[Room, list[Obstacle]]:
        """The channels that have room afterwards, and what can block; `begun` if a statement has been executed."""
        found: list[Obstacle] = []
        for step in steps:
            room, more = self.step(step, begun, room)
            found += more
            begun = begun or not isinstance(step, t.DeclarationStatement)
        return room, found

    def step(self, step: t.Statement, begun: bool, room: Room) -> tuple[Room, list[Obstacle]]:
        found: list[Obstacle] = []
        match step:
            case t.Guard(condition=condition):
                if begun and not always(step):
                    found.append(Obstacle("a condition in the middle of `atomic` can block", step.span))
                return room | implied_room(condition), found
            case t.Send(channel=channel):
                if begun and channel.name not in room:
                    why = f"`{channel.name}!...` in the middle of `atomic` can block: test nfull({channel.name}) first"
                    found.append(Obstacle(why, step.span))
                return frozenset(), found  # two variables may hold one channel
            case t.Receive():
                if begun:
                    found.append(Obstacle("a receive in the middle of `atomic` can block", step.span))
                return room | {"in"} if not step.peek else room, found
            case t.Assign(target=target) | Lookup(channel=target):
                return room - {target.name}, found
            case t.Block(control="d_step"):
                return room, [Obstacle("`d_step` chooses in the order of the text: use `atomic`", step.span)]
            case t.Block(body=body):
                return self.sequence(body, begun, room)
            case t.Labelled(statement=inner):
                room, found = self.step(inner, begun, room)
                return room, [*found, Obstacle(f"label `{step.label}` is in the middle of `atomic`", step.span)]
            case t.If(options=options):
                return self.choice(step, options, begun, room)
            case t.Do() | t.Break():
                found.append(Obstacle("a loop is in an atomic block", step.span))
            case t.DeclarationStatement():
                found.append(Obstacle("variables are declared at the beginning", step.span))
        return room, found

    def choice(
        self, step: t.If, options: tuple[tuple[t.Statement, ...], ...], begun: bool, room: Room
    ) -> tuple[Room, list[Obstacle]]:
        found: list[Obstacle] = []
        rooms = []
        opened_ = [opened(option) for option in options]
        if begun and not decided(opened_):
            why = "a choice in the middle of `atomic` can block: add `else`, or a condition and its negation"
            found.append(Obstacle(why, step.span))
        for option in opened_:
            first = option[0]
            if begun and isinstance(first, t.Send | t.Receive):
                found += self.step(first, True, room)[1]
            left, more = self.sequence(option, False, room)
            found += more
            if not isinstance(option[-1], t.Goto):
                rooms.append(left)
        return frozenset.intersection(*rooms) if rooms else frozenset(), found


def opened(option: tuple[t.Statement, ...]) -> tuple[t.Statement, ...]:
    """An option as one of those that its template options stand for."""
    while option and isinstance(option[0], TemplateOption):
        option = (*option[0].body, *option[1:])
    return option


def always(step: t.Statement) -> bool:
    """Whether a statement can always be executed."""
    if isinstance(step, t.Guard):
        return isinstance(step.condition, t.Number) and step.condition.value != 0
    return isinstance(step, t.Assign | Lookup | t.Assert | t.Print | t.Goto)


def decided(options: list[tuple[t.Statement, ...]]) -> bool:
    """Whether some option can always be taken."""
    firsts = [option[0] for option in options if option]
    if any(isinstance(first, t.Else) or always(first) for first in firsts):
        return True
    conditions = [first.condition for first in firsts if isinstance(first, t.Guard)]
    texts = {expression(condition) for condition in conditions}
    return any(expression(negation) in texts for c in conditions if (negation := opposite(c)) is not None)


def opposite(condition: t.Expression) -> t.Expression | None:
    """The condition that holds if and only if this one does not, as it is usually written."""
    match condition:
        case t.Unary(operator="!", operand=operand):
            return operand
        case t.ChannelQuery(operator="nempty" | "nfull" as operator):
            return replace(condition, operator=operator[1:])
    return None


def implied_room(condition: t.Expression) -> Room:
    """The channels that a condition says to have room."""
    match condition:
        case t.ChannelQuery(operator="nfull" | "empty", channel=channel):
            return frozenset({channel.name})
        case t.Binary(operator="&&", left=left, right=right):
            return implied_room(left) | implied_room(right)
    return frozenset()
