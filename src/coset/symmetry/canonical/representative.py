"""The representative of an orbit, by the definition: the least of all states that the symmetries lead to.

This is the naive twin of the compiled engine's canonicaliser: it visits the whole orbit by the generators.  The reference
engine uses it, and the tests compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from coset.model.state import State
from coset.source.budget import current_budget


class Action(Protocol):
    """A symmetry, as it acts on states."""

    def __call__(self, state: State, /) -> State: ...

    def acts_on(self, state: State, /) -> bool:
        """Whether all processes have been started; states before that are left alone."""


def orbit(state: State, generators: Sequence[Action], most: int | None = None) -> set[State]:
    """All states that symmetries map a state to; not all of them if they are more than `most`, but at least so many."""
    found, pending, budget = {state}, [state], current_budget()
    while pending and (most is None or len(found) < most):
        here = pending.pop()
        for action in generators:
            budget.check()
            image = action(here)
            if image not in found:
                found.add(image)
                pending.append(image)
    return found


class Representatives:
    """Remembers the representatives of the states that it has met, and the sizes of their orbits."""

    def __init__(self, generators: Sequence[Action]) -> None:
        self.generators = generators
        self.known: dict[State, State] = {}
        self.sizes: dict[State, int] = {}

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
        """How many states a representative stands for."""
        return self.sizes[representative]
