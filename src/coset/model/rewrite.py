"""Rebuilding a model with some of its expressions replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from coset.model import expression as e
from coset.model import model as m
from coset.properties import formula as f

T = TypeVar("T")
Change = Callable[[e.Expr], e.Expr]


def rewrite(x: e.Expr, change: Change) -> e.Expr:
    """The expression with `change` applied to every part of it, from the leaves up.

    >>> double = lambda x: e.Const(2 * x.value) if isinstance(x, e.Const) else x
    >>> str(rewrite(e.Binary("+", e.Const(1), e.Const(2)), double))
    '2 + 4'
    """
    return change(rebuild(x, change))


def rebuild(thing: T, change: Change) -> T:
    """A dataclass of the model with the expressions inside of it rewritten; the same object if nothing changed."""
    changes: dict[str, Any] = {}
    for field in fields(thing):  # type: ignore[arg-type]
        old = getattr(thing, field.name)
        new = rebuild_value(old, change)
        if new is not old:
            changes[field.name] = new
    return replace(thing, **changes) if changes else thing  # type: ignore[type-var]


def rebuild_value(value: Any, change: Change) -> Any:
    if isinstance(value, e.Expr):
        return rewrite(value, change)
    if isinstance(value, e.Pattern | e.Place | m.Effect | m.Edge | m.Location | m.Kind):
        return rebuild(value, change)
    if isinstance(value, m.Property | m.Monitor | f.Formula):
        return rebuild(value, change)
    if isinstance(value, tuple):
        new = tuple(rebuild_value(item, change) for item in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def rewrite_model(model: m.Model, change: Change) -> m.Model:
    """The model with every expression in its processes, properties and monitor rewritten."""
    return rebuild(model, change)


def replace_variables(model: m.Model, images: Mapping[m.Variable, m.Variable]) -> m.Model:
    """The model with some variables exchanged for others of the same shape."""
    replaced: m.Model = exchanged(model, images)
    return replaced


def exchanged(thing: Any, images: Mapping[m.Variable, m.Variable]) -> Any:
    """Part of a model with its variables exchanged; the same object if nothing changed."""
    if isinstance(thing, m.Variable):
        return images.get(thing, thing)
    if isinstance(thing, tuple):
        new = tuple(exchanged(item, images) for item in thing)
        return thing if all(a is b for a, b in zip(new, thing, strict=True)) else new
    if isinstance(thing, PARTS):
        changes = {
            field.name: new
            for field in fields(thing)
            if (new := exchanged(old := getattr(thing, field.name), images)) is not old
        }
        return replace(thing, **changes) if changes else thing
    return thing


PARTS = (e.Expr, e.Pattern, e.Place, m.Effect, m.Edge, m.Location, m.Kind, m.Claim, m.LtlProperty, m.CtlProperty,
         m.Monitor, m.Instance, m.Model, f.Formula)  # fmt: skip
