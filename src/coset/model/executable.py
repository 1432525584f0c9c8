"""A model made executable: its guards and effects as functions, its first state, and how processes are created."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import cast

from coset.model import expression as e
from coset.model import model as m
from coset.model.effects import Performance
from coset.model.evaluate import Evaluation, Evaluator, Now
from coset.model.monitor import Watch
from coset.model.state import Channel, Process, State, offsets


class CompiledEdge:
    """An edge with its guard and effects as functions."""

    __slots__ = ("at", "bind", "edge", "effects", "guard", "matches", "receive", "send", "trivial", "values")

    def __init__(self, edge: m.Edge, evaluation: Evaluation, performance: Performance) -> None:
        self.edge = edge
        self.trivial = edge.guard == e.TRUE
        self.guard: Evaluator = evaluation.expression(edge.guard)
        self.send: m.Send | None = None
        self.receive: m.Receive | None = None
        effects = edge.effects
        match effects[:1]:
            case (m.Send() as send,):
                self.send, effects = send, effects[1:]
                self.at = evaluation.channel(send.channel)
                self.values = performance.values(send)
            case (m.Receive() as receive,):
                self.receive, effects = receive, effects[1:]
                self.at = evaluation.channel(receive.channel)
                self.matches = evaluation.patterns(receive.patterns)
                self.bind = performance.bind(receive.patterns)
        self.effects = tuple(performance.effect(effect) for effect in effects)


class CompiledKind(dict[int, list[CompiledEdge]]):
    """The edges of each location of a kind, compiled when a process first comes there: many models have thousands."""

    def __init__(self, executable: Executable, kind: m.Kind) -> None:
        self.executable, self.kind = executable, kind

    def __missing__(self, at: int) -> list[CompiledEdge]:
        self[at] = [self.executable.compiled(edge) for edge in self.kind.locations[at].edges]
        return self[at]


class ReceivingEdges(dict[int, list[CompiledEdge]]):
    """Those of them that receive a message: the possible answers to a handshake."""

    def __init__(self, edges: CompiledKind) -> None:
        self.edges = edges

    def __missing__(self, at: int) -> list[CompiledEdge]:
        self[at] = [compiled for compiled in self.edges[at] if compiled.receive is not None]
        return self[at]


class Executable(ABC):
    """The parts of a model as functions.  `Interpreter` says in which order they are called."""

    def __init__(self, model: m.Model) -> None:
        self.model = model
        self.kind_number = {kind.name: number for number, kind in enumerate(model.kinds)}
        self.offset = offsets(model.variables)
        for kind in model.kinds:
            self.offset |= offsets(kind.variables)
        self.channel_types = tuple(
            v.initial.type
            for variables in (model.variables, *(kind.variables for kind in model.kinds))
            for v in variables
            if isinstance(v.initial, m.NewChannel)
        )
        self.type_number = {type_: number for number, type_ in enumerate(self.channel_types)}
        self.channels_created = [
            sum(v.size for v in kind.variables if isinstance(v.initial, m.NewChannel)) for kind in model.kinds
        ]
        self.evaluation = Evaluation(self)
        self.performance = Performance(self, self.evaluation)
        rows = {None: model.variables} | {kind.name: kind.variables for kind in model.kinds}
        self.initials = {owner: [(v, self.initial_values(v)) for v in row] for owner, row in rows.items()}
        self.edges = [CompiledKind(self, kind) for kind in model.kinds]
        self.receiving = [ReceivingEdges(edges) for edges in self.edges]
        self.provided = [
            None if kind.provided == e.TRUE else self.evaluation.expression(kind.provided) for kind in model.kinds
        ]
        self.watch = Watch(model.monitor, self.evaluation) if model.monitor else None
        self.hidden = [o + k for v, o in offsets(model.variables).items() if v.hidden for k in range(v.size)]
        self.times_out = self.uses(e.Timeout)

    def compiled(self, edge: m.Edge) -> CompiledEdge:
        return CompiledEdge(edge, self.evaluation, self.performance)

    def initial_values(self, variable: m.Variable) -> list[Evaluator]:
        if isinstance(variable.initial, m.NewChannel):
            return []
        return [self.evaluation.expression(x) for x in variable.initial]

    def uses(self, kind: type[e.Expr]) -> bool:
        """Whether some guard of a process uses an expression of this type."""
        return any(isinstance(x, kind) for k in self.model.kinds for _, edge in k.edges() for x in edge.guard.walk())

    # --- states ----------------------------------------------------------------------------------

    def initial(self) -> State:
        """The first state: variables in order, then processes in order."""
        now = self.moment(State((), (), ()), 0)
        now.values, now.channels, now.processes = [], [], []
        self.initialise(now, None, now.values, [])
        for instance in self.model.processes:
            arguments = [self.evaluation.expression(argument)(now) for argument in instance.arguments]
            self.create(now, instance.kind, arguments, instance.priority)
        if self.watch is not None:
            now.watch = self.watch.automaton.start
        return self.frozen(now, now.watch, 0)

    def moment(self, state: State, pid: int) -> Now:
        now = Now()
        now.values, now.channels, now.processes, now.watch, now.mover = state
        now.pid, now.timeout, now.otherwise, now.offer, now.started = pid, False, True, None, 0
        now.errors, now.output = [], []
        return now

    def initialise(self, now: Now, owner: str | None, row: list[int], arguments: list[int]) -> None:
        """Fill a row with the initial values of its variables: zeros, then arguments, then one after the other."""
        plan = self.initials[owner]
        row.extend([0] * sum(variable.size for variable, _ in plan))
        for number, (variable, evaluators) in enumerate(plan):
            fit, start, size = variable.domain.fit, self.offset[variable], variable.size
            if number < len(arguments):
                row[start] = fit(+arguments[number])
            elif isinstance(variable.initial, m.NewChannel):
                channels = cast("list[Channel]", now.channels)
                for k in range(size):
                    channels.append(Channel(self.type_number[variable.initial.type]))
                    row[start + k] = fit(len(channels))
            elif evaluators:
                values = [fit(+evaluator(now)) for evaluator in evaluators]
                row[start : start + size] = values * size if len(values) == 1 else values

    def create(self, now: Now, kind: str, arguments: list[int], priority: int) -> int:
        """Append a process to the row of processes; its number is returned."""
        number = self.kind_number[kind]
        definition = self.model.kinds[number]
        processes = cast("list[Process]", now.processes)
        own: list[int] = []
        outer, now.own, outer_pid, now.pid = getattr(now, "own", ()), own, now.pid, len(processes)
        self.initialise(now, kind, own, arguments)
        now.own, now.pid = outer, outer_pid
        processes.append(Process(number, definition.start, tuple(own), priority))
        return len(processes) - 1

    def frozen(self, now: Now, watch: int, mover: int) -> State:
        remembered = mover if self.model.remembers_mover else 0
        return State(tuple(now.values), tuple(now.channels), tuple(now.processes), watch, remembered)

    @abstractmethod
    def enabled(self, now: Now, pid: int) -> bool:
        """Whether a process can move: expressions may ask."""
