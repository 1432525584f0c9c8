"""Where values are kept: composed types cut into leaves, which become variables of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import product

from coset.languages.murphi.types import BOOLEAN, Array, Multiset, Range, Record, Simple, Type
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.source.records import dataclass
from coset.source.text import Span

NEAR_ZERO = 3
"""Arrays whose least index is at most this begin at 0, so that an index is a value, and no arithmetic on it."""
PRESENT = "present"
"""The field that says which elements a multiset has."""
Path = tuple[str, ...]


@dataclass(eq=False, slots=True)
class Leaf:
    """A simple part of a variable, or an array of such parts."""

    name: str
    path: Path
    dimensions: tuple[Simple, ...]
    split: tuple[int, ...]
    type: Simple
    variable: m.Variable | None = None

    @property
    def undefined(self) -> int:
        return self.type.room


@dataclass(eq=False, slots=True)
class Storage:
    """A variable of the program."""

    name: str
    type: Type
    owner: str | None
    leaves: dict[Path, Leaf] = field(default_factory=dict)
    span: Span | None = None

    def __post_init__(self) -> None:
        for path, dimensions, split, simple in leaves(self.type):
            name = ".".join((self.name, *(part for part in path)))
            self.leaves[path] = Leaf(name, path, dimensions, split, simple)


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A variable, or a part of it: some fields, and indices as they are stored."""

    storage: Storage
    type: Type
    path: Path = ()
    indices: tuple[e.Expr, ...] = ()

    @property
    def leaf(self) -> Leaf:
        return self.storage.leaves[self.path]

    def parts(self) -> Iterator[Leaf]:
        """The leaves below.  Whether an element of a multiset is present is no part of the element."""
        own = None if isinstance(self.type, Multiset) else (*self.path, PRESENT)
        for path, leaf in self.storage.leaves.items():
            if path[: len(self.path)] == self.path and path != own:
                yield leaf


def leaves(type_: Type) -> Iterator[tuple[Path, tuple[Simple, ...], tuple[int, ...], Simple]]:
    """The leaves of a type: fields, types of indices, how many of them follow each part of the name, and the simple type."""
    match type_:
        case Simple():
            yield (), (), (0,), type_
        case Record(fields=fields):
            for name, inner in fields.items():
                for path, dimensions, split, simple in leaves(inner):
                    yield (name, *path), dimensions, (0, *split), simple
        case Array(index=index, element=element):
            for path, dimensions, split, simple in leaves(element):
                yield path, (index, *dimensions), (split[0] + 1, *split[1:]), simple
        case Multiset(slot=slot, element=element):
            yield (PRESENT,), (slot,), (1, 0), BOOLEAN
            for path, dimensions, split, simple in leaves(element):
                yield path, (slot, *dimensions), (split[0] + 1, *split[1:]), simple


def offset(type_: Simple) -> int:
    """What is subtracted from a value to make it an index.

    >>> offset(Range("r", 1, 5)), offset(Range("r", 100, 105))
    (0, 100)
    """
    return 0 if 0 <= type_.low <= NEAR_ZERO or not isinstance(type_, Range) else type_.low


def length(type_: Simple) -> int:
    return type_.high + 1 - offset(type_)


def places(leaf: Leaf) -> Iterator[tuple[int, ...]]:
    """The indices of all elements that exist."""
    yield from product(*([value - offset(each) for value in each.values()] for each in leaf.dimensions))


def domain(type_: Simple) -> Domain:
    """The numbers of a type, and the one that is `undefined`.  There is room for indices that arrays have besides, and for
    other members of a union, as these are values of one sort."""
    undefined = type_.room
    low = 0 if 0 <= type_.low <= NEAR_ZERO or not isinstance(type_, Range) else type_.low
    labels = tuple((value, type_.show(value)) for value in type_.values()) if not isinstance(type_, Range) else ()
    return Domain(type_.name, low, undefined, labels=(*labels, (undefined, "undefined")))


def variable(leaf: Leaf, owner: str | None, span: Span | None) -> m.Variable:
    """The variable of the model, which is undefined at first."""
    shape = tuple(map(length, leaf.dimensions))
    return m.Variable(
        leaf.name, domain(leaf.type), shape, owner, (e.Const(leaf.undefined),), split=leaf.split, span=span,
        elements=tuple(names(leaf, shape)),
    )  # fmt: skip


def names(leaf: Leaf, shape: tuple[int, ...]) -> Iterator[str]:
    """The names of all elements, with indices as the program writes them."""
    if not shape:
        return
    plain = m.Variable(leaf.name, domain(BOOLEAN), shape, split=leaf.split)
    for indices in product(*map(range, shape)):
        shown = [type_.show(k + offset(type_)) for type_, k in zip(leaf.dimensions, indices, strict=True)]
        yield plain.subscripted(shown)
