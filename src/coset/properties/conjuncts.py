"""A property as a conjunction of smaller ones, each of which can be decided by itself."""

from __future__ import annotations

from collections.abc import Callable

from coset.properties.ctl_formula import Branching
from coset.properties.formula import A, Formula, Logic, Modal


def conjuncts(formula: Formula[A]) -> list[Formula[A]]:
    """Formulas that all hold in a model just if the given one does.

    A model satisfies a formula if all of its runs do (linear time) or its initial state does (branching time), so a
    conjunction may be decided part by part.  `[]`, `X`, `AG`, `AX` and the right side of `->` distribute over `&&`.

    >>> from coset.properties.formula import Atom
    >>> p, q, r = (Atom(name) for name in "pqr")
    >>> print(*conjuncts(Modal("[]", Logic("->", p, Logic("&&", q, Modal("<>", r))))), sep=",  ")
    [] ((p) -> (q)),  [] ((p) -> <> (r))
    >>> print(*conjuncts(Modal("<>", Logic("&&", p, q))))
    <> ((p) && (q))
    """

    def each(part: Formula[A], built: Callable[[Formula[A]], Formula[A]]) -> list[Formula[A]]:
        return [built(inner) for inner in conjuncts(part)]

    match formula:
        case Logic("&&", left, right):
            return [*conjuncts(left), *conjuncts(right)]
        case Logic("->", left, right):
            return each(right, lambda inner: Logic("->", left, inner))
        case Modal("[]" | "X" as operator, operand):
            return each(operand, lambda inner: Modal(operator, inner))
        case Branching("A", "G" | "X" as operator, operand):
            return each(operand, lambda inner: Branching("A", operator, inner))
    return [formula]
