"""Formulas of computation tree logic, checked by the compiled engine: the graph and its operators are in C."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property

from coset.engines.branching import MOST_CONDITIONS, Conditions, Decision, Undecided, conditions, decide, groups
from coset.engines.claim import Claim, ClaimEdge
from coset.engines.evidence import OrbitPaths, Representative
from coset.engines.explicit.attempts import completed
from coset.engines.explicit.checkpointed import ask_for_checkpoints, tell_of_checkpoint
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine, stopped_by
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.seam import Result, Stop
from coset.model import expression as e
from coset.model import model as m
from coset.model.state import State
from coset.properties.state_graph import ByteSets
from coset.source.budget import INTERRUPTED

Set = bytearray
"""A byte for each state."""


def check_properties(engine: Engine, properties: Sequence[m.CtlProperty]) -> list[Decision]:
    """The verdict on each formula, by the graph of all states."""
    return [decision for group in groups(properties) for decision in check_group(engine, group)]


def check_group(engine: Engine, group: Sequence[m.CtlProperty]) -> list[Decision]:
    """Decide formulas that share a graph.  If a condition has no value, each formula is decided alone."""
    wanted = conditions(group)
    if len(wanted) > MOST_CONDITIONS:
        reason = f"a formula with {len(wanted)} different conditions, more than {MOST_CONDITIONS}"
        return [Decision(None, reason=reason)] * len(group)

    def attempt(compiled: Compiled) -> tuple[Result, list[Decision] | None]:
        graph = CompiledGraph(engine, compiled, wanted)
        try:
            graph.explore()
            if graph.result.stopped in (Stop.ALLOWANCE, Stop.OVERFLOW):
                return graph.result, []
            if len(group) > 1 and graph.faulty_state() is not None:
                return graph.result, None
            return graph.result, [graph.decide(property_) for property_ in group]
        finally:
            graph.close()

    _, decisions = completed(engine, attempt, observer(wanted))
    if decisions is None:
        return [decision for property_ in group for decision in check_group(engine, [property_])]
    return decisions


def observer(wanted: Sequence[e.Expr]) -> Claim:
    """Conditions as an automaton with one state, so that the engine evaluates them."""
    edges = (ClaimEdge(0, number, each, 0) for number, each in enumerate(wanted))
    return Claim("conditions", 1, (0,), tuple(edges), 0, observes=True)


class CompiledGraph(ByteSets):
    """A graph in the memory of the engine (a `WalkableGraph`)."""

    def __init__(self, engine: Engine, compiled: Compiled, wanted: Sequence[e.Expr]) -> None:
        self.engine, self.compiled = engine, compiled
        self.numbers = {condition: number for number, condition in enumerate(wanted)}
        self.c = compiled.library
        self.result = Result()
        self.extent = 0
        self.request, self.buffer = engine.request(compiled)
        ask_for_checkpoints(self.request, engine, compiled)
        engine.go_on(compiled, self.request)
        self.handle = opened(self.c.branching_new, self.request, ctypes.byref(self.result))

    @property
    def states(self) -> int:
        """The bytes of a set: a little more than there are states if several threads number them."""
        return self.extent

    def explore(self) -> None:
        if not self.handle:
            self.result.stopped = Stop.SYSTEM
            return
        self.engine.watch(lambda: self.c.branching_run(self.handle), self.result, levels=True)
        tell_of_checkpoint(self.request, self.engine, self.result)
        self.extent = int(self.c.branching_extent(self.handle))

    def close(self) -> None:
        if self.handle and not self.engine.keep(
            self.compiled, self.result, lambda: self.c.branching_transfer(self.handle)
        ):
            self.c.branching_free(self.handle)

    def decide(self, property_: m.CtlProperty) -> Decision:
        try:
            self.check_stopped()
            faulty = self.faulty_state()
            if faulty is not None:  # the interpreter finds the condition and the reason
                Conditions(self.engine.interpreter, list(self.numbers)).truth(self.state(faulty))
                raise Undecided("a condition has no value in a reachable state")
            canonical = OrbitsOnDemand(self) if self.engine.symmetry is not None else None
            found = decide(property_, self, self.result.transitions, self.engine.interpreter, self.state, canonical)
            return found._replace(states=self.result.states)
        except Undecided as reason:
            return Decision(None, self.result.states, self.result.transitions, None, str(reason))

    @cached_property
    def exact(self) -> Representative:
        """The representatives of orbits; needed only to show a run."""
        return self.engine.canonical(self.compiled)

    def check_stopped(self) -> None:
        if self.result.stopped:
            raise Undecided(stopped_by(self.result, self.engine.limits) or INTERRUPTED)

    def faulty_state(self) -> int | None:
        """A state in which a condition has no value."""
        number = ctypes.c_uint64()
        is_faulty = self.handle and self.c.branching_fault(self.handle, ctypes.byref(number))
        return number.value if is_faulty else None

    def state(self, number: int) -> State:
        room = ctypes.create_string_buffer(self.compiled.layout.size)
        self.c.branching_state(self.handle, number, room)
        return self.compiled.layout.decode(room.raw)

    # --- sets of states ----------------------------------------------------------------------------

    def truth(self, atom: e.Expr) -> Set:
        return self.made(lambda out: self.c.branching_truth(self.handle, self.numbers[atom], out))

    def some_next(self, holds: Set) -> Set:
        return self.made(lambda out: self.c.branching_some_next(self.handle, self.shared(holds), out))

    def some_until(self, holds: Set, reaches: Set) -> Set:
        sets = self.shared(holds), self.shared(reaches)
        return self.made(lambda out: self.c.branching_some_until(self.handle, *sets, out))

    def some_always(self, holds: Set) -> Set:
        return self.made(lambda out: self.c.branching_some_always(self.handle, self.shared(holds), out))

    def made(self, fill: Callable[[object], object]) -> Set:
        """A set that C fills, in a thread so that it can be interrupted."""
        result = bytearray(self.states)
        out = self.shared(result)
        self.engine.watch(lambda: fill(out), self.result)
        self.check_stopped()
        return result

    def shared(self, set_: Set) -> object:
        return (ctypes.c_ubyte * len(set_)).from_buffer(set_)

    # --- paths -------------------------------------------------------------------------------------

    def following(self, state: int) -> Sequence[int]:
        targets = ctypes.POINTER(ctypes.c_uint32)()
        count = self.c.branching_following(self.handle, state, ctypes.byref(targets))
        return targets[:count]

    def path(self, start: int, inside: Set, goal: Set, steps: bool = False) -> list[int]:
        out = (ctypes.c_uint64 * (self.states + 1))()
        count = self.c.branching_path(self.handle, start, self.shared(inside), self.shared(goal), int(steps), out)
        self.check_stopped()
        return out[:count][::-1]


class OrbitsOnDemand(OrbitPaths):
    """The orbits of a graph, when they are first asked for."""

    def __init__(self, graph: CompiledGraph) -> None:
        self.graph = graph

    def __call__(self, state: State) -> State:
        return self.graph.exact(state)

    def through(self, start: State, wanted: Sequence[State]) -> list[State]:
        exact = self.graph.exact
        return exact.through(start, wanted) if isinstance(exact, OrbitPaths) else []
