"""`program`: one graph of the whole model whose automorphisms are its symmetries.

The graph has a vertex for every value of a mobile sort (so for every process and channel), every variable that the text
mentions, every location and edge of an automaton, and every expression, each with edges to its parts, coloured by
their role.  Operands of commutative operators have one role, options of a choice are unordered, effects that do not
depend on each other too.  Values that the settled state holds are edges as well.  Arithmetic on mobile sorts is not put in
as it is written, but as its table: `(i + 1) % 3` is the rows 0 -> 1, 1 -> 2, 2 -> 0, which rotations keep.

Theorem.  An automorphism g, acting on states as `action` says, is an automorphism of the state graph from the settled
state on.  Proof idea: by induction, the value of g(x) in g(s) at process g(p) is g of the value of x in s at p, for every
expression x; so process p can take an edge in s just if g(p) can take g(edge) in g(s), with corresponding results.
No candidate has to be rejected, unlike with static channel diagrams (Donaldson and Miller, FM 2005).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import Channel, offsets
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.symmetry.action import Point, Points
from coset.symmetry.faults import Faults
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.instances import Settled
from coset.symmetry.order import conflicts, is_decided
from coset.symmetry.sorts import LOGIC, Sort, Sorts, is_arithmetic, is_logical, leaves_of
from coset.symmetry.values import rows

COMMUTATIVE = frozenset(("+", "*", "&", "|", "^", "==", "!=", "&&", "||"))
ASSOCIATIVE = frozenset(("+", "*", "&", "|", "^", "&&", "||"))


@dataclass(frozen=True, slots=True)
class Program:
    """The graph of a model, and which of its vertices are points."""

    graph: ColouredGraph
    points: Points
    vertices: tuple[int, ...]


def program_graph(
    interpreter: Interpreter, settled: Settled, sorts: Sorts, properties: Iterable[m.Property]
) -> Program:
    """The graph of a model together with the properties that its symmetries must keep."""
    builder = Builder(interpreter, settled, sorts)
    builder.build(properties)
    ranks = {sort.number: ("process", "channel", "").index(sort.objects) for sort in sorts.all}
    order = sorted(
        builder.points, key=lambda p: (p.what != "value", ranks.get(p.number, 0) if p.what == "value" else 0, p)
    )
    points = Points(interpreter, settled, sorts, tuple(order))
    return Program(builder.graph, points, tuple(builder.points[point] for point in order))


class Builder:
    def __init__(self, interpreter: Interpreter, settled: Settled, sorts: Sorts) -> None:
        self.interpreter, self.settled, self.sorts = interpreter, settled, sorts
        self.model = interpreter.model
        self.graph = ColouredGraph()
        self.points: dict[Point, int] = {}
        self.shared: dict[Hashable, int] = {}
        """Vertices of expressions that have been built, by what they are."""
        self.early_else: dict[int, bool] = {}
        """What is known about the locations, by identity."""
        self.context: Hashable = None
        """Expressions are shared only within a context.  There is one, unless statements are to be distinguished."""
        self.faults = Faults(interpreter, settled)
        self.count = [sum(p.kind == k for p in settled.state.processes) for k in range(len(self.model.kinds))]
        self.numbered = any(isinstance(part, e.Position) for x in self.all_expressions() for part in x.walk())
        """Whether the model refers to numbers of locations."""

    def all_expressions(self) -> Iterator[e.Expr]:
        from coset.model.analysis.facts import process_expressions, property_expressions

        yield from process_expressions(self.model)
        yield from property_expressions(self.model)

    def node(self, colour: Hashable, *parts: tuple[Hashable, int]) -> int:
        """A vertex with edges to its parts, each with the colour of its role."""
        vertex = self.graph.vertex(colour)
        for role, part in parts:
            self.graph.edge(vertex, part, role)
        return vertex

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
        self.differences()
        self.settled_states()

    def property(self, property_: m.Property) -> None:
        """What a property looks at must stay as it is."""
        if isinstance(property_, m.Claim):
            self.fixed_automaton(property_.automaton, f"claim {property_.name}")
        else:
            for number, condition in enumerate(conditions(property_.formula)):
                self.node(("property", property_.name, number), ("holds", self.condition(condition)))

    # --- values, variables, locations ------------------------------------------------------------

    def nature(self, sort: Sort, value: int) -> Hashable:
        """What sets a value apart at first sight: the process or channel that it names, the arrays that have it."""
        state = self.settled.state
        lengths = sorted({variable.shape[d] for variable, d in sort.dimensions})
        inside = tuple(0 <= value < length for length in lengths)
        if sort.objects == "process":
            if not 0 <= value < len(state.processes):
                return "nobody", value
            process = state.processes[value]
            dies = self.may_die(value)
            return "process", process.kind, process.priority, value if dies else None, inside
        if sort.objects == "channel":
            if not 1 <= value <= len(state.channels):
                return "no channel", value
            type_ = self.interpreter.channel_types[state.channels[value - 1].type]
            return "channel", type_.capacity, tuple((d.low, d.high) for d in type_.fields), inside
        return "value", inside

    def may_die(self, process: int) -> bool:
        """A process that may end is told from others by its number: only the youngest can."""
        kind = self.model.kinds[self.settled.state.processes[process].kind]
        return any(
            edge.target == m.GONE for spot in self.settled.locations[process] for edge in kind.locations[spot].edges
        )

    def value(self, sort: Sort | None, value: int) -> int:
        """The vertex of a value, coloured by what is known of it, or one for the number if the sort is pinned.  A value
        that nothing ever asks for gets none: to permute it would change no state."""
        if sort is None or not sort.leader.mobile or value not in sort.leader.values:
            return self.once(("number", value))
        point = Point("value", sort.leader.number, value)
        if point not in self.points:
            colour = ("value", sort.leader.number, self.nature(sort.leader, value))
            self.points[point] = self.graph.vertex(colour)
        return self.points[point]

    def once(self, key: Hashable) -> int:
        """The vertex that stands for something that there is once."""
        if key not in self.shared:
            self.shared[key] = self.graph.vertex(key)
        return self.shared[key]

    def variable(self, variable: m.Variable) -> int:
        """The vertex of a variable that the text mentions."""
        if variable in self.shared:
            return self.shared[variable]
        if variable.owner is None:
            index = next((k for k, v in enumerate(self.model.variables) if v is variable), None)
            point = Point("global", 0, index) if index is not None else None
        else:
            point = self.local_point(variable)
        vertex = self.shared[variable] = self.graph.vertex(self.look(variable))
        if point is not None:
            self.points[point] = vertex
        return vertex

    def look(self, variable: m.Variable) -> Hashable:
        """Variables that look alike may be exchanged: global ones, and those of a process that is the only one of its
        kind."""
        sort = self.sorts.of_variable[variable].leader
        alike: Hashable = (
            "variable", variable.domain.low, variable.domain.high, variable.shape, sort.number if sort.mobile else 0,
            tuple(s.number if s.mobile else 0 for s in self.index_sorts(variable)), variable.hidden,
        )  # fmt: skip
        if variable.owner is None:
            return alike
        point = self.local_point(variable)
        if point is None or self.count[point.number] != 1:
            return alike, variable.owner, variable.name
        return alike, variable.owner

    def local_point(self, variable: m.Variable) -> Point | None:
        for number, kind in enumerate(self.model.kinds):
            for index, other in enumerate(kind.variables):
                if other is variable:
                    return Point("local", number, index)
        return None

    def index_sorts(self, variable: m.Variable) -> list[Sort]:
        return [self.sorts.index(variable, d) for d in range(len(variable.shape))]

    def locations(self) -> None:
        for process, spots in zip(self.settled.state.processes, self.settled.locations, strict=True):
            for spot in sorted(spots):
                point = Point("location", process.kind, spot)
                if point not in self.points:
                    location = self.model.kinds[process.kind].locations[spot]
                    colour = ("location", process.kind, location.end, location.accept, location.progress,
                              location.transient, spot if self.numbered else None)  # fmt: skip
                    self.points[point] = self.graph.vertex(colour)

    # --- automata --------------------------------------------------------------------------------

    def kind(self, number: int, kind: m.Kind) -> None:
        if kind.provided != e.TRUE:
            self.node(("provided", number), ("condition", self.condition(kind.provided)))
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
                sort = self.sorts.of_variable[place.variable].leader if place.variable is not None else None
                return self.node("assign", ("to", self.place(place)), ("value", self.expression(value, sort)))
            case m.Send(channel, values):
                fields = [(("field", k), self.expression(x, self.field(channel, k))) for k, x in enumerate(values)]
                return self.node(("send", effect.sorted), ("channel", self.channel(channel)), *fields)
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

    def field(self, channel: e.Expr, number: int) -> Sort | None:
        sort = self.sorts.of(channel)
        return sort.fields[number].leader if sort is not None and number in sort.fields else None

    def channel(self, channel: e.Expr) -> int:
        return self.expression(channel, self.sorts.of(channel))

    def reception(self, channel: e.Expr, patterns: tuple[e.Pattern, ...]) -> list[tuple[Hashable, int]]:
        found: list[tuple[Hashable, int]] = [("channel", self.channel(channel))]
        for k, pattern in enumerate(patterns):
            if pattern.value is not None:
                found.append((("equals", k), self.expression(pattern.value, self.field(channel, k))))
            if pattern.place is not None:
                found.append((("stores", k), self.place(pattern.place)))
        return found

    def place(self, place: e.Place) -> int:
        if place.variable is None:
            return self.once("nowhere")
        return self.access("place", place.variable, place.indices)

    def access(self, what: str, variable: m.Variable, indices: Sequence[e.Expr], *more: tuple[Hashable, int]) -> int:
        parts = [
            (("index", d), self.expression(index, self.sorts.index(variable, d))) for d, index in enumerate(indices)
        ]
        return self.node(what, ("variable", self.variable(variable)), *parts, *more)

    # --- expressions -----------------------------------------------------------------------------

    def condition(self, x: e.Expr) -> int:
        """The vertex of an expression of which only the truth counts."""
        key = ("condition", x, self.context)
        if key not in self.shared:
            self.shared[key] = self.build_condition(x)
        return self.shared[key]

    def build_condition(self, x: e.Expr) -> int:
        match x:
            case e.Const(value):
                return self.once(("truth", value != 0))
            case e.Unary("!", operand):
                return self.node("!", ("operand", self.condition(operand)))
            case e.Binary("&&" | "||" as operator):
                operands = list(flattened(x, operator))
                ordered = self.is_sequential(operands)
                return self.node(
                    operator, *((k if ordered else "operand", self.condition(part)) for k, part in enumerate(operands))
                )
            case e.Binary("==" | "!=" as operator, left, right):
                one, other = self.sorts.of(left), self.sorts.of(right)
                if one is not None or other is not None or not self.is_table(x, None):
                    sides = [self.expression(left, one or other), self.expression(right, other or one)]
                    return self.node(operator, *(("operand", side) for side in sides))
            case e.Conditional(condition, yes, no):
                parts = [self.condition(part) for part in (condition, yes, no)]
                return self.node("?", *enumerate(parts))
        if self.is_table(x, None):
            return self.table(x, None, truth=True)
        return self.node("true", ("of", self.expression(x, self.sorts.of(x))))

    def is_sequential(self, operands: Sequence[e.Expr]) -> bool:
        """Whether it matters which operand of `&&` or `||` is evaluated first."""
        return any(self.faults.may_fail(part) for part in operands)

    def expression(self, x: e.Expr, sort: Sort | None) -> int:
        """The vertex of an expression whose value is of a sort (None: a plain number)."""
        number = sort.leader.number if sort is not None and sort.leader.mobile else 0
        key = ("expression", x, number, self.context)
        if key not in self.shared:
            self.shared[key] = self.build_expression(x, sort)
        return self.shared[key]

    def build_expression(self, x: e.Expr, sort: Sort | None) -> int:
        if self.is_table(x, sort):
            return self.table(x, sort)
        match x:
            case e.Const(value):
                return self.value(sort, value)
            case e.Conditional(condition, yes, no):
                return self.node(
                    "choice",
                    ("if", self.condition(condition)),
                    ("then", self.expression(yes, sort)),
                    ("else", self.expression(no, sort)),
                )
            case e.Get(variable, indices):
                return self.access("get", variable, indices)
            case e.Remote(kind, process, variable, indices):
                roles: list[tuple[Hashable, int]] = [("of", self.process(process, kind))]
                if x in self.sorts.missing:
                    roles.append(("nobody", self.value(self.sorts.of_variable[variable], 0)))
                return self.access("remote", variable, indices, *roles)
            case e.AtLocation(kind, process, _, spots):
                number = self.interpreter.kind_number[kind]
                found = [self.points.get(Point("location", number, spot)) for spot in sorted(spots)]
                at = [("at", vertex) for vertex in found if vertex is not None]
                return self.node(("at", number), ("of", self.process(process, kind)), *at)
            case e.Binary(operator, left, right):
                return self.operation(x, operator, left, right)
            case e.Unary(operator, operand):
                inner = self.condition(operand) if operator == "!" else self.expression(operand, None)
                return self.node(("unary", operator), ("operand", inner))
            case e.Length(channel) | e.Full(channel):
                return self.node(type(x).__name__, ("channel", self.channel(channel)))
            case e.Poll(channel, patterns, random):
                return self.node(("poll", random), *self.reception(channel, patterns))
            case e.Enabled(process) | e.Position(process) | e.PriorityOf(process):
                return self.node(type(x).__name__, ("of", self.process(process)))
        if any(True for _ in x.children()):
            raise TypeError(f"unknown expression {type(x).__name__}")
        return self.once(type(x).__name__)

    def operation(self, x: e.Expr, operator: str, left: e.Expr, right: e.Expr) -> int:
        """Arithmetic on plain numbers, as it is written."""
        if operator in LOGIC:
            return self.node(("number of", operator), ("condition", self.condition(x)))
        if operator in ("==", "!="):
            return self.node("number of", ("condition", self.condition(x)))
        operands = list(flattened(x, operator)) if operator in ASSOCIATIVE else [left, right]
        ordered = operator not in COMMUTATIVE
        return self.node(
            ("operator", operator),
            *(
                (k if ordered else "operand", self.expression(part, self.sorts.of(part)))
                for k, part in enumerate(operands)
            ),
        )

    def process(self, x: e.Expr | None, kind: str = "") -> int:
        """A process that is referred to; without a number the oldest of its kind is meant."""
        if x is not None:
            return self.expression(x, self.sorts.process)
        number = self.interpreter.kind_number[kind]
        oldest = next((n for n, p in enumerate(self.settled.state.processes) if p.kind == number), -1)
        return self.value(self.sorts.process, oldest)

    # --- tables ----------------------------------------------------------------------------------

    def is_table(self, x: e.Expr, sort: Sort | None) -> bool:
        """Whether an expression computes with, or for, values that may be permuted."""
        if sort is None and not is_arithmetic(x) and not is_logical(x):
            return self.sorts.is_mobile(x)
        if not (is_arithmetic(x) or is_logical(x)):
            return False
        leaves = tuple(leaves_of(x))
        wanted = sort is not None and sort.leader.mobile
        return all(self.sorts.is_mobile(leaf) for leaf in leaves) and (wanted or bool(leaves))

    def table(self, x: e.Expr, sort: Sort | None, truth: bool = False) -> int:
        leaves = tuple(dict.fromkeys(leaves_of(x)))
        sources = [self.sorts.of(leaf) for leaf in leaves]
        vertex = self.node(
            ("table", len(leaves)),
            *(
                (("leaf", k), self.expression(leaf, source))
                for k, (leaf, source) in enumerate(zip(leaves, sources, strict=True))
            ),
        )
        for values, result in rows(x, leaves, self.sorts):
            arguments = [
                (("leaf", k), self.value(source, value))
                for k, (source, value) in enumerate(zip(sources, values, strict=True))
            ]
            if result is None:
                row = self.node(("row", "fault"), *arguments)
            elif truth:
                if not result:
                    continue
                row = self.node(("row", "true"), *arguments)
            else:
                row = self.node("row", *arguments, ("result", self.value(sort, result)))
            self.graph.edge(vertex, row, "row")
        return vertex

    # --- the settled state -----------------------------------------------------------------------

    def differences(self) -> None:
        """A variable in which processes of one kind differ is part of the state even if the text never mentions it."""
        for number, kind in enumerate(self.model.kinds):
            rows = [p.values for state in self.settled.states for p in state.processes if p.kind == number]
            for variable, start in offsets(kind.variables).items():
                if len({row[start : start + variable.size] for row in rows}) > 1:
                    self.variable(variable)

    def settled_states(self) -> None:
        """What variables and channels hold, and where processes stand, in each of the settled states."""
        for state in self.settled.states:
            root = self.node("settled state")
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
        """What each variable that the text mentions holds."""
        for variable, start in offsets(variables).items():
            if variable not in self.shared:
                continue
            sort, indices = self.sorts.of_variable[variable].leader, self.index_sorts(variable)
            for k in range(variable.size):
                parts: list[tuple[Hashable, int]] = [("in", root), ("variable", self.shared[variable])]
                if owner is not None:
                    parts.append(("owner", owner))
                for d, index in enumerate(unflattened(k, variable.shape)):
                    parts.append((("index", d), self.value(indices[d], index)))
                self.node("cell", *parts, ("value", self.held(variable, sort, values[start + k])))

    def held(self, variable: m.Variable, sort: Sort, value: int) -> int:
        """The vertex of a value that a variable holds in a settled state."""
        return self.value(sort, value)

    def contents(self, root: int, sort: Sort, number: int, channel: Channel) -> None:
        """What is in a channel."""
        for position, message in enumerate(channel.messages):
            fields = [(("field", k), self.value(sort.fields.get(k), value)) for k, value in enumerate(message)]
            self.node(("message", position), ("in", root), ("channel", self.value(sort, number)), *fields)


def flattened(x: e.Expr, operator: str) -> Iterator[e.Expr]:
    """The operands of a chain of one associative operator."""
    match x:
        case e.Binary(found, left, right) if found == operator:
            yield from flattened(left, operator)
            yield from flattened(right, operator)
        case _:
            yield x


def unflattened(place: int, shape: Sequence[int]) -> list[int]:
    """The indices of the element at a place in the flat layout.

    >>> unflattened(5, (2, 3))
    [1, 2]
    """
    indices: list[int] = []
    for length in reversed(shape):
        place, index = divmod(place, length)
        indices.append(index)
    return indices[::-1]


def conditions(formula: f.Formula[e.Expr]) -> Iterator[e.Expr]:
    """The largest parts of a formula that speak of one state: what its automaton looks at."""
    whole = propositional(formula)
    if whole is not None:
        yield whole
        return
    match formula:
        case f.Not(operand) | f.Modal(_, operand) | Branching(_, _, operand):
            yield from conditions(operand)
        case f.Logic(_, left, right) | f.Until(_, left, right) | BranchingUntil(_, _, left, right):
            yield from conditions(left)
            yield from conditions(right)


def propositional(formula: f.Formula[e.Expr]) -> e.Expr | None:
    """A formula without temporal operators as one expression."""
    match formula:
        case f.Constant(truth):
            return e.Const(int(truth))
        case f.Atom():
            atom: e.Expr = formula.value
            return atom
        case f.Not(operand):
            inner = propositional(operand)
            return None if inner is None else e.Unary("!", inner)
        case f.Logic(operator, left, right):
            one, other = propositional(left), propositional(right)
            if one is None or other is None:
                return None
            match operator:
                case "->":
                    return e.Binary("||", e.Unary("!", one), other)
                case "<->":
                    return e.Binary("==", e.Unary("!", one), e.Unary("!", other))
            return e.Binary(operator, one, other)
    return None
