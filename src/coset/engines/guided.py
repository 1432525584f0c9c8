"""A run of the user's model along a run of the model with merged steps.

Errors are looked for in the merged model, as it is smaller.  To search the user's own model for a run that shows the error takes
longer than that.  But a merged step stands for one or more steps of the same processes.  So a run of the merged model tells
which processes move, and what the variables are after that:

    merged   P: x = 1                        Q: y = 1
    plain    P: x = 1    P: a local step     Q: a local step    Q: y = 1

Nothing depends on how well this works.  If no run is found, the user's model is searched without a guide; and as any other
run, one that is found is executed by the interpreter before it is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.engines.evidence import step_between, takers
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


@dataclass(frozen=True, slots=True)
class Node:
    """A state of the plain model that resembles the state of the guide at a place."""

    way: tuple[State, ...]
    """The states since the node before; the last one is the state of this node."""
    place: int
    before: Node | None

    def followed_by(self, way: tuple[State, ...]) -> Node:
        return Node(way, self.place + 1, self) if way else Node(self.way, self.place + 1, self.before)

    def run(self) -> list[State]:
        ways, node = [self.way], self.before
        while node is not None:
            ways.append(node.way)
            node = node.before
        return [state for way in reversed(ways) for state in way]


def guided_run(plain: Interpreter, merged: Interpreter, guide: Sequence[State], kind: str) -> list[State] | None:
    """The states of a run of the plain model to a state that shows an error of a kind, along the states of a run of the merged
    model."""
    try:
        with installed(within(steps=MOST_STEPS)):
            return followed(plain, merged, guide, kind)
    except OutOfBudget:
        current_budget().demand()
        return None


def followed(plain: Interpreter, merged: Interpreter, guide: Sequence[State], kind: str) -> list[State] | None:
    """Depth first, the most similar states first."""
    likeness = Likeness(plain, merged)
    movers = [sorted(takers(step_between(merged, *guide[k : k + 2]))) for k in range(len(guide) - 1)]
    stack = [Node((plain.initial(),), 0, None)]
    seen = set[tuple[State, int]]()
    while stack:
        node = stack.pop()
        here = node.way[-1]
        if (here, node.place) in seen:
            continue
        seen.add((here, node.place))
        if node.place == len(movers):
            for way in ways_from(plain, here, None, NEAR_ERROR):
                if shows_error(plain, way[-1], kind):
                    return [*node.run(), *way[1:]]
            continue
        wanted = guide[node.place + 1]
        found = [way for way in ways_from(plain, here, movers[node.place]) if likeness.agree(way[-1], wanted)]
        if not found:  # a timeout, or steps that other processes make at the same time
            found = [way for way in ways_from(plain, here, None) if likeness.agree(way[-1], wanted)]
        found.sort(key=lambda way: (likeness.differences(way[-1], wanted), -len(way)), reverse=True)
        stack += (node.followed_by(way[1:]) for way in found)
    return None


def ways_from(
    interpreter: Interpreter, start: State, movers: Sequence[int] | None, count: int = NEARBY
) -> Iterator[tuple[State, ...]]:
    """The shortest ways to states nearby, by steps of some processes, or of all."""
    seen = {start}
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
        return not steps and stuck(interpreter, state)
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
