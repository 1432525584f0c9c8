"""The symbolic engine as others see it: count all states of a model, find errors in single states, decide formulas."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from math import prod

from coset.engines.branching import Decision, Undecided, decide
from coset.engines.errors import errors_in
from coset.engines.evidence import moves_along, moves_to_error, unpermuted
from coset.engines.symbolic.diagrams import Diagram, OutOfNodes
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.evaluation import TooManyValues
from coset.engines.symbolic.fairness import FairGraph
from coset.engines.symbolic.graph import Region, SymbolicGraph
from coset.engines.symbolic.orbit_relation import TooLarge
from coset.engines.symbolic.runs import ConcurrentSpace, Refused
from coset.engines.symbolic.steps import TooManyPaths
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.sequential_model import Inexpressible
from coset.properties.common_fragment import branching_form
from coset.results.events import Finished, Listener, Progress, Started, ignore_events
from coset.results.exploration import Exploration
from coset.results.trace import ReplayError, Trace, from_moves, replay
from coset.source.budget import INTERRUPTED, Limits, OutOfBudget, current_budget, peak_memory
from coset.symmetry.methods.constraints.carried import CarriedSymmetry
from coset.symmetry.symmetry import Symmetry

__all__ = ["Refused", "SymbolicEngine", "explore"]

NAME = "symbolic"
TOLD_EVERY = 0.5
"""Seconds between two reports."""
BEYOND = (TooManyValues, TooManyPaths, TooLarge, Inexpressible, Fault)
"""What a model or a formula may have that this engine cannot do, wherever it turns out: a refusal, never an internal error."""


def explore(
    model: m.Model,
    limits: Limits | None = None,
    listener: Listener = ignore_events,
    symmetry: Symmetry | CarriedSymmetry | None = None,
    way: str = "sort",
) -> Exploration:
    """All states that can be reached, counted; with symmetries their representatives.  Raises `Refused`."""
    return SymbolicEngine(model, limits or Limits(), listener, symmetry, way).exploration


class SymbolicEngine:
    """The state space of a model, made at once.  If a limit ends that, `exploration` says so and there is no `graph`.
    Symmetries must keep the properties that it is asked about; `way` is how representatives are found (`Folding`).  With
    `fair` (and without symmetries) formulas are about weakly fair runs only."""

    name = NAME

    def __init__(
        self,
        model: m.Model,
        limits: Limits,
        listener: Listener = ignore_events,
        symmetry: Symmetry | CarriedSymmetry | None = None,
        way: str = "sort",
        fair: bool = False,
    ) -> None:
        assert symmetry is None or not fair
        self.model, self.limits, self.listener = model, limits, listener
        self.exploration = Exploration(model.name, NAME)
        self.graph: SymbolicGraph | None = None
        self.peak, self.told, self.represented = 0, time.monotonic(), 0
        listener(Started(model.name, NAME))
        try:
            self.found = ConcurrentSpace(model, limits, self.watch, symmetry, way)
            self.graph = FairGraph(self.found) if fair else SymbolicGraph(self.found)
            self.count()
        except (OutOfNodes, OutOfBudget) as reason:
            self.stop(str(reason))
            self.exploration.interrupted = str(reason) == INTERRUPTED
        except BEYOND as reason:
            raise Refused(str(reason)) from None
        except MemoryError:
            self.stop("the end of memory for decision diagrams")
        except KeyboardInterrupt:
            current_budget().interrupt()
            self.stop(INTERRUPTED)
            self.exploration.interrupted = True
        self.finish()

    def stop(self, reason: str) -> None:
        self.exploration.stopped, self.graph = reason, None

    def finish(self) -> None:
        result = self.exploration
        result.complete = result.stopped is None
        result.represents = self.represented if result.complete else None
        result.nodes = self.peak
        result.seconds["search"] = round(self.limits.elapsed, 6)
        result.peak_memory = peak_memory()
        self.listener(Finished(result.complete))

    def watch(self, encoding: Encoding, states: Diagram) -> None:
        """Tell how far it is, now and then."""
        self.peak = max(self.peak, encoding.diagrams.peak)
        if time.monotonic() - self.told < TOLD_EVERY:
            return
        self.told = time.monotonic()
        count = self.exploration.states = encoding.count(states)
        nodes = states.node_count()
        self.listener(Progress(count, 0, 0, nodes, self.limits.elapsed, peak_memory()))

    def count(self) -> None:
        """States, transitions and errors."""
        found, result = self.found, self.exploration
        space, begin = found.space, found.beginning
        self.peak = max(self.peak, space.diagrams.peak)
        result.states, self.represented = found.size, found.represented
        guards = space.everywhere(lambda steps: disjoint(step.guard for step in steps.taken))
        result.transitions = begin.transitions + sum(map(space.number, guards))
        if not self.model.counts_rules:
            result.transitions += self.number_of_starts() if self.model.prelude else 1
        result.errors.invalid_end_states = space.number(found.stuck())
        result.errors.assertions = sum(map(space.number, self.flaws("assertion")))
        faults = space.number(self.flawed("fault"))
        for _, kind in self.first_errors:
            match kind:
                case "assertion":
                    result.errors.assertions += 1
                case "deadlock":
                    result.errors.invalid_end_states += 1
                case _:
                    faults += 1
        if faults:
            result.errors.faults[UNDEFINED] = faults
        if self.flawed("message").satisfiable():
            raise Refused("a message may be sent to a channel for others, which it does not decide")

    @cached_property
    def first_errors(self) -> list[tuple[int, str]]:
        """The errors in states before the space, by their numbers.  In the choice of a start there are none."""
        interpreter = self.found.interpreter
        states = [] if self.model.prelude else self.found.beginning.states
        return [(n, shown.key[0]) for n, state in enumerate(states) for shown in errors_in(interpreter, state)]

    def number_of_starts(self) -> int:
        flat = self.found.flat
        sizes = [variable.domain.high - variable.domain.low + 1 for variable, _ in flat.elements]
        return sum(prod(size for size, value in zip(sizes, row) if value is None) for row in flat.starts)

    def flaws(self, kind: str) -> Iterator[Diagram]:
        """Where steps can meet an error of a kind."""
        return self.found.space.everywhere(
            lambda steps: (flaw.states for flaw in steps.flaws if flaw.kind == kind),
        )

    def flawed(self, kind: str) -> Diagram:
        """The reachable states from which an error of a kind can be met."""
        space = self.found.space
        return space.states & space.diagrams.union(self.flaws(kind))

    # --- verdicts --------------------------------------------------------------------------------

    def error(self, kind: str) -> Decision:
        """Whether no error of a kind can be met ("assertion", "deadlock" or "fault"), or a shortest run to one."""
        return self.decided(lambda: self.searched(kind))

    def decision(self, property_: m.Property) -> Decision:
        """The verdict on a formula."""
        return self.decided(lambda: self.evaluated(property_))

    def decided(self, decide: Callable[[], Decision]) -> Decision:
        result = self.exploration
        if self.graph is None:
            return Decision(None, result.states, result.transitions, reason=result.stopped)
        try:
            return decide()
        except (Undecided, OutOfNodes, OutOfBudget, Refused, *BEYOND) as reason:
            return Decision(None, result.states, result.transitions, reason=str(reason))
        except MemoryError:
            return Decision(None, result.states, result.transitions, reason="the end of memory for decision diagrams")
        except KeyboardInterrupt:
            current_budget().interrupt()
            return Decision(None, result.states, result.transitions, reason=INTERRUPTED)
        finally:
            result.nodes = max(self.peak, self.found.space.diagrams.peak)

    def searched(self, kind: str) -> Decision:
        found, graph, result = self.found, self.graph, self.exploration
        assert graph is not None
        begin = frozenset(number for number, each in self.first_errors if each == kind)
        wrong = Region(found.stuck() if kind == "deadlock" else self.flawed(kind), begin)
        if not wrong.before and not wrong.later.satisfiable():
            return Decision(True, result.states, result.transitions)
        path = [graph.state(number) for number in graph.path(0, graph.everything(), wrong)]
        if found.space.folded is not None:
            path = unpermuted(found.interpreter, path, found.canonical)
        moves = moves_along(found.interpreter, path)
        if kind != "deadlock":
            moves += moves_to_error(found.interpreter, path[-1], kind)
        return Decision(False, result.states, result.transitions, from_moves(self.model, moves, kind))

    def evaluated(self, property_: m.Property) -> Decision:
        """A formula of linear time is decided if it is one of branching time as well."""
        assert self.graph is not None
        if isinstance(property_, m.Claim):
            raise Undecided("the symbolic engine decides no never claims; try --engine explicit")
        formula = property_.formula if isinstance(property_, m.CtlProperty) else branching_form(property_.formula)
        if formula is None:
            raise Undecided("the symbolic engine decides no formula that only linear time has; try --engine explicit")
        asked = m.CtlProperty(property_.name, formula)
        transitions = self.exploration.transitions
        canonical = None if self.found.space.folded is None else self.found.canonical
        lasso = self.graph.fair_lasso if isinstance(self.graph, FairGraph) else None
        found = decide(asked, self.graph, transitions, self.found.interpreter, self.graph.state, canonical, lasso)
        if isinstance(property_, m.CtlProperty):
            return found
        trace = None if found.trace is None else replace(found.trace, kind="ltl")
        if found.holds is False and self.exploration.errors.faults and not self.goes_on(trace):
            # In linear time a run into a fault is no run; in branching time its last state repeats.
            raise Undecided(
                "the model has faults, and perhaps only a run into one violates this; try --engine explicit"
            )
        return found._replace(trace=trace, witness=None)

    def goes_on(self, trace: Trace | None) -> bool:
        """Whether a trace is that of a whole run, which ends in no fault."""
        if trace is None or trace.loop_start is None:
            return False
        try:
            replay(self.model, trace)
        except ReplayError:
            return False
        return True


def disjoint(sets: Iterable[Diagram]) -> list[Diagram]:
    """Fewer sets, which have every state as often: those that have none in common are put together."""
    found: list[Diagram] = []
    for one in sets:
        for k, other in enumerate(found[:FEW]):
            if not (one & other).satisfiable():
                found[k] = one | other
                break
        else:
            found.append(one)
    return found


FEW = 16
"""Sets that another is compared with."""
UNDEFINED = "undefined"
"""Faults of all kinds: in so many states something has no value."""
