"""The sorts of a model (`sorts`), inferred by unification: one walk through its automata and properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Refers
from coset.model.interpreter import Interpreter
from coset.model.state import offsets
from coset.source.text import Span
from coset.symmetry.operators import is_arithmetic, is_logical, leaves_of
from coset.symmetry.sorts import Arithmetic, Sort, Sorts
from coset.symmetry.startup import StartedStates


def infer(interpreter: Interpreter, started: StartedStates) -> Sorts:
    """The sorts of the variables, indices and messages of a model."""
    return Inference(interpreter, started).sorts()


class Inference:
    """Walks through the model once and unifies."""

    def __init__(self, interpreter: Interpreter, started: StartedStates) -> None:
        self.interpreter, self.model, self.started = interpreter, interpreter.model, started
        self.number = 0
        self.span: Span | None = None
        self.found = Sorts({}, {}, self.new("process id", "process"), [], len(started.state.processes))
        for variables in (self.model.variables, *(kind.variables for kind in self.model.kinds)):
            self.declare(variables)
        watching = [property_.automaton for property_ in self.model.properties if isinstance(property_, m.Claim)]
        if self.model.monitor is not None:
            watching.append(self.model.monitor.automaton)
        for automaton in watching:
            self.declare(automaton.variables)
            for variable in automaton.variables:  # no state of the model has them, so no symmetry would move them
                self.found.of_variable[variable].pin_unknown(f"{variable.name} of {automaton.name} holds it")

    def new(self, name: str, objects: str = "") -> Sort:
        self.number += 1
        return Sort(self.number, name=name, objects=objects)

    def declare(self, variables: tuple[m.Variable, ...]) -> None:
        for variable in variables:
            channel = "channel" if variable.domain.refers is Refers.CHANNEL else ""
            sort = self.found.of_variable[variable] = self.new(variable.name, channel)
            sort.cells.append(variable)
            for dimension in range(len(variable.shape)):
                index = self.found.of_dimension[variable, dimension] = self.new(f"index of {variable.name}")
                index.dimensions.append((variable, dimension))

    # --- unification -----------------------------------------------------------------------------

    def unify(self, one: Sort | None, other: Sort | None) -> None:
        if one is None or other is None:
            return
        one, other = one.leader, other.leader
        if one is other:
            return
        if other.objects and not one.objects:
            one, other = other, one
        other.parent = one
        one.dimensions += other.dimensions
        one.cells += other.cells
        one.literals |= other.literals
        if other.pinned is not None:
            one.pin(other.pinned, other.pinned_at)
        one.known = one.known and other.known
        if other.objects and other.objects != one.objects:
            one.pin_unknown("it names both processes and channels", self.span)
        for number, sort in other.fields.items():
            self.unify(one.fields.setdefault(number, sort), sort)

    def field(self, channel: e.Expr, number: int) -> Sort:
        """The sort of a field of what a channel carries."""
        sort = self.found.of(channel)
        if sort is None:
            return self.new("message")
        sort = sort.leader
        if number not in sort.fields:
            sort.fields[number] = self.new("message")
        return sort.fields[number].leader

    # --- expressions -----------------------------------------------------------------------------

    def value(self, x: e.Expr, sort: Sort | None) -> None:
        """An expression whose value goes where values of `sort` are."""
        match x:
            case e.Const(value):
                if sort is not None:
                    sort.leader.literals.setdefault(value, self.span)
                return
            case e.Conditional(condition, yes, no):
                self.truth(condition)
                self.value(yes, sort)
                self.value(no, sort)
                return
            case e.Checked(operand) if not (is_arithmetic(operand) or is_logical(operand)):
                self.value(operand, sort)
                return
        if is_arithmetic(x) or is_logical(x):
            self.compute(x, sort)
            return
        own = self.found.of(x)
        if own is None and sort is not None:
            sort.leader.pin_unknown(f"it gets the value of '{x}'", self.span)
        self.unify(own, sort)
        self.parts(x)

    def truth(self, x: e.Expr) -> None:
        """An expression of which only the truth matters."""
        match x:
            case e.Const():
                return
            case e.Unary("!", operand):
                self.truth(operand)
                return
            case e.Binary("&&" | "||", left, right):
                self.truth(left)
                self.truth(right)
                return
            case e.Binary("==" | "!=", left, right):
                one, other = self.found.of(left), self.found.of(right)
                if one is not None or other is not None:
                    self.unify(one, other)
                    self.value(left, one or other)
                    self.value(right, one or other)
                    return
            case e.Conditional(condition, yes, no):
                for part in (condition, yes, no):
                    self.truth(part)
                return
        if is_arithmetic(x) or is_logical(x) or self.found.of(x) is not None:
            self.compute(x, None, truth=True)
        else:
            self.parts(x)

    def compute(self, x: e.Expr, target: Sort | None, truth: bool = False) -> None:
        leaves = tuple(dict.fromkeys(leaves_of(x)))
        self.found.arithmetic.append(Arithmetic(x, leaves, target, self.span, truth))
        for leaf in leaves:
            self.parts(leaf)

    def parts(self, x: e.Expr) -> None:
        """What is inside an expression that is no operator."""
        match x:
            case e.Conditional(condition):  # one of many numbers that are chosen by conditions
                self.truth(condition)
            case e.Checked(operand):
                self.value(operand, None)
            case e.Get(variable, indices):
                self.indices(variable, indices)
            case e.Remote(_, process, variable, indices):
                self.found.remotes[x] = self.found.of_variable[variable]
                self.process(process)
                self.indices(variable, indices)
            case e.AtLocation(_, process):
                self.process(process)
            case e.Enabled(process) | e.Position(process) | e.PriorityOf(process):
                self.process(process)
            case e.Length(channel) | e.Full(channel):
                self.channel(channel)
            case e.Poll(channel, patterns):
                self.channel(channel)
                self.patterns(channel, patterns)

    def process(self, x: e.Expr | None) -> None:
        if x is not None:
            self.value(x, self.found.process)

    def channel(self, x: e.Expr) -> None:
        sort = self.found.of(x)
        if sort is None:
            self.value(x, self.new("channel", "channel"))
        else:
            sort.leader.objects = sort.leader.objects or "channel"
            self.value(x, sort)

    def indices(self, variable: m.Variable, indices: Sequence[e.Expr]) -> None:
        for dimension, index in enumerate(indices):
            self.value(index, self.found.of_dimension[variable, dimension])

    def place(self, place: e.Place) -> Sort | None:
        if place.variable is None:
            return None
        self.indices(place.variable, place.indices)
        return self.found.of_variable[place.variable]

    def patterns(self, channel: e.Expr, patterns: tuple[e.Pattern, ...]) -> None:
        for number, pattern in enumerate(patterns):
            sort = self.field(channel, number)
            if pattern.value is not None:
                self.value(pattern.value, sort)
            if pattern.place is not None:
                self.unify(self.place(pattern.place), sort)

    # --- effects and automata --------------------------------------------------------------------

    def effect(self, effect: m.Effect) -> None:
        match effect:
            case m.Assign(place, value):
                self.value(value, self.place(place))
            case m.Send(channel, values):
                self.channel(channel)
                for number, value in enumerate(values):
                    self.value(value, self.field(channel, number))
                    if effect.sorted:
                        self.field(channel, number).pin("messages are sorted by it (!!)", self.span)
            case m.Deliver(condition, channel, values):
                self.truth(condition)
                self.effect(m.Send(channel, values))
            case m.Receive(channel, patterns) | m.Event(_, channel, patterns):
                self.channel(channel)
                self.patterns(channel, patterns)
            case m.Assert(condition):
                self.truth(condition)
            case m.SetPriority(process, value):
                self.process(process)
                self.value(value, None)

    def edge(self, edge: m.Edge) -> None:
        self.span = edge.span
        self.truth(edge.guard)
        for effect in edge.effects:
            self.effect(effect)

    def kind(self, kind: m.Kind) -> None:
        self.span = kind.span
        self.truth(kind.provided)
        for _, edge in kind.edges():
            self.edge(edge)

    def share_channels(self) -> None:
        """A channel that two variables hold in the started state is one channel: what they carry is of one sort."""
        holders: dict[int, Sort] = {}
        rows = [(self.model.variables, state.values) for state in self.started.states]
        rows += [
            (self.model.kinds[process.kind].variables, process.values)
            for state in self.started.states
            for process in state.processes
        ]
        for variables, values in rows:
            for variable, start in offsets(variables).items():
                if variable.domain.refers is Refers.CHANNEL:
                    for number in values[start : start + variable.size]:
                        if number:
                            sort = self.found.of_variable[variable]
                            self.unify(holders.setdefault(number, sort), sort)

    def sorts(self) -> Sorts:
        model = self.model
        self.share_channels()
        for number, kind in enumerate(model.kinds):
            visited = [
                spots
                for process, spots in zip(self.started.state.processes, self.started.locations, strict=True)
                if process.kind == number
            ]
            self.span = kind.span
            self.truth(kind.provided)
            for spot in sorted(frozenset[int]().union(*visited)):
                for edge in kind.locations[spot].edges:
                    self.edge(edge)
        for property_ in model.properties:
            if isinstance(property_, m.Claim):
                self.kind(property_.automaton)
        if model.monitor is not None:
            self.kind(model.monitor.automaton)
        for property_ in model.properties:
            if not isinstance(property_, m.Claim):
                self.span = property_.span
                for atom in property_.formula.atoms():
                    self.truth(atom)
        self.found.all = list(dict.fromkeys(sort.leader for sort in self.everything()))
        return self.found

    def everything(self) -> Iterator[Sort]:
        yield self.found.process
        yield from self.found.of_variable.values()
        yield from self.found.of_dimension.values()
        for sort in list(self.found.of_variable.values()):
            yield from self.carried(sort.leader, set())

    def carried(self, sort: Sort, seen: set[Sort]) -> Iterator[Sort]:
        """The sorts of what the channels of a sort carry, which may be channels."""
        if sort not in seen:
            seen.add(sort)
            for inner in sort.fields.values():
                yield inner.leader
                yield from self.carried(inner.leader, seen)
