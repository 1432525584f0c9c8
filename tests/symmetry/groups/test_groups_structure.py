"""Structure of groups: what is recognised is exact, and what was built is recognised."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset.symmetry.groups import Group, Other, Permutation, Product, Structure, Symmetric, Tied, Wreath, describe, name
from coset.symmetry.groups.recognition import independent
from tests.support.groups_naive import (
    alternating,
    beside,
    closure,
    cyclic,
    dihedral,
    finest_product,
    groups,
    in_parallel,
    relabelled,
    wreath,
)

S = Group.symmetric


def shuffled(group: Group, seed: int) -> Group:
    return relabelled(group, Permutation(random.Random(seed).sample(range(group.degree), group.degree)))


def words(text: str) -> list[str]:
    """What a name says, but for the order of factors."""
    return sorted(re.split(r"\W+", text.strip("()")))


def check(group: Group, found: Structure) -> None:
    """That it is a description of the group, whatever it is."""
    assert found.order == group.order
    assert all(g in found for g in group.generators)
    assert sorted(found.points) == sorted(x for orbit in group.moved for x in orbit)


@settings(max_examples=150, deadline=None)
@given(groups())
def test_description_contains_exactly_the_group(group: Group) -> None:
    found = describe(group)
    check(group, found)
    elements = closure(group.degree, group.generators)
    described = {p for p in itertools.permutations(range(group.degree)) if Permutation(p) in found}
    assert described == elements


@settings(max_examples=150, deadline=None)
@given(groups(9), st.booleans())
def test_decomposition_is_the_finest(group: Group, twice: bool) -> None:
    """Against all partitions of the orbits."""
    group = in_parallel(group, 2) if twice and group.degree < 5 else group
    elements = closure(group.degree, group.generators) if group.order < 6000 else set()
    if elements:
        assert independent(group) == finest_product(elements, group.moved)


BUILT = {
    "trivial": Group(4),
    "S2": in_parallel(S(2), 5),
    "S3": S(3),
    "S4": in_parallel(S(4), 3),
    "S9": S(9),
    "A4": alternating(4),
    "A7": in_parallel(alternating(7), 2),
    "C3": cyclic(3),
    "C10": cyclic(10),
    "C12": in_parallel(cyclic(12), 2),
    "D4": dihedral(4),
    "D10": in_parallel(dihedral(10), 2),
    "S3 x S4": beside(S(3), S(4)),
    "C5 x D6 x S3": beside(beside(cyclic(5), in_parallel(dihedral(6), 2)), S(3)),
    "S2 x S2 x S2": beside(beside(S(2), S(2)), in_parallel(S(2), 3)),
    "S3 wr S2": wreath(S(3), S(2)),
    "S2 wr S3": in_parallel(wreath(S(2), S(3), heads=2), 2),
    "S5 wr S4": wreath(S(5), S(4), heads=1),
    "(S2 x S3) wr S3": wreath(beside(S(2), S(3)), S(3), heads=1),
    "C3 wr S3": wreath(cyclic(3), S(3)),
    "S3 wr C5": wreath(S(3), cyclic(5), heads=1),
    "S2 wr D5": wreath(S(2), dihedral(5)),
    "(S2 wr S3) wr S2": wreath(wreath(S(2), S(3)), S(2)),
    "A5 x S3 wr S2": beside(wreath(S(3), S(2), heads=2), alternating(5)),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", BUILT)
def test_what_was_built_is_recognised(text: str, seed: int) -> None:
    group = shuffled(BUILT[text], seed) if seed else BUILT[text]
    found = describe(group)
    check(group, found)
    assert words(name(found)) == words(text)


@pytest.mark.parametrize("text", BUILT)
def test_generators_do_not_matter(text: str) -> None:
    """Random elements instead of neat generators."""
    rng = random.Random(5)
    neat = BUILT[text]
    group = Group(neat.degree, [neat.random(rng) for _ in range(12)])
    assert group == neat
    assert words(name(describe(group))) == words(text)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(BUILT)), min_size=2, max_size=3), st.integers(0, 1000))
def test_products_of_what_was_built(texts: list[str], seed: int) -> None:
    group = Group(0)
    for text in texts:
        group = beside(group, BUILT[text])
    group = shuffled(group, seed)
    found = describe(group)
    check(group, found)
    assert words(name(found)) == words(" x ".join(text for text in texts if text != "trivial") or "trivial")


def subgroup_of_what_was_built(seed: int) -> tuple[Group, Group]:
    """Few random elements, or powers of such, of a group that was built, alone or beside another."""
    rng = random.Random(seed)
    whole = beside(rng.choice([*BUILT.values()]), rng.choice([Group(0), *BUILT.values()]))
    elements = [whole.random(rng) ** rng.choice([1, 1, 2, 3, 4, 6]) for _ in range(rng.randint(1, 4))]
    return whole, Group(whole.degree, elements)


def check_subgroups(seeds: Iterable[int]) -> None:
    for seed in seeds:
        whole, group = subgroup_of_what_was_built(seed)
        found = describe(group)
        check(group, found)
        if group.order <= 5000:
            elements = closure(group.degree, group.generators)
            assert len(elements) == group.order, seed
            rng = random.Random(seed)
            some = [whole.random(rng) for _ in range(20)] + [Permutation(p) for p in [*elements][:20]]
            for p in some:
                assert (p in found) == (p.images() in elements) == (p in group), seed
            if len(group.moved) <= 6:
                assert independent(group) == finest_product(elements, group.moved), seed


def test_subgroups_of_what_was_built() -> None:
    check_subgroups(range(40))


@pytest.mark.long
def test_many_subgroups_of_what_was_built() -> None:
    check_subgroups(range(1000, 2000))


def test_columns_move_together() -> None:
    found = describe(in_parallel(S(4), 3))
    assert found == Symmetric(((0, 4, 8), (1, 5, 9), (2, 6, 10), (3, 7, 11)))
    tiers = describe(wreath(S(2), S(3), heads=1))
    assert tiers == Wreath(Symmetric(((0, 1, 2), (3, 4, 5), (6, 7, 8))), Symmetric(((0,), (1,))))


def pairs(size: int) -> Group:
    """A symmetric group on clients and on the channels between two of them."""
    links = list(itertools.permutations(range(size), 2))
    place = {link: size + i for i, link in enumerate(links)}
    return Group(
        size + len(links),
        [Permutation([*g.images(), *(place[g(a), g(b)] for a, b in links)]) for g in S(size).generators],
    )


def test_channels_between_pairs_are_tied() -> None:
    found = describe(pairs(4))
    check(pairs(4), found)
    assert isinstance(found, Tied)
    assert found.base == Symmetric(((0,), (1,), (2,), (3,))) and found.order == 24
    assert name(found, [f"client{i}" for i in range(4)] + [f"link{i}" for i in range(12)]) == "S4 on client"
    assert Permutation.of_cycles(16, [(0, 1)]) not in found


def test_what_is_not_known_is_other() -> None:
    cube = Group(8, [Permutation([x ^ 1 for x in range(8)])]).join(
        Permutation([(x & 1) << 1 | x >> 1 & 1 | x & 4 for x in range(8)]),
        Permutation([(x & 3) << 1 | x >> 2 for x in range(8)]),
    )
    found = describe(cube)
    assert isinstance(found, Other) and name(found) == "order 48 on 8 points"
    even = Group(6, [Permutation([1, 0, 3, 2, 4, 5]), Permutation([0, 1, 3, 2, 5, 4])])
    assert isinstance(describe(even), Other), "pairwise independent, and yet no product"
    quaternion = Group(8, [Permutation([1, 2, 3, 0, 5, 6, 7, 4]), Permutation([4, 7, 6, 5, 2, 1, 0, 3])])
    assert quaternion.order == 8 and isinstance(describe(quaternion), Other)
    semidihedral = Group(8, [*cyclic(8).generators, Permutation([3 * x % 8 for x in range(8)])])
    assert semidihedral.order == 16 and "D" not in name(describe(semidihedral))
    linear = Group(7, [*cyclic(7).generators, Permutation([2 * x % 7 for x in range(7)])])
    assert isinstance(describe(linear), Other)


def test_names_of_points() -> None:
    names = [f"client{i}" for i in (1, 2, 3, 4, 5)] + [f"box[{i}]" for i in range(5)]
    group = in_parallel(S(5), 2).stabiliser(2)
    assert name(describe(group), names) == "S4 on client{1,2,4,5}"
    kinds = ["client"] * 5 + ["box"] * 5
    assert name(describe(group), [str(i) for i in range(1, 11)], kinds) == "S4 on client{1,2,4,5}"
    assert name(describe(in_parallel(S(5), 2)), names, kinds) == "S5 on client"
    tiers = wreath(S(2), S(2), heads=1)
    people = ["c1", "c2", "server1", "c3", "c4", "server2"]
    assert name(describe(tiers), people) == "S2 wr S2 on c"
    assert name(describe(beside(S(2), S(3))), ["a", "b", "x1", "x2", "x3"]) == "S2 on {a,b} x S3 on x"


@pytest.mark.parametrize(("bottom", "top"), [(5, 4), (30, 3)])
def test_tiers(bottom: int, top: int) -> None:
    order = math.factorial(bottom) ** top * math.factorial(top)
    group = shuffled(wreath(S(bottom), S(top), heads=1), 1)
    found = describe(Group(group.degree, group.generators, order))
    assert found.order == order and name(found) == f"S{bottom} wr S{top}"


def test_500_clients_with_boxes_and_links() -> None:
    group = in_parallel(S(500), 3)
    found = describe(Group(group.degree, group.generators, math.factorial(500)))
    assert found == Symmetric(tuple((i, 500 + i, 1000 + i) for i in range(500)))


def test_trivial_group() -> None:
    assert describe(Group(3)) == Product(()) and describe(Group(0)).order == 1
