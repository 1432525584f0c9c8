"""The orbit problem for states of a model: whether two are the same up to symmetry, which one represents an orbit, and how
many it has.

Answers are by definition, from the states of the whole orbit, and exact.  (E. M. Clarke, R. Enders, T. Filkorn, S. Jha,
"Exploiting symmetry in temporal logic model checking", FMSD 9, 1996, state the problem: at least as hard as graph isomorphism.)
For groups on vectors, `symmetry/groups/orbit_problem.py` has algorithms that visit no orbit.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.model.state import State
from coset.symmetry.canonical.representative import Action, orbit

MOST_STATES = 200_000
"""States of one orbit that are visited."""


class LargeOrbit(ValueError):
    """An orbit has more states than are visited."""


class StateOrbits:
    """The orbits of states under a group that is given by generators.  Orbits that were visited are remembered."""

    def __init__(self, generators: Sequence[Action], most: int = MOST_STATES) -> None:
        self.generators, self.most = generators, most
        self.known: dict[State, tuple[State, int]] = {}

    def orbit(self, state: State) -> frozenset[State]:
        """All images of a state.  Raises `LargeOrbit`."""
        found = orbit(state, self.generators, self.most + 1)
        if len(found) > self.most:
            raise LargeOrbit(f"the orbit has more than {self.most:,} states")
        return frozenset(found)

    def found(self, state: State) -> tuple[State, int]:
        """The representative of a state, and the size of its orbit."""
        if state not in self.known:
            members = self.orbit(state)
            answer = min(members), len(members)
            if len(self.known) + len(members) > self.most:
                self.known.clear()
            self.known |= dict.fromkeys(members, answer)
        return self.known[state]

    def representative(self, state: State) -> State:
        """The least state of the orbit."""
        return self.found(state)[0]

    def orbit_size(self, state: State) -> int:
        """How many states the representative stands for."""
        return self.found(state)[1]

    def same_orbit(self, one: State, other: State) -> bool:
        """Whether a symmetry takes one state to the other."""
        return self.representative(one) == self.representative(other)
