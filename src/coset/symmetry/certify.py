"""A second opinion on every symmetry, by a road of its own: the meaning of the model.

Whatever found a symmetry g, it must map the settled states to themselves, and in every reachable state s
permute-then-step must be step-then-permute: the steps from g(s) are the images of the steps from s, with the same errors, and
the conditions of the property hold in both or in neither.  This is tried on the first states of a breadth-first search and on
those of random runs.  A symmetry that fails is an error of Coset, reported and never used.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice

from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.symmetry.action import Action

BREADTH, RUNS, LENGTH, MOST_STEPS = 60, 4, 25, 400
SECONDS = 0.5


class NotASymmetry(Exception):
    """A permutation that is no symmetry of the model, with a state that shows it."""


def certify(actions: Sequence[Action], conditions: Sequence[e.Expr] = (), seconds: float = SECONDS) -> int:
    """Try symmetries on reachable states; how many were looked at.  Raises `NotASymmetry`."""
    if not actions:
        return 0
    points = actions[0].points
    interpreter, settled = points.interpreter, points.settled
    for action in actions:
        if {action(state) for state in settled.states} != set(settled.states):
            raise NotASymmetry(f"{action} does not keep the state in which all processes have been started")
    truth = [interpreter.evaluation.expression(condition) for condition in conditions]
    began, tried = time.monotonic(), 0
    for state in sample(interpreter, settled.states):
        for action in actions:
            check(interpreter, action, state)
            for evaluator, condition in zip(truth, conditions, strict=True):
                if value(interpreter, evaluator, state) != value(interpreter, evaluator, action(state)):
                    raise NotASymmetry(f"{action} changes the truth of '{condition}'")
        tried += 1
        if time.monotonic() - began > seconds:
            break
    return tried


def check(interpreter: Interpreter, action: Action, state: State) -> None:
    """Whether the steps from the image are the images of the steps."""
    image = action(state)
    if steps(interpreter, image, None) != steps(interpreter, state, action):
        raise NotASymmetry(f"{action} does not commute with the steps from a reachable state")
    if interpreter.valid_end(image) != interpreter.valid_end(state):
        raise NotASymmetry(f"{action} maps a valid end state to an invalid one, or the other way round")


def steps(interpreter: Interpreter, state: State, action: Action | None) -> Counter[Hashable]:
    """What can happen: where steps lead, and the kinds of their errors."""
    found: Counter[Hashable] = Counter()
    for step in islice(interpreter.steps(state), MOST_STEPS):
        kinds = tuple(sorted(kind for move in step.moves for kind, _ in move.errors))
        found[(step.state if action is None else action(step.state)), kinds] += 1
    return found if found.total() < MOST_STEPS else Counter()


def value(interpreter: Interpreter, evaluator: object, state: State) -> object:
    """The truth of a condition of a property, or that it has none."""
    now = interpreter.moment(state, -1)
    now.own = ()
    try:
        return bool(evaluator(now))  # type: ignore[operator]
    except Fault as fault:
        return fault.kind


def sample(interpreter: Interpreter, states: Iterable[State]) -> Iterable[State]:
    """Some states that can be reached from the settled ones: the nearest, and those of a few random runs."""
    queue = list(dict.fromkeys(states))
    seen = set(queue)
    for state in queue:
        yield state
        if len(queue) < BREADTH:
            for step in islice(interpreter.steps(state), BREADTH):
                if step.state not in seen:
                    seen.add(step.state)
                    queue.append(step.state)
    rng = random.Random(1)
    for _ in range(RUNS):
        state = queue[0]
        for _ in range(LENGTH):
            following = [step.state for step in islice(interpreter.steps(state), MOST_STEPS)]
            if not following:
                break
            state = rng.choice(following)
            if state not in seen:
                seen.add(state)
                yield state
