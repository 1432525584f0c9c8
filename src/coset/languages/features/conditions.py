"""When abs(m) says something about all sizes: the conditions of Theorem 1 of Miller, Calder and Donaldson (2007), made precise.

* The specification is open symmetric (by construction) and safely featured (Definition 8): global variables are arrays with an
  element for each component, which only that component sets or reads.
* It is in guarded-command form: inside of `atomic` only the first statement can block.  Otherwise a process could be parked in
  the middle of an atomic block, before the full channel of a component that abs(m) does not have.
* Values depend on no comparison of ids, feature or channel of another component, which abs(m) knows only in part.
* The formula has no next operator, and speaks of components 1 to m, which ids are compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from coset.languages.features.expand import walk
from coset.languages.features.flow import Flow
from coset.languages.features.restrictions import Restrictions
from coset.languages.features.scope import ID, Scope
from coset.languages.features.text import expression, reference
from coset.languages.features.tree import Lookup, Network, TemplateOption
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics
from coset.source.text import Span

Room = frozenset[str]
"""Channel variables that surely have room for a message."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A condition that is not met, and where."""

    why: str
    span: Span | None = None

    def __str__(self) -> str:
        return self.why if self.span is None else f"{self.why} ({self.span})"


class NotAbstractable(Exception):
    """The construction meets something that it is not sound for."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(str(obstacle))
        self.obstacle = obstacle


def obstacles(network: Network, flow: Flow) -> list[Obstacle]:
    """What stands against a proof by abstraction."""
    found: dict[Obstacle, None] = {}
    for definition in network.definitions:
        if definition.capacity == 0:
            found[Obstacle(f"`{definition.name}` has a rendezvous channel", definition.span)] = None
    for name, template in network.templates.items():
        scope = flow.scopes[name]
        for each in (
            *unsafe(template.body, scope),
            *Blocking().outside(template.body),
            *imprecise(template.body, scope),
        ):
            found[each] = None
    return list(found)


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
                if begun:
                    found.append(Obstacle(f"label `{step.label}` is in the middle of `atomic`", step.span))
                room, more = self.step(inner, begun, room)
                return room, found + more
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


# --- what abs(m) knows only in part ---------------------------------------------------------------------------


def imprecise(body: tuple[t.Statement, ...], scope: Scope) -> Iterator[Obstacle]:
    """Values that depend on what abs(m) does not know."""
    for node in walk(body):
        values: list[t.Expression] = []
        match node:
            case t.Assign(value=value):
                values = [value]
            case t.Send(arguments=arguments):
                values = list(arguments)
            case t.Conditional(condition=condition):
                values = [condition]
            case t.Declarator(initial=t.Expression() as initial):
                values = [initial]
            case t.Binary(operator=operator, left=left, right=right) if operator not in ("&&", "||"):
                values = [side for side in (left, right) if not isinstance(side, t.ChannelQuery)]
            case t.Receive(random=True, arguments=received) | t.Poll(arguments=received):
                for each in received:
                    if isinstance(each, t.Match) and is_id(each.value, scope) and not is_exact(each.value):
                        yield Obstacle("which message it is depends on an id that may be abstracted", each.span)
        for value in values:
            if any(unknown(part, scope) for part in walk(value)):
                yield Obstacle("a value depends on ids, features or channels of other components", value.span)


def unknown(node: t.Node, scope: Scope) -> bool:
    match node:
        case t.Binary(operator="==" | "!=", left=left, right=right):
            return is_id(left, scope) or is_id(right, scope)
        case t.ChannelQuery(channel=channel):
            return channel.name != "in"
        case t.Reference(name=name):
            return name in scope.features and scope.variable(name) is None
    return False


def is_id(x: t.Expression, scope: Scope) -> bool:
    return Restrictions(scope, Diagnostics()).kind(x) == ID


def is_exact(x: t.Expression) -> bool:
    """Whether an id is surely not one of an abstracted component."""
    return isinstance(x, t.Number) or (isinstance(x, t.Reference) and x.name == "_pid")
