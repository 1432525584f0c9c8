"""The events of a search, for listeners: terminal, web page, notebook and tests."""

from __future__ import annotations

from collections.abc import Callable

from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    model: str
    engine: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a search: states so far, depth, size of the frontier, running time, memory of the process, an
    estimate of the remaining states, if there is one, and the size of the files with states."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0
    remaining: int | None = None
    disk: int = 0


@dataclass(frozen=True, slots=True)
class Refined:
    """One round of a proof for all sizes: the spotlight, the outcome, and the refinement that follows."""

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
