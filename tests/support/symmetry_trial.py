"""Symmetries tried on reachable states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.symmetry.action import Action
from coset.symmetry.certify import value
from coset.symmetry.conditions import property_conditions
from coset.symmetry.startup import StartedStates
from coset.symmetry.symmetry import Symmetry

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


def hold_everywhere(symmetry: Symmetry, most: int) -> int:
    """Try all generators on all reachable states, or the first of them; the order of the group."""
    if symmetry.points is None or symmetry.order == 1:
        return symmetry.order
    interpreter = symmetry.points.interpreter
    states = reachable(interpreter, symmetry.points.started, most)
    complete, known = len(states) <= most, set(states)
    conditions = [interpreter.evaluation.expression(x) for x in property_conditions(symmetry.model.properties)]
    for action in symmetry.actions:
        for state in states[:most]:
            image = action(state)
            assert commutes(interpreter, action, state)
            assert image in known or not complete
            assert all(value(interpreter, x, state) == value(interpreter, x, image) for x in conditions)
    return symmetry.order
