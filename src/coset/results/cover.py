"""A set of runs that covers a model."""

from __future__ import annotations

from coset.results.trace import Run
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Cover:
    """The runs, and what they do not cover: each target by its process, line and text.  Only if the search was `complete`, no
    run at all covers that."""

    runs: tuple[Run, ...]
    targets: int
    missing: tuple[str, ...]
    complete: bool
    stopped: str | None = None
