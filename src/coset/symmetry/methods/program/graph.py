"""`program`: one graph of the whole model whose automorphisms are its symmetries.

The graph has a vertex for every value of a mobile sort (so for every process and channel), every variable that the text
mentions, every location and edge of an automaton, and every expression, each with edges to its parts, coloured by
their role.  Operands of commutative operators have one role, options of a choice are unordered, effects that do not
depend on each other too.  Values that the started state holds are edges as well.  Arithmetic on mobile sorts is not put in
as it is written, but as its table: `(i + 1) % 3` is the rows 0 -> 1, 1 -> 2, 2 -> 0, which rotations keep.

Theorem.  An automorphism g, acting on states as `action` says, is an automorphism of the state graph from the started
state on.  Proof idea: by induction, the value of g(x) in g(s) at process g(p) is g of the value of x in s at p, for every
expression x; so process p can take an edge in s just if g(p) can take g(edge) in g(s), with corresponding results.
No candidate has to be rejected, unlike with static channel diagrams (Donaldson and Miller, FM 2005).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import Channel, offsets
from coset.source.records import dataclass
from coset.symmetry.action import Point, Points
from coset.symmetry.conditions import conditions
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.methods.program.expressions import ExpressionGraph
from coset.symmetry.order import conflicts, is_decided
from coset.symmetry.sorts import Sort, Sorts
from coset.symmetry.startup import StartedStates


@dataclass(frozen=True, slots=True)
class ProgramGraph:
    """The graph of a model, and which of its vertices are points."""

    graph: ColouredGraph
    points: Points
    vertices: tuple[int, ...]


def program_graph(
    interpreter: Interpreter, started: StartedStates, sorts: Sorts, properties: Iterable[m.Property]
) -> ProgramGraph:
    """The graph of a model together with the properties that its symmetries must keep."""
    builder = Builder(interpreter, started, sorts)
    builder.build(properties)
    ranks = {sort.number: ("process", "channel", "").index(sort.objects) for sort in sorts.all}
    order = sorted(
        builder.points, key=lambda p: (p.what != "value", ranks.get(p.number, 0) if p.what == "value" else 0, p)
    )
    points = Points(interpreter, started, sorts, tuple(order))
    return ProgramGraph(builder.graph, points, tuple(builder.points[point] for point in order))


class Builder(ExpressionGraph):
    def __init__(self, interpreter: Interpreter, started: StartedStates, sorts: Sorts) -> None:
        super().__init__(interpreter, started, sorts)
        self.early_else: dict[int, bool] = {}
        """What is known about the locations, by identity."""

    # --- the whole -------------------------------------------------------------------------------

    def build(self, properties: Iterable[m.Property]) -> None:
        self.locations()
        for number, kind in enumerate(self.model.kinds):
            if self.count[number]:
                self.kind(number, kind)
        if self.model.monitor is not None:
            self.fixed_automaton(self.model.monitor.automaton, "monitor")
        for property_ in properties:
            self.property(property_)
        self.fields()
        self.differences()
        self.settled_states()
        self.unasked()

    def property(self, property_: m.Property) -> None:
        """What a property looks at must stay as it is."""
        if isinstance(property_, m.Claim):
            self.fixed_automaton(property_.automaton, f"claim {property_.name}")
        else:
            for number, condition in enumerate(conditions(property_.formula)):
                self.node(("property", property_.name, number), ("holds", self.condition(condition)))

    # --- automata --------------------------------------------------------------------------------

    def kind(self, number: int, kind: m.Kind) -> None:
        if kind.provided != e.TRUE:
            vertex = self.node(("provided", self.copies.kind(number)), ("condition", self.condition(kind.provided)))
            self.belongs(vertex, "kind", number)
        for spot, location in enumerate(kind.locations):
            source = self.points.get(Point("location", number, spot))
            if source is None:
                continue
            for position, edge in enumerate(location.edges):
                rank = position if self.is_ordered(location, position) else None
                vertex = self.edge(edge, ("edge", edge.hold, edge.tier, rank))
                self.graph.edge(source, vertex, "step")
                target = self.points.get(Point("location", number, edge.target))
                if target is not None:
                    self.graph.edge(vertex, target, "to")

    def is_ordered(self, location: m.Location, position: int) -> bool:
        """Whether it matters that an option comes before others.  `else` that is not the last option waits only for
        those before it."""
        if location.edges[position].group != 0 or (location.transient and not is_decided(location)):
            return True
        return position < len(location.edges) - 1 and self.has_early_else(location)

    def has_early_else(self, location: m.Location) -> bool:
        """Whether an option that is not the last one is `else`."""
        if id(location) not in self.early_else:
            guards = [edge.guard for edge in location.edges[:-1]]
            self.early_else[id(location)] = any(isinstance(x, e.Otherwise) for guard in guards for x in guard.walk())
        return self.early_else[id(location)]

    def edge(self, edge: m.Edge, colour: Hashable) -> int:
        vertex = self.graph.vertex(colour)
        if edge.guard != e.TRUE:
            self.graph.edge(vertex, self.condition(edge.guard), "guard")
        effects = [effect for effect in edge.effects if not isinstance(effect, m.Print)]
        built = [self.effect(effect) for effect in effects]
        for position, effect in enumerate(built):
            self.graph.edge(vertex, effect, "effect")
            for before in range(position):
                if conflicts(effects[before], effects[position]):
                    self.graph.edge(built[before], effect, "before")
        return vertex

    def fixed_automaton(self, kind: m.Kind, name: str) -> None:
        """An automaton that watches: its locations stay, so each of its conditions must."""
        for number, (spot, edge) in enumerate(kind.edges()):
            self.edge(edge, (name, spot, number))

    # --- effects ---------------------------------------------------------------------------------

    def effect(self, effect: m.Effect) -> int:
        match effect:
            case m.Assign(place, value):
                # A value that is not stored is evaluated for its faults: it names nothing by its number.
                stored = place.variable is not None
                sort = self.sorts.of_variable[place.variable].leader if stored else self.sorts.of(value)  # type: ignore[index]
                return self.node("assign", ("to", self.place(place)), ("value", self.expression(value, sort)))
            case m.Send(channel, values):
                fields = [(("field", k), self.expression(x, self.field(channel, k))) for k, x in enumerate(values)]
                return self.node(("send", effect.sorted), ("channel", self.channel(channel)), *fields)
            case m.Deliver(condition, channel, values):
                send = self.effect(m.Send(channel, values))
                return self.node("deliver", ("if", self.condition(condition)), ("send", send))
            case m.Receive(channel, patterns):
                return self.node(("receive", effect.random, effect.peek), *self.reception(channel, patterns))
            case m.Event(sends, channel, patterns):
                return self.node(("event", sends), *self.reception(channel, patterns))
            case m.Assert(condition):
                return self.node("assert", ("condition", self.condition(condition)))
            case m.SetPriority(process, value):
                return self.node("priority", ("of", self.process(process)), ("value", self.expression(value, None)))
            case m.Exit():
                return self.node("exit")
        raise TypeError(f"unknown effect {type(effect).__name__}")

    # --- copies ----------------------------------------------------------------------------------

    def fields(self) -> None:
        """What the channels of a sort carry is of the sorts of its fields."""
        for sort in self.sorts.all:
            if ("sort", sort.number) in self.copies.several and sort.fields:
                inner = [(k, sort.fields[k].leader) for k in sorted(sort.fields)]
                looks = tuple((k, self.copies.sort(each.number) if each.mobile else 0) for k, each in inner)
                vertex = self.node(("carries", looks))
                self.belongs(vertex, "sort", sort.number)
                for k, each in inner:
                    self.belongs(vertex, "sort", each.number, ("field", k))

    def unasked(self) -> None:
        """Values that nothing asks for, of sorts that may be exchanged: each goes to the same value of the other sort.  A sort
        that no part of the text belongs to has no vertex, and is left out."""
        for sort in self.sorts.all:
            if ("sort", sort.number) in self.shared and sort.mobile:
                for value in sorted(sort.values):
                    point = Point("value", sort.number, value)
                    if point not in self.points:
                        self.points[point] = self.new_value(sort, value, value)

    # --- the started state -----------------------------------------------------------------------

    def differences(self) -> None:
        """A variable in which processes of one kind differ is part of the state even if the text never mentions it.  Of a kind
        that may be exchanged with others, all variables are."""
        for number, kind in enumerate(self.model.kinds):
            for position, variable in enumerate(kind.variables if ("kind", number) in self.copies.several else ()):
                self.variable(variable, position)
            rows = [p.values for state in self.started.states for p in state.processes if p.kind == number]
            for variable, start in offsets(kind.variables).items():
                if len({row[start : start + variable.size] for row in rows}) > 1:
                    self.variable(variable)

    def settled_states(self) -> None:
        """What variables and channels hold, and where processes stand, in each of the started states."""
        for state in self.started.states:
            root = self.node("started state")
            self.cells(root, self.model.variables, state.values, None)
            for number, process in enumerate(state.processes):
                owner = self.value(self.sorts.process, number)
                at = self.points[Point("location", process.kind, process.at)]
                self.node("process", ("in", root), ("is", owner), ("at", at))
                self.cells(root, self.model.kinds[process.kind].variables, process.values, owner)
            if self.model.remembers_mover:
                self.node("mover", ("in", root), ("is", self.value(self.sorts.process, state.mover)))
            for sort in self.sorts.all:
                for number in sorted(sort.values) if sort.objects == "channel" else ():
                    if 1 <= number <= len(state.channels):
                        self.contents(root, sort, number, state.channels[number - 1])

    def cells(self, root: int, variables: tuple[m.Variable, ...], values: tuple[int, ...], owner: int | None) -> None:
        """What each variable that the text mentions holds, except for those that a symmetry may change."""
        for variable, start in offsets(variables).items():
            if variable not in self.shared or variable in self.started.free:
                continue
            sort, indices = self.sorts.of_variable[variable].leader, self.index_sorts(variable)
            for k in range(variable.size):
                parts: list[tuple[Hashable, int]] = [("in", root), ("variable", self.shared[variable])]
                if owner is not None:
                    parts.append(("owner", owner))
                for d, index in enumerate(variable.indices(k)):
                    parts.append((("index", d), self.value(indices[d], index)))
                self.node("cell", *parts, ("value", self.held(variable, sort, values[start + k])))

    def held(self, variable: m.Variable, sort: Sort, value: int) -> int:
        """The vertex of a value that a variable holds in a started state."""
        return self.value(sort, value)

    def contents(self, root: int, sort: Sort, number: int, channel: Channel) -> None:
        """What is in a channel."""
        for position, message in enumerate(channel.messages):
            fields = [(("field", k), self.value(sort.fields.get(k), value)) for k, value in enumerate(message)]
            self.node(("message", position), ("in", root), ("channel", self.value(sort, number)), *fields)
