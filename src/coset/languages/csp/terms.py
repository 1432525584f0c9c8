"""Terms with values put in the places of names, and expressions as far as they can be computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from coset.languages.csp import tree as t
from coset.model.evaluate import divide, wrap

Values = Mapping[str, t.Expression]


class Refused(Exception):
    """A process that cannot be understood or is too large; becomes a diagnostic."""

    def __init__(self, code: str, message: str, node: t.Node, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.node, self.hint = code, message, node, hint


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "/": divide,
    "%": lambda a, b: a % abs(b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}
"""The remainder is never negative, whatever the signs."""


def negation(condition: t.Expression) -> t.Expression:
    return expression(t.Unary("!", condition, span=condition.span), {})


def is_constant(x: t.Expression) -> bool:
    return isinstance(x, t.Number)


def expression(x: t.Expression, values: Values) -> t.Expression:
    """The expression with values for some names, computed as far as possible."""
    match x:
        case t.Name(name):
            return values.get(name, x)
        case t.Element(name, indices):
            return replace(x, indices=tuple(expression(i, values) for i in indices))
        case t.Unary(operator, operand):
            inner = expression(operand, values)
            if isinstance(inner, t.Number):
                return t.Number(wrap(-inner.value) if operator == "-" else int(not inner.value), span=x.span)
            return replace(x, operand=inner)
        case t.Binary():
            return binary(x, expression(x.left, values), expression(x.right, values))
        case t.Query(_, _, index):
            return x if index is None else replace(x, index=expression(index, values))
    return x


def binary(x: t.Binary, left: t.Expression, right: t.Expression) -> t.Expression:
    """Computed if both sides are known, or one that decides."""
    if isinstance(left, t.Number) and isinstance(right, t.Number):
        if x.operator not in "/%" or right.value != 0:
            return t.Number(OPERATORS[x.operator](left.value, right.value), span=x.span)
    elif x.operator in ("&&", "||") and isinstance(left, t.Number):
        decided = bool(left.value) == (x.operator == "||")
        return t.Number(int(x.operator == "||"), span=x.span) if decided else right
    return replace(x, left=left, right=right)


def event(x: t.Event, values: Values) -> t.Event:
    return replace(x, arguments=tuple(expression(a, values) for a in x.arguments))


def without(values: Values, *names: str) -> Values:
    """The values without those that a binder hides."""
    return {name: value for name, value in values.items() if name not in names}


def operation(statements: t.Operation, values: Values) -> t.Operation:
    found: list[t.Statement] = []
    for statement in statements:
        match statement:
            case t.Assignment(name, indices, value):
                there = tuple(expression(i, values) for i in indices)
                found.append(replace(statement, indices=there, value=expression(value, values)))
            case t.Local(name, value):
                found.append(replace(statement, value=expression(value, values)))
                values = without(values, name)
            case t.Branch(condition, yes, no):
                condition = expression(condition, values)
                found.append(t.Branch(condition, operation(yes, values), operation(no, values), span=statement.span))
            case t.While(condition, body):
                found.append(t.While(expression(condition, values), operation(body, values), span=statement.span))
    return tuple(found)


def process(x: t.Process, values: Values) -> t.Process:
    """The process with values for some names; names that it binds itself are its own."""
    if not values:
        return x

    def inner(part: t.Process) -> t.Process:
        return process(part, values)

    def each(parts: tuple[t.Expression, ...]) -> tuple[t.Expression, ...]:
        return tuple(expression(part, values) for part in parts)

    def maybe(part: t.Expression | None) -> t.Expression | None:
        return None if part is None else expression(part, values)

    match x:
        case t.Prefix(event_, statements, plain, rest):
            return t.Prefix(event(event_, values), operation(statements, values), plain, inner(rest), span=x.span)
        case t.Output(channel, index, sent, statements, rest):
            return t.Output(
                channel, maybe(index), each(sent), operation(statements, values), inner(rest), span=x.span
            )  # fmt: skip
        case t.Input(channel, index, patterns, guard, statements, rest):
            index, patterns = maybe(index), each(patterns)
            values = without(values, *(p.name for p in patterns if isinstance(p, t.Binder)))
            return t.Input(
                channel,
                index,
                patterns,
                maybe(guard),
                operation(statements, values),
                process(rest, values),
                span=x.span,
            )
        case t.Choice(operator, parts):
            return t.Choice(operator, tuple(map(inner, parts)), span=x.span)
        case t.Guard(condition, body):
            return t.Guard(expression(condition, values), inner(body), span=x.span)
        case t.If(keyword, condition, yes, no):
            return t.If(keyword, expression(condition, values), inner(yes), inner(no), span=x.span)
        case t.Case(branches, default):
            put = tuple((expression(condition, values), inner(body)) for condition, body in branches)
            return t.Case(put, inner(default), span=x.span)
        case t.Parallel(parts, alphabets):
            return t.Parallel(tuple(map(inner, parts)), alphabets, span=x.span)
        case t.Interleave(parts):
            return t.Interleave(tuple(map(inner, parts)), span=x.span)
        case t.Counted(count, body):
            return t.Counted(expression(count, values), inner(body), span=x.span)
        case t.Indexed(operator, ranges, body):
            put_ranges = []
            for range_ in ranges:
                bounds = tuple((expression(a, values), expression(b, values)) for a, b in range_.bounds)
                put_ranges.append(t.Range(range_.name, bounds, span=range_.span))
                values = without(values, range_.name)
            return t.Indexed(operator, tuple(put_ranges), process(body, values), span=x.span)
        case t.Sequence(first, second):
            return t.Sequence(inner(first), inner(second), span=x.span)
        case t.Interrupt(body, handler):
            return t.Interrupt(inner(body), inner(handler), span=x.span)
        case t.Hide(body, events):
            return t.Hide(inner(body), tuple(event(e, values) for e in events), span=x.span)
        case t.Atomic(body):
            return t.Atomic(inner(body), span=x.span)
        case t.Call(name, arguments):
            return t.Call(name, each(arguments), span=x.span)
        case t.Bag(members):
            return t.Bag(tuple((inner(member), count) for member, count in members), span=x.span)
        case t.Skip() | t.Stop() | t.Ended():
            return x
    raise TypeError(f"unknown process {type(x).__name__}")
