"""Formulas of linear time that say the same with `A` in front of every temporal operator.

M. Maidl, "The common fragment of CTL and LTL", FOCS 2000: if the next thing that a formula asks of a path is decided by
the state (`p && f || !p && g`, `(p && f) U (!p && g)`), it does not matter when paths are chosen.  So `[] (p -> <> q)` is
`AG (p -> AF q)`; but `<> [] p` is no formula of computation tree logic, and `AF AG p` asks for more.

    >>> print(branching_form(Modal("[]", Logic("->", Atom("p"), Modal("<>", Atom("q"))))))
    AG (!(p) || AF (q))
    >>> print(branching_form(Modal("<>", Modal("[]", Atom("p")))))
    None
"""

from __future__ import annotations

from collections.abc import Callable

from coset.properties.ctl_evidence import is_plain
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Modal, Not, Until
from coset.properties.normal import negation_normal_form


def branching_form(formula: Formula[A]) -> Formula[A] | None:
    """The formula of computation tree logic that all paths from a state satisfy `formula` is; None if it is not plain to see
    that there is one."""
    return _form(negation_normal_form(formula))


def _form(formula: Formula[A]) -> Formula[A] | None:
    if _is_of_state(formula):
        return formula
    match formula:
        case Logic("&&", left, right):
            return _both(left, right, lambda one, other: Logic("&&", one, other))
        case Logic("||", left, right) if _is_of_state(left) or _is_of_state(right):
            return _both(left, right, lambda one, other: Logic("||", one, other))
        case Modal("X" | "[]" as operator, operand):
            inner = _form(operand)
            return None if inner is None else Branching("A", {"X": "X", "[]": "G"}[operator], inner)
        case Modal("<>", operand) if _is_of_state(operand):
            return Branching("A", "F", operand)
        case Until("U" | "W" as operator, left, right) if _is_of_state(right):
            return _both(left, right, lambda one, other: BranchingUntil("A", operator, one, other))
        case Until("V", left, right) if _is_of_state(left):
            return _both(left, right, lambda one, other: BranchingUntil("A", "R", one, other))
    return None


def is_said_of_all_runs(formula: Formula[A]) -> bool:
    """Whether a formula of branching time, in positive form, says of all runs what is left without its quantifiers: whether
    `branching_form` can have made it."""
    if is_plain(formula):
        return True
    match formula:
        case Logic("&&", left, right):
            return is_said_of_all_runs(left) and is_said_of_all_runs(right)
        case Logic("||", left, right) if is_plain(left) or is_plain(right):
            return is_said_of_all_runs(left) and is_said_of_all_runs(right)
        case Branching("A", "X" | "G", operand):
            return is_said_of_all_runs(operand)
        case Branching("A", "F", operand):
            return is_plain(operand)
        case BranchingUntil("A", "U" | "W", left, right):
            return is_said_of_all_runs(left) and is_plain(right)
        case BranchingUntil("A", "R", left, right):
            return is_plain(left) and is_said_of_all_runs(right)
    return False


def _both(
    left: Formula[A], right: Formula[A], joined: Callable[[Formula[A], Formula[A]], Formula[A]]
) -> Formula[A] | None:
    one, other = _form(left), _form(right)
    return None if one is None or other is None else joined(one, other)


def _is_of_state(formula: Formula[A]) -> bool:
    match formula:
        case Constant() | Atom():
            return True
        case Not(operand):
            return _is_of_state(operand)
        case Logic(_, left, right):
            return _is_of_state(left) and _is_of_state(right)
    return False
