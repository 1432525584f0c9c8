"""Expressions with what is known put in, and computed as far as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from coset.model import expression as e
from coset.model.evaluate import OPERATORS, Fault, wrap
from coset.model.model import Variable
from coset.model.rewrite import rewrite
from coset.model.sequential_model import Assign, If, Statement

BOOLEAN = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


def substituted(x: e.Expr, values: Mapping[Variable, e.Expr]) -> e.Expr:
    """The expression with some scalar variables replaced, folded."""

    def change(part: e.Expr) -> e.Expr:
        if isinstance(part, e.Get) and not part.indices and part.variable in values:
            return values[part.variable]
        return fold(part)

    return rewrite(x, change)


def with_value(statement: Statement, variable: Variable, value: int) -> Statement:
    """The statement with a constant in the place of a variable."""
    known = {variable: e.Const(value)}
    match statement:
        case Assign(place, x):
            indices = tuple(substituted(index, known) for index in place.indices)
            return Assign(e.Place(place.variable, indices), substituted(x, known))
        case If(condition, yes, no):
            return If(
                substituted(condition, known),
                tuple(with_value(each, variable, value) for each in yes),
                tuple(with_value(each, variable, value) for each in no),
            )


def fold(x: e.Expr) -> e.Expr:
    """The expression with constant parts computed, if its own parts are folded already.

    >>> str(fold(e.Binary("&&", e.TRUE, e.Binary("==", e.Const(2), e.Const(3)))))
    '2 == 3'
    """
    match x:
        case e.Unary("!", e.Const(value)):
            return e.Const(int(not value))
        case e.Unary("-", e.Const(value)):
            return e.Const(wrap(-value))
        case e.Unary("~", e.Const(value)):
            return e.Const(~value)
        case e.Binary("&&", e.Const(value), right):
            return truth(right) if value else e.FALSE
        case e.Binary("||", e.Const(value), right):
            return e.TRUE if value else truth(right)
        case e.Binary("&&", left, e.Const(value)) if value:
            return truth(left)
        case e.Binary("||", left, e.Const(0)):
            return truth(left)
        case e.Binary(operator, e.Const(a), e.Const(b)) if operator in OPERATORS:
            try:
                return e.Const(int(OPERATORS[operator](a, b)))
            except Fault:
                return x
        case e.Conditional(e.Const(value), yes, no):
            return yes if value else no
    return x


def truth(x: e.Expr) -> e.Expr:
    """0 or 1, as the value is 0 or not."""
    match x:
        case e.Const(value):
            return e.Const(int(value != 0))
        case e.Unary("!") | e.Binary("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||"):
            return x
        case e.Get(variable) if (variable.domain.low, variable.domain.high) == (0, 1):
            return x
    return e.Binary("!=", x, e.Const(0))


def joined(operator: str, parts: Iterable[e.Expr]) -> e.Expr:
    """All parts under one of `&&`, `||` and `+`.

    >>> str(joined("&&", [])), str(joined("+", [e.Const(1), e.Const(2)]))
    ('1', '3')
    """
    result: e.Expr | None = None
    for part in parts:
        result = part if result is None else fold(e.Binary(operator, result, part))
    return (e.TRUE if operator == "&&" else e.FALSE) if result is None else result


def negated(x: e.Expr) -> e.Expr:
    """The opposite of a condition, with negations pushed to where they disappear or reach a variable.

    >>> from coset.model.domain import BIT
    >>> str(negated(e.Binary("||", e.Binary("==", e.Const(1), e.Get(Variable("x", BIT))), e.FALSE)))
    '1 != x && 1'
    """
    match x:
        case e.Const(value):
            return e.Const(int(not value))
        case e.Unary("!", operand):
            return truth(operand)
        case e.Binary("&&", left, right):
            return e.Binary("||", negated(left), negated(right))
        case e.Binary("||", left, right):
            return e.Binary("&&", negated(left), negated(right))
        case e.Binary(operator, left, right) if operator in OPPOSITE:
            return e.Binary(OPPOSITE[operator], left, right)
    return e.Unary("!", x)


OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
