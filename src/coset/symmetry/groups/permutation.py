"""Permutations of the points 0, 1, ..., degree - 1.

Products read from left to right, as in GAP: `(p * q)(x) == q(p(x))`, so that `p * q` is "first p, then q".
This is the only convention, and everything in `groups` follows it.

Up to degree 256 the images are `bytes`, padded with fixed points to a whole table, so that `bytes.translate` composes
and `bytes.maketrans` inverts, each in half a microsecond; above, they are a tuple.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from operator import itemgetter, ne
from typing import Any, cast

PACKED = 256
UNIT = bytes(range(PACKED))


class Permutation:
    """An immutable permutation; `Permutation([1, 0, 2])` swaps 0 and 1.

    >>> p, q = Permutation.of_cycles(4, [(0, 1, 2)]), Permutation.of_cycles(4, [(2, 3)])
    >>> p * q
    Permutation(4, '(0 1 3 2)')
    >>> (p * q)(1) == q(p(1)) == 3
    True
    >>> p**-1 == p * p, p.order(), p.support()
    (True, 3, (0, 1, 2))
    """

    __slots__ = ("_support", "degree", "table")

    degree: int
    table: bytes | tuple[int, ...]
    """The images; `bytes` of length 256 or a tuple of length `degree`."""

    def __init__(self, images: Sequence[int]) -> None:
        degree = len(images)
        if sorted(images) != list(range(degree)):
            raise ValueError(f"not a permutation of 0..{degree - 1}: {list(images)[:20]}")
        self.degree = degree
        self._support: tuple[int, ...] | None = None
        self.table = bytes(images) + UNIT[degree:] if degree <= PACKED else tuple(images)

    @staticmethod
    def _made(degree: int, table: Any) -> Permutation:
        """Of a table that is known to be right."""
        result = Permutation.__new__(Permutation)
        result.degree = degree
        result._support = None
        result.table = table
        return result

    @staticmethod
    def identity(degree: int) -> Permutation:
        return Permutation._made(degree, UNIT if degree <= PACKED else tuple(range(degree)))

    @staticmethod
    def of_cycles(degree: int, cycles: Iterable[Sequence[int]]) -> Permutation:
        """The product of cycles of distinct points."""
        images = list(range(degree))
        seen: set[int] = set()
        for cycle in cycles:
            for x, y in zip(cycle, (*cycle[1:], *cycle[:1])):
                if not 0 <= x < degree:
                    raise ValueError(f"{x} is not one of the points 0..{degree - 1}")
                if x in seen:
                    raise ValueError(f"the point {x} occurs twice")
                seen.add(x)
                images[x] = y
        return Permutation(images)

    def __call__(self, point: int) -> int:
        return self.table[point]

    def __mul__(self, other: Permutation) -> Permutation:
        """First this one, then the other."""
        if self.degree != other.degree:
            raise ValueError(f"permutations of {self.degree} and of {other.degree} points have no product")
        if self.degree <= PACKED:
            table: Any = cast(bytes, self.table).translate(cast(bytes, other.table))
        else:
            table = itemgetter(*self.table)(other.table)
        return Permutation._made(self.degree, table)

    def inverse(self) -> Permutation:
        if self.degree <= PACKED:
            return Permutation._made(self.degree, bytes.maketrans(cast(bytes, self.table), UNIT))
        images = list(range(self.degree))
        for x in self.support():
            images[self.table[x]] = x
        return Permutation._made(self.degree, tuple(images))

    def __pow__(self, exponent: int) -> Permutation:
        if exponent < 0:
            return self.inverse() ** -exponent
        result, square = Permutation.identity(self.degree), self
        while exponent:
            if exponent & 1:
                result = result * square
            square = square * square
            exponent >>= 1
        return result

    def conjugate(self, by: Permutation) -> Permutation:
        """`by**-1 * self * by`: the same cycles with every point x renamed to by(x)."""
        return by.inverse() * self * by

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Permutation) and self.degree == other.degree and self.table == other.table

    def __hash__(self) -> int:
        return hash(self.table)

    def __bool__(self) -> bool:
        """Whether anything moves."""
        return self.table != Permutation.identity(self.degree).table

    def images(self) -> tuple[int, ...]:
        return tuple(self.table[: self.degree])

    def support(self) -> tuple[int, ...]:
        """The points that move."""
        if self._support is None:
            points = range(self.degree)
            self._support = tuple(compress(points, map(ne, self.table, points)))
        return self._support

    def cycles(self) -> Iterator[tuple[int, ...]]:
        """The cycles of two points and more; each begins with its least point."""
        seen: set[int] = set()
        for start in self.support():
            if start not in seen:
                cycle = [start]
                while (point := self.table[cycle[-1]]) != start:
                    cycle.append(point)
                seen.update(cycle)
                yield tuple(cycle)

    def order(self) -> int:
        """The least k > 0 such that the k-th power is the identity."""
        return math.lcm(*map(len, self.cycles()))

    def is_even(self) -> bool:
        """Whether it is a product of an even number of transpositions."""
        return sum(len(cycle) - 1 for cycle in self.cycles()) % 2 == 0

    def restricted(self, points: Sequence[int]) -> Permutation:
        """The action on a set of points that it maps to itself; the i-th of them becomes i.

        >>> Permutation.of_cycles(6, [(0, 3), (4, 5)]).restricted([3, 0])
        Permutation(2, '(0 1)')
        """
        place = {x: i for i, x in enumerate(points)}
        try:
            return Permutation([place[self.table[x]] for x in points])
        except KeyError as error:
            raise ValueError(f"the points are not mapped to themselves: {error} is an image") from None

    def moved(self, degree: int, points: Sequence[int]) -> Permutation:
        """The inverse of `restricted`: acts on `points` as this one does on 0, 1, ..., and fixes all others.

        >>> Permutation([1, 0]).moved(6, [3, 0])
        Permutation(6, '(0 3)')
        """
        images = list(range(degree))
        for i, x in enumerate(points):
            images[x] = points[self.table[i]]
        return Permutation(images)

    def show(self, names: Sequence[str] | None = None) -> str:
        """Cycle notation, by name if there are names; `()` is the identity.

        >>> Permutation([1, 0, 3, 2]).show(["1", "2", "link1", "link2"])
        '(1 2)(link1 link2)'
        """
        word = str if names is None else names.__getitem__
        return "".join(f"({' '.join(map(word, cycle))})" for cycle in self.cycles()) or "()"

    def __str__(self) -> str:
        return self.show()

    def __repr__(self) -> str:
        return f"Permutation({self.degree}, {self.show()!r})"

    @staticmethod
    def parse(text: str, names: Sequence[str]) -> Permutation:
        """What `show` prints; commas may stand between the names.

        >>> Permutation.parse("(a b) (c,d)", ["a", "b", "c", "d"]).images()
        (1, 0, 3, 2)
        >>> Permutation.parse("(a x)", ["a", "b"])
        Traceback (most recent call last):
        ...
        ValueError: 'x' in '(a x)' is not one of a, b
        """
        place = {name: i for i, name in enumerate(names)}
        if len(place) < len(names):
            raise ValueError("two points have the same name")
        if not re.fullmatch(r"\s*(\([^()]*\)\s*)+", text):
            raise ValueError(f"{text!r} is not in cycle notation, such as '(a b)(c d e)'")
        cycles = []
        for inside in re.findall(r"\(([^()]*)\)", text):
            words = inside.split()
            if not place.keys() >= set(words):
                words = inside.replace(",", " ").split()
            for word in words:
                if word not in place:
                    known = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
                    raise ValueError(f"{word!r} in {text!r} is not one of {known}")
            cycles.append([place[word] for word in words])
        if len(used := [x for cycle in cycles for x in cycle]) > len(set(used)):
            raise ValueError(f"a name occurs twice in {text!r}")
        return Permutation.of_cycles(len(names), cycles)
