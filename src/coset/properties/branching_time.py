"""Formulas of linear time that say the same in branching time.

`A phi`, that all paths satisfy a formula of linear time, is a formula of computation tree logic with an `A` before each operator
in these cases: a conjunction of such formulas; a condition or such a formula; `[] phi` and `X phi` of such a formula; and
`<>`, `U`, `W`, `V` of conditions.  (A condition is decided in the first state, so `A (p || phi)` is `p || A phi`;
`A [] phi` is `AG A phi` as every suffix of a path is a path.)  What has an equal formula at all has it in this way: E. M.
Clarke, I. A. Draghicescu, "Expressibility results for linear-time and branching-time logics" (REX 1988).

    >>> p, q = Atom("p"), Atom("q")
    >>> print(in_branching_time(Modal("[]", Logic("->", p, Modal("<>", q)))))
    AG (!(p) || AF (q))
    >>> in_branching_time(Modal("<>", Modal("[]", p))) is None
    True
"""

from __future__ import annotations

from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Modal, Not, Until

_DUAL = {"[]": "<>", "<>": "[]", "X": "X"}
_BRANCHING = {"[]": "G", "<>": "F", "X": "X", "U": "U", "W": "W", "V": "R"}


def in_branching_time(formula: Formula[A]) -> Formula[A] | None:
    """The formula of computation tree logic with the same meaning, None if it is not of these."""
    formula = pushed(formula, True)
    return _converted(formula)


def pushed(formula: Formula[A], positive: bool) -> Formula[A]:
    """An equal formula, or its negation, with negations before conditions only."""
    match formula:
        case Constant(value):
            return Constant(value is positive)
        case Not(operand):
            return pushed(operand, not positive)
        case Logic("->", left, right):
            return pushed(Logic("||", Not(left), right), positive)
        case Logic("<->", left, right):
            both = Logic("&&", left, right)
            return pushed(Logic("||", both, Logic("&&", Not(left), Not(right))), positive)
        case Logic(operator, left, right):
            dual = {"&&": "||", "||": "&&"}[operator]
            return Logic(operator if positive else dual, pushed(left, positive), pushed(right, positive))
        case Modal(operator, operand):
            return Modal(operator if positive else _DUAL[operator], pushed(operand, positive))
        case Until("U" | "V" as operator, left, right):
            dual = {"U": "V", "V": "U"}[operator]
            return Until(operator if positive else dual, pushed(left, positive), pushed(right, positive))
        case Until("W", left, right):
            if positive:
                return Until("W", pushed(left, True), pushed(right, True))
            # not (p W q) is (not q) U (not p and not q)
            other = pushed(right, False)
            return Until("U", other, Logic("&&", pushed(left, False), other))
    return formula if positive else Not(formula)


def is_condition(formula: Formula[A]) -> bool:
    match formula:
        case Constant() | Atom():
            return True
        case Not(operand):
            return is_condition(operand)
        case Logic(_, left, right):
            return is_condition(left) and is_condition(right)
    return False


def _converted(formula: Formula[A]) -> Formula[A] | None:
    if is_condition(formula):
        return formula
    match formula:
        case Logic("&&", left, right):
            one, other = _converted(left), _converted(right)
            return None if one is None or other is None else Logic("&&", one, other)
        case Logic("||", left, right) if is_condition(left) or is_condition(right):
            one, other = _converted(left), _converted(right)
            return None if one is None or other is None else Logic("||", one, other)
        case Modal("[]" | "X" as operator, operand):
            inner = _converted(operand)
            return None if inner is None else Branching("A", _BRANCHING[operator], inner)
        case Modal("<>", operand) if is_condition(operand):
            return Branching("A", "F", operand)
        case Until(operator, left, right) if is_condition(left) and is_condition(right):
            return BranchingUntil("A", _BRANCHING[operator], left, right)
    return None
