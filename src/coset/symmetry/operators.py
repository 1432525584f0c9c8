"""Operators: which compute, which compare, and in which the order of operands does not matter."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e

COMPARISONS, ORDERS, LOGIC = ("==", "!="), ("<", "<=", ">", ">="), ("&&", "||")
COMMUTATIVE = frozenset(("+", "*", "&", "|", "^", "==", "!=", "&&", "||", "max", "min"))
ASSOCIATIVE = frozenset(("+", "*", "&", "|", "^", "&&", "||", "max", "min"))
FEW_CHOICES = 3
"""With so many numbers that are chosen by conditions, tables are small, and show more."""


def is_arithmetic(x: e.Expr) -> bool:
    """Whether an expression computes a number from numbers.

    >>> is_arithmetic(e.Binary("+", e.Self(), e.Const(1))), is_arithmetic(e.Binary("==", e.Self(), e.Const(1)))
    (True, False)
    """
    match x:
        case e.Binary(operator):
            return operator not in COMPARISONS and operator not in LOGIC
        case e.Unary(operator):
            return operator != "!"
    return False


def is_logical(x: e.Expr) -> bool:
    """Whether an expression has a truth value that is made of parts."""
    match x:
        case e.Binary(operator):
            return operator in COMPARISONS or operator in LOGIC or operator in ORDERS
        case e.Unary(operator):
            return operator == "!"
    return False


def leaves_of(x: e.Expr) -> Iterator[e.Expr]:
    """What an arithmetic expression is computed from, literals apart.

    Numbers that are chosen by conditions, as in `(a[0] == 1 -> 1 : 0) + (a[1] == 1 -> 1 : 0) + ...`, are leaves themselves if
    there are many: the table of a count over all ids would be as large as the product of the domains of all conditions, whereas
    the operands of `+` have no order, and of a condition only its truth counts.
    """
    choices = [part for part in operands_of(x) if isinstance(part, e.Conditional) and is_choice_of_numbers(part)]
    whole = frozenset(choices) if len(choices) > FEW_CHOICES else frozenset[e.Expr]()
    for part in operands_of(x):
        if isinstance(part, e.Conditional) and part not in whole:
            for inner in (part.condition, part.yes, part.no):
                yield from leaves_of(inner)
        elif not isinstance(part, e.Const):
            yield part


def operands_of(x: e.Expr) -> Iterator[e.Expr]:
    """The parts of an expression that are no operators.

    >>> from coset.model import model as m
    >>> from coset.model.domain import BYTE
    >>> one, two = (e.Get(m.Variable(name, BYTE)) for name in "ab")
    >>> [str(part) for part in operands_of(e.Binary("+", one, e.Binary("*", e.Unary("-", two), e.Const(3))))]
    ['a', 'b', '3']
    """
    match x:
        case e.Binary(_, left, right):
            yield from operands_of(left)
            yield from operands_of(right)
        case e.Unary(_, operand):
            yield from operands_of(operand)
        case _:
            yield x


def is_choice_of_numbers(x: e.Conditional) -> bool:
    return isinstance(x.yes, e.Const) and isinstance(x.no, e.Const)


def flattened(x: e.Expr, operator: str) -> Iterator[e.Expr]:
    """The operands of a chain of one associative operator."""
    match x:
        case e.Binary(found, left, right) if found == operator:
            yield from flattened(left, operator)
            yield from flattened(right, operator)
        case _:
            yield x
