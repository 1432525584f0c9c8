"""Certificates from the reference engine's search: generators are tried on states from all of it (see certify.h).

A symmetry maps the steps from a state to those from its image, with the same errors, and valid end states to valid ones.
How many states are tried depends on how many were visited and on nothing else.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.state import State
from coset.results.internal import WrongSymmetry
from coset.symmetry.canonical.representative import Action

LEAST, SHARE = 100, 100
"""So many states are tried, and one of so many besides: this costs less than 2 % of a long search."""


def certify(
    interpreter: Interpreter,
    generators: Sequence[Action],
    visited: Sequence[State],
    modulo: Callable[[State], State] | None = None,
) -> int:
    """Try generators on some of the states that were visited; on how many.  The steps of a state and its image must be the same
    up to the symmetry, or up to `modulo`.  Raises `WrongSymmetry`."""
    tried = 0
    for number, state in enumerate(spread(visited)):
        # Every generator meets early states and late ones.
        action = generators[number % len(generators)]
        if not action.acts_on(state):
            continue
        if behaviour(interpreter, state, modulo or action) != behaviour(interpreter, action(state), modulo):
            raise WrongSymmetry(str(action), str(state))
        tried += 1
    return tried


def spread(visited: Sequence[State]) -> list[State]:
    """Some states from everywhere, always the same ones.

    >>> spread(range(3))  # type: ignore
    [0, 1, 2]
    """
    count = min(len(visited), LEAST + len(visited) // SHARE)
    return [visited[k] for k in sorted(random.Random(1).sample(range(len(visited)), count))]


def behaviour(
    interpreter: Interpreter, state: State, action: Callable[[State], State] | None = None
) -> tuple[Counter[Hashable], bool]:
    """Where steps lead, as they are or as a symmetry makes them, with the kinds of their errors; and whether this is a
    valid end."""
    found: Counter[Hashable] = Counter()
    try:
        for step in interpreter.steps(state):
            kinds = tuple(sorted(kind for move in step.moves for kind, _ in move.errors))
            target = None if is_fault(step.moves[-1]) else step.state if action is None else action(step.state)
            found[target, kinds] += 1
    except Fault as fault:
        found[fault.kind] += 1
    return found, interpreter.valid_end(state)
