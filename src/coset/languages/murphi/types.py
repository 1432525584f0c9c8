"""The types of Murphi, and the numbers that stand for their values.

The values of a simple type are consecutive numbers.  A range has its own, `boolean` 0 and 1, and enumerations and
scalarsets count from a `base`, which is 0 unless the type is a member of a union: the members of one union have
different bases, so that a union is a disjoint sum and a value has one number in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(eq=False, slots=True)
class Type:
    name: str


@dataclass(eq=False, slots=True)
class Simple(Type):
    """A type with numbers as values."""

    @property
    def low(self) -> int:
        raise NotImplementedError

    @property
    def high(self) -> int:
        raise NotImplementedError

    def show(self, value: int) -> str:
        """The name of a value."""
        return str(value)

    @property
    def room(self) -> int:
        """The least number that no value of this type, or of one that shares a union with it, has: it is `undefined`."""
        return self.high + 1

    def values(self) -> Iterator[int]:
        yield from range(self.low, self.high + 1)


@dataclass(eq=False, slots=True)
class Boolean(Simple):
    @property
    def low(self) -> int:
        return 0

    @property
    def high(self) -> int:
        return 1

    def show(self, value: int) -> str:
        return "true" if value else "false"


@dataclass(eq=False, slots=True)
class Range(Simple):
    least: int
    most: int

    @property
    def low(self) -> int:
        return self.least

    @property
    def high(self) -> int:
        return self.most


@dataclass(eq=False, slots=True)
class Named(Simple):
    """A type whose values are no numbers for its user: an enumeration or a scalarset."""

    size: int
    base: int = 0
    top: int = -1
    """The largest number in unions that this type is a member of."""

    @property
    def low(self) -> int:
        return self.base

    @property
    def high(self) -> int:
        return self.base + self.size - 1

    @property
    def room(self) -> int:
        return max(self.high, self.top) + 1


@dataclass(eq=False, slots=True)
class Enumeration(Named):
    members: tuple[str, ...] = ()

    def show(self, value: int) -> str:
        place = value - self.base
        return self.members[place] if 0 <= place < self.size else str(value)


@dataclass(eq=False, slots=True)
class Scalarset(Named):
    span: Span | None = None

    def show(self, value: int) -> str:
        return f"{self.name}_{value - self.base + 1}"


@dataclass(eq=False, slots=True)
class Union(Simple):
    members: tuple[Named, ...]

    @property
    def low(self) -> int:
        return min(each.low for each in self.members)

    @property
    def high(self) -> int:
        return max(each.high for each in self.members)

    @property
    def room(self) -> int:
        return max(each.room for each in self.members)

    def show(self, value: int) -> str:
        return next((each.show(value) for each in self.members if each.low <= value <= each.high), str(value))

    def values(self) -> Iterator[int]:
        yield from sorted(value for each in self.members for value in each.values())


@dataclass(eq=False, slots=True)
class Record(Type):
    fields: dict[str, Type] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Array(Type):
    index: Simple
    element: Type


@dataclass(eq=False, slots=True)
class Multiset(Type):
    """At most `size` elements, in slots."""

    slot: Range
    element: Type


BOOLEAN = Boolean("boolean")
NUMBER = Range("number", -(1 << 31), (1 << 31) - 2)
"""The type of what is computed."""
UNKNOWN = Type("?")
"""The type of what is wrong, about which nothing more is said."""


def allot(unions: list[Union], named: list[Named]) -> None:
    """Give the members of each union, and of unions that share members, different numbers.

    >>> home, node, other = Enumeration("home", 2, members=("A", "B")), Scalarset("node", 3), Scalarset("other", 2)
    >>> allot([Union("any", (home, node))], [home, node, other])
    >>> home.base, node.base, other.base, node.room, other.room
    (0, 2, 0, 5, 2)
    """
    leader: dict[int, int] = {}

    def find(number: int) -> int:
        while leader.get(number, number) != number:
            number = leader[number]
        return number

    place = {id(each): k for k, each in enumerate(named)}
    for union in unions:
        first, *others = (place[id(each)] for each in union.members)
        for number in others:
            one, other = sorted((find(first), find(number)))
            leader[other] = one
    groups: dict[int, list[Named]] = {}
    for k, each in enumerate(named):
        groups.setdefault(find(k), []).append(each)
    for group in groups.values():
        base = 0
        for each in group:
            each.base = base
            base += each.size
        for each in group:
            each.top = base - 1


def compatible(one: Type, other: Type) -> bool:
    """Whether values of the types can be compared, and assigned if they fit.

    >>> compatible(Range("a", 0, 3), NUMBER), compatible(BOOLEAN, NUMBER)
    (True, False)
    """
    if one is other or UNKNOWN in (one, other):
        return True
    if isinstance(one, Range) and isinstance(other, Range):
        return True
    if isinstance(one, Union) or isinstance(other, Union):
        return bool(members(one) & members(other))
    if isinstance(one, Array) and isinstance(other, Array):
        return same(one.index, other.index) and compatible(one.element, other.element)
    if isinstance(one, Multiset) and isinstance(other, Multiset):
        return one.slot.high == other.slot.high and compatible(one.element, other.element)
    if isinstance(one, Record) and isinstance(other, Record):
        return list(one.fields) == list(other.fields) and all(
            compatible(mine, yours) for mine, yours in zip(one.fields.values(), other.fields.values(), strict=True)
        )
    return False


def same(one: Simple, other: Simple) -> bool:
    return one is other or (compatible(one, other) and (one.low, one.high) == (other.low, other.high))


def members(type_: Type) -> set[int]:
    """The types that a value may be of, by identity."""
    if isinstance(type_, Union):
        return {id(each) for each in type_.members}
    return {id(type_)}
