"""Domains: the sets of values that variables and message fields range over.

A domain is an interval of integers with a policy for values that do not fit.  Machine integers wrap
around, so that `BYTE.fit(300)` is 44.  If the values of a domain *name* objects, `refers` says which
kind: symmetry permutes such values, but not plain numbers.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from coset.source.records import dataclass


class Refers(Enum):
    """What the values of a domain name, if they name anything."""

    NOTHING = "nothing"
    PROCESS = "process"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval `low..high`; `labels` gives names to some values (enumerations).

    >>> BYTE.fit(300), SHORT.fit(40000), BIT.fit(2)
    (44, -25536, 0)
    """

    name: str
    low: int
    high: int
    refers: Refers = Refers.NOTHING
    labels: tuple[tuple[int, str], ...] = field(default=(), compare=False)

    def fit(self, value: int) -> int:
        """The value that is stored when `value` is assigned: modulo the size of the interval."""
        if self.low <= value <= self.high:
            return value
        return (value - self.low) % (self.high - self.low + 1) + self.low

    def show(self, value: int) -> str:
        """The value as in the source text."""
        return next((label for number, label in self.labels if number == value), str(value))

    def __str__(self) -> str:
        return self.name


def unsigned(bits: int, name: str | None = None) -> Domain:
    """`unsigned x : bits`."""
    return Domain(name or f"unsigned:{bits}", 0, (1 << bits) - 1)


BIT = Domain("bit", 0, 1)
BOOL = Domain("bool", 0, 1)
BYTE = Domain("byte", 0, 255)
SHORT = Domain("short", -(1 << 15), (1 << 15) - 1)
INT = Domain("int", -(1 << 31), (1 << 31) - 1)
PROCESS = Domain("pid", 0, 255, Refers.PROCESS)
CHANNEL = Domain("chan", 0, 255, Refers.CHANNEL)
