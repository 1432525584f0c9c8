"""Groups by enumeration, straight from the definitions: the naive twin of `coset.symmetry.groups`; and how to build some."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from hypothesis import strategies as st

from coset.symmetry.groups import Group, Permutation

Images = tuple[int, ...]


def product(p: Images, q: Images) -> Images:
    """First p, then q."""
    return tuple(q[x] for x in p)


def closure(degree: int, generators: Iterable[Permutation]) -> set[Images]:
    """All products of the generators."""
    images = [g.images() for g in generators]
    found = {tuple(range(degree))}
    todo = list(found)
    for p in todo:
        for q in images:
            new = product(p, q)
            if new not in found:
                found.add(new)
                todo.append(new)
    return found


def on(elements: Iterable[Images], points: Sequence[int]) -> set[Images]:
    """What the elements do on some points."""
    return {tuple(p[x] for x in points) for p in elements}


def partitions(items: Sequence[tuple[int, ...]]) -> Iterator[list[list[tuple[int, ...]]]]:
    """All ways to put things into classes."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for i in range(len(rest)):
            yield [*rest[:i], [items[0], *rest[i]], *rest[i + 1 :]]


def finest_product(elements: set[Images], orbits: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The finest direct decomposition along orbits, found among all partitions."""
    best: list[tuple[int, ...]] = []
    for partition in partitions(orbits) if orbits else ():
        parts = [tuple(sorted(itertools.chain(*part))) for part in partition]
        total = 1
        for part in parts:
            total *= len(on(elements, part))
        if total == len(elements) and len(parts) >= len(best):
            assert len(parts) > len(best), "the finest decomposition is unique"
            best = parts
    return sorted(best)


def permutations(degree: int) -> st.SearchStrategy[Permutation]:
    return st.permutations(range(degree)).map(Permutation)


@st.composite
def sparse_permutations(draw: st.DrawFn, degree: int) -> Permutation:
    """Some transpositions one after another, so that small groups are not rare."""
    result = Permutation.identity(degree)
    points = st.integers(0, degree - 1)
    for x, y in draw(st.lists(st.tuples(points, points), max_size=3)):
        if x != y:
            result = result * Permutation.of_cycles(degree, [(x, y)])
    return result


@st.composite
def groups(draw: st.DrawFn, largest: int = 7) -> Group:
    """Subgroups of symmetric groups of all kinds, by random generators."""
    degree = draw(st.integers(1, largest))
    kind = draw(st.sampled_from([permutations, sparse_permutations]))
    return Group(degree, draw(st.lists(kind(degree), max_size=4)))


def relabelled(group: Group, by: Permutation) -> Group:
    return Group(group.degree, [g.conjugate(by) for g in group.generators])


def beside(first: Group, second: Group) -> Group:
    """The direct product on the points of both."""
    degree = first.degree + second.degree
    left, right = range(first.degree), range(first.degree, degree)
    return Group(
        degree,
        [g.moved(degree, left) for g in first.generators] + [g.moved(degree, right) for g in second.generators],
    )


def in_parallel(group: Group, copies: int) -> Group:
    """The same group on several rows of points at once."""
    degree = group.degree
    return Group(
        degree * copies,
        [Permutation([k * degree + g(x) for k in range(copies) for x in range(degree)]) for g in group.generators],
    )


def wreath(bottom: Group, top: Group, heads: int = 0) -> Group:
    """Copies of `bottom` (with some points more that it fixes), permuted by `top`."""
    width = bottom.degree + heads
    degree = width * top.degree
    inner = [g.moved(degree, range(bottom.degree)) for g in bottom.generators]
    outer = [Permutation([g(j) * width + i for j in range(top.degree) for i in range(width)]) for g in top.generators]
    return Group(degree, [*inner, *outer])


def cyclic(size: int) -> Group:
    return Group(size, [Permutation.of_cycles(size, [range(size)])])


def dihedral(size: int) -> Group:
    return Group(size, [*cyclic(size).generators, Permutation([-x % size for x in range(size)])])


def alternating(size: int) -> Group:
    return Group(size, [Permutation.of_cycles(size, [(0, 1, i)]) for i in range(2, size)])
