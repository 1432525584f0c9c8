"""The ranges and scalarsets of a program, with the variables that have to do with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coset.languages.murphi import tree as t
from coset.languages.murphi.storage import Leaf, Storage, offset
from coset.languages.murphi.symbols import Found
from coset.languages.murphi.types import Range, Scalarset, Simple, Union
from coset.model.declared import DeclaredType
from coset.source.text import Span

SLOT = "slot"
"""The name of the type of the places of a multiset, which is not declared."""


def declared_types(found: Found, storages: Iterable[Storage]) -> Iterator[DeclaredType]:
    """Ranges of one name and the same bounds are one type."""
    shared = [storage for storage in storages if storage.owner is None]
    spans = declared_at(found)
    leaves = [(storage, leaf) for storage in shared for leaf in storage.leaves.values()]
    types = {key(type_): type_ for _, leaf in leaves for type_ in mentioned(leaf)}
    for type_ in types.values():
        span = spans.get(id(type_))
        holding, indexed = set(), set()
        for storage, leaf in leaves:
            if has(leaf.type, type_):
                holding.add(leaf.name)
                span = span or storage.span
            for dimension, index in enumerate(leaf.dimensions):
                if has(index, type_):
                    indexed.add((leaf.name, dimension, offset(index)))
                    span = span or storage.span
        is_scalarset = isinstance(type_, Scalarset)
        yield DeclaredType(
            type_.name, type_.low, type_.high, is_scalarset, span, frozenset(holding), frozenset(indexed)
        )


def declared_at(found: Found) -> dict[int, Span]:
    """Where types are declared that have a name."""
    spans: dict[int, Span] = {}
    for part in found.program.parts:
        if isinstance(part, t.TypeDecl):
            spans.setdefault(id(found.type_of(part.type)), part.span)
    return spans


def mentioned(leaf: Leaf) -> Iterator[Simple]:
    for type_ in (leaf.type, *leaf.dimensions):
        for part in parts(type_):
            if isinstance(part, Scalarset) or (isinstance(part, Range) and part.name != SLOT):
                yield part


def parts(type_: Simple) -> tuple[Simple, ...]:
    return type_.members if isinstance(type_, Union) else (type_,)


def has(type_: Simple, part: Simple) -> bool:
    """Whether a type, or a member of it, is the same as another one."""
    return any(key(each) == key(part) for each in parts(type_))


def key(type_: Simple) -> object:
    return (type_.name, type_.low, type_.high) if isinstance(type_, Range) else id(type_)
