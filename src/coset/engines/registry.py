"""The engines, one description each: what it is for, how it is made, what it refuses.  A new one is its folder and an entry
here.

Descriptions are light, as `coset --help` shows them: an engine is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from coset.engines.analysis import Analysis
    from coset.engines.contract import PropertyEngine
    from coset.engines.reduction import Reduction
    from coset.engines.settings import Settings
    from coset.model.model import Model, Property
    from coset.results.events import Listener
    from coset.results.exploration import Exploration
    from coset.source.budget import Limits

    Explore = Callable[[Model, Limits, Listener, Settings, Reduction], Exploration]
    Reduce = Callable[[Model, Settings], Reduction]
    Decide = Callable[[Analysis, Sequence[Property]], PropertyEngine]


def usual_reduction(model: Model, settings: Settings) -> Reduction:
    from coset.engines.reduction import reduction

    return reduction(model, (), settings, counts=True)


class Engine(NamedTuple):
    """`explore` counts the states of a model, with the symmetry that `reduction` finds.  `properties` makes the engine that
    decides the properties of a model, given all properties that it will be asked about.  `merges`: it decides properties on
    merged steps, if asked to.  `refuses` has the options that it does not have, each with the reason.
    """

    name: str
    summary: str
    explore: Explore
    properties: Decide
    reduction: Reduce = usual_reduction
    merges: bool = False
    refuses: Mapping[str, str] = MappingProxyType({})


# --- by itself -------------------------------------------------------------------------------------


def explore_by_any(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines import choose

    return choose.explore(model, limits, listener, settings, reduced)


def any_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines import choose

    return choose.properties(analysis, kept)


# --- compiled --------------------------------------------------------------------------------------


def explore_compiled(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from dataclasses import replace

    from coset.engines.explicit import safety

    result = safety.explore(model, limits, listener, settings, reduced.plan)
    note = result.symmetry.note
    result.symmetry = reduced.used if note is None else replace(reduced.used, representative=None, note=note)
    return result


def explicit_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.explicit.properties import ExplicitProperties

    target, _ = analysis.safety_target
    return ExplicitProperties(analysis, target)


# --- compiled, by several processes -------------------------------------------------------------------


def explore_distributed(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.distributed import engine

    result = engine.explore(model, limits, listener, settings, reduced.plan)
    result.symmetry = reduced.used
    return result


def distributed_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.distributed.properties import DistributedProperties

    return DistributedProperties(analysis)


# --- decision diagrams -----------------------------------------------------------------------------


def explore_symbolic(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.symbolic import engine

    result = engine.explore(model, limits, listener, reduced.symmetry, reduced.used.representative or "sort")
    result.symmetry = reduced.used
    return result


def symbolic_reduction(model: Model, settings: Settings) -> Reduction:
    from coset.engines.symbolic import reduction

    return reduction.symbolic_reduction(model, (), settings)


def symbolic_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.symbolic.properties import SymbolicProperties
    from coset.engines.symbolic.reduction import symbolic_reduction

    reduced = symbolic_reduction(analysis.model, kept, analysis.settings, analysis.fair)
    return SymbolicProperties(analysis, reduced)


# --- the interpreter -------------------------------------------------------------------------------


def explore_by_reference(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from dataclasses import replace

    from coset.engines.reference import engine

    representatives = reduced.representatives()
    result = engine.explore(model, limits, listener, representatives)
    if representatives is not None:
        result.symmetry = replace(reduced.used, representative="enumerate")
    elif reduced.plan is not None:
        note = "not used: the reference engine visits whole orbits, and these are too large"
        result.symmetry = replace(reduced.used, representative=None, note=note)
    else:
        result.symmetry = reduced.used
    return result


def reference_properties(analysis: Analysis, kept: Sequence[Property]) -> PropertyEngine:
    from coset.engines.reference.properties import ReferenceProperties

    return ReferenceProperties(analysis)


def refuse_cluster(engine: str, settings: Settings) -> None:
    """Raise `ValueError` if a cluster is given to an engine that has none, or missing."""
    if engine == "distributed" and settings.cluster is None:
        raise ValueError("the distributed engine needs a cluster: --cluster local:N, or --cluster HOST:PORT")
    if engine not in ("auto", "distributed") and settings.cluster is not None:
        raise ValueError(f"the {engine} engine has no cluster: --cluster is for the distributed engine")


ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("auto", "whichever suits the model", explore_by_any, any_properties, merges=True),
        Engine("explicit", "compiled", explore_compiled, explicit_properties, merges=True),
        Engine(
            "symbolic",
            "decision diagrams, for very large regular state spaces",
            explore_symbolic,
            symbolic_properties,
            symbolic_reduction,
            refuses={
                "threads": "has one thread",
                "max_states": "does not visit states one by one",
                "storage": "stores sets of states",
                "order": "does not visit states one by one",
                "reduction": "does not visit states one by one",
                "checkpoint": "makes no checkpoints",
            },
        ),
        Engine(
            "distributed",
            "compiled, for errors in single states, by the processes of a cluster (--cluster)",
            explore_distributed,
            distributed_properties,
            merges=True,
            refuses={
                "threads": "has processes of one thread",
                "storage": "stores packed states",
                "order": "visits states breadth first",
                "reduction": "does not know at once which states are new",
                "all_errors": "stops at the first error",
                "coverage": "decides errors in single states only",
                "strict": "decides errors in single states only",
                "fair": "decides errors in single states only",
            },
        ),
        Engine(
            "reference",
            "the interpreter",
            explore_by_reference,
            reference_properties,
            refuses={
                "threads": "has one thread",
                "storage": "stores whole states",
                "checkpoint": "makes no checkpoints",
            },
        ),
    )
}
