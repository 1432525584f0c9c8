"""Explore a model: count its reachable states, or build its state graph."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from coset.engines.choices import STEPS, refuse_unknown
from coset.engines.reduction import reduction
from coset.engines.registry import ENGINES, refuse_cluster
from coset.engines.settings import Settings, chosen
from coset.model.deadlock import with_deadlock
from coset.model.model import Model
from coset.model.passes import merged
from coset.results.events import Listener, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import INTERRUPTED, Limits, Phases, installed, peak_memory, within
from coset.tasks.given_symmetry import refuse_wrong_generators
from coset.tasks.load import Warn, ignore, load

if TYPE_CHECKING:
    from coset.results.quotient import Quotient

DRAWN_STATES = 200
"""The most nodes of a state graph; larger ones are unreadable."""


def explore(
    model: Model | str | Path,
    *,
    engine: str = "auto",
    steps: str = "plain",
    symmetry: str | None = None,
    threads: int | None = None,
    settings: Settings | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    listener: Listener = ignore_events,
    warn: Warn = ignore,
    language: str | None = None,
    deadlock: str | None = None,
) -> Exploration:
    """Count the reachable states of a model.

    `engine` is "reference" (the interpreter), "explicit" (compiled), "symbolic" (decision diagrams), or
    "auto": first the interpreter, which suffices for small models, then the compiled engine.
    `steps` is "plain" (every statement is a step) or "merged": invisible steps are merged and dead variables reset, which
    preserves all errors, but not how often they occur.  With `symmetry` (by default "auto") one state is stored per orbit,
    and `represents` counts the states represented; "off" stores all states.
    `deadlock`: what an invalid end state is (`model/deadlock.py`); by default, what the language says.
    """
    refuse_unknown("engine", engine, ENGINES)
    refuse_unknown("steps", steps, STEPS)
    with installed(within(max_seconds, max_memory)):
        began = time.monotonic()
        loaded = model if isinstance(model, Model) else load(model, defines, include_dirs, warn, language=language)
        loaded = with_deadlock(loaded, deadlock)
        if loaded.sequential is not None:
            steps = "plain"  # there are no invisible steps to merge
        searched = chosen(settings, threads, symmetry)
        refuse_cluster(engine, searched)
        refuse_wrong_generators(loaded, searched)
        if steps == "merged":
            loaded = merged(replace(loaded, properties=()), marks=False)
        ready = time.monotonic()
        result = explored(loaded, engine, Limits(max_states), searched, listener)
        result.steps = steps
        seconds = {"load": ready - began, **result.seconds}
        result.seconds = {part: round(spent, 6) for part, spent in seconds.items()}
        return result


def explored(model: Model, engine: str, limits: Limits, settings: Settings, listener: Listener) -> Exploration:
    """Explore a loaded model, as far as the budget permits."""
    phases, began = Phases(), time.monotonic()
    reduced = phases(lambda: ENGINES[engine].reduction(model, settings))
    spent = time.monotonic() - began
    result = (
        None if reduced is None else phases(lambda: ENGINES[engine].explore(model, limits, listener, settings, reduced))
    )
    if result is None:
        result = Exploration(model.name, engine if engine != "auto" else "reference", stopped=phases.stopped)
        result.interrupted, result.peak_memory = phases.stopped == INTERRUPTED, peak_memory()
    result.seconds = {"symmetry": spent, **result.seconds}
    return result


def quotient(model: Model, *, steps: str = "plain", symmetry: str = "auto", max_states: int = DRAWN_STATES) -> Quotient:
    """The state graph of a small model modulo symmetry, with one node per orbit; with `symmetry` "off", one per state.

    Raises `TooManyOrbits` if there are more than `max_states`, and `UnusableSymmetry` if orbits are too large.
    """
    from coset.engines.reference.quotient import quotient as visited_quotient

    if steps == "merged" and model.sequential is None:
        model = merged(replace(model, properties=()), marks=False)
    found = reduction(model, (), Settings(symmetry=symmetry), counts=True)
    return visited_quotient(model, found.orbits(), found.used, max_states)
