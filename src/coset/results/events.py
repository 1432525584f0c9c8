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
    """Where a search is: states so far, how deep, how many wait, for how long it has run, how much memory the process has,
    and an estimate of how many states are still to come, if there is reason for one."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class Refined:
    """One round of a proof for all sizes: what was in the spotlight, what came out, and what is done about it."""

    property: str
    spotlight: tuple[str, ...]
    predicates: tuple[str, ...]
    states: int
    truth: str
    next: str


@dataclass(frozen=True, slots=True)
class Warned:
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    complete: bool


Event = Started | Progress | Refined | Warned | Finished
Listener = Callable[[Event], None]


def ignore_events(event: Event) -> None:
    """The listener that discards every event."""
