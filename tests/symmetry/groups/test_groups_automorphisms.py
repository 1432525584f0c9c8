"""Automorphisms of coloured graphs against all permutations of the vertices."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset.symmetry.groups import ColouredGraph, Symmetric, automorphisms, describe, name
from coset.symmetry.groups.automorphisms import AutomorphismError, Encoded
from tests.support.groups_naive import Images, closure, on


@st.composite
def graphs(draw: st.DrawFn) -> ColouredGraph:
    """Few colours and few vertices; loops and parallel edges, of one colour or of several."""
    graph = ColouredGraph()
    size = draw(st.integers(1, 6))
    for _ in range(size):
        graph.vertex(draw(st.sampled_from("aab")))
    ends = st.integers(0, size - 1)
    shape = draw(st.sampled_from(["any", "ring", "complete"]))
    colour = draw(st.sampled_from([None, "x"]))
    if shape == "ring":
        for a in range(size):
            graph.edge(a, (a + 1) % size, colour)
    elif shape == "complete":
        for a, b in itertools.permutations(range(size), 2):
            graph.edge(a, b, colour)
    for a, b, each in draw(st.lists(st.tuples(ends, ends, st.sampled_from([None, "x", 1])), max_size=6)):
        graph.edge(a, b, each)
    return graph


def all_automorphisms(graph: ColouredGraph) -> set[Images]:
    """By the definition."""
    size = len(graph.colours)
    return {
        p
        for p in itertools.permutations(range(size))
        if all(graph.colours[p[v]] == graph.colours[v] for v in range(size))
        and all(
            graph.bundles[graph.edges[p[a]].get(p[b], 0)] == graph.bundles[graph.edges[a].get(b, 0)]
            for a, b in itertools.product(range(size), repeat=2)
        )
    }


@settings(max_examples=300, deadline=None)
@given(graphs(), st.data())
def test_against_all_permutations(graph: ColouredGraph, data: st.DataObject) -> None:
    expected = all_automorphisms(graph)
    size = len(graph.colours)
    assert automorphisms(graph).order == len(expected)
    whole = graph.group()
    assert whole.order == len(expected)
    assert closure(size, whole.generators) == expected

    wanted = data.draw(st.lists(st.sampled_from(whole.orbits), unique=True))
    points = [v for orbit in wanted for v in orbit]
    induced = graph.group(points)
    assert {tuple(points[i] for i in p) for p in closure(len(points), induced.generators)} == on(expected, points)
    assert induced.order == induced.chain.order() == len(on(expected, points))


def star(leaves: int, tail: int) -> tuple[ColouredGraph, Sequence[int]]:
    """A server and clients, each with a path of further vertices."""
    graph = ColouredGraph()
    server = graph.vertex("server")
    clients = [graph.vertex("client") for _ in range(leaves)]
    for client in clients:
        graph.edge(client, server, "sends")
        last = client
        for i in range(tail):
            new = graph.vertex(("part", i))
            graph.edge(last, new, i % 2)
            last = new
    return graph, clients


def test_what_moves_no_point_is_divided_out() -> None:
    graph, clients = star(4, 1)
    for client in clients:
        for _ in range(3):
            graph.edge(client, graph.vertex("alike"))
    group = graph.group(clients)
    assert automorphisms(graph).order == 24 * 6**4
    assert group.order == 24 and describe(group) == Symmetric(((0,), (1,), (2,), (3,)))


def test_500_clients() -> None:
    graph, clients = star(500, 4)
    group = graph.group([*clients, 0])
    assert group.order == math.factorial(500)
    assert name(describe(group), [*(f"client{i}" for i in range(500)), "server"]) == "S500 on client"


def test_orders_of_more_digits_than_python_reads() -> None:
    graph = ColouredGraph()
    for _ in range(400):
        graph.vertex()
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert automorphisms(graph).order == math.factorial(400)
        assert sys.get_int_max_str_digits() == 640
    finally:
        sys.set_int_max_str_digits(limit)


def test_points_that_are_not_kept_are_refused() -> None:
    graph, clients = star(3, 0)
    with pytest.raises(ValueError, match="which is not a point"):
        graph.group(clients[:2])
    with pytest.raises(ValueError, match="no vertex 9"):
        graph.edge(0, 9)


@pytest.mark.parametrize(
    ("images", "why"),
    [([1, 0, 2, 3], "another colour"), ([0, 1, 3, 2], "does not keep the edge"), ([0, 1, 2, 2], "not a permutation")],
)
def test_a_wrong_automorphism_is_noticed(images: list[int], why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, clients = star(3, 0)
    graph.edge(clients[1], clients[0])
    monkeypatch.setattr(Encoded, "generators", lambda self: [dict(enumerate(images))])
    with pytest.raises(AutomorphismError, match=why):
        automorphisms(graph)


@pytest.mark.parametrize("statements", [
    ("from coset.symmetry.groups.automorphisms import graph_class; graph_class()", "import igraph"),
    ("import igraph", "from coset.symmetry.groups.automorphisms import graph_class; graph_class()"),
])  # fmt: skip
def test_the_package_igraph_may_be_imported_as_well(statements: tuple[str, str]) -> None:
    """Its core refuses to be initialised twice."""
    program = "; ".join([*statements, "print(igraph.Graph.Ring(5).count_automorphisms())"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "10\n", done.stderr
