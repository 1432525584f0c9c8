"""States and causes of steps of an abstraction."""

from __future__ import annotations

from typing import NamedTuple

from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.program import SLOTS, Move

GUEST = SLOTS - 1
"""The place in its class of a process of the shade while it is looked at."""


class AbstractState(NamedTuple):
    places: tuple[int, ...]
    values: tuple[Truth, ...]


class Cause(NamedTuple):
    """A move, by the process in a slot; None for one of the shade, and no move for a step that changes nothing."""

    move: Move | None
    slot: int | None
