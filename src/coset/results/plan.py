"""What a search is expected to take: estimates with their uncertainty."""

from __future__ import annotations

from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """A number is expected to be between these; `high` is None if there is no upper estimate.

    >>> Range(2, 3) * Range(10, None)
    Range(low=20, high=None)
    """

    low: float
    high: float | None

    def __mul__(self, other: Range) -> Range:
        high = None if self.high is None or other.high is None else self.high * other.high
        return Range(self.low * other.low, high)

    def has(self, number: float) -> bool:
        return self.low <= number and (self.high is None or number <= self.high)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to search.  `memory` and `disk` are bytes on each machine, `seconds` those of the clock."""

    name: str
    option: str
    memory: Range
    disk: Range
    seconds: Range
    fits: bool | None
    """Whether there is room for it here; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`seen` states of `levels` levels were visited; these are all if `complete`."""

    model: str
    steps: str
    symmetry: str
    """The structure of the group that is used; empty if none is."""
    seen: int
    levels: int
    complete: bool
    states: Range
    transitions: Range
    state_bytes: int
    """Of a packed state."""
    nanoseconds: float
    """Of processor time for each transition, as measured here."""
    usable_memory: int
    free_disk: int
    machines: int
    ways: tuple[Way, ...]
    advice: str
    take: str
    """The options to take."""
