"""A run of the user's model along a run of the model with merged steps, to an error or around a cycle.

Errors and cycles are looked for in the merged model, as it is smaller.  To search the user's own model for a run that shows
what was found takes longer than that.  But a merged step stands for one or more steps of the same processes.  So a run of the
merged model tells which processes move, and what the variables are after that:

    merged   P: x = 1                        Q: y = 1
    plain    P: x = 1    P: a local step     Q: a local step    Q: y = 1

A cycle of the merged model is followed until the plain model comes back to a state: variables that the merged model lacks
or resets may differ after the first round.

Nothing depends on how well this works.  If no run is found, the user's model is searched without a guide; and as any other
run, one that is found is executed by the interpreter before it is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from coset.engines.evidence import step_between, takers
from coset.engines.lasso import Lasso, is_stuck
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Variable
from coset.model.state import State
from coset.results.trace import shows, stuck
from coset.source.budget import OutOfBudget, current_budget, installed, within
from coset.source.records import dataclass

MOST_STEPS = 60_000
"""The most moves that the interpreter tries on the way."""
NEARBY, NEAR_ERROR = 60, 2_000
"""How many states are looked at for one merged step, and for the error after the last one."""
MOST_ROUNDS = 8
"""How often a cycle is followed."""


@dataclass(frozen=True, slots=True)
class Node:
    """A state of the plain model that resembles the state of the guide at a place."""

    way: tuple[State, ...]
    """The states since the node before; the last one is the state of this node."""
    place: int
    before: Node | None
    length: int = 1
    """How many states the run has."""
    rounds: tuple[tuple[State, int], ...] = ()
    """The states at which rounds of the cycle began, and the lengths of the run up to them."""

    def followed_by(self, way: tuple[State, ...], begins_round: bool) -> Node:
        rounds = (*self.rounds, (self.way[-1], self.length)) if begins_round else self.rounds
        if not way:
            return Node(self.way, self.place + 1, self.before, self.length, rounds)
        return Node(way, self.place + 1, self, self.length + len(way), rounds)

    def run(self) -> list[State]:
        ways, node = [self.way], self.before
        while node is not None:
            ways.append(node.way)
            node = node.before
        return [state for way in reversed(ways) for state in way]


@dataclass(frozen=True, slots=True)
class Guide:
    """The states of a run of the merged model, and who moves in its steps."""

    states: Sequence[State]
    movers: Sequence[Sequence[int]]
    first: int
    """The place at which a cycle begins; the end of the run if there is none."""

    def step(self, place: int) -> int | None:
        """The step at a place, where a cycle is followed several times; None after the last one."""
        count = len(self.movers)
        if place < count:
            return place
        rounds, step = divmod(place - self.first, count - self.first) if self.first < count else (MOST_ROUNDS, 0)
        return None if rounds >= MOST_ROUNDS else self.first + step

    def begins_round(self, place: int) -> bool:
        count = len(self.movers)
        return self.first < count and place >= self.first and (place - self.first) % (count - self.first) == 0


Found = TypeVar("Found")
Goal = Callable[[Node, Guide], Found | None]
"""What is looked for: found at a node, or None."""


def guided_run(plain: Interpreter, merged: Interpreter, guide: Sequence[State], kind: str) -> list[State] | None:
    """The states of a run of the plain model to a state that shows an error of a kind, along the states of a run of the merged
    model."""

    def goal(node: Node, guide: Guide) -> list[State] | None:
        if node.place < len(guide.movers):
            return None
        for way in ways_from(plain, node.way[-1], None, NEAR_ERROR):
            if shows_error(plain, way[-1], kind):
                return [*node.run(), *way[1:]]
        return None

    return followed(plain, merged, guide, len(guide) - 1, goal)


def guided_lasso(plain: Interpreter, merged: Interpreter, guide: Lasso) -> Lasso | None:
    """A lasso of the plain model along one of the merged model."""
    is_stuck_there = is_stuck(merged, guide.loop)

    def end(node: Node, guide: Guide) -> Lasso | None:
        if node.place < len(guide.movers):
            return None
        for way in ways_from(plain, node.way[-1], None, NEAR_ERROR):
            if is_stuck(plain, way[-1:]):
                return Lasso([*node.run(), *way[1:]], [way[-1]])
        return None

    def cycle(node: Node, guide: Guide) -> Lasso | None:
        if not guide.begins_round(node.place):
            return None
        for state, length in node.rounds:
            if state == node.way[-1] and length < node.length:
                run = node.run()
                return Lasso(run[:length], run[length - 1 :])
        return None

    if is_stuck_there:
        return followed(plain, merged, guide.way, len(guide.way) - 1, end)
    return followed(plain, merged, [*guide.way, *guide.loop[1:]], len(guide.way) - 1, cycle)


def followed(
    plain: Interpreter, merged: Interpreter, states: Sequence[State], first: int, goal: Goal[Found]
) -> Found | None:
    """What a search finds that follows a guide, within a budget: depth first, the most similar states first."""
    try:
        with installed(within(steps=MOST_STEPS)):
            movers = [sorted(takers(step_between(merged, *pair))) for pair in pairwise(states)]
            return search(plain, Likeness(plain, merged), Guide(states, movers, first), goal)
    except OutOfBudget:
        current_budget().demand()
        return None


def search(plain: Interpreter, likeness: Likeness, guide: Guide, goal: Goal[Found]) -> Found | None:
    stack = [Node((plain.initial(),), 0, None)]
    seen = set[tuple[State, int]]()
    while stack:
        node = stack.pop()
        here = node.way[-1]
        if (here, node.place) in seen:
            continue
        seen.add((here, node.place))
        found = goal(node, guide)
        if found is not None:
            return found
        step = guide.step(node.place)
        if step is None:
            continue
        wanted = guide.states[step + 1]
        ways = ways_like(plain, likeness, here, wanted, guide.movers[step], guide.states[step] == wanted)
        ways.sort(key=lambda way: (likeness.differences(way[-1], wanted), -len(way)), reverse=True)
        begins = guide.begins_round(node.place)
        stack += (node.followed_by(way[1:], begins) for way in ways)
    return None


def ways_like(
    plain: Interpreter, likeness: Likeness, here: State, wanted: State, movers: Sequence[int], is_loop: bool
) -> list[tuple[State, ...]]:
    """Ways to states that resemble the one after a merged step.  A merged step that changes nothing is a cycle of the plain
    model."""
    for able in (movers, None):  # a timeout, or steps that other processes make at the same time
        nearby = (way for way in ways_from(plain, here, able, closes=is_loop) if len(way) > is_loop)
        if found := [way for way in nearby if likeness.agree(way[-1], wanted)]:
            return found
    return []


def ways_from(
    interpreter: Interpreter, start: State, movers: Sequence[int] | None, count: int = NEARBY, closes: bool = False
) -> Iterator[tuple[State, ...]]:
    """The shortest ways to states nearby, by steps of some processes, or of all; if it `closes`, also back to the first one."""
    seen = set() if closes else {start}
    queue: list[tuple[State, ...]] = [(start,)]
    for way in queue:
        yield way
        if len(queue) >= count:
            continue
        here = way[-1]
        able = movers and [pid for pid in movers if pid < len(here.processes)]
        for step in interpreter.steps(here, able):
            if step.state not in seen and not is_fault(step.moves[-1]):
                seen.add(step.state)
                queue.append((*way, step.state))


def shows_error(interpreter: Interpreter, state: State, kind: str) -> bool:
    """Whether a step from a state shows an error of a kind, or the end of the run does."""
    steps = list(interpreter.steps(state))
    if kind == "deadlock":
        return interpreter.is_idle(state, [step.moves[-1] for step in steps]) and stuck(interpreter, state)
    return any(shows(move, kind) for step in steps for move in step.moves)


class Likeness:
    """Compares states of the plain model with those of the merged one, which may lack variables and reset dead ones."""

    def __init__(self, plain: Interpreter, merged: Interpreter) -> None:
        self.kinds = [(one.locations, other.locations) for one, other in zip(plain.model.kinds, merged.model.kinds)]
        self.globals = common_places(plain.model.variables, merged.model.variables)
        self.locals = [
            common_places(one.variables, other.variables) for one, other in zip(plain.model.kinds, merged.model.kinds)
        ]

    def agree(self, state: State, wanted: State) -> bool:
        """Whether shared variables and channels have the same values."""
        return all(state.values[k] == wanted.values[j] for k, j in self.globals) and (
            len(state.channels) != len(wanted.channels)
            or all(one.messages == other.messages for one, other in zip(state.channels, wanted.channels))
        )

    def differences(self, state: State, wanted: State) -> tuple[int, int]:
        """How many processes are at other control points, and how many of their variables have other values."""
        elsewhere = abs(len(state.processes) - len(wanted.processes))
        different = 0
        for one, other in zip(state.processes, wanted.processes):
            if one.kind != other.kind:
                elsewhere += 1
                continue
            plain, merged = self.kinds[one.kind]
            elsewhere += plain[one.at].number != merged[other.at].number
            different += sum(one.values[k] != other.values[j] for k, j in self.locals[one.kind])
        return elsewhere, different


def common_places(some: Sequence[Variable], others: Sequence[Variable]) -> list[tuple[int, int]]:
    """The places of the elements of variables that two rows of variables have in common."""
    places, at = dict[str, tuple[int, int]](), 0
    for variable in others:
        places[variable.name] = at, variable.size
        at += variable.size
    common, at = list[tuple[int, int]](), 0
    for variable in some:
        other, size = places.get(variable.name, (0, 0))
        if size == variable.size:
            common += ((at + k, other + k) for k in range(size))
        at += variable.size
    return common
