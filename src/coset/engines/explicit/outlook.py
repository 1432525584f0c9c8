"""An estimate of the remaining states of a search, where one is justified."""

from __future__ import annotations

from itertools import pairwise

LEVELS = 4
"""The number of successively smaller levels before an estimate is given."""


class Outlook:
    """Observes the sizes of the levels of a breadth-first search.

    Levels grow, then shrink.  While they grow, the remainder is unknown.  Once they have been shrinking by a factor for a
    while, the remainder is estimated as the sum of a geometric series.

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
        """Record the size of the current level; levels may be skipped."""
        if self.levels and self.levels[-1][0] >= depth:
            self.levels.pop()
        self.levels = [*self.levels[-LEVELS:], (depth, size)]

    def remaining(self) -> int | None:
        """The estimated number of states after this level, if levels shrink."""
        sizes = [size for _, size in self.levels]
        if len(sizes) <= LEVELS or any(after >= before for before, after in pairwise(sizes)):
            return None
        factor: float = (sizes[-1] / sizes[0]) ** (1 / (self.levels[-1][0] - self.levels[0][0]))
        return round(sizes[-1] * factor / (1 - factor))
