"""The nesting depth of a model, which is limited: passes are recursive, and Python limits the depth of calls.

A model that is nested too deeply for some pass is refused when it is loaded, with its span, and not during a later pass.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from coset.model.domain import Domain
from coset.model.model import Variable
from coset.properties.formula import Formula
from coset.source.diagnostics import Diagnostic, InputError, register
from coset.source.text import Source, Span

TOO_DEEP = register(
    "M003",
    "an expression or a block is nested too deeply, or an expression has too many operators in a row",
    "Split it: store a part of it in a variable, or write it as several statements.",
)
PART_CALLS, TUPLE_CALLS, FORMULA_CALLS = 3, 2, 6
"""Nested calls for a part of an expression, additional ones for an element of a tuple (as in `rewrite.rebuild`), and those for
a part of a formula (as in `properties.ctl`); no pass needs more."""
MOST_CALLS = 750
"""The most nested calls of a pass, of the 1,000 that Python allows; the rest is for its callers."""
LEAVES = (Variable, Domain, Span, Source, str, int, float)


def too_deep(model: Any) -> tuple[Span | None] | None:
    """Where a model is nested too deeply: its span, if known, in a tuple; None if it is not.

    >>> from coset.model import expression as e
    >>> short, long = e.Const(1), e.Const(1)
    >>> for _ in range(400):
    ...     long = e.Unary("-", long)
    >>> too_deep(short), too_deep(long)
    (None, (None,))
    """
    reached: dict[int, int] = {}  # parts may be shared: a part is visited again only at a greater depth
    todo: list[tuple[Any, int, Span | None]] = [(model, 0, None)]
    while todo:
        part, calls, span = todo.pop()
        if calls > MOST_CALLS:
            return (span,)
        if isinstance(part, tuple | list):
            todo += [(each, calls + TUPLE_CALLS, span) for each in part if not isinstance(each, LEAVES)]
        elif is_dataclass(part) and reached.get(id(part), -1) < calls:
            reached[id(part)] = calls
            span = getattr(part, "span", None) or span
            below = calls + (FORMULA_CALLS if isinstance(part, Formula) else PART_CALLS)
            for name in names(part.__class__):
                value = getattr(part, name)
                if value is not None and not isinstance(value, LEAVES):
                    todo.append((value, below, span))
    return None


def refuse_depth(model: Any) -> None:
    """Raise `InputError` if a model, or a part of one, is nested too deeply."""
    found = too_deep(model)
    if found is not None:
        raise refused(found[0])


def refused(span: Span | None) -> InputError:
    message = "this is nested too deeply, or has too many operators in a row"
    return InputError([Diagnostic(TOO_DEEP, message, span, "store a part of it in a variable")])


@cache
def names(sort: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass."""
    return tuple(each.name for each in fields(sort))
