"""Formulas of computation tree logic about fair runs that need no graph with fairness.

* If only processes are treated fairly, every finite run can be continued by a fair one: let that process move, of those that
  can begin a step, which has not moved for longest ("feasibility": K. R. Apt, N. Francez, S. Katz, "Appraising fairness in
  languages for distributed programming", Distributed Computing 2, 1988).  So `EX` and `EU` are as without fairness.
* What a formula says of all runs, or of some run, is a formula of linear time, or its opposite, if it is in the common fragment
  (`properties/common_fragment.py`).  Engines decide that with fairness, with symmetry and on the fly.

A run that ends in a runtime error is no run in linear time; in branching time its last state counts.  So "all runs" is known only
where there are no such errors.

    >>> from coset.properties.ctl_parser import parse_ctl
    >>> read = lambda text: parse_ctl(text, lambda name, _: name)
    >>> from coset.model.fairness import STRONG
    >>> is_as_without_fairness(read("AG EF p"), STRONG), is_as_without_fairness(read("AG AF p"), STRONG)
    (True, False)
    >>> print(*linear_form(read("AG (p -> AF q)")), linear_form(read("AF EG p")))
    [] (!(p) || <> (q)) False None
    >>> print(*linear_form(read("EG p")))
    <> !(p) True
"""

from __future__ import annotations

from dataclasses import replace

from coset.engines.contract import FAULTS, PropertyEngine, confirmed
from coset.model import model as m
from coset.model.fairness import Fairness
from coset.properties.common_fragment import is_said_of_all_runs
from coset.properties.ctl_evidence import linear, positive
from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form
from coset.properties.formula import A, Formula, Logic, Not
from coset.properties.kinds import WITNESS, PropertyKind
from coset.results.verdict import PropertyResult, Verdict


def is_as_without_fairness(formula: Formula[A], fairness: Fairness) -> bool:
    """Whether a formula has the same verdict for all runs."""
    return not fairness.constraints and not speaks_of_always(existential_form(formula))


def speaks_of_always(formula: Formula[A]) -> bool:
    """Whether there is an `EG` in a formula in existential form."""
    match formula:
        case Branching("E", "G"):
            return True
        case Branching(_, _, operand) | Not(operand):
            return speaks_of_always(operand)
        case BranchingUntil(_, _, left, right) | Logic(_, left, right):
            return speaks_of_always(left) or speaks_of_always(right)
    return False


def linear_form(formula: Formula[A]) -> tuple[Formula[A], bool] | None:
    """The formula of linear time that says the same of all fair runs, and whether the formula is its opposite."""
    for is_opposite in (False, True):
        found = positive(formula, is_opposite)
        if is_said_of_all_runs(found):
            return linear(found), is_opposite
    return None


def decided(
    engine: PropertyEngine, model: m.Model, property_: m.CtlProperty, linear: m.LtlProperty, is_opposite: bool
) -> PropertyResult:
    """The verdict on a formula by its linear form."""
    found = engine.temporal(linear)
    if found.verdict is Verdict.VIOLATED and found.trace is not None:
        if is_opposite:
            witness = confirmed(model, replace(found.trace, kind=WITNESS))
            return replace(found, kind=property_.kind, verdict=Verdict.HOLDS, trace=None, witness=witness)
        trace = confirmed(model, replace(found.trace, kind=PropertyKind.CTL.value))
        return replace(found, kind=property_.kind, trace=trace)
    if found.verdict is not Verdict.HOLDS:
        return replace(found, kind=property_.kind)
    _, (faults,) = engine.safety([FAULTS])
    if faults.verdict is not Verdict.HOLDS:
        (undecided,) = engine.branching([property_])
        return undecided
    if not is_opposite:
        return replace(found, kind=property_.kind)
    reason = f"{property_.formula} is false at the start: no run shows that"
    return replace(found, kind=property_.kind, verdict=Verdict.VIOLATED, reason=reason)
