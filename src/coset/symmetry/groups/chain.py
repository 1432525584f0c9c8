"""Stabiliser chains (Sims 1970; Seress, Permutation Group Algorithms, 2003, chapter 4).

A chain fixes one point after another: level i has the orbit of its point under the subgroup that fixes the points
of all levels before, and for each point of the orbit an element that leads to it.  The order of the group is the product of
the lengths of the orbits, and each element is in one way a product of such elements.

Building one: the points are chosen such that the generators at hand are almost a chain already (those that bliss finds
for a symmetric group then are one, whatever its degree); random elements fill what is missing.  A chain with orbits
that are too short has too small a product, so it is complete when the product is the order.  If the order is
unknown, the product is compared with a bound, or all Schreier generators are checked.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from coset.source.budget import current_budget
from coset.symmetry.groups.permutation import Permutation

TRIALS = 20
"""So many random elements in a row that bring nothing new, and the chain is believed to be complete."""


ROOM = 1 << 23
"""So many images are kept in elements that lead along a tree; then only those of one step in STRIDE."""
STRIDE = 16


class WrongOrder(Exception):
    """The order that was given is not the order of the group: an internal error."""


class Level:
    """The orbit of a point as a tree: each point knows an element that leads to its parent, nearer to the root."""

    __slots__ = ("chain", "point", "returns", "tree")

    def __init__(self, point: int, chain: Chain) -> None:
        self.point = point
        self.chain = chain
        self.tree: dict[int, tuple[int, Permutation]] = {}
        self.returns: dict[int, Permutation] = {point: Permutation.identity(chain.degree)}

    def to_point(self, x: int) -> Permutation:
        """An element that maps x to the point of this level."""
        path = []
        while x not in self.returns:
            path.append(x)
            x = self.tree[x][0]
        result = self.returns[x]
        for steps, x in enumerate(reversed(path), 1):
            result = self.tree[x][1] * result
            if self.chain.room > 0 or steps % STRIDE == 0:
                self.returns[x] = result
                self.chain.room -= self.chain.degree
        return result

    def __contains__(self, x: int) -> bool:
        return x == self.point or x in self.tree

    def __len__(self) -> int:
        return len(self.tree) + 1

    def orbit(self) -> list[int]:
        return [self.point, *self.tree]


class Chain:
    """A stabiliser chain; its first levels are at those of the points `first` that move, `prefix` in number."""

    def __init__(
        self, degree: int, generators: Sequence[Permutation], first: Sequence[int] = (), *, ordered: bool = False
    ) -> None:
        self.degree = degree
        self.levels: list[Level] = []
        self.depths: list[tuple[int, Permutation, Permutation]] = []
        """Generators with their inverses; the one of depth d fixes the points of the levels before d."""
        self.movers: dict[int, list[tuple[int, Permutation, Permutation]]] = {}
        self.rng = random.Random(0)
        self.prefix = 0
        self.room = ROOM
        self.start(generators, first, ordered)

    def start(self, generators: Sequence[Permutation], first: Sequence[int], ordered: bool) -> None:
        """Choose points, each the one that the fewest generators move, so that many are left for the next level."""
        supports = {g: g.support() for g in generators}
        counts = Counter(x for support in supports.values() for x in support)
        depth = dict.fromkeys(supports, -1)
        ahead = [x for x in dict.fromkeys(first) if counts[x]]
        rest = set(counts).difference(ahead)
        self.prefix = len(ahead)
        while ahead or supports:
            moved = [x for x in ahead or rest if counts[x]] or ahead
            point = ahead[0] if ahead and ordered else min(moved, key=lambda x: (counts[x], x))
            (ahead or rest).remove(point)
            movers = sorted((g for g in supports if g(point) != point), key=lambda g: len(supports[g]))
            for g in movers:
                depth[g] = len(self.levels)
                counts.subtract(supports.pop(g))
            for g in detours(movers, point):
                if g not in depth:
                    depth[g] = -1
                    supports[g] = g.support()
                    counts.update(supports[g])
            self.levels.append(Level(point, self))
        for g, d in depth.items():
            self.register(g, d)
        self.grow_all()

    def order(self) -> int:
        return prod(map(len, self.levels))

    def levels_at(self, points: Sequence[int]) -> int | None:
        """After how many levels, all at some of the points, all of them are fixed; None if other levels come before."""
        among = set(points)
        depth = next((i for i, level in enumerate(self.levels) if level.point not in among), len(self.levels))
        still = any(d >= depth and any(g(x) != x for x in points) for d, g, _ in self.depths)
        return None if still else depth

    def insert(self, g: Permutation, depth: int) -> None:
        """One more generator, which fixes the points of the levels before `depth`, for the orbit of that level."""
        if depth == len(self.levels):
            self.levels.append(Level(g.support()[0], self))
        self.register(g, depth)
        level = self.levels[depth]
        self.grow(depth, [x for x in g.support() if x in level])

    def register(self, g: Permutation, depth: int) -> None:
        entry = (depth, g, g.inverse())
        self.depths.append(entry)
        for x in g.support():
            self.movers.setdefault(x, []).append(entry)

    def grow(self, i: int, todo: list[int]) -> None:
        """Extend the orbit of a level from some of its points on."""
        level = self.levels[i]
        budget = current_budget()
        for x in todo:
            budget.check()
            for depth, g, back in self.movers[x]:
                if depth >= i and (y := g(x)) not in level:
                    level.tree[y] = (x, back)
                    todo.append(y)

    def grow_all(self) -> None:
        """Extend all orbits by all generators."""
        for i, level in enumerate(self.levels):
            self.grow(i, level.orbit())

    def sift(self, g: Permutation, start: int = 0) -> tuple[Permutation, int]:
        """What remains of an element after dividing it by elements of the chain, and the level where it stopped.

        It is in the group if and only if (the chain being complete) the identity remains.
        """
        for i in range(start, len(self.levels)):
            level = self.levels[i]
            x = g(level.point)
            if x != level.point:
                if x not in level.tree:
                    return g, i
                g = g * level.to_point(x)
        return g, len(self.levels)

    def add(self, g: Permutation) -> bool:
        """Make room for an element of the group; whether it was missing."""
        rest, depth = self.sift(g)
        if not rest:
            return False
        self.insert(rest, depth)
        return True

    def fill(self, order: int, trials: int) -> None:
        """Add random elements until the chain has the order, or many in a row bring nothing new."""
        fruitless = 0
        stream = self.stream()
        while self.levels and self.order() < order and fruitless < trials:
            fruitless = 0 if self.add(next(stream)) else fruitless + 1

    def complete(self, order: int) -> None:
        """Make the chain that of a group whose order is known."""
        self.fill(order, 10 * TRIALS)
        if self.order() < order:
            self.close()
        if self.order() != order:
            raise WrongOrder(f"the order of the group is not {order}, but {self.order()}")

    def find(self, bound: int) -> None:
        """Make the chain that of a group whose order is not known, but cannot exceed a bound."""
        self.fill(bound, TRIALS)
        if self.order() < bound:
            self.close()

    def close(self) -> None:
        """Check all Schreier generators, from the last level to the first (Schreier-Sims)."""
        self.grow_all()
        done: list[set[tuple[int, Permutation]]] = []
        i = len(self.levels) - 1
        while i >= 0:
            done += [set() for _ in range(len(self.levels) - len(done))]
            i = self.close_level(i, done[i])

    def close_level(self, i: int, done: set[tuple[int, Permutation]]) -> int:
        """Check the Schreier generators of one level; the level to check next."""
        level = self.levels[i]
        for depth, s, _ in list(self.depths):
            if depth >= i:
                for x in level.orbit():
                    if (x, s) not in done:
                        done.add((x, s))
                        schreier = level.to_point(x).inverse() * s * level.to_point(s(x))
                        rest, stop = self.sift(schreier, i + 1)
                        if rest:
                            self.insert(rest, stop)
                            self.grow_all()
                            return stop
        return i - 1

    def stream(self) -> Iterator[Permutation]:
        """Elements that are about uniform, by product replacement (Celler et al., Comm. Algebra 23, 1995)."""
        rng = self.rng
        slots = [g for _, g, _ in self.depths]
        if len(slots) > 2 * TRIALS:
            slots = [self.subproduct(slots) for _ in range(2 * TRIALS)]
        slots = (slots * 10)[: max(10, len(slots))]
        result = Permutation.identity(self.degree)
        for step in range(1 << 62):
            i, j = rng.sample(range(len(slots)), 2)
            by = slots[j] if rng.random() < 0.5 else slots[j].inverse()
            slots[i] = slots[i] * by if rng.random() < 0.5 else by * slots[i]
            result = result * slots[i]
            if step > 5 * len(slots):
                yield result

    def subproduct(self, generators: Sequence[Permutation]) -> Permutation:
        """A product of some of the generators in some order."""
        result = Permutation.identity(self.degree)
        for g in self.rng.sample(generators, len(generators)):
            if self.rng.random() < 0.5:
                result = result * g
        return result

    def random(self, rng: random.Random) -> Permutation:
        """An element of the group, all with the same probability."""
        result = Permutation.identity(self.degree)
        for level in self.levels:
            result = result * level.to_point(rng.choice(level.orbit()))
        return result

    def elements(self, i: int = 0) -> Iterator[Permutation]:
        """Every element that fixes the points of the levels before i, once."""
        if i == len(self.levels):
            yield Permutation.identity(self.degree)
            return
        level = self.levels[i]
        leads = [level.to_point(x).inverse() for x in level.orbit()]
        for rest in self.elements(i + 1):
            for lead in leads:
                yield rest * lead

    def stabiliser(self, i: int) -> tuple[list[Permutation], int]:
        """Generators and order of the subgroup that fixes the points of the levels before i."""
        return [g for depth, g, _ in self.depths if depth >= i], prod(map(len, self.levels[i:]))


def detours(movers: Sequence[Permutation], point: int) -> Iterator[Permutation]:
    """Conjugates of generators that move a point, which fix it: of (a b) and (a c), with a to be fixed, (b c).

    >>> [str(g) for g in detours([Permutation([1, 0, 2]), Permutation([2, 1, 0])], 0)]
    ['(1 2)']
    """
    if movers:
        by = movers[0]
        before = by.inverse()(point)
        for g in movers[1:]:
            if by(g(before)) == point:
                yield g.conjugate(by)
