"""The representative of an orbit, by definition: the least state of the orbit.

This is the naive version of the compiled engine's algorithm: it visits the whole orbit by the generators.  The reference
engine uses it, and the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from coset.model.state import State
from coset.source.budget import current_budget

IMAGE = 4
"""Steps of the interpreter that take as long as the image of a state."""


class Action(Protocol):
    """A symmetry, as it acts on states."""

    def __call__(self, state: State, /) -> State: ...

    def acts_on(self, state: State, /) -> bool:
        """Whether all processes have been started; states before that are not permuted."""


def orbit(state: State, generators: Sequence[Action], most: int | None = None) -> set[State]:
    """The orbit of a state; if it has more than `most` states, only a part of it with at least that many."""
    found, pending, budget = {state}, [state], current_budget()
    while pending and (most is None or len(found) < most):
        here = pending.pop()
        for action in generators:
            budget.check(IMAGE)
            image = action(here)
            if image not in found:
                found.add(image)
                pending.append(image)
    return found


class Representatives:
    """Computes representatives, and caches them with the sizes of their orbits.  If these `count`, they add up to the
    number of reachable states."""

    def __init__(self, generators: Sequence[Action], counts: bool = True) -> None:
        self.generators, self.counts = generators, counts
        self.known: dict[State, State] = {}
        self.sizes: dict[State, int] = {}
        self.modulo: Callable[[State], State] | None = None
        """Up to what the steps of a state and its image are the same, if they are not exactly."""

    def __call__(self, state: State) -> State:
        found = self.known.get(state)
        if found is None:
            members = orbit(state, self.generators)
            found = min(members)
            self.sizes[found] = len(members)
            for member in members:
                self.known[member] = found
        return found

    def size(self, representative: State) -> int:
        """The number of states that a representative represents."""
        return self.sizes[representative]
