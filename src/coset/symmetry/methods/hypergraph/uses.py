"""Who uses which shared variable, and how: the roles that variables, channels and other processes have for a process.

The text of each process is read with `_pid`, parameters and constant tables replaced by what they are there, so that
`fork[(_pid + 1) % N]` is an element.  A *use* is a place in the text where a *target* stands: an element of a shared
variable, a whole variable (where the index is not known), or a value that names a process, a channel or an element.
Its *position* is the way from the edge down to that place, each step with what the text around looks like when targets
are blanked out.  Where order does not matter (operands of `==`, options of a choice) positions have none, unless they are to
be `exact`.  The *role* of a target for a process is the multiset of the positions at which it is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.source.records import dataclass
from coset.symmetry.action import Point, Points
from coset.symmetry.certify_text import is_ordered
from coset.symmetry.conditions import conditions
from coset.symmetry.constants import Constants
from coset.symmetry.operators import ASSOCIATIVE, COMMUTATIVE, flattened, leaves_of
from coset.symmetry.order import conflicts
from coset.symmetry.sorts import Sort
from coset.symmetry.values import Row, possible, rows

BLANK = "target"


class Element(NamedTuple):
    """An element of a global array: its place among the variables of the model, and its flat offset."""

    variable: int
    offset: int


class Table(NamedTuple):
    """What arithmetic on values that may be permuted makes of them."""

    whole: e.Expr
    sort: int | None


class Rows(NamedTuple):
    """What a table says: the operands, for each the first one that it may be exchanged with, and the results."""

    operands: tuple[e.Expr, ...]
    alike: tuple[int, ...]
    rows: tuple[Row, ...]


Target = Point | Element | Table
Parts = Iterable[tuple[Hashable, "Tree"]]
Role = frozenset[tuple[Hashable, int]]


@dataclass(frozen=True, slots=True)
class Tree:
    """A piece of text.  `look` is the number of what it looks like with targets blanked out."""

    look: int
    parts: tuple[tuple[Hashable, Tree], ...] = ()
    target: Target | None = None

    def uses(self, way: tuple[Hashable, ...] = ()) -> Iterator[tuple[Target, Hashable]]:
        """The targets below, with their positions."""
        if self.target is not None:
            yield self.target, (*way, self.look)
        for position, part in self.parts:
            yield from part.uses((*way, self.look, position))


@dataclass(frozen=True, slots=True)
class Text:
    """What a process does: its looks as a whole, and the role of each target.  `options` has the same for each option of
    each location by itself, with the location; without one for what always holds."""

    look: Hashable
    roles: dict[Target, Role]
    options: tuple[tuple[Point | None, Text], ...] = ()


class Reader:
    """Reads the text of processes, and of properties, which look on."""

    def __init__(self, points: Points, exact: bool = False) -> None:
        self.points, self.sorts, self.model, self.exact = points, points.sorts, points.interpreter.model, exact
        self.constants = Constants(points)
        self.numbers: dict[Hashable, int] = {}
        self.variables = {variable: k for k, variable in enumerate(self.model.variables)}
        self.own = {
            variable: Point("local", number, item)
            for number, kind in enumerate(self.model.kinds)
            for item, variable in enumerate(kind.variables)
        }
        self.tables: dict[Table, Rows] = {}
        """The tables that are used."""
        self.process: int | None = None
        """Where expressions are evaluated."""

    # --- texts -----------------------------------------------------------------------------------

    def of_process(self, number: int) -> Text:
        """The text that a process can come to."""
        self.process = number
        owner = self.points.started.state.processes[number].kind
        kind = self.model.kinds[owner]
        options: list[tuple[Point | None, Tree]] = [(None, self.edge(m.Edge(m.GONE, kind.provided), "provided"))]
        for spot in sorted(self.points.started.locations[number]):
            location = kind.locations[spot]
            ordered = is_ordered(location)
            for k, edge in enumerate(location.edges):
                tree = self.edge(edge, k if self.exact or ordered[k] else None, owner)
                options.append((Point("location", owner, spot), tree))
        whole = text_of([tree for _, tree in options])
        return Text(whole.look, whole.roles, tuple((at, text_of([tree])) for at, tree in options))

    def of_property(self, property_: m.Property) -> Text:
        """The text of a property."""
        self.process = None
        if isinstance(property_, m.Claim):
            return self.of_watcher(property_.automaton)
        return text_of([self.node(k, [("holds", self.truth(x))]) for k, x in enumerate(conditions(property_.formula))])

    def of_watcher(self, automaton: m.Kind) -> Text:
        """The text of an automaton that is no process: its locations stay where they are."""
        self.process = None
        return text_of([self.edge(edge, (spot, k)) for k, (spot, edge) in enumerate(automaton.edges())])

    def edge(self, edge: m.Edge, place: Hashable, kind: int | None = None) -> Tree:
        """An edge of an automaton; locations of a kind are targets, as their names mean nothing."""
        effects = [effect for effect in edge.effects if not isinstance(effect, m.Print)]
        parts: list[tuple[Hashable, Tree]] = [("guard", self.truth(edge.guard))]
        parts += [(("effect", k), self.effect(effect)) for k, effect in zip(turns(effects), effects, strict=True)]
        target = self.node(("location", edge.target)) if kind is None else self.location(kind, edge.target)
        return self.node((place, edge.hold, edge.tier, edge.group), [*parts, ("to", target)])

    def location(self, kind: int, spot: int) -> Tree:
        point = Point("location", kind, spot)
        if point not in self.points.known:
            return self.node(("location", kind, spot))
        return self.node((BLANK, "location"), target=point)

    # --- trees -----------------------------------------------------------------------------------

    def node(self, label: Hashable, parts: Parts = (), target: Target | None = None, free: bool = False) -> Tree:
        """A tree; the order of its parts does not matter if they are `free`."""
        inside = tuple((None, part) for _, part in parts) if free and not self.exact else tuple(parts)
        below = Counter((position, part.look) for position, part in inside)
        look = self.numbers.setdefault((label, frozenset(below.items())), len(self.numbers))
        return Tree(look, inside, target)

    def value(self, sort: Sort | None, value: int) -> Tree:
        """A value that is always the same."""
        if sort is None or not sort.leader.mobile:
            return self.node(("number", value))
        point = Point("value", sort.leader.number, value)
        if point not in self.points.known:
            return self.node(("number", value))
        own = sort.leader is self.sorts.process.leader and value == self.process
        return self.node((BLANK, "value", sort.leader.number, own), target=point)

    def access(self, what: str, variable: m.Variable, indices: tuple[e.Expr, ...]) -> Tree:
        """A variable, or an element, that is read or written."""
        if variable.owner is not None:
            return self.node(what, [("of", self.local(variable)), *self.indices(variable, indices)])
        if not indices or self.constants.element(variable, indices, self.process) is None:
            whole = self.node((BLANK, "variable", variable.shape), target=Point("global", 0, self.variables[variable]))
            return self.node(what, [("of", whole), *self.indices(variable, indices)])
        offset = self.constants.element(variable, indices, self.process)
        assert offset is not None
        return self.node((what, BLANK, variable.shape), target=Element(self.variables[variable], offset))

    def local(self, variable: m.Variable) -> Tree:
        """A variable of a process, whichever it is."""
        point = self.own.get(variable)
        if point is None or point not in self.points.known:
            return self.node(("local", variable.owner, variable.name))
        return self.node((BLANK, "local", variable.shape), target=point)

    def indices(self, variable: m.Variable, indices: Sequence[e.Expr]) -> Parts:
        return [(d, self.expression(index, self.sorts.index(variable, d))) for d, index in enumerate(indices)]

    def effect(self, effect: m.Effect) -> Tree:
        match effect:
            case m.Assign(place, value):
                sort = self.sorts.of_variable[place.variable].leader if place.variable is not None else None
                return self.node("assign", [("to", self.place(place)), ("value", self.expression(value, sort))])
            case m.Send(channel, values):
                fields = [(k, self.expression(x, self.field(channel, k))) for k, x in enumerate(values)]
                return self.node(("send", effect.sorted), [("channel", self.channel(channel)), *fields])
            case m.Receive(channel, patterns):
                return self.node(("receive", effect.random, effect.peek), self.reception(channel, patterns))
            case m.Event(sends, channel, patterns):
                return self.node(("event", sends), self.reception(channel, patterns))
            case m.Assert(condition):
                return self.node("assert", [("condition", self.truth(condition))])
            case m.SetPriority(process, value):
                parts = [("of", self.expression(process, self.sorts.process)), ("value", self.expression(value, None))]
                return self.node("priority", parts)
            case m.Exit():
                return self.node("exit")
        raise TypeError(f"unknown effect {type(effect).__name__}")

    def place(self, place: e.Place) -> Tree:
        return self.node("nowhere") if place.variable is None else self.access("place", place.variable, place.indices)

    def field(self, channel: e.Expr, number: int) -> Sort | None:
        sort = self.sorts.of(channel)
        return sort.fields[number].leader if sort is not None and number in sort.fields else None

    def channel(self, channel: e.Expr) -> Tree:
        return self.expression(channel, self.sorts.of(channel))

    def reception(self, channel: e.Expr, patterns: tuple[e.Pattern, ...]) -> Parts:
        yield "channel", self.channel(channel)
        for k, pattern in enumerate(patterns):
            if pattern.value is not None:
                yield ("equals", k), self.expression(pattern.value, self.field(channel, k))
            if pattern.place is not None:
                yield ("stores", k), self.place(pattern.place)

    # --- expressions -----------------------------------------------------------------------------

    def truth(self, x: e.Expr) -> Tree:
        """An expression of which only the truth counts."""
        known = self.constants.value(x, self.process)
        return self.node(("truth", known != 0)) if known is not None else self.expression(x, self.sorts.of(x))

    def expression(self, x: e.Expr, sort: Sort | None) -> Tree:
        """An expression whose value is of a sort (None: a plain number)."""
        known = self.constants.value(x, self.process)
        if known is not None:
            return self.value(sort, known)
        leaves = tuple(dict.fromkeys(leaves_of(x)))
        match x:
            case e.Get(variable, indices):
                return self.access("get", variable, indices)
            case e.Remote(kind, process, variable, indices):
                own = ("variable", self.local(variable))
                parts = [("of", self.referred(process, kind)), own, *self.indices(variable, indices)]
                if x in self.sorts.missing:
                    parts.append(("no process", self.value(self.sorts.of_variable[variable], 0)))
                return self.node(("remote", kind), parts)
            case e.AtLocation(kind, process, _, spots):
                number = self.points.interpreter.kind_number[kind]
                places = [("one of", self.location(number, spot)) for spot in spots]
                return self.node(("at", kind), [("of", self.referred(process, kind)), *places])
            case e.Conditional(condition, yes, no):
                branches = [("if", self.truth(condition)), ("yes", self.expression(yes, sort))]
                return self.node("?", [*branches, ("no", self.expression(no, sort))])
            case e.Binary("&&" | "||" as operator):
                return self.node(operator, enumerate(map(self.truth, flattened(x, operator))), free=True)
            case e.Binary("==" | "!=" as operator, left, right) if self.sorts.of(left) or self.sorts.of(right):
                common = self.sorts.of(left) or self.sorts.of(right)
                return self.node(
                    operator, enumerate(self.expression(side, common) for side in (left, right)), free=True
                )
            case e.Unary("!", operand):
                return self.node("!", [(0, self.truth(operand))])
            case e.Binary() | e.Unary() if leaves and all(map(self.sorts.is_mobile, leaves)):
                return self.table(x, leaves, sort)
            case e.Binary(operator, left, right):
                operands = list(flattened(x, operator)) if operator in ASSOCIATIVE else [left, right]
                parts = [(k, self.expression(part, self.sorts.of(part))) for k, part in enumerate(operands)]
                return self.node(operator, parts, free=operator in COMMUTATIVE)
            case e.Unary(operator, operand):
                return self.node(("unary", operator), [(0, self.expression(operand, None))])
            case e.Length(channel) | e.Full(channel):
                return self.node(type(x).__name__, [("channel", self.channel(channel))])
            case e.Poll(channel, patterns, random):
                return self.node(("poll", random), self.reception(channel, patterns))
            case e.Enabled(process) | e.Position(process) | e.PriorityOf(process):
                return self.node(type(x).__name__, [("of", self.expression(process, self.sorts.process))])
        if any(True for _ in x.children()):
            raise TypeError(f"unknown expression {type(x).__name__}")
        return self.node(type(x).__name__)

    def referred(self, process: e.Expr | None, kind: str) -> Tree:
        """A process that is referred to; without a number the oldest of its kind is meant."""
        if process is not None:
            return self.expression(process, self.sorts.process)
        number = self.points.interpreter.kind_number[kind]
        state = self.points.started.state
        return self.value(self.sorts.process, next((n for n, p in enumerate(state.processes) if p.kind == number), -1))

    def table(self, x: e.Expr, leaves: tuple[e.Expr, ...], sort: Sort | None) -> Tree:
        """Arithmetic on values that may be permuted: what counts is what it makes of each."""
        target = Table(x, sort.leader.number if sort is not None and sort.leader.mobile else None)
        if target not in self.tables:
            known = tuple(rows(x, leaves, self.sorts))
            first = (
                [*range(len(leaves))] if self.exact else alike(known, [possible(leaf, self.sorts) for leaf in leaves])
            )
            self.tables[target] = Rows(leaves, tuple(first), known)
        known_as = self.tables[target].alike
        parts = [(k, self.expression(leaf, self.sorts.of(leaf))) for k, leaf in zip(known_as, leaves, strict=True)]
        return self.node("computed", [*parts, ("by", self.node((BLANK, "table"), target=target))])


def alike(table: Sequence[Row], values: Sequence[Sequence[int]]) -> list[int]:
    """For each operand the first one that it may be exchanged with: no result changes then.

    >>> pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    >>> alike([(pair, sum(pair)) for pair in pairs], [(0, 1)] * 2), alike([(pair, pair[0]) for pair in pairs], [(0, 1)] * 2)
    ([0, 0], [0, 1])
    """
    results = dict(table)

    def may_be_exchanged(i: int, j: int) -> bool:
        if values[i] != values[j]:
            return False
        for row, result in table:
            image = list(row)
            image[i], image[j] = row[j], row[i]
            if results[tuple(image)] != result:
                return False
        return True

    found: list[int] = []
    for j in range(len(values)):
        firsts = (i for i in dict.fromkeys(found) if may_be_exchanged(i, j))
        found.append(next(firsts, j))
    return found


def turns(effects: Sequence[m.Effect]) -> list[int]:
    """The turn of each effect of a step: after all before it that it depends on.  Within a turn the order does not matter."""
    found: list[int] = []
    for k, effect in enumerate(effects):
        before = [found[i] for i in range(k) if conflicts(effects[i], effect)]
        found.append(max(before, default=-1) + 1)
    return found


def text_of(trees: Sequence[Tree]) -> Text:
    roles: dict[Target, Counter[Hashable]] = {}
    for tree in trees:
        for target, position in tree.uses():
            roles.setdefault(target, Counter())[position] += 1
    look = frozenset(Counter(tree.look for tree in trees).items())
    return Text(look, {target: frozenset(role.items()) for target, role in roles.items()})
