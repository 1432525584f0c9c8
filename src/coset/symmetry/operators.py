"""Operators: which compute, which compare, and in which the order of operands does not matter."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e

COMPARISONS, ORDERS, LOGIC = ("==", "!="), ("<", "<=", ">", ">="), ("&&", "||")
COMMUTATIVE = frozenset(("+", "*", "&", "|", "^", "==", "!=", "&&", "||", "max", "min"))
ASSOCIATIVE = frozenset(("+", "*", "&", "|", "^", "&&", "||", "max", "min"))


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
    """What an arithmetic expression is computed from, literals apart."""
    match x:
        case e.Const():
            return
        case e.Binary(_, left, right):
            yield from leaves_of(left)
            yield from leaves_of(right)
        case e.Unary(_, operand):
            yield from leaves_of(operand)
        case e.Conditional(condition, yes, no):
            for part in (condition, yes, no):
                yield from leaves_of(part)
        case _:
            yield x


def flattened(x: e.Expr, operator: str) -> Iterator[e.Expr]:
    """The operands of a chain of one associative operator."""
    match x:
        case e.Binary(found, left, right) if found == operator:
            yield from flattened(left, operator)
            yield from flattened(right, operator)
        case _:
            yield x
