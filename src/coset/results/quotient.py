"""The state graph of a model modulo symmetry, as plain data for those who show it."""

from __future__ import annotations

from dataclasses import dataclass

from coset.model.interpreter import Move
from coset.model.model import Model
from coset.model.state import State
from coset.results.symmetry import SymmetryUsed


@dataclass(frozen=True, slots=True)
class Orbit:
    """States that symmetry exchanges, shown by the first of them that was met.  `problems` are what goes wrong there;
    `over` says that nothing can happen any more, and that this is as it should be."""

    state: State
    size: int = 1
    problems: tuple[str, ...] = ()
    over: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A step from the state that shows one orbit to some state of another (orbits by their numbers)."""

    source: int
    target: int
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """Orbits in the order of a search breadth first, and the steps between them; `first` are the orbits of first states."""

    model: Model
    orbits: tuple[Orbit, ...]
    passages: tuple[Passage, ...]
    first: tuple[int, ...]
    symmetry: SymmetryUsed

    @property
    def represents(self) -> int:
        """The number of states that the orbits have together."""
        return sum(orbit.size for orbit in self.orbits)
