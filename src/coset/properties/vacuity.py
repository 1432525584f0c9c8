"""Vacuity: whether a formula that holds does so for an uninteresting reason.

An occurrence of an atom *matters* if the formula would not hold with the worst constant in its place: false where the formula can
only gain by its truth, true where it can only lose.  A formula that holds *vacuously* has an occurrence that does not matter.

I. Beer, S. Ben-David, C. Eisner, Y. Rodeh, "Efficient detection of vacuity in temporal model checking", FMSD 18 (2001);
O. Kupferman, M. Y. Vardi, "Vacuity detection in temporal model checking", STTT 4 (2003), Theorem 1: for an occurrence of one
polarity the constant decides about all replacements.

    >>> from coset.properties.formula import Modal
    >>> responds = Modal("[]", Logic("->", Atom("req"), Modal("<>", Atom("ack"))))
    >>> for atom, is_positive, stronger in strengthenings(responds):
    ...     print(atom, is_positive, stronger)
    req False [] (true -> <> (ack))
    ack True [] ((req) -> <> false)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Modal, Not, Until


def strengthenings(formula: Formula[A], is_positive: bool = True) -> Iterator[tuple[A, bool, Formula[A]]]:
    """Each occurrence of an atom, whether it is positive, and the formula with the worst constant in its place.  The
    literal `!p` in a positive place is one, too.  Occurrences below `<->` have no polarity and are left as they are."""
    match formula:
        case Constant():
            return
        case Atom(atom):
            yield atom, is_positive, Constant(not is_positive)
        case Not(Atom(atom)) if is_positive:
            yield atom, True, Constant(False)
        case Not(operand):
            for atom, sign, inner in strengthenings(operand, not is_positive):
                yield atom, sign, Not(inner)
        case Modal(operator, operand):
            for atom, sign, inner in strengthenings(operand, is_positive):
                yield atom, sign, Modal(operator, inner)
        case Branching(quantifier, operator, operand):
            for atom, sign, inner in strengthenings(operand, is_positive):
                yield atom, sign, Branching(quantifier, operator, inner)
        case Logic("<->", _, _):
            return
        case Logic(operator, left, right):
            for atom, sign, inner in strengthenings(left, is_positive is (operator != "->")):
                yield atom, sign, Logic(operator, inner, right)
            for atom, sign, inner in strengthenings(right, is_positive):
                yield atom, sign, Logic(operator, left, inner)
        case Until(operator, left, right):
            for atom, sign, inner in strengthenings(left, is_positive):
                yield atom, sign, Until(operator, inner, right)
            for atom, sign, inner in strengthenings(right, is_positive):
                yield atom, sign, Until(operator, left, inner)
        case BranchingUntil(quantifier, operator, left, right):
            for atom, sign, inner in strengthenings(left, is_positive):
                yield atom, sign, BranchingUntil(quantifier, operator, inner, right)
            for atom, sign, inner in strengthenings(right, is_positive):
                yield atom, sign, BranchingUntil(quantifier, operator, left, inner)
        case _:
            raise TypeError(f"unknown formula {type(formula).__name__}")


def substituted(formula: Formula[A], change: Callable[[A], Formula[A]]) -> Formula[A]:
    """The formula with each atom replaced by a formula.

    >>> print(substituted(Modal("[]", Atom("p")), lambda name: Not(Atom(name))))
    [] !(p)
    """
    match formula:
        case Atom(atom):
            return change(atom)
        case Not(operand):
            return Not(substituted(operand, change))
        case Modal(operator, operand):
            return Modal(operator, substituted(operand, change))
        case Branching(quantifier, operator, operand):
            return Branching(quantifier, operator, substituted(operand, change))
        case Logic(operator, left, right):
            return Logic(operator, substituted(left, change), substituted(right, change))
        case Until(operator, left, right):
            return Until(operator, substituted(left, change), substituted(right, change))
        case BranchingUntil(quantifier, operator, left, right):
            return BranchingUntil(quantifier, operator, substituted(left, change), substituted(right, change))
    return formula
