"""Which engine serves where none was asked for by name: the interpreter first, and then the compiled engine.  If its search for
errors is very long, decision diagrams are tried: their size does not depend on the number of states.

Models are small or large by counts of states and steps, so that the choice does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from coset.engines.analysis import Analysis
from coset.engines.contract import Answer, PropertyEngine
from coset.engines.reduction import Reduction, UnusableSymmetry
from coset.engines.reference import engine as reference
from coset.engines.reference.engine import SMALL_STATES, SMALL_STEPS
from coset.engines.reference.properties import ReferenceProperties
from coset.engines.registry import (
    distributed_properties,
    explicit_properties,
    explore_by_reference,
    explore_compiled,
    explore_distributed,
    symbolic_properties,
)
from coset.engines.settings import Settings
from coset.model.model import Model, Property
from coset.results.events import Finished, Listener, Warned, ignore_events
from coset.results.exploration import Exploration
from coset.results.verdict import Verdict
from coset.source.budget import INTERRUPTED, Limits, Phases, current_budget, installed, within


def explore(model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction) -> Exploration:
    """A short try with the interpreter: starting a compiler costs more than a small model does."""
    from coset.engines.contract import NoCompiler, Unsupported

    if settings.cluster is not None:
        return explore_distributed(model, limits, listener, settings, reduced)
    states = min(SMALL_STATES, limits.states or SMALL_STATES)
    with installed(within(steps=SMALL_STEPS)):
        first = explore_by_reference(model, Limits(states), ignore_events, settings, reduced)
    is_over = current_budget().exceeded() is not None or (limits.states == states and first.states >= states)
    if first.complete or is_over or first.interrupted:
        listener(Finished(first.complete))
        return first
    phases = Phases()

    def go_on() -> Exploration:
        try:
            return explore_compiled(model, limits, listener, settings, reduced)
        except (NoCompiler, Unsupported) as reason:
            listener(Warned(f"the compiled engine cannot be used ({reason}); using the reference engine"))
            return explore_by_reference(model, limits, listener, settings, reduced)

    result = phases(go_on)
    if result is None:
        first.stopped, first.interrupted = phases.stopped, phases.stopped == INTERRUPTED
        return first
    result.seconds["search"] += first.seconds["search"]
    return result


# --- properties --------------------------------------------------------------------------------------


def properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    """The interpreter for a small model, else the compiled engine, if it can be used."""
    from coset.engines.contract import NoCompiler, Unsupported

    if analysis.settings.cluster is not None:
        return distributed_properties(analysis, kept)
    if is_small(analysis):
        return ReferenceProperties(analysis, partial(compiled_or_none, analysis))
    current_budget().demand()
    try:
        made = explicit_properties(analysis, kept)
        made.alternative = partial(by_diagrams, analysis)
        made.fair_formulas = partial(ReferenceProperties, analysis)
        return made
    except (NoCompiler, Unsupported) as reason:
        analysis.listener(Warned(f"the compiled engine cannot be used ({reason}); using the reference engine"))
        return ReferenceProperties(analysis)


MOST_NODES = 5_000_000
"""The most nodes of decision diagrams that are made after a long search: about as much work as that was."""


def by_diagrams(analysis: Analysis, names: Sequence[str]) -> Answer | None:
    """Errors in single states by decision diagrams, if these decide all of it and stay small."""
    from coset.engines.symbolic.engine import Refused

    limits = Limits(None, analysis.limits.seconds, analysis.limits.memory, analysis.limits.began, MOST_NODES)
    asked = Analysis(analysis.model, limits, analysis.listener, analysis.settings)
    try:
        found = symbolic_properties(asked, ()).safety(names)
    except (Refused, UnusableSymmetry):
        return None
    return None if any(each.verdict is Verdict.UNKNOWN for each in found[1]) else found


def compiled_or_none(analysis: Analysis) -> PropertyEngine | None:
    from coset.engines.contract import NoCompiler, Unsupported

    try:
        return explicit_properties(analysis, ())
    except (NoCompiler, Unsupported):
        return None


def is_small(analysis: Analysis) -> bool:
    """Whether the interpreter is done before a compiler would be."""
    model, found = analysis.safety_target
    with installed(within(steps=SMALL_STEPS)):
        first = reference.explore(model, Limits(SMALL_STATES), representatives=found.representatives())
    analysis.explored = first
    if not first.complete:
        return False
    # Runs are shown, and formulas decided, on all states: a small quotient does not make these few.
    needs_all = first.errors.total > 0 or bool(analysis.model.properties)
    return not needs_all or (first.represents is not None and first.represents <= 2 * SMALL_STATES)
