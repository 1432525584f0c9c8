"""Runs that violate a property whatever comes next: what comes next is not shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from coset.model.model import Claim, LtlProperty, Model
from coset.properties.formula import Modal
from coset.results.infinite import Path, accepted, observed, violates
from coset.results.trace import Run, Trace, executed


def until_end(model: Model, trace: Trace | None, property_: Claim | LtlProperty) -> Trace | None:
    """The trace up to the state in which a claim comes to its end, or `p` of `[] p` does not hold.

    `never { do :: x > 3 -> break :: else od }` and `[] (x <= 3)`: the run ends in the first state with `x > 3`.
    """
    if trace is None or (isinstance(property_, LtlProperty) and not is_always(property_)):
        return trace
    run = executed(model, trace)
    path = observed(run.interpreter, run.states, run.holders, trace.loop_start)
    end = claim_end(run, path, property_) if isinstance(property_, Claim) else first_violation(run, path, property_)
    return trace if end is None else replace(trace, moves=trace.moves[: path.spans[end].start], loop_start=None)


def claim_end(run: Run, path: Path, claim: Claim) -> int | None:
    """Where a claim comes to its end, if it does so before the run repeats itself."""
    found = accepted(run.interpreter, path, claim)
    if found is None or found.loop_start is not None:
        return None
    positions = [position for position, _ in found.steps]
    return None if any(before >= after for before, after in pairwise(positions)) else positions[-1]


def first_violation(run: Run, path: Path, property_: LtlProperty) -> int | None:
    """The first state in which what must always hold does not, whatever comes next."""
    for position, state in enumerate(path.states):
        if violates(run.interpreter, Path((state,), path.spans[:1], None), property_.formula):
            return position
    return None


def is_always(property_: LtlProperty) -> bool:
    """Whether a formula is `[] p`, so that a single state may show that it is violated."""
    return isinstance(property_.formula, Modal) and property_.formula.operator == "[]"
