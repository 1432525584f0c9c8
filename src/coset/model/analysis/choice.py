"""Whether exactly one of several guards holds, whatever the values are.

Shown for `else`, and for conditions on one and the same expression: they only change at the constants that it is
compared with, so trying the values at and beside these tries all.
"""

from __future__ import annotations

from collections.abc import Callable

from coset.model import expression as e
from coset.model.evaluate import OPERATORS
from coset.source.records import dataclass

MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one expression: what it is about, where it can change, and when it holds."""

    subject: e.Expr
    constants: frozenset[int]
    holds: Callable[[int], bool]


def condition(guard: e.Expr) -> Condition:
    """A guard as a condition on one expression, if need be on itself."""
    match guard:
        case e.Unary("!", operand):
            inner = condition(operand)
            return Condition(inner.subject, inner.constants, lambda value: not inner.holds(value))
        case e.Binary("&&" | "||" as operator, left, right):
            a, b = condition(left), condition(right)
            if a.subject == b.subject:
                both = all if operator == "&&" else any
                return Condition(a.subject, a.constants | b.constants, lambda v: both((a.holds(v), b.holds(v))))
        case e.Binary(operator, subject, e.Const(number)) if operator in MIRRORED:
            return Condition(subject, frozenset({number}), lambda value: bool(OPERATORS[operator](value, number)))
        case e.Binary(operator, e.Const() as constant, subject) if operator in MIRRORED:
            return condition(e.Binary(MIRRORED[operator], subject, constant))
    return Condition(guard, frozenset({0}), lambda value: value != 0)


def exactly_one(guards: list[e.Expr]) -> bool:
    """Whether it is certain that one guard holds, and only one; `else` must be the last.

    >>> x = e.Self()
    >>> exactly_one([e.Binary("<", x, e.Const(3)), e.Binary(">=", x, e.Const(3))])
    True
    >>> exactly_one([e.Binary("==", x, e.Const(1)), e.Binary("==", x, e.Const(2))])
    False
    >>> exactly_one([e.Binary("==", x, e.Const(1)), e.Binary("==", x, e.Const(2)), e.Otherwise()])
    True
    """
    if guards in ([e.TRUE], [e.Otherwise()]):
        return True
    has_else = guards[-1:] == [e.Otherwise()]
    tested = guards[:-1] if has_else else guards
    if not tested or e.Otherwise() in tested:
        return False
    conditions = [condition(guard) for guard in tested]
    if has_else and len(conditions) == 1:
        return True
    if any(c.subject != conditions[0].subject for c in conditions):
        return False
    constants = frozenset[int]().union(*(c.constants for c in conditions))
    values = {value + delta for value in constants for delta in (-1, 0, 1)}
    counts = {sum(c.holds(value) for c in conditions) for value in values}
    return counts == {1} or (has_else and counts <= {0, 1})
