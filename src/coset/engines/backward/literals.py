"""Conditions as alternatives of literals, and the values of conditions that read one variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from coset.engines.spotlight.expressions import Fit, is_unbounded, variables_of
from coset.engines.spotlight.linear import comparison
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.evaluate import OPERATORS, Fault
from coset.model.rewrite import rewrite

Place = tuple[m.Variable, int | None]
"""A variable, with the slot of the process that it belongs to if it is local."""
MOST_VALUES = 64
"""Variables with more values are described by comparisons."""
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def is_finite(domain: Domain) -> bool:
    return domain.high - domain.low < MOST_VALUES


def alternatives(x: e.Expr, holds: bool = True) -> list[tuple[e.Expr, ...]]:
    """A condition, or its negation, as alternatives, each of which is a conjunction of literals: comparisons in normal form and
    `AtLocation`s, which may be negated.

    >>> from coset.model.domain import BYTE
    >>> a, b = (e.Binary("==", e.Get(m.Variable(name, BYTE)), e.Const(1)) for name in "ab")
    >>> [" ".join(map(str, row)) for row in alternatives(e.Binary("&&", a, b), holds=False)]
    ['a != 1', 'b != 1']
    """
    match x:
        case e.Const(value):
            return [()] if bool(value) == holds else []
        case e.Unary("!", operand):
            return alternatives(operand, not holds)
        case e.Binary("&&" | "||" as operator, left, right):
            one, other = alternatives(left, holds), alternatives(right, holds)
            if (operator == "&&") != holds:
                return [*one, *other]
            return [(*a, *b) for a in one for b in other]
        case e.Conditional(condition, yes, no):
            rows = [(a, b) for a in alternatives(condition) for b in alternatives(yes, holds)]
            rows += [(a, b) for a in alternatives(condition, False) for b in alternatives(no, holds)]
            return [(*a, *b) for a, b in rows]
        case e.Binary(operator, left, right) if operator in NEGATED:
            found = comparison(e.Binary(operator if holds else NEGATED[operator], left, right))
            return alternatives(found) if isinstance(found, e.Const) else [(found,)]
        case e.AtLocation():
            return [(x if holds else e.Unary("!", x),)]
    return [(comparison(e.Binary("!=" if holds else "==", x, e.FALSE)),)]


def without_fits(x: e.Expr) -> list[e.Expr]:
    """A condition as alternatives, in which values of unbounded variables are as they are computed, or too small and wrapped
    around."""
    fit = next((part for part in x.walk() if isinstance(part, Fit) and is_unbounded(part.domain)), None)
    if fit is None:
        return [x]
    low, size = fit.domain.low, fit.domain.high - fit.domain.low + 1
    found: list[e.Expr] = []
    for value, operator in ((fit.operand, ">="), (e.Binary("+", fit.operand, e.Const(size)), "<")):
        whole = rewrite(x, lambda part, value=value: value if part == fit else part)  # type: ignore[misc]
        case = e.Binary(operator, fit.operand, e.Const(low))
        found += [e.Binary("&&", case, each) for each in without_fits(whole)]
    return found


def value_of(x: e.Expr, known: Mapping[Place, int]) -> int:
    """The value of an expression over variables with known values.  Raises `Fault`, and `KeyError` for others."""
    match x:
        case e.Const(value):
            return value
        case e.Get(variable):
            return known[variable, None]
        case e.Remote(_, e.Const(slot), variable):
            return known[variable, slot]
        case Fit(operand, domain):
            return domain.fit(value_of(operand, known))
        case e.Unary("!", operand):
            return int(not value_of(operand, known))
        case e.Unary(_, operand):
            return -value_of(operand, known)
        case e.Binary("&&", left, right):
            return int(bool(value_of(left, known)) and bool(value_of(right, known)))
        case e.Binary("||", left, right):
            return int(bool(value_of(left, known)) or bool(value_of(right, known)))
        case e.Binary(operator, left, right):
            return int(OPERATORS[operator](value_of(left, known), value_of(right, known)))
        case e.Conditional(condition, yes, no):
            return value_of(yes if value_of(condition, known) else no, known)
    raise KeyError(x)


def only_finite(x: e.Expr) -> Place | None:
    """The variable that an expression reads, if it is a single one with few values."""
    reads = variables_of(x)
    if len(reads) != 1:
        return None
    (place,) = reads
    return place if is_finite(place[0].domain) else None


def values_with(x: e.Expr, place: Place, wanted: frozenset[int] | None = None) -> frozenset[int]:
    """The values of a variable with which an expression that reads nothing else is true, or is one of those wanted."""

    def fits(value: int) -> bool:
        try:
            found = value_of(x, {place: value})
        except Fault:
            return False  # a step with an error leads nowhere
        return bool(found) if wanted is None else found in wanted

    return frozenset(filter(fits, all_values(place[0].domain)))


def all_values(domain: Domain) -> Iterator[int]:
    return iter(range(domain.low, domain.high + 1))
