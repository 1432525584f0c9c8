"""Symmetries tried on reachable states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.symmetry.action import Action
from coset.symmetry.startup import StartedStates

FEW, MANY = 150, 1500


def reachable(interpreter: Interpreter, started: StartedStates, most: int = MANY) -> list[State]:
    queue = list(dict.fromkeys(started.states))
    seen = set(queue)
    for state in queue:
        if len(queue) > most:
            break
        for step in interpreter.steps(state):
            if step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    return queue


def commutes(interpreter: Interpreter, action: Action, state: State) -> bool:
    """Permute-then-step is step-then-permute, by definition."""

    def steps(start: State, through: Callable[[State], State]) -> Counter[object]:
        return Counter(
            (through(step.state), tuple(sorted(kind for move in step.moves for kind, _ in move.errors)))
            for step in interpreter.steps(start)
        )

    image = action(state)
    return steps(image, lambda following: following) == steps(state, action) and (
        interpreter.valid_end(image) == interpreter.valid_end(state)
    )
