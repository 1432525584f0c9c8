"""Runs that bring a never claim to its end: what comes after does not matter, so it is not shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from coset.model.model import Claim, LtlProperty, Model
from coset.results.infinite import accepted, observed
from coset.results.trace import Trace, executed


def until_end(model: Model, trace: Trace | None, property_: Claim | LtlProperty) -> Trace | None:
    """The trace up to the state in which the claim comes to its end, if it does so before the run repeats itself.

    `never { do :: x > 3 -> break :: else od }`: the run ends in the first state with `x > 3`.
    """
    if trace is None or not isinstance(property_, Claim):
        return trace
    run = executed(model, trace)
    path = observed(run.interpreter, run.states, run.holders, trace.loop_start)
    claim = accepted(run.interpreter, path, property_)
    if claim is None or claim.loop_start is not None:
        return trace
    positions = [position for position, _ in claim.steps]
    if any(before >= after for before, after in pairwise(positions)):
        return trace
    return replace(trace, moves=trace.moves[: path.spans[positions[-1]].start], loop_start=None)
