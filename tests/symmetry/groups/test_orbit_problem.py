"""The orbit problem, against orbits that are computed element by element, and graph isomorphism as an orbit problem."""

from __future__ import annotations

import math
import random
from itertools import combinations

import igraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coset.symmetry.groups import Group, Permutation, describe
from coset.symmetry.groups.orbit_problem import carrier, into_itself, is_easy, least, moved, same_orbit
from tests.support.groups_naive import (
    alternating,
    beside,
    closure,
    cyclic,
    dihedral,
    groups,
    in_parallel,
    permutations,
    relabelled,
    wreath,
)

SEED = 5


def orbit(group: Group, s: tuple[int, ...]) -> set[tuple[int, ...]]:
    """By definition."""
    return {moved(Permutation(images), s) for images in closure(group.degree, group.generators)}


def compare(group: Group, s: tuple[int, ...], t: tuple[int, ...]) -> None:
    everything = orbit(group, s)
    assert least(group, s) == min(everything)
    assert same_orbit(group, s, t) == (t in everything)
    g = carrier(group, s, t)
    assert (g is not None) == (t in everything)
    assert g is None or (g in group and moved(g, s) == t)


def vectors(degree: int, values: int = 3) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(0, values - 1)] * degree)


@given(groups(6), st.data())
def test_any_group(group: Group, data: st.DataObject) -> None:
    s, t = data.draw(vectors(group.degree)), data.draw(vectors(group.degree))
    compare(group, s, t)
    compare(group, s, moved(group.random(random.Random(SEED)), s))


EASY = {
    "symmetric": Group.symmetric(5),
    "rotations": cyclic(6),
    "dihedral": dihedral(6),
    "product": beside(Group.symmetric(3), cyclic(4)),
    "columns": in_parallel(Group.symmetric(5), 2),
    "ring of columns": in_parallel(cyclic(3), 2),
    "wreath": wreath(Group.symmetric(2), Group.symmetric(3)),
    "wreath with heads": wreath(Group.symmetric(2), Group.symmetric(3), 1),
    "wreath by rotations": wreath(Group.symmetric(3), cyclic(3)),
    "transpositions": Group(6, [Permutation.of_cycles(6, [pair]) for pair in ((0, 3), (3, 4), (1, 5))]),
    "wreath of wreath": wreath(wreath(Group.symmetric(2), Group.symmetric(2)), Group.symmetric(2)),
}
HARD = {
    "alternating": alternating(6),
    "mirrored columns": Group(
        10,
        [Permutation([*images, *(9 - x for x in reversed(images))]) for images in ([1, 0, 2, 3, 4], [1, 2, 3, 4, 0])],
    ),
}


@pytest.mark.parametrize("name", EASY)
def test_easy_groups_are_recognised(name: str) -> None:
    group = EASY[name]
    assert is_easy(describe(group))
    rng = random.Random(SEED)
    for _ in range(25):
        s = tuple(rng.randrange(3) for _ in range(group.degree))
        compare(group, s, tuple(rng.sample(s, len(s))))
        compare(group, s, moved(group.random(rng), s))


@given(st.sampled_from(sorted(EASY)), st.data())
def test_groups_on_points_in_any_order(name: str, data: st.DataObject) -> None:
    group = EASY[name]
    mixed = relabelled(group, data.draw(permutations(group.degree)))
    s = data.draw(vectors(group.degree))
    assert least(mixed, s) == min(orbit(mixed, s))


@pytest.mark.parametrize("name", HARD)
def test_groups_that_are_searched(name: str) -> None:
    group = HARD[name]
    assert not is_easy(describe(group))
    rng = random.Random(SEED)
    for _ in range(25):
        s = tuple(rng.randrange(3) for _ in range(group.degree))
        compare(group, s, tuple(rng.sample(s, len(s))))
        compare(group, s, moved(group.random(rng), s))


def test_large_groups_are_sorted() -> None:
    """Nobody could go through these element by element."""
    rng = random.Random(SEED)
    s = tuple(rng.randrange(10) for _ in range(200))
    assert least(Group.symmetric(200), s) == tuple(sorted(s))
    order = math.factorial(10) ** 20 * math.factorial(20)
    servers = Group(200, wreath(Group.symmetric(10), Group.symmetric(20)).generators, order)
    blocks = sorted(tuple(sorted(s[10 * k : 10 * k + 10])) for k in range(20))
    assert least(servers, s) == least(describe(servers), s) == tuple(x for block in blocks for x in block)
    assert same_orbit(servers, s, moved(servers.random(rng), s))
    assert not same_orbit(servers, s, (s[0] + 1, *s[1:]))


# --- reductions --------------------------------------------------------------------------------------


def on_pairs(size: int) -> tuple[Group, list[tuple[int, int]]]:
    """What permutations of vertices do with pairs of them."""
    pairs = list(combinations(range(size), 2))
    place = {frozenset(pair): k for k, pair in enumerate(pairs)}
    generators = [
        Permutation([place[frozenset((g(a), g(b)))] for a, b in pairs]) for g in Group.symmetric(size).generators
    ]
    return Group(len(pairs), generators), pairs


def test_graph_isomorphism_is_an_orbit_problem() -> None:
    """Two graphs are isomorphic if and only if their edges, as vectors of pairs of vertices, are in one orbit."""
    rng = random.Random(SEED)
    group, pairs = on_pairs(6)
    answers = []
    for _ in range(40):
        count = rng.randrange(3, 10)
        graphs = [rng.sample(pairs, count) for _ in range(2)]
        s, t = (tuple(int(pair in edges) for pair in pairs) for edges in graphs)
        expected = igraph.Graph(n=6, edges=graphs[0]).isomorphic(igraph.Graph(n=6, edges=graphs[1]))
        assert same_orbit(group, s, t) == expected == (least(group, s) == least(group, t))
        answers.append(expected)
    assert True in answers and False in answers


@given(groups(6), st.data())
def test_set_stabiliser_in_a_coset(group: Group, data: st.DataObject) -> None:
    by = data.draw(permutations(group.degree))
    points = data.draw(st.sets(st.integers(0, group.degree - 1)))
    found = into_itself(group, by, points)
    coset = [Permutation(images) * by for images in closure(group.degree, group.generators)]
    assert (found is not None) == any({g(x) for x in points} == points for g in coset)
    assert found is None or (found in coset and {found(x) for x in points} == points)


def test_lengths_must_fit() -> None:
    with pytest.raises(ValueError, match="3 places, and a group on 4 points"):
        least(Group.symmetric(4), (1, 2, 3))
