"""What a process tells after each part of its work."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from coset.engines.explicit.seam import NO_GENERATOR, Error, Stop
from coset.source.records import dataclass

Value = tuple[int, bytes]
"""A value that needs a number: its component, and a state that has it."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Sums over states: of one process, or of all.

    >>> (Counts(2, 5, 2) + Counts(1, 1, 6) - Counts(1)).states
    2
    """

    states: int = 0
    transitions: int = 0
    represents: int = 0
    certified: int = 0
    sent: int = 0
    """States that were sent to other processes."""
    received: int = 0
    errors: tuple[int, ...] = (0,) * Error.COUNT

    def __add__(self, other: Counts) -> Counts:
        return self.joined(other, 1)

    def __sub__(self, other: Counts) -> Counts:
        return self.joined(other, -1)

    def joined(self, other: Counts, sign: int) -> Counts:
        return Counts(
            self.states + sign * other.states,
            self.transitions + sign * other.transitions,
            self.represents + sign * other.represents,
            self.certified + sign * other.certified,
            self.sent + sign * other.sent,
            self.received + sign * other.received,
            tuple(one + sign * another for one, another in zip(self.errors, other.errors, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class Halt:
    """Why a process cannot go on."""

    stop: Stop
    slot: int = 0
    kind: int = 0
    """What has no room (`Stop.OVERFLOW`)."""
    first: int = NO_GENERATOR
    second: int = NO_GENERATOR
    witness: bytes = b""
    """The symmetry that failed, and a state (`Stop.UNCERTIFIED`)."""
    error: int = 0
    key: bytes = b""
    """The kind of the error and the packed state that has it (`Stop.ERROR`)."""


@dataclass(frozen=True, slots=True)
class Report:
    """`left` says how much of the work is still to be done."""

    number: int
    """Later reports of a worker have greater numbers."""
    left: int
    counts: Counts
    memory: int
    level: int = 0
    """How many states of the level it has."""
    halt: Halt | None = None
    missing: tuple[Value, ...] = ()
    blocks: dict[int, Any] = field(default_factory=dict)
    """States for other processes: bytes, or what the transport has made of them."""
