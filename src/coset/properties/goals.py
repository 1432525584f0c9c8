"""Existential formulas of computation tree logic: what a run can show that holds.

`EF p` and `E[p U q]` about single states are *goals*: they hold if some run comes to a state, and such a run is looked for like a
counterexample, of the formula of linear time that says that no run comes there.  The search stops when it finds one.

    >>> from coset.properties.ctl_evidence import parse_ctl
    >>> read = lambda text: parse_ctl(text, lambda name, _: name)
    >>> print(unreachable(read("EF p")), unreachable(read("E[p U q]")), unreachable(read("!AG p")), sep="; ")
    [] !(p); (!(p) V !(q)); [] (p)
    >>> unreachable(read("EF AG p")), unreachable(read("EX p")), is_existential(read("EX p"))
    (None, None, True)
"""

from __future__ import annotations

from coset.properties.ctl_evidence import is_plain, linear, positive
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Formula, Not


def is_existential(formula: Formula[A]) -> bool:
    """Whether a formula says that there is some path."""
    match positive(formula):
        case Branching("E") | BranchingUntil("E"):
            return True
    return False


def unreachable(formula: Formula[A]) -> Formula[A] | None:
    """The formula of linear time that holds if a goal cannot be reached; None if the formula is no goal."""
    return None if goal(formula) is None else linear(Not(formula))


def goal(formula: Formula[A]) -> Formula[A] | None:
    """What holds in the state to be reached: `p` of `EF p`, and `q` of `E[p U q]`."""
    match positive(formula):
        case Branching("E", "F", operand) if is_plain(operand):
            return operand
        case BranchingUntil("E", "U", left, right) if is_plain(left) and is_plain(right):
            return right
    return None
