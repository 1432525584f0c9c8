"""Sums of multiples of terms: a normal form of expressions, for predicates and for conservation laws.

>>> from coset.model.domain import INT
>>> x, y = (e.Get(m.Variable(name, INT)) for name in "xy")
>>> total = linear(e.Binary("-", e.Binary("+", x, e.Const(3)), e.Binary("*", e.Const(2), y)))
>>> print(expression(total))
x - 2 * y + 3
>>> print(comparison(e.Binary("<", e.Binary("+", x, e.Const(1)), e.Const(4))))
x <= 2
"""

from __future__ import annotations

from math import gcd

from coset.model import expression as e
from coset.model import model as m

__all__ = ["ONE", "Sum", "comparison", "difference", "expression", "is_constant", "linear", "m", "scaled"]

ONE = e.TRUE
"""The term whose factor is the constant of a sum."""
Sum = dict[e.Expr, int]
"""Factors of terms, none of them 0."""

MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def linear(x: e.Expr) -> Sum:
    """An expression as a sum; what is not linear is a term of its own."""
    match x:
        case e.Const(value):
            return {ONE: value} if value else {}
        case e.Unary("-", operand):
            return scaled(linear(operand), -1)
        case e.Binary("+", left, right):
            return difference(linear(left), scaled(linear(right), -1))
        case e.Binary("-", left, right):
            return difference(linear(left), linear(right))
        case e.Binary("*", left, right):
            one, other = linear(left), linear(right)
            if is_constant(one):
                return scaled(other, one.get(ONE, 0))
            if is_constant(other):
                return scaled(one, other.get(ONE, 0))
    return {x: 1}


def scaled(total: Sum, factor: int) -> Sum:
    return {term: number * factor for term, number in total.items() if number * factor}


def difference(one: Sum, other: Sum) -> Sum:
    found = {term: one.get(term, 0) - other.get(term, 0) for term in (*one, *other)}
    return {term: number for term, number in found.items() if number}


def is_constant(total: Sum) -> bool:
    return all(term == ONE for term in total)


def expression(total: Sum) -> e.Expr:
    """A sum as an expression, the constant last."""
    terms = sorted(((term, number) for term, number in total.items() if term != ONE), key=lambda item: item[1] < 0)
    found: e.Expr | None = None
    for term, number in (*terms, *([(ONE, total[ONE])] if ONE in total else [])):
        size = abs(number)
        part = e.Const(size) if term == ONE else term if size == 1 else e.Binary("*", e.Const(size), term)
        if found is None:
            found = part if number > 0 else e.Const(number) if term == ONE else e.Unary("-", part)
        else:
            found = e.Binary("+" if number > 0 else "-", found, part)
    return found if found is not None else e.FALSE


def comparison(x: e.Expr) -> e.Expr:
    """An equal comparison in normal form: terms on the left, numbers on the right, `<=`, `>=`, `==` or `!=`; the
    first factor is positive.  Anything else is left as it is; one without terms is decided."""
    if not isinstance(x, e.Binary) or x.operator not in MIRROR:
        return x
    operator = x.operator
    total = difference(linear(x.left), linear(x.right))
    bound = -total.pop(ONE, 0)
    if not total:
        return e.TRUE if holds(0, operator, bound) else e.FALSE
    if next(iter(total.values())) < 0:
        total, bound, operator = scaled(total, -1), -bound, MIRROR[operator]
    if operator in ("<", ">"):
        operator, bound = ("<=", bound - 1) if operator == "<" else (">=", bound + 1)
    common = gcd(*total.values())
    if operator in ("==", "!=") and bound % common:
        return e.TRUE if operator == "!=" else e.FALSE
    total = {term: number // common for term, number in total.items()}
    bound = bound // common if operator != ">=" else -(-bound // common)
    positive = {term: number for term, number in total.items() if number > 0}
    negative = {term: -number for term, number in total.items() if number < 0}
    right = {**negative, **({ONE: bound} if bound else {})}
    return e.Binary(operator, expression(positive), expression(right))


def holds(left: int, operator: str, right: int) -> bool:
    """Whether a comparison of numbers is true."""
    return {
        "<": left < right, ">": left > right, "<=": left <= right,
        ">=": left >= right, "==": left == right, "!=": left != right,
    }[operator]  # fmt: skip
