"""What can be read off generators without a stabiliser chain: orbits, maps between them, blocks, a bound on the order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import factorial

from coset.symmetry.groups.permutation import Permutation


class Partition:
    """Disjoint sets under union (Tarjan), named by one of their members."""

    def __init__(self, members: Iterable[int]) -> None:
        self.parent = {x: x for x in members}

    def find(self, x: int) -> int:
        while (up := self.parent[x]) != x:
            self.parent[x] = x = self.parent[up]
        return x

    def unite(self, x: int, y: int) -> bool:
        """Whether they were apart."""
        x, y = self.find(x), self.find(y)
        self.parent[max(x, y)] = min(x, y)
        return x != y

    def parts(self) -> list[tuple[int, ...]]:
        """Each in ascending order, and by their least members."""
        found: dict[int, list[int]] = defaultdict(list)
        for x in sorted(self.parent):
            found[self.find(x)].append(x)
        return [tuple(part) for part in found.values()]


def orbits(degree: int, generators: Iterable[Permutation]) -> list[tuple[int, ...]]:
    """The orbits, fixed points included.

    >>> orbits(5, [Permutation.of_cycles(5, [(0, 3)]), Permutation.of_cycles(5, [(3, 4)])])
    [(0, 3, 4), (1,), (2,)]
    """
    partition = Partition(range(degree))
    for g in generators:
        for x in g.support():
            partition.unite(x, g(x))
    return partition.parts()


def equivariant_maps(
    generators: Sequence[Permutation], source: Sequence[int], target: Sequence[int]
) -> Iterator[dict[int, int]]:
    """All maps between two orbits that commute with the group.

    A generator that fixes x fixes f(x), which leaves few images to try.  Swapping two clients swaps their boxes:

    >>> list(equivariant_maps([Permutation([1, 0, 3, 2, 4])], (0, 1), (2, 3)))
    [{0: 2, 1: 3}, {0: 3, 1: 2}]
    >>> list(equivariant_maps([Permutation([1, 0, 3, 2, 4])], (0, 1), (4,)))
    [{0: 4, 1: 4}]
    >>> list(equivariant_maps([Permutation([1, 0, 2, 3]), Permutation([0, 1, 3, 2])], (0, 1), (2, 3)))
    []
    """
    movers = movements(generators)
    start = min(source, key=lambda x: (movers[x].bit_count(), x))
    for image in target:
        if movers[image] & ~movers[start] == 0:
            found = spread(generators, movers, start, image)
            if found is not None:
                yield found


def movements(generators: Sequence[Permutation]) -> Mapping[int, int]:
    """For each point, the set of generators (as bits) that move it."""
    result: defaultdict[int, int] = defaultdict(int)
    for i, g in enumerate(generators):
        for x in g.support():
            result[x] |= 1 << i
    return result


def spread(
    generators: Sequence[Permutation], movers: Mapping[int, int], start: int, image: int
) -> dict[int, int] | None:
    """Follow what one image implies; generators that fix both a point and its image say nothing."""
    found = {start: image}
    todo = [start]
    for x in todo:
        relevant = movers[x] | movers[found[x]]
        while relevant:
            g = generators[relevant.bit_length() - 1]
            relevant &= (1 << relevant.bit_length() - 1) - 1
            y, value = g(x), g(found[x])
            if y not in found:
                found[y] = value
                todo.append(y)
            elif found[y] != value:
                return None
    return found


def linked(generators: Sequence[Permutation], found: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Orbits in classes such that the group does the same on all of a class.

    The i-th points of the orbits of a class move together.  The group acts faithfully on one orbit of each class.

    >>> both = [Permutation.of_cycles(6, [(0, 1), (4, 5)]), Permutation.of_cycles(6, [(1, 2), (3, 4)])]
    >>> linked(both, [(0, 1, 2), (3, 4, 5)])
    [[(0, 1, 2), (5, 4, 3)]]
    """
    classes: list[list[tuple[int, ...]]] = []
    for orbit in found:
        for each in classes:
            first = each[0]
            if len(first) == len(orbit):
                link = next(equivariant_maps(generators, first, orbit), None)
                if link is not None:
                    each.append(tuple(link[x] for x in first))
                    break
        else:
            classes.append([orbit])
    return classes


def blocks(generators: Sequence[Permutation], orbit: Sequence[int], x: int, y: int) -> list[tuple[int, ...]]:
    """The finest partition of an orbit that the group keeps, with x and y in one part (Atkinson, Math. Comp. 29, 1975).

    >>> ring = [Permutation([1, 2, 3, 4, 5, 0])]
    >>> blocks(ring, range(6), 0, 3), blocks(ring, range(6), 0, 5)
    ([(0, 3), (1, 4), (2, 5)], [(0, 1, 2, 3, 4, 5)])
    """
    partition = Partition(orbit)
    partition.unite(x, y)
    todo = [(x, y)]
    for a, b in todo:
        for g in generators:
            if partition.unite(g(a), g(b)):
                todo.append((g(a), g(b)))
    return partition.parts()


def order_bound(degree: int, generators: Sequence[Permutation]) -> int:
    """A number that the order cannot exceed; it is the order for products of symmetric and alternating groups.

    >>> order_bound(6, [Permutation([1, 2, 0, 4, 5, 3]), Permutation([1, 0, 2, 4, 3, 5])])
    6
    """
    bound = 1
    for orbit, *_ in linked(generators, [each for each in orbits(degree, generators) if len(each) > 1]):
        even = all(g.restricted(orbit).is_even() for g in generators)
        bound *= factorial(len(orbit)) // (2 if even else 1)
    return bound
