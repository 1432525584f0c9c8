"""Permutation groups, given by generators."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import prod

from coset.symmetry.groups import orbits as by_generators
from coset.symmetry.groups.chain import Chain
from coset.symmetry.groups.permutation import Permutation


class Group:
    """A group of permutations of the points 0, 1, ..., degree - 1.

    Who knows the order gives it, and saves its computation; it must be right (`chain` notices if not).
    Nothing is computed before it is asked for.

    >>> square = Group(4, [Permutation([1, 2, 3, 0]), Permutation([0, 3, 2, 1])])
    >>> square.order, Permutation([2, 3, 0, 1]) in square, Permutation([1, 0, 2, 3]) in square
    (8, True, False)
    >>> square
    Group(4, (0 1 2 3), (1 3))
    """

    def __init__(self, degree: int, generators: Iterable[Permutation] = (), order: int | None = None) -> None:
        self.degree = degree
        self.generators = tuple(g for g in dict.fromkeys(generators) if g)
        if any(g.degree != degree for g in self.generators):
            raise ValueError(f"a generator is not a permutation of {degree} points")
        self._order = order

    @staticmethod
    def symmetric(degree: int) -> Group:
        """All permutations.

        >>> Group.symmetric(4).order
        24
        """
        return Group(degree, [Permutation.of_cycles(degree, [(i, i + 1)]) for i in range(degree - 1)])

    @cached_property
    def chain(self) -> Chain:
        """A stabiliser chain at points of its own choice, complete."""
        chain = Chain(self.degree, self.generators)
        if self._order is None:
            chain.find(by_generators.order_bound(self.degree, self.generators))
        else:
            chain.complete(self._order)
        return chain

    def chain_at(self, points: Sequence[int], *, ordered: bool = False) -> Chain:
        """A complete stabiliser chain whose first levels are at those of the points that move, if wanted in this order."""
        chain = Chain(self.degree, self.generators, points, ordered=ordered)
        chain.complete(self.order)
        return chain

    @property
    def order(self) -> int:
        """How many elements there are, exactly."""
        if self._order is None:
            self._order = self.chain.order()
        return self._order

    def __contains__(self, g: Permutation) -> bool:
        return g.degree == self.degree and not self.chain.sift(g)[0]

    def __le__(self, other: Group) -> bool:
        """Whether this is a subgroup of the other."""
        return self.degree == other.degree and all(g in other for g in self.generators)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.order == other.order and self <= other

    def __hash__(self) -> int:
        return hash((self.degree, self.order))

    def __repr__(self) -> str:
        return f"Group({', '.join([str(self.degree), *map(str, self.generators)])})"

    def identity(self) -> Permutation:
        return Permutation.identity(self.degree)

    @cached_property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """All orbits, fixed points included, each in ascending order."""
        return tuple(by_generators.orbits(self.degree, self.generators))

    @cached_property
    def moved(self) -> tuple[tuple[int, ...], ...]:
        """The orbits of two points and more."""
        return tuple(orbit for orbit in self.orbits if len(orbit) > 1)

    @cached_property
    def support(self) -> frozenset[int]:
        """The points that move."""
        return frozenset(x for orbit in self.moved for x in orbit)

    def transversal(self, point: int) -> dict[int, Permutation]:
        """For each point of an orbit, an element that maps `point` to it.

        >>> Group(3, [Permutation([1, 2, 0])]).transversal(0)[2]
        Permutation(3, '(0 2 1)')
        """
        found = {point: self.identity()}
        todo = [point]
        for x in todo:
            for g in self.generators:
                if (y := g(x)) not in found:
                    found[y] = found[x] * g
                    todo.append(y)
        return found

    def stabiliser(self, *points: int) -> Group:
        """The subgroup that fixes each of the points.

        >>> Group.symmetric(5).stabiliser(0, 3).order
        6
        """
        chain, depth = self.fixing(points)
        return Group(self.degree, *chain.stabiliser(depth))

    def fixing(self, points: Sequence[int]) -> tuple[Chain, int]:
        """A chain whose first levels are at some of the points, and the number of levels after which all of them are fixed."""
        depth = self.chain.levels_at(points)
        if depth is not None:
            return self.chain, depth
        chain = self.chain_at(points)
        return chain, chain.prefix

    def restriction(self, points: Sequence[int]) -> Group:
        """The action on points that the group maps to themselves; the i-th of them becomes i.

        >>> Group(6, [Permutation([1, 2, 0, 4, 3, 5])]).restriction([3, 4]).order
        2
        """
        return Group(len(points), [g.restricted(points) for g in self.generators], self.order_on(points))

    def projection(self, points: Sequence[int]) -> Group:
        """The action on points that the group maps to themselves, all other points fixed.

        >>> Group(6, [Permutation([1, 2, 0, 4, 3, 5])]).projection([3, 4])
        Group(6, (3 4))
        """
        if self.support <= set(points):
            return self
        generators = [g.restricted(points).moved(self.degree, points) for g in self.generators]
        return Group(self.degree, generators, self.order_on(points))

    def order_on(self, points: Sequence[int]) -> int:
        """How many different actions on the points there are."""
        if self.support <= set(points):
            return self.order
        if self.support.isdisjoint(points):
            return 1
        chain, depth = self.fixing(points)
        return prod(map(len, chain.levels[:depth]))

    def setwise_stabiliser(self, points: Iterable[int]) -> Group:
        """The subgroup that maps a set of points to itself; made for small sets.

        Backtracking: elements that fix the first i - 1 of the points and move the i-th, for i from the last to the first;
        an image that known elements reach already needs no search.

        >>> Group.symmetric(6).setwise_stabiliser([0, 1]).order
        48
        """
        inside = set(points)
        chain = self.chain_at(sorted(inside))
        depth = chain.prefix
        generators, order = chain.stabiliser(depth)
        for i in reversed(range(depth)):
            level = chain.levels[i]
            reached = {level.point}
            for x in sorted(inside):
                if x in level and x not in reached:
                    lead = next(keeping(chain, inside, i + 1, depth, level.to_point(x).inverse()), None)
                    if lead is not None:
                        generators.append(lead)
                        reached = set(Group(self.degree, generators).orbit(level.point))
            order *= len(reached)
        return Group(self.degree, generators, order)

    def orbit(self, point: int) -> tuple[int, ...]:
        """The points that `point` can be mapped to, the nearest first."""
        found = {point: None}
        todo = [point]
        for x in todo:
            for g in self.generators:
                if (y := g(x)) not in found:
                    found[y] = None
                    todo.append(y)
        return tuple(found)

    def random(self, rng: random.Random) -> Permutation:
        """An element, all with the same probability."""
        return self.chain.random(rng)

    def elements(self) -> Iterator[Permutation]:
        """Every element once, the identity first."""
        return self.chain.elements()

    def join(self, *others: Permutation | Group) -> Group:
        """The smallest group that contains this one and the others.

        >>> Group(3, [Permutation([1, 0, 2])]).join(Permutation([0, 2, 1])).order
        6
        """
        more = [g for each in others for g in (each.generators if isinstance(each, Group) else (each,))]
        new = [g for g in more if g not in self]
        return Group(self.degree, (*self.generators, *new)) if new else self

    def right_cosets(self, subgroup: Group) -> Iterator[Permutation]:
        """An element of each right coset `subgroup * g`, the identity first.

        Each coset is known by the element in it that is least on the base of the subgroup's chain.

        >>> list(Group.symmetric(3).right_cosets(Group(3, [Permutation([1, 0, 2])])))
        [Permutation(3, '()'), Permutation(3, '(1 2)'), Permutation(3, '(0 1 2)')]
        """
        chain = subgroup.chain
        todo = [self.identity()]
        seen = {least_in_coset(chain, todo[0])}
        for g in todo:
            yield g
            for s in self.generators:
                least = least_in_coset(chain, g * s)
                if least not in seen:
                    seen.add(least)
                    todo.append(g * s)


def least_in_coset(chain: Chain, g: Permutation) -> Permutation:
    """The element of the right coset of g whose images of the chain's points are least, in lexicographic order."""
    for level in chain.levels:
        x = min(level.orbit(), key=g)
        if x != level.point:
            g = level.to_point(x).inverse() * g
    return g


def keeping(chain: Chain, inside: set[int], i: int, depth: int, g: Permutation) -> Iterator[Permutation]:
    """Products of an element of level i with g that map the points of the levels i to `depth` into a set.

    The set is then mapped to itself: its other points are fixed by the whole group, or else have a level among these.
    """
    if i == depth:
        if all(g(x) in inside for x in inside):
            yield g
        return
    level = chain.levels[i]
    for x in level.orbit():
        if g(x) in inside:
            yield from keeping(chain, inside, i + 1, depth, level.to_point(x).inverse() * g)
