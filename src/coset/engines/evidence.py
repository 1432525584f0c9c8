"""From states to moves: what the compiled engine found, told by the interpreter.

The engine hands over a chain of states.  The interpreter looks for a step from each one to the next; if there is
none, the two engines disagree about the model, which is our fault and is said loudly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise

from coset.model.fairness import ProcessFairness
from coset.model.interpreter import Interpreter, Move, Step, is_fault
from coset.model.state import State
from coset.results.internal import Disagreement
from coset.source.budget import OutOfBudget, current_budget, installed, within


def step_between(interpreter: Interpreter, before: State, after: State) -> Step:
    """A step from one state to another.  Mostly a process that has changed began it, so these are tried first."""
    changed = [pid for pid, (old, new) in enumerate(zip(before.processes, after.processes)) if old != new]
    changed += range(len(after.processes), len(before.processes))
    for step in chain(interpreter.steps(before, changed), interpreter.steps(before)):
        if step.state == after and not is_fault(step.moves[-1]):
            return step
    raise Disagreement(f"no step leads from {before} to {after}")


Representative = Callable[[State], State]
"""The one state that stands for the orbit of a state."""


class OrbitPaths(ABC):
    """A `Representative` of an engine that follows orbits faster than the interpreter does."""

    @abstractmethod
    def __call__(self, state: State) -> State: ...

    @abstractmethod
    def through(self, start: State, wanted: Sequence[State]) -> list[State]:
        """The states of a run from one state through the orbits of the others, without the first; fewer if it cannot go on."""


def unpermuted(interpreter: Interpreter, representatives: Sequence[State], canonical: Representative) -> list[State]:
    """A run of the model through the orbits of these states, the first of which is that of the initial state.
    The states may be any of their orbits (a search may meet several of one), but `canonical` knows one of each."""
    first = first_state(interpreter, representatives[0], canonical)
    return [first, *through_orbits(interpreter, first, representatives[1:], canonical)]


def through_orbits(
    interpreter: Interpreter, start: State, wanted: Sequence[State], canonical: Representative
) -> list[State]:
    """The states of a run from one state that goes through the orbits of the others, without the first one."""
    states = canonical.through(start, wanted) if isinstance(canonical, OrbitPaths) else []
    for orbit in wanted[len(states) :]:
        states.append(step_to_orbit(interpreter, states[-1] if states else start, orbit, canonical).state)
    return states


def first_state(interpreter: Interpreter, found: State, canonical: Representative) -> State:
    """The initial state, where a run begins in its orbit: a symmetry may change dead values of it."""
    initial = interpreter.initial()
    return initial if found != initial and canonical(initial) == canonical(found) else found


def step_to_orbit(interpreter: Interpreter, before: State, wanted: State, canonical: Representative) -> Step:
    """A step into the orbit of a state."""
    orbit = canonical(wanted)
    for step in interpreter.steps(before):
        if not is_fault(step.moves[-1]) and canonical(step.state) == orbit:
            return step
    raise Disagreement(f"no step leads from {before} into the orbit of {wanted}")


def unrolled(
    interpreter: Interpreter, start: State, cycle: Sequence[State], canonical: Representative
) -> tuple[list[State], list[State]]:
    """A cycle of orbits, from the state `start`, as a cycle of states.  Once around leads back to the orbit, and after
    some rounds back to a state: what comes before it, and the states of the cycle (both without their first state)."""
    states, first = [start], {start: 0}
    while True:
        states += through_orbits(interpreter, states[-1], cycle, canonical)
        if states[-1] in first:
            begin = first[states[-1]]
            return states[1 : begin + 1], states[begin + 1 :]
        first[states[-1]] = len(states) - 1


SHORTENING_STEPS, SHORTCUT_STATES, LONG_RUN, IN_VAIN = 30_000, 60, 60, 10
"""Steps of the interpreter to shorten a run, states to look at for one shortcut, states that a run has at least, and how often
no shortcut is found before the rest of the run stays as it is."""


def shortened(interpreter: Interpreter, states: Sequence[State]) -> list[State]:
    """A run with the same ends and fewer states, where a search nearby finds a shortcut.

    A run that was found depth first wanders about.  From each state on the way, a small breadth-first search looks for the
    latest state of the run that it can reach.  It ends within a number of steps, and what is left stays as it is.
    """
    if len(states) < LONG_RUN:
        return list(states)
    place = {state: number for number, state in enumerate(states)}
    run, here, in_vain = [states[0]], place[states[0]], 0
    try:
        with installed(within(steps=SHORTENING_STEPS)):
            while here < len(states) - 1 and in_vain < IN_VAIN:
                way = shortcut(interpreter, states[here], place, here)
                run += way
                in_vain = in_vain + 1 if place[run[-1]] <= here + len(way) else 0
                here = place[run[-1]]
    except OutOfBudget:
        current_budget().demand()
    return [*run, *states[place[run[-1]] + 1 :]]


def shortcut(interpreter: Interpreter, start: State, place: Mapping[State, int], here: int) -> list[State]:
    """The states after `start` up to the latest one of the run that a short search reaches."""
    before: dict[State, State] = {}
    queue, best = [start], start
    for state in queue:
        for step in interpreter.steps(state):
            following = step.state
            if following == start or following in before or is_fault(step.moves[-1]):
                continue
            before[following] = state
            queue.append(following)
            if place.get(following, -1) > max(here, place.get(best, -1)):
                best = following
        if len(queue) > SHORTCUT_STATES and best != start:
            break
    way = []
    while best != start:
        way.append(best)
        best = before[best]
    return way[::-1]


def moves_along(interpreter: Interpreter, states: Sequence[State]) -> list[Move]:
    """The moves of a run through these states."""
    moves: list[Move] = []
    for before, after in pairwise(states):
        moves.extend(step_between(interpreter, before, after).moves)
    return moves


def fair_moves_around(
    interpreter: Interpreter, states: Sequence[State], kind: ProcessFairness = ProcessFairness.WEAK
) -> list[Move]:
    """The moves of a run round a cycle that is fair to every process: of steps with the same ends those of neglected processes
    are taken, and if they have the same one, in different rounds.  Neglected are those that could always move, or with strong
    fairness sometimes."""
    moves: list[Move] = []
    neglected = set(range(len(states[0].processes)))
    if kind is not ProcessFairness.WEAK:
        neglected = set[int]().union(*(able_in(interpreter, state) for state in states))
    if kind is ProcessFairness.NONE:
        neglected = set()
    while True:
        before = len(neglected)
        for here, there in pairwise(states):
            steps = [step for step in interpreter.steps(here) if not is_fault(step.moves[-1])]
            if kind is ProcessFairness.WEAK:
                neglected &= {step.moves[0].process for step in steps}
            leading = [step for step in steps if step.state == there]
            if not leading:
                raise Disagreement(f"no step leads from {here} to {there}")
            step = max(leading, key=lambda step: len(neglected & takers(step)))
            neglected -= takers(step)
            moves.extend(step.moves)
        if not neglected:
            return moves
        if len(neglected) == before:
            raise Disagreement(f"a cycle that is not fair to process {min(neglected)}")


def able_in(interpreter: Interpreter, state: State) -> set[int]:
    """The processes that can begin a step."""
    return {step.moves[0].process for step in interpreter.steps(state) if not is_fault(step.moves[-1])}


def takers(step: Step) -> set[int]:
    """The processes that take part in a step: those that move, and those that answer in handshakes."""
    return {move.process for move in step.moves} | {move.partner[0] for move in step.moves if move.partner is not None}


def moves_to_error(interpreter: Interpreter, state: State, kind: str) -> list[Move]:
    """The shortest moves of one step from a state that show an error of a kind, up to the move that shows it."""
    best: list[Move] | None = None
    for step in interpreter.steps(state):
        for number, move in enumerate(step.moves, 1):
            shown = is_fault(move) if kind == "fault" else any(each == kind for each, _ in move.errors)
            if shown and (best is None or number < len(best)):
                best = list(step.moves[:number])
    if best is None:
        raise Disagreement(f"no step from {state} shows an error of the kind {kind}")
    return best
