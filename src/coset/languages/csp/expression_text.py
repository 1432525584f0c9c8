"""Expressions of CSP# as the user would write them."""

from __future__ import annotations

from coset.languages.csp import tree as t
from coset.languages.csp.cursor import PRECEDENCE


def expression_text(x: t.Expression, above: int = 0) -> str:
    """The expression with as few parentheses as needed."""
    match x:
        case t.Number(value):
            return str(value)
        case t.Name(name) | t.Parameter(name) | t.Binder(name):
            return name
        case t.Element(name, indices):
            return name + "".join(f"[{expression_text(index)}]" for index in indices)
        case t.Unary(operator, operand):
            return operator + expression_text(operand, 7)
        case t.Binary(operator, left, right):
            level = PRECEDENCE[operator]
            text = f"{expression_text(left, level)} {operator} {expression_text(right, level + 1)}"
            return f"({text})" if level < above else text
        case t.Query(question, channel, index):
            return f"call({question}, {channel}{'' if index is None else f'[{expression_text(index)}]'})"
    raise TypeError(f"unknown expression {type(x).__name__}")
