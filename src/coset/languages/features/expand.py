"""Writing out template options: one option for every component of a type, its number in place of the name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from coset.languages.features.tree import Component, TemplateOption
from coset.languages.promela.tree import Declarator, Do, Expression, If, Node, Reference, Statement

N = TypeVar("N", bound=Node)
Ids = Callable[[str], Iterable[int]]
"""The components of a type."""


def expand(steps: tuple[Statement, ...], ids: Ids) -> tuple[Statement, ...]:
    """The steps without template options."""
    return tuple(expand_step(step, ids) for step in steps)


def expand_step(step: Statement, ids: Ids) -> Statement:
    if isinstance(step, If | Do):
        written = tuple(each for option in step.options for each in expand_option(option, ids))
        return replace(step, options=written)
    parts: dict[str, Any] = {
        field.name: expand(value, ids) if isinstance(value, tuple) else expand_step(value, ids)
        for field in fields(step)
        if (value := getattr(step, field.name)) is not None and holds_statements(value)
    }
    return replace(step, **parts) if parts else step


def expand_option(option: tuple[Statement, ...], ids: Ids) -> Iterator[tuple[Statement, ...]]:
    """The options that one option stands for; template options nest."""
    first = option[0] if option else None
    if not isinstance(first, TemplateOption):
        yield expand(option, ids)
        return
    for number in ids(first.proctype):
        chosen = substitute_all((*first.body,), {first.variable: number})
        yield from expand_option((*chosen, *option[1:]), ids)


def holds_statements(value: object) -> bool:
    if isinstance(value, tuple):
        return bool(value) and isinstance(value[0], Statement)
    return isinstance(value, Statement)


def substitute_all(steps: tuple[Statement, ...], values: Mapping[str, int]) -> tuple[Statement, ...]:
    return tuple(mapped(step, lambda x: literal(x, values)) for step in steps)


def literal(x: Expression, values: Mapping[str, int]) -> Expression | None:
    if isinstance(x, Reference) and x.index is None and x.rest is None and x.name in values:
        return Component(x.span, values[x.name])
    return None


def mapped(node: N, change: Callable[[Any], Any | None]) -> N:
    """A tree in which every node for which `change` has something else is replaced by that, from the root down."""
    changed = change(node)
    if changed is not None:
        return changed  # type: ignore[no-any-return]
    parts: dict[str, Any] = {}
    for field in fields(node):
        old = getattr(node, field.name)
        inner = mapped_field if field.name == "rest" else mapped_part
        new = inner(old, change)
        if new is not old:
            parts[field.name] = new
    return replace(node, **parts) if parts else node


def mapped_field(value: Reference | None, change: Callable[[Any], Any | None]) -> Reference | None:
    """What follows a dot: its name is that of a field, and only its index is an expression."""
    if value is None:
        return None
    index, rest = mapped_part(value.index, change), mapped_field(value.rest, change)
    return value if index is value.index and rest is value.rest else replace(value, index=index, rest=rest)


def mapped_part(value: Any, change: Callable[[Any], Any | None]) -> Any:
    if isinstance(value, Node):
        return mapped(value, change)
    if isinstance(value, tuple):
        new = tuple(mapped_part(each, change) for each in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def walk(node: object) -> Iterator[Node]:
    """All nodes of a tree or of a sequence of trees, each before its parts."""
    if isinstance(node, tuple):
        for each in node:
            yield from walk(each)
    elif isinstance(node, Node) and is_dataclass(node):
        yield node
        for field in fields(node):
            if field.name != "span":
                yield from walk(getattr(node, field.name))


def declared(steps: object) -> Iterator[Declarator]:
    """What a body declares."""
    return (node for node in walk(steps) if isinstance(node, Declarator))
