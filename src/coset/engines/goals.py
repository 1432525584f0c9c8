"""Goals: `EF p` and `E[p U q]` are decided by a search for a run that comes there, which stops when it finds one.

A run is looked for as a counterexample of the formula of linear time that says that there is none: on the fly, with merged steps
and symmetries that keep the formula.  What is found is a witness.  In linear time a run that ends in a runtime error is no run,
in branching time its last state counts; so if nothing is found, the goal is known to be out of reach only where there are no such
errors.  Otherwise the graph of all states decides.
"""

from __future__ import annotations

from dataclasses import replace

from coset.engines.contract import PropertyEngine, confirmed
from coset.model import model as m
from coset.properties.formula import Not
from coset.properties.goals import goal, unreachable
from coset.properties.kinds import WITNESS
from coset.results.infinite import Path, observed, violates
from coset.results.trace import Trace, executed
from coset.results.verdict import PropertyResult, Verdict


def complement(property_: m.CtlProperty) -> m.LtlProperty | None:
    """The property of linear time that holds if a goal cannot be reached; None if the property is no goal."""
    formula = unreachable(property_.formula)
    return None if formula is None else m.LtlProperty(property_.name, formula, property_.text, property_.span)


def decided(
    engine: PropertyEngine, model: m.Model, property_: m.CtlProperty, never: m.LtlProperty, is_faultless: bool
) -> PropertyResult:
    """The verdict on a goal of a model; `is_faultless` if it is known that no run ends in a runtime error."""
    found = engine.temporal(never)
    if found.verdict is Verdict.VIOLATED and found.trace is not None:
        witness = confirmed(model, up_to_goal(model, property_, found.trace))
        return replace(found, kind=property_.kind, verdict=Verdict.HOLDS, trace=None, witness=witness)
    if found.verdict is Verdict.HOLDS and is_faultless:
        reason = f"{property_.formula} is false at the start: no run shows that"
        return replace(found, kind=property_.kind, verdict=Verdict.VIOLATED, reason=reason)
    if found.verdict is Verdict.HOLDS:
        (found,) = engine.branching([property_])
    return replace(found, kind=property_.kind)


def up_to_goal(model: m.Model, property_: m.CtlProperty, trace: Trace) -> Trace:
    """The run up to the first state in which the goal is reached."""
    run, wanted = executed(model, trace), goal(property_.formula)
    assert wanted is not None
    path = observed(run.interpreter, run.states, run.holders, trace.loop_start)
    end = next(
        number
        for number, state in enumerate(path.states)
        if violates(run.interpreter, Path((state,), path.spans[:1], None), Not(wanted))
    )
    return replace(trace, kind=WITNESS, moves=trace.moves[: start_of(path, end, len(trace))], loop_start=None)


def start_of(path: Path, position: int, length: int) -> int:
    """How many moves lead to a state of the path."""
    return path.spans[position].start if position < len(path.spans) else length
