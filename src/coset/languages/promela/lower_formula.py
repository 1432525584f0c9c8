"""Formulas of linear temporal logic as Promela writes them, over conditions of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.promela import codes, tree
from coset.model import expression as e
from coset.properties import formula as f

if TYPE_CHECKING:
    from coset.languages.promela.lower_expression import Expressions

TEMPORAL = frozenset(["[]", "<>", "X", "U", "V", "W", "M", "->", "<->", "~>"])


def formula(x: tree.Expression, expressions: Expressions) -> f.Formula[e.Expr]:
    """A formula of linear temporal logic; what has no temporal operator inside is an atom."""
    if not is_temporal(x):
        return f.Atom(expressions.value(x))
    match x:
        case tree.Unary(_, "!", operand):
            return f.Not(formula(operand, expressions))
        case tree.Unary(_, operator, operand):
            return f.Modal(operator, formula(operand, expressions))
        case tree.Binary(_, ("&&" | "||" | "->" | "<->") as operator, left, right):
            return f.Logic(operator, formula(left, expressions), formula(right, expressions))
        case tree.Binary(_, ("U" | "V" | "W") as operator, left, right):
            return f.Until(operator, formula(left, expressions), formula(right, expressions))
        case tree.Binary(_, "M", left, right):  # q holds until it does so together with p
            held = formula(right, expressions)
            return f.Until("U", held, f.Logic("&&", formula(left, expressions), held))
        case tree.Binary(_, "~>", left, right):
            return f.Modal("[]", f.Logic("->", formula(left, expressions), f.Modal("<>", formula(right, expressions))))
    expressions.diagnostics.error(
        codes.MISPLACED, "a temporal operator inside of an ordinary expression", x.span,
        "temporal operators can be combined with !, &&, ||, -> and <-> only",
    )  # fmt: skip
    return f.Atom(e.TRUE)


def is_temporal(x: tree.Expression) -> bool:
    match x:
        case tree.Unary(_, operator, operand):
            return operator in TEMPORAL or is_temporal(operand)
        case tree.Binary(_, operator, left, right):
            return operator in TEMPORAL or is_temporal(left) or is_temporal(right)
    return False
