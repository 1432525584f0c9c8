"""Which expressions can go wrong: an index out of range, a division by zero, a channel that is none.

Passes leave out or move evaluations only if these cannot fault, so that no error is lost and none is reported at
another place.  What cannot be shown to be safe may fault: an interval for each subexpression (Cousot and Cousot,
POPL 1977, without the iteration: variables are as wide as their domains) is enough for indices in practice.
"""

from __future__ import annotations

from coset.model import expression as e
from coset.model.domain import INT, PROCESS

Interval = tuple[int, int]
ANY: Interval = (INT.low, INT.high)
TRUTH: Interval = (0, 1)
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "&&", "||"})


def interval(x: e.Expr) -> Interval:
    """Bounds of the value of an expression.

    >>> from coset.model.domain import BYTE
    >>> from coset.model.model import Variable
    >>> interval(e.Binary("%", e.Binary("+", e.Get(Variable("i", BYTE)), e.Const(1)), e.Const(3)))
    (0, 2)
    """
    match x:
        case e.Const(value):
            return value, value
        case e.Get(variable) | e.Remote(variable=variable):
            return variable.domain.low, variable.domain.high
        case e.Self():
            return PROCESS.low, PROCESS.high
        case e.Unary("!") | e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"):
            return TRUTH
        case e.Youngest() | e.Poll() | e.Full() | e.AtLocation() | e.Enabled() | e.NonProgress():
            return TRUTH
        case e.Conditional(_, yes, no):
            (a, b), (c, d) = interval(yes), interval(no)
            return min(a, c), max(b, d)
        case e.Binary(operator, left, right):
            return arithmetic(operator, interval(left), interval(right))
    return ANY


def arithmetic(operator: str, left: Interval, right: Interval) -> Interval:
    """Bounds of `left operator right`; anything when it may wrap around.

    >>> arithmetic("*", (0, 3), (-1, 2)), arithmetic("&", (-5, 9), (3, 3)), arithmetic("+", ANY, (1, 1)) == ANY
    ((-3, 6), (0, 3), True)
    """
    (a, b), (c, d) = left, right
    match operator:
        case "+":
            low, high = a + c, b + d
        case "-":
            low, high = a - d, b - c
        case "*":
            corners = [a * c, a * d, b * c, b * d]
            low, high = min(corners), max(corners)
        case "%" if c > 0:
            low, high = (0 if a >= 0 else 1 - d), (d - 1 if b >= 0 else 0)
        case "/" if a >= 0 and c > 0:
            low, high = a // d, b // c
        case "&" if c >= 0:
            low, high = 0, d
        case "&" if a >= 0:
            low, high = 0, b
        case _:
            return ANY
    return (low, high) if low >= INT.low and high <= INT.high else ANY


def may_fault(x: e.Expr) -> bool:
    """Whether the evaluation of an expression may fail.

    >>> may_fault(e.Binary("/", e.Self(), e.Const(2))), may_fault(e.Binary("/", e.Const(2), e.Self()))
    (False, True)
    """
    return any(fault_at(part) for part in x.walk())


def fault_at(x: e.Expr) -> bool:
    """Whether this very operation may fail, its parts aside."""
    match x:
        case e.Get(variable, indices) | e.Remote(variable=variable, indices=indices):
            return index_may_fault(indices, variable.shape)
        case e.Binary("/" | "%", _, right):
            low, high = interval(right)
            return low <= 0 <= high
        case e.Length() | e.Full() | e.Poll():
            return True
    return False


def index_may_fault(indices: tuple[e.Expr, ...], shape: tuple[int, ...]) -> bool:
    """Whether an element may be outside of its array."""
    bounds = [interval(index) for index in indices]
    return any(low < 0 or high >= length for (low, high), length in zip(bounds, shape, strict=True))


def place_may_fault(place: e.Place) -> bool:
    """Whether finding the place may fail."""
    if place.variable is None:
        return False
    return index_may_fault(place.indices, place.variable.shape) or any(map(may_fault, place.indices))
