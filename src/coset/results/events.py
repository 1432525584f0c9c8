"""One stream of events; terminal, web page, notebook and tests listen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    model: str
    engine: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search is: states so far, how deep, how many wait, for how long it has run."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Warned:
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    complete: bool


Event = Started | Progress | Warned | Finished
Listener = Callable[[Event], None]


def nobody(event: Event) -> None:
    """The listener that does not listen."""
