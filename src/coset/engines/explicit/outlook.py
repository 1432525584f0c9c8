"""How much of a search may be left: an estimate where there is reason for one, and nothing else."""

from __future__ import annotations

from itertools import pairwise

LEVELS = 4
"""Levels that must have shrunk, one after the other, before anything is said."""


class Outlook:
    """Listens to the sizes of the levels of a breadth-first search.

    Levels grow, then shrink.  While they grow, the remainder is unknown.  When they have been shrinking for a while
    by a factor, and go on to, what is left is the sum of a geometric series.

    >>> outlook = Outlook()
    >>> for depth, size in enumerate([1, 3, 9, 20, 30]):
    ...     outlook.see(depth, size)
    >>> outlook.remaining() is None
    True
    >>> for depth, size in enumerate([28, 20, 12, 6, 3], 5):
    ...     outlook.see(depth, size)
    >>> outlook.remaining()
    4
    """

    def __init__(self) -> None:
        self.levels: list[tuple[int, int]] = []

    def see(self, depth: int, size: int) -> None:
        """The size of the level that is being worked on; not every level need be seen."""
        if self.levels and self.levels[-1][0] >= depth:
            self.levels.pop()
        self.levels = [*self.levels[-LEVELS:], (depth, size)]

    def remaining(self) -> int | None:
        """States that are still to be found after this level, if levels shrink."""
        sizes = [size for _, size in self.levels]
        if len(sizes) <= LEVELS or any(after >= before for before, after in pairwise(sizes)):
            return None
        factor: float = (sizes[-1] / sizes[0]) ** (1 / (self.levels[-1][0] - self.levels[0][0]))
        return round(sizes[-1] * factor / (1 - factor))
