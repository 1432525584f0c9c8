"""Arithmetic that is exact: a result that does not fit into 32 bits is a fault, and never another number.

The model computes with 32 bits and wraps around (`model/expression.py`).  Where the ranges of the operands do not tell that the
result fits, its condition is asked for before, without computing the result (Warren, Hacker's Delight, 2nd edition, 2012,
section 2-13).
"""

from __future__ import annotations

from coset.languages.murphi import folding
from coset.languages.murphi.check_expression import folded
from coset.model import expression as e
from coset.model.domain import INT

LOW, HIGH = INT.low, INT.high
ZERO = e.Const(0)


def exact(operator: str, left: e.Expr, right: e.Expr, text: str) -> e.Expr:
    """The value of an operation that the program writes as `text`.

    >>> from coset.model.model import Variable
    >>> from coset.model.domain import Domain
    >>> small, large = (e.Get(Variable("x", Domain("t", 0, high))) for high in (9, 10**9))
    >>> str(exact("*", small, small, "x * x")), type(exact("*", large, large, "x * x")).__name__
    ('x * x', 'Conditional')
    """
    if operator not in ("+", "-", "*") or fits(operator, left, right):
        return folding.binary(operator, left, right)
    return guarded(room(operator, left, right), folding.binary(operator, left, right), text)


def opposite(x: e.Expr, text: str) -> e.Expr:
    """The value of `-x`.

    >>> str(opposite(e.Const(3), "-3"))
    '-3'
    """
    if folding.BOUNDS.interval(x)[0] > LOW:
        return folding.minus(x)
    return guarded(folding.binary("!=", x, e.Const(LOW)), folding.minus(x), text)


def fits(operator: str, left: e.Expr, right: e.Expr) -> bool:
    """Whether the ranges of the operands tell that the result has at most 32 bits."""
    corners = [folded(operator, a, b) for a in folding.BOUNDS.interval(left) for b in folding.BOUNDS.interval(right)]
    return min(corners) >= LOW and max(corners) <= HIGH


def room(operator: str, left: e.Expr, right: e.Expr) -> e.Expr:
    """Whether the result fits; nothing in this wraps around."""
    is_positive = folding.binary(">=", right, ZERO)
    if isinstance(left, e.Const) and isinstance(right, e.Const):
        return folding.FALSE  # `fits` has computed it
    if operator == "*":
        product = folding.binary("=", folding.binary("/", folding.binary("*", left, right), right), left)
        negative = folding.choice(
            folding.binary("=", right, e.Const(-1)), folding.binary("!=", left, e.Const(LOW)), product
        )
        return folding.choice(folding.binary("=", right, ZERO), folding.TRUE, negative)
    one, other = (HIGH, LOW) if operator == "+" else (LOW, HIGH)
    back = "-" if operator == "+" else "+"
    first, second = ("<=", ">=") if operator == "+" else (">=", "<=")
    return folding.choice(
        is_positive,
        folding.binary(first, left, folding.binary(back, e.Const(one), right)),
        folding.binary(second, left, folding.binary(back, e.Const(other), right)),
    )


def guarded(holds: e.Expr, x: e.Expr, text: str) -> e.Expr:
    """A value that is computed only if a condition holds."""
    message = f"error: integer overflow: {text} has more than 32 bits"
    return e.Conditional(e.Checked(holds, 1, 1, "error", message), x, ZERO)
