"""Permutations and groups against enumeration."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset.symmetry.groups import Group, Permutation
from coset.symmetry.groups.chain import WrongOrder
from coset.symmetry.groups.orbits import order_bound
from tests.support.groups_naive import (
    alternating,
    beside,
    closure,
    cyclic,
    groups,
    in_parallel,
    on,
    permutations,
    product,
    wreath,
)


@pytest.mark.parametrize("degree", [1, 5, 255, 256, 257, 300])
def test_permutations_of_every_representation(degree: int) -> None:
    rng = random.Random(degree)
    for _ in range(5):
        p, q = (Permutation(rng.sample(range(degree), degree)) for _ in range(2))
        assert (p * q).images() == product(p.images(), q.images())
        assert all((p * q)(x) == q(p(x)) for x in range(degree))
        assert p * p.inverse() == p.inverse() * p == Permutation.identity(degree) == p**0 == p ** p.order()
        assert p**3 == p * p * p and p**-2 == (p * p).inverse()
        assert (p * q).is_even() == (p.is_even() == q.is_even())
        assert Permutation.of_cycles(degree, p.cycles()) == p
        assert p.support() == tuple(x for x in range(degree) if p(x) != x)
        assert bool(p) == (p.images() != tuple(range(degree)))
        assert p.conjugate(q) == q.inverse() * p * q
        names = [f"n{x}" for x in range(degree)]
        assert Permutation.parse(p.show(names), names) == p


@given(permutations(8))
def test_order_is_the_least(p: Permutation) -> None:
    powers = [p**k for k in range(1, p.order() + 1)]
    assert [k for k, power in enumerate(powers, 1) if not power] == [p.order()]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cycle notation"),
        ("a b", "cycle notation"),
        ("(a b", "cycle notation"),
        ("(a (b))", "cycle notation"),
        ("(a b) c", "cycle notation"),
        ("(a d)", "not one of a, b, c"),
        ("(a b)(b c)", "twice"),
        ("(a a)", "twice"),
        ("(a)(a b)", "twice"),
    ],
)
def test_wrong_cycle_notation_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Permutation.parse(text, ["a", "b", "c"])


def test_wrong_images_are_refused() -> None:
    for images in ([0, 0], [1, 2], [-1, 0]):
        with pytest.raises(ValueError, match="not a permutation"):
            Permutation(images)
    with pytest.raises(ValueError, match="no product"):
        Permutation([0, 1]) * Permutation([0, 1, 2])
    with pytest.raises(ValueError, match="not mapped to themselves"):
        Permutation([1, 0, 2]).restricted([0, 2])
    with pytest.raises(ValueError, match="not a permutation of 3"):
        Group(3, [Permutation([1, 0])])


@settings(max_examples=150, deadline=None)
@given(groups(), st.data())
def test_group_is_its_closure(group: Group, data: st.DataObject) -> None:
    elements = closure(group.degree, group.generators)
    assert group.order == len(elements)
    assert sorted(g.images() for g in group.elements()) == sorted(elements)
    assert next(iter(group.elements())) == group.identity()
    assert len(elements) <= order_bound(group.degree, group.generators)
    some = [data.draw(permutations(group.degree)) for _ in range(5)]
    assert [p in group for p in some] == [p.images() in elements for p in some]
    assert [set(orbit) for orbit in group.orbits] == sorted(
        {frozenset(p[x] for p in elements) for x in range(group.degree)}, key=min
    )
    rng = random.Random(1)
    assert all(group.random(rng).images() in elements for _ in range(5))
    for x, orbit in itertools.product(range(group.degree), group.orbits):
        if x in orbit:
            leads = group.transversal(x)
            assert set(leads) == set(orbit) == set(group.orbit(x))
            assert all(g(x) == y and g.images() in elements for y, g in leads.items())


@settings(max_examples=100, deadline=None)
@given(groups(), st.data())
def test_stabilisers(group: Group, data: st.DataObject) -> None:
    elements = closure(group.degree, group.generators)
    points = data.draw(st.lists(st.integers(0, group.degree - 1), max_size=4, unique=True))
    fixing = {p for p in elements if all(p[x] == x for x in points)}
    pointwise = group.stabiliser(*points)
    assert pointwise.order == len(fixing)
    assert closure(group.degree, pointwise.generators) == fixing
    keeping = {p for p in elements if {p[x] for x in points} == set(points)}
    setwise = group.setwise_stabiliser(points)
    assert setwise.order == len(keeping)
    assert closure(group.degree, setwise.generators) == keeping
    chain = group.chain_at(points, ordered=True)
    assert [level.point for level in chain.levels][: chain.prefix] == [
        x for x in points if any(p[x] != x for p in elements)
    ]
    assert chain.order() == len(elements)


@settings(max_examples=100, deadline=None)
@given(groups(), st.data())
def test_restriction_and_projection(group: Group, data: st.DataObject) -> None:
    elements = closure(group.degree, group.generators)
    points = [x for orbit in data.draw(st.lists(st.sampled_from(group.orbits), unique=True)) for x in orbit]
    actions = on(elements, points)
    assert group.order_on(points) == len(actions)
    small = group.restriction(points)
    assert small.order == len(actions) == len(closure(len(points), small.generators))
    assert {tuple(points[i] for i in p.images()) for p in small.elements()} == actions
    large = group.projection(points)
    assert large.order == len(actions) and on(closure(group.degree, large.generators), points) == actions
    assert all(g(x) == x for g in large.generators for x in range(group.degree) if x not in points)


@settings(max_examples=100, deadline=None)
@given(groups(6), st.data())
def test_subgroups_cosets_and_joins(group: Group, data: st.DataObject) -> None:
    elements = closure(group.degree, group.generators)
    few = data.draw(st.lists(st.sampled_from(sorted(elements)), max_size=2))
    subgroup = Group(group.degree, map(Permutation, few))
    inside = closure(group.degree, subgroup.generators)
    assert subgroup <= group and (group <= subgroup) == (inside == elements) == (group == subgroup)
    leads = list(group.right_cosets(subgroup))
    assert leads[0] == group.identity()
    cosets = {frozenset(product(h, g.images()) for h in inside) for g in leads}
    assert len(cosets) == len(leads) == len(elements) // len(inside)
    assert set().union(*cosets) == elements
    more = data.draw(permutations(group.degree))
    assert closure(group.degree, subgroup.join(more).generators) == closure(group.degree, [*subgroup.generators, more])
    assert subgroup.join(group) == group
    assert group.join(*subgroup.generators) is group


def test_random_elements_are_uniform() -> None:
    group = beside(wreath(cyclic(2), cyclic(3)), cyclic(2))
    rng = random.Random(7)
    counts = Counter(group.random(rng).images() for _ in range(6000))
    assert len(counts) == group.order
    expected = 6000 / group.order
    assert sum((n - expected) ** 2 / expected for n in counts.values()) < 2 * group.order + 40
    assert group.random(random.Random(3)) == group.random(random.Random(3))


def mathieu() -> Group:
    """M12 on 12 points (Conway and Sloane's generators on the projective line over 11 elements)."""
    points = [*range(11), None]

    def image(function: dict[int | None, int | None]) -> Permutation:
        return Permutation([points.index(function[x]) for x in points])

    inverse = {x: pow(x, -1, 11) for x in range(1, 11)}
    shift = image({None: None, **{x: (x + 1) % 11 for x in range(11)}})
    invert = image({None: 0, 0: None, **{x: -inverse[x] % 11 for x in range(1, 11)}})
    twist = image({None: None, **{x: (4 * x**2 - 3 * x**7) % 11 for x in range(11)}})
    return Group(12, [shift, invert, twist])


def test_order_of_a_sporadic_group() -> None:
    assert mathieu().order == 95040
    assert mathieu().stabiliser(0, 1, 2, 3, 4).order == 1


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("rows", [1, 3])
def test_large_symmetric_groups(rows: int, known: bool) -> None:
    order = math.factorial(100)
    path = in_parallel(Group.symmetric(100), rows)
    star = in_parallel(Group(100, [Permutation.of_cycles(100, [(0, x)]) for x in range(1, 100)]), rows)
    for each in (path, star):
        group = Group(each.degree, each.generators, order if known else None)
        assert group.order == group.chain.order() == order
        assert group.stabiliser(50, 7).order == math.factorial(98)
        assert group.setwise_stabiliser([3, 50]).order == 2 * math.factorial(98)
        element = group.random(random.Random(2))
        assert element in group
        if rows > 1:
            assert Permutation.of_cycles(group.degree, [(0, 1)]) * element not in group


def test_large_products() -> None:
    group = beside(beside(Group.symmetric(40), alternating(30)), wreath(Group.symmetric(20), cyclic(3)))
    order = math.factorial(40) * (math.factorial(30) // 2) * math.factorial(20) ** 3 * 3
    group = Group(group.degree, group.generators, order)
    assert group.chain.order() == order
    assert group.order_on(range(40, 70)) == math.factorial(30) // 2


def test_500_clients_with_boxes_and_links() -> None:
    group = in_parallel(Group.symmetric(500), 3)
    assert group.order == math.factorial(500)
    assert group.stabiliser(250).order == math.factorial(499)


@settings(max_examples=30, deadline=None)
@given(groups(), st.sampled_from([2, 3]))
def test_a_wrong_order_is_noticed(group: Group, factor: int) -> None:
    with pytest.raises(WrongOrder):
        Group(group.degree, group.generators, group.order * factor).chain  # noqa: B018
