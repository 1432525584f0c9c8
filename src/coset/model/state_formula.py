"""Formulas about one state as expressions."""

from __future__ import annotations

from coset.model import expression as e
from coset.properties.formula import Atom, Constant, Formula, Logic, Not


def joined(formula: Formula[e.Expr]) -> e.Expr:
    """A formula about one state as an expression.  Raises `TypeError` for one with temporal operators.

    >>> print(joined(Logic("->", Atom(e.Const(0)), Constant(True))))
    !0 || 1
    """
    match formula:
        case Constant(value):
            return e.Const(int(value))
        case Atom(value):
            expression: e.Expr = value
            return expression
        case Not(operand):
            return e.Unary("!", joined(operand))
        case Logic("->", left, right):
            return e.Binary("||", e.Unary("!", joined(left)), joined(right))
        case Logic("<->", left, right):
            one, other = joined(left), joined(right)
            neither = e.Binary("&&", e.Unary("!", one), e.Unary("!", other))
            return e.Binary("||", e.Binary("&&", one, other), neither)
        case Logic(operator, left, right):
            return e.Binary(operator, joined(left), joined(right))
    raise TypeError(f"not about one state: {formula!r}")
