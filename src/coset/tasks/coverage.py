"""Which statements no run reaches.

Small models are searched by the interpreter with every check, within an allowance that counts states and steps; larger ones
by the compiled engine, if that is asked for.  Either search visits the plain model, so that merged steps, partial order
reduction and symmetry, which leave out statements, have no part in it.  Nothing is said if a limit ends it.
"""

from __future__ import annotations

from coset.engines.reference import coverage as by_interpreter
from coset.engines.settings import Settings
from coset.model import model as m
from coset.model.suite import Suite
from coset.results.coverage import Coverage, Place, never_written, unreached
from coset.results.events import Listener, ignore_events
from coset.results.verdict import Check
from coset.source.budget import Limits, installed, within
from coset.source.timing import phase
from coset.tasks.confirm import UNKNOWN_FACTOR

SMALL, SMALL_STEPS, FIRST_STEPS = 1_000, 10_000, 500
"""The most states and steps that are visited without being asked for; few steps if the model is known to be larger, as
most models reach every statement soon."""


@phase("coverage")
def coverage(
    model: m.Model,
    result: Check,
    limits: Limits,
    settings: Settings | None = None,
    is_asked_for: bool = False,
    listener: Listener = ignore_events,
) -> Coverage | None:
    """The statements that are never reached; None if that is not known."""
    found = searched(model, result, limits, settings, is_asked_for, listener)
    return None if found is None else Coverage(unreached(model, found[0]), found[1])


def suite_coverage(
    suite: Suite,
    result: Check,
    limits: Limits,
    settings: Settings,
    is_asked_for: bool = False,
    listener: Listener = ignore_events,
) -> Coverage | None:
    """The events of the text that never happen in any of the asserted processes; None if that is not known."""
    found, states = list[tuple[m.Model, set[Place]]](), 0
    for number, model in enumerate(suite.models):
        if suite.processes[number] in suite.processes[:number]:
            continue  # it only observes events in addition
        here = searched(model, result, limits, settings, is_asked_for, listener)
        if here is None:
            return None
        found.append((model, here[0]))
        states += here[1]
    return Coverage(never_written(suite, found), states)


def searched(
    model: m.Model, result: Check, limits: Limits, settings: Settings | None, is_asked_for: bool, listener: Listener
) -> tuple[set[Place], int] | None:
    """The edges that are taken, and how many states that took; None if that is not known."""
    is_small = size(result) <= SMALL
    with installed(within(steps=SMALL_STEPS if is_small else FIRST_STEPS)):
        taken, states, is_complete = by_interpreter.taken_edges(model, Limits(min(SMALL, limits.states or SMALL)))
    if not is_complete and is_asked_for:
        taken, states, is_complete = thorough(model, limits, settings or Settings(), listener)
    return (taken, states) if is_complete else None


def size(result: Check) -> int:
    """About how many states the plain model has, as far as the check found out."""
    represents, states = result.exploration.represents, result.exploration.states
    return states * UNKNOWN_FACTOR if represents is None else represents


def thorough(
    model: m.Model, limits: Limits, settings: Settings, listener: Listener
) -> tuple[set[tuple[int, int, int]], int, bool]:
    """By the compiled engine, or by the interpreter where it cannot serve."""
    from coset.engines.contract import NoCompiler, Unsupported
    from coset.engines.explicit import coverage as compiled

    fresh = Limits(limits.states, limits.seconds, limits.memory)
    try:
        return compiled.taken_edges(model, fresh, settings, listener)
    except (NoCompiler, Unsupported):
        return by_interpreter.taken_edges(model, fresh)
