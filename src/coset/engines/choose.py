"""Which engine serves: one that was asked for by name, or the interpreter first and then the compiled engine.

Models are small or large by counts of states and steps, so that the choice does not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from coset.engines.analysis import Analysis
from coset.engines.contract import PropertyEngine
from coset.engines.reduction import Reduction, reduction
from coset.engines.reference.engine import SMALL_STATES, SMALL_STEPS, explore
from coset.engines.reference.properties import ReferenceProperties
from coset.engines.settings import Settings
from coset.model.model import Model, Property
from coset.results.events import Finished, Listener, Warned, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import INTERRUPTED, Limits, Phases, current_budget, installed, within


def reduction_for(engine: str, model: Model, settings: Settings) -> Reduction:
    """The symmetry that an engine makes use of when it explores a model."""
    if engine == "symbolic":
        from coset.engines.symbolic.reduction import symbolic_reduction

        return symbolic_reduction(model, (), settings)
    return reduction(model, (), settings)


def explore_by_reference(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    representatives = reduced.representatives()
    result = explore(model, limits, listener, representatives)
    if representatives is not None:
        result.symmetry = replace(reduced.used, representative="enumerate")
    elif reduced.plan is not None:
        note = "not used: the reference engine visits whole orbits, and these are too large"
        result.symmetry = replace(reduced.used, representative=None, note=note)
    else:
        result.symmetry = reduced.used
    return result


def explore_compiled(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.explicit import safety

    result = safety.explore(model, limits, listener, settings, reduced.plan)
    result.symmetry = reduced.used
    return result


def explore_symbolic(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.symbolic import engine

    result = engine.explore(model, limits, listener, reduced.symmetry, reduced.used.representative or "sort")
    result.symmetry = reduced.used
    return result


def explore_by_any(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    """A short try with the interpreter: starting a compiler costs more than a small model does."""
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.compile import Unsupported

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


ENGINES: dict[str, Callable[[Model, Limits, Listener, Settings, Reduction], Exploration]] = {
    "auto": explore_by_any,
    "explicit": explore_compiled,
    "symbolic": explore_symbolic,
    "reference": explore_by_reference,
}


# --- properties --------------------------------------------------------------------------------------


def property_engine(analysis: Analysis, name: str, kept: Sequence[Property]) -> PropertyEngine:
    """The engine with a name for the properties of a model; `kept` are all that it will be asked about."""
    return PROPERTY_ENGINES[name](analysis, kept)


def reference_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    return ReferenceProperties(analysis)


def explicit_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.explicit.properties import ExplicitProperties

    return ExplicitProperties(analysis)


def symbolic_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.symbolic.properties import SymbolicProperties
    from coset.engines.symbolic.reduction import symbolic_reduction

    reduced = symbolic_reduction(analysis.model, kept, analysis.settings, analysis.fair)
    return SymbolicProperties(analysis, reduced)


def any_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    """The interpreter for a small model, else the compiled engine, if it can be used."""
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.compile import Unsupported

    if is_small(analysis):
        return ReferenceProperties(analysis, partial(compiled_or_none, analysis))
    current_budget().demand()
    try:
        return explicit_properties(analysis, kept)
    except (NoCompiler, Unsupported) as reason:
        analysis.listener(Warned(f"the compiled engine cannot be used ({reason}); using the reference engine"))
        return ReferenceProperties(analysis)


def compiled_or_none(analysis: Analysis) -> PropertyEngine | None:
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.compile import Unsupported

    try:
        return explicit_properties(analysis, ())
    except (NoCompiler, Unsupported):
        return None


def is_small(analysis: Analysis) -> bool:
    """Whether the interpreter is done before a compiler would be."""
    model, found = analysis.safety_target
    with installed(within(steps=SMALL_STEPS)):
        first = explore(model, Limits(SMALL_STATES), representatives=found.representatives())
    analysis.explored = first
    if not first.complete:
        return False
    # Runs are shown, and formulas decided, on all states: a small quotient does not make these few.
    needs_all = first.errors.total > 0 or bool(analysis.model.properties)
    return not needs_all or (first.represents is not None and first.represents <= 2 * SMALL_STATES)


PROPERTY_ENGINES: dict[str, Callable[[Analysis, Sequence[Property]], PropertyEngine]] = {
    "auto": any_properties,
    "explicit": explicit_properties,
    "symbolic": symbolic_properties,
    "reference": reference_properties,
}
"""How each engine is made for the properties of a model.  A new one is its folder, a line here, and one in `ENGINES`."""
