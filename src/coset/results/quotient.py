"""The state graph of a model modulo symmetry, as plain data."""

from __future__ import annotations

from coset.model.interpreter import Move
from coset.model.model import Model
from coset.model.state import State
from coset.results.symmetry import SymmetryUsed
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Orbit:
    """An orbit of states, shown by the first of them that was found.  `problems` are its errors; `over` if it is a valid end
    state."""

    state: State
    size: int = 1
    problems: tuple[str, ...] = ()
    over: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A step from the representative of one orbit to some state of another (orbits by number)."""

    source: int
    target: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """Orbits in breadth-first order, and the steps between them; `first` has the orbits of initial states."""

    model: Model
    orbits: tuple[Orbit, ...]
    passages: tuple[Passage, ...]
    first: tuple[int, ...]
    symmetry: SymmetryUsed

    @property
    def represents(self) -> int:
        """The total number of states in the orbits."""
        return sum(orbit.size for orbit in self.orbits)
