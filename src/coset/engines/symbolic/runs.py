"""A concurrent model in diagrams, and runs of it.

States from which on all processes exist are states of the sequential form.  Those before are few as a rule: they are
kept one by one (`Beginning`).  Runs are made by the interpreter, which asks the diagrams where to go: so whatever is shown
is a run of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.evaluation import Evaluation, TooManyValues
from coset.engines.symbolic.folding import Folding
from coset.engines.symbolic.orbit_relation import TooLarge
from coset.engines.symbolic.orbits import leaders
from coset.engines.symbolic.space import Space, Watcher, no_watcher, space
from coset.engines.symbolic.staging import acting
from coset.engines.symbolic.steps import TooManyPaths
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.sequential import Inexpressible, SequentialModel
from coset.model.sequential.as_process import is_process_of
from coset.model.sequential.convert import Conversion
from coset.model.sequential.homes import flattened, restored
from coset.model.state import State
from coset.source.budget import Limits
from coset.source.records import dataclass
from coset.symmetry.methods.constraints.carried import CarriedSymmetry
from coset.symmetry.methods.constraints.form import own_form
from coset.symmetry.startup import StartedStates, UnknownProcesses, startup
from coset.symmetry.symmetry import Symmetry

MOST_BEFORE = 20_000
"""States in which not all processes exist yet, that are kept one by one."""


class Refused(Exception):
    """What the symbolic engine cannot do with a model; the message says why."""


@dataclass(slots=True)
class Beginning:
    """The states in which some process is still to be started, the initial one first; the numbers of those that follow
    each, and the states of the space that follow it."""

    states: list[State] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    later: list[list[State]] = field(default_factory=list)
    transitions: int = 0


class ConcurrentSpace:
    """All states of a concurrent model; with symmetries, representatives of them."""

    def __init__(
        self,
        model: m.Model,
        limits: Limits | None = None,
        watch: Watcher = no_watcher,
        symmetry: Symmetry | CarriedSymmetry | None = None,
        way: str = "sort",
    ) -> None:
        self.interpreter = Interpreter(model)
        self.is_own = model.sequential is not None and is_process_of(model, model.sequential)
        self.conversion: Conversion | None = None
        moving = None
        if way == "orbits" and symmetry is not None:
            assert isinstance(symmetry, Symmetry), "literals have no processes"
            moving = leaders(symmetry)
        self.flat, self.started = self.form(model, moving)
        self.beginning = Beginning()
        self.initial = self.interpreter.initial()
        limits = limits or Limits()
        try:
            folding = None if symmetry is None else self.folding(symmetry, way, moving or ())
            self.space: Space = space(self.flat, self.starts(limits), limits, watch, folding)
        except (TooManyValues, TooManyPaths, TooLarge) as reason:
            raise Refused(str(reason)) from None
        if self.is_own and model.prelude:
            begins = self.encoding.diagrams.union(map(self.encoding.states, self.flat.starts))
            self.begins = [begins if self.space.folded is None else self.space.folded.of(begins)]
        else:
            later = self.beginning.later
            self.begins = [self.encoding.diagrams.union(map(self.set_of, row)) for row in later]

    # --- the model -------------------------------------------------------------------------------

    def folding(self, symmetry: Symmetry | CarriedSymmetry, way: str, moving: Sequence[int]) -> Folding:
        summands = {} if self.conversion is None else self.conversion.owned
        return Folding(acting(self.flat, symmetry), way, tuple((p, summands.get(p, ())) for p in moving))

    def form(self, model: m.Model, moving: Sequence[int] | None) -> tuple[SequentialModel, StartedStates]:
        """The sequential form; if only some processes begin steps, with no more of the others than is needed."""
        if any(variable.hidden for variable in model.variables):
            raise Refused("hidden variables have no place in it")
        if self.is_own:
            assert model.sequential is not None
            own = own_form(self.interpreter, model.sequential, ())
            return own.flat, own.started
        started = startup(self.interpreter, closed=True)  # what comes between the starts is visited state by state
        if isinstance(started, UnknownProcesses):
            raise Refused(f"it must know all processes, and {started.why}")
        try:
            self.conversion = Conversion(self.interpreter, started.states, started.locations)
            flat = self.conversion.result((), moving)
        except Inexpressible as construct:
            raise Refused(inexpressible(construct)) from None
        if flat.unchecked:
            raise Refused(f"it would not notice that {flat.unchecked[0]} is asked of what is no channel")
        return flat, started

    def starts(self, limits: Limits) -> Sequence[Sequence[int | None]]:
        """The first states of the space; what comes before them is put down in `beginning`."""
        model, found = self.interpreter.model, self.beginning
        if self.started.includes(self.initial):
            return [self.row(self.initial)]
        if self.is_own:
            found.states, found.successors, found.later = [self.initial], [[]], [[]]
            return self.flat.starts
        numbers = {self.initial: 0}
        found.states = [self.initial]
        rows: dict[tuple[int, ...], None] = {}
        for state in found.states:
            inner, later = list[int](), dict[State, None]()
            for step in self.steps(state):
                found.transitions += 1
                if self.started.includes(step):
                    later[step] = None
                    rows[self.row(step)] = None
                    continue
                if step not in numbers:
                    numbers[step] = len(found.states)
                    found.states.append(step)
                inner.append(numbers[step])
            found.successors.append(inner)
            found.later.append(list(later))
            if len(found.states) > MOST_BEFORE or limits.exceeded(0):
                raise Refused(f"{model.name} has more than {MOST_BEFORE} states before all processes are started")
        if not rows:
            raise Refused("not all processes are ever started")
        return list(rows)

    def steps(self, state: State) -> list[State]:
        """Where steps lead that can be completed."""
        return list(self.successors(state))

    def successors(self, state: State) -> Iterator[State]:
        try:
            for step in self.interpreter.steps(state):
                if not is_fault(step.moves[-1]):
                    yield step.state
        except Fault as fault:
            raise Refused(fault.message) from None

    # --- states ----------------------------------------------------------------------------------

    @property
    def encoding(self) -> Encoding:
        return self.space.encoding

    @property
    def size(self) -> int:
        return self.space.size + len(self.beginning.states) - self.interpreter.model.prelude

    def row(self, state: State) -> tuple[int, ...]:
        if self.is_own:
            return flattened(self.flat, state)
        first = self.started.state
        same = first._replace(processes=first.processes[: len(state.processes)])
        # Where one ends before the last is started, its number may go to a process of another kind.
        is_alike = [p.kind for p in same.processes] == [p.kind for p in state.processes]
        if is_alike and [c.type for c in first.channels] == [c.type for c in state.channels]:
            row = flattened(self.flat, state)
            if restored(self.flat, self.interpreter, row, same) == state:
                return row
        raise Refused("processes are started in ways that lead to different systems")

    @property
    def represented(self) -> int:
        """How many states those in the space stand for."""
        if self.space.folded is None:
            return self.size
        everything = self.space.folded.unfolded(self.space.states)
        return self.size - self.space.size + self.encoding.count(everything)

    def set_of(self, state: State) -> Diagram:
        """The state, or all that stand for it."""
        if self.space.folded is None:
            return self.encoding.states(self.row(state))
        return self.space.folded.orbit(self.row(state)) & self.space.states

    def contains(self, states: Diagram, state: State) -> bool:
        if self.space.folded is None:
            return self.encoding.contains(states, self.row(state))
        return self.space.folded.contains(states, self.row(state))

    def canonical(self, state: State) -> State:
        """One state of each orbit; states before the space, and all without symmetries, are alone."""
        if self.space.folded is None or not self.started.includes(state):
            return state
        row = self.space.folded.canonical(self.row(state))
        return restored(self.flat, self.interpreter, row, state)

    def condition(self, x: e.Expr) -> tuple[Diagram, Diagram]:
        """Where a condition on states is true, and where it has no value."""
        if self.conversion is None:
            return self.evaluated(x)
        terms = self.conversion.terms
        unchecked = len(terms.unchecked)
        try:
            translated = terms.expression(x, None)
        except Inexpressible as construct:
            raise Refused(inexpressible(construct)) from None
        if len(terms.unchecked) > unchecked:
            raise Refused(f"it would not notice that {terms.unchecked[-1]} is asked of what is no channel")
        return self.evaluated(translated)

    def evaluated(self, x: e.Expr) -> tuple[Diagram, Diagram]:
        states = self.space.states
        try:
            yes, no = Evaluation(self.encoding, {}).holds(x, self.encoding.diagrams.true)
        except TooManyValues as reason:
            raise Refused(str(reason)) from None
        return states & yes, states & ~(yes | no)

    def stuck(self) -> Diagram:
        """Where nothing can happen though the system may not stop there."""
        states = self.space.states
        for enabled in self.space.everywhere(lambda steps: steps.enabled):
            states = states & ~enabled
        if self.conversion is None:  # the one process has no place to end
            return states
        return states & ~self.evaluated(self.flat.conditions[0])[0]


def inexpressible(construct: Inexpressible) -> str:
    place = "" if construct.span is None else f" (line {construct.span.line})"
    return f"{construct.construct}{place} has no sequential form"
