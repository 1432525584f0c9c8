"""Whether a sequential model is well formed; the tests run this on every one that is made."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model.model import Variable
from coset.model.sequential_model import Assign, If, SequentialModel, Statement

ALLOWED = (e.Const, e.Get, e.Unary, e.Binary, e.Conditional)


def validate(model: SequentialModel) -> list[str]:
    """The problems of a model; an empty list if it is well-formed."""
    return list(problems(model))


def problems(model: SequentialModel) -> Iterator[str]:
    names = [variable.name for variable in model.variables]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two variables are named {name}"
    if not model.starts:
        yield "there is no start"
    for start in model.starts:
        if len(start) != len(model.elements):
            yield f"a start has {len(start)} values for {len(model.elements)} elements"
            continue
        for (variable, k), value in zip(model.elements, start, strict=True):
            if value is not None and not variable.domain.low <= value <= variable.domain.high:
                yield f"{variable.name} cannot start as {value} (element {k})"
    known = frozenset(model.variables)
    if model.control is not None and model.control not in known:
        yield "the control variable is none of the model"
    for number, summand in enumerate(model.summands):
        where = f"summand {number} ({summand.event})"
        if any(choice.shape for choice in summand.choices):
            yield f"{where}: an array is chosen"
        inside = known | frozenset(summand.choices)
        yield from expression(where, summand.guard, inside)
        for statement in summand.program:
            yield from program(where, statement, inside, known)
    for condition in model.conditions:
        yield from expression("a condition", condition, known)
    if not {*model.always} <= {*model.conditions}:
        yield "what shall always hold is no condition"
    if model.homes and len(model.homes) != len(model.elements):
        yield f"{len(model.homes)} homes for {len(model.elements)} elements"


def program(where: str, of: Statement, inside: frozenset[Variable], known: frozenset[Variable]) -> Iterator[str]:
    match of:
        case Assign(place, value):
            if place.variable not in known:
                yield f"{where}: assigns to what is no variable of the model"
            elif len(place.indices) != len(place.variable.shape):
                yield f"{where}: {place.variable.name} is assigned with {len(place.indices)} indices"
            for x in (*place.indices, value):
                yield from expression(where, x, inside)
        case If(condition, yes, no):
            yield from expression(where, condition, inside)
            for statement in (*yes, *no):
                yield from program(where, statement, inside, known)


def expression(where: str, x: e.Expr, inside: frozenset[Variable]) -> Iterator[str]:
    for part in x.walk():
        if not isinstance(part, ALLOWED):
            yield f"{where}: {type(part).__name__} is no expression of a sequential model"
        elif isinstance(part, e.Get):
            if part.variable not in inside:
                yield f"{where}: {part.variable.name} is not declared"
            elif len(part.indices) != len(part.variable.shape):
                yield f"{where}: {part.variable.name} is read with {len(part.indices)} indices"
