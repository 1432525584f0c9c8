"""Automorphisms of graphs with colours, by bliss (Junttila and Kaski, ALENEX 2007) through igraph.

A `ColouredGraph` has vertices of colours and directed edges of colours; between two vertices there may be several edges.
An automorphism permutes the vertices such that colours are kept and as many edges of each colour lead from g(a) to g(b)
as from a to b.  bliss knows neither colours of edges nor parallel edges (igraph drops these without a word), so the edges
from a to b, if they are not of the commonest sort, become one vertex in the middle, coloured by what they are.

Trust: every generator is checked against the graph as it was built, before any encoding.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress
from operator import ne
from typing import Any

from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation

Bundle = frozenset[tuple[Hashable, int]]
"""The edges from one vertex to another: how many of each colour."""


class AutomorphismError(Exception):
    """What the library returned is not an automorphism: an internal error."""


class ColouredGraph:
    """A graph under construction.

    A ring of four processes that send to the right, in the middle of which is a server:

    >>> graph = ColouredGraph()
    >>> ring = [graph.vertex("process") for _ in range(4)]
    >>> for a, b in zip(ring, ring[1:] + ring[:1]):
    ...     graph.edge(a, b, "sends to")
    >>> server = graph.vertex("server")
    >>> for a in ring:
    ...     graph.edge(server, a)
    >>> group = graph.group(ring)
    >>> group.order, group.generators
    (4, (Permutation(4, '(0 1 2 3)'),))
    """

    def __init__(self) -> None:
        self.colours: list[Hashable] = []
        self.edges: defaultdict[tuple[int, int], Counter[Hashable]] = defaultdict(Counter)

    def vertex(self, colour: Hashable = None) -> int:
        """A new vertex; vertices are numbered from 0."""
        self.colours.append(colour)
        return len(self.colours) - 1

    def edge(self, source: int, target: int, colour: Hashable = None) -> None:
        """One more edge of that colour from a vertex to a vertex."""
        for vertex in (source, target):
            if not 0 <= vertex < len(self.colours):
                raise ValueError(f"there is no vertex {vertex}")
        self.edges[source, target][colour] += 1

    def recolour(self, vertex: int, colour: Hashable) -> None:
        self.colours[vertex] = colour

    def group(self, points: Sequence[int] | None = None) -> Group:
        """The group that the automorphisms induce on some of the vertices, by default on all.

        The i-th of `points` is the point i of the group.  They must be mapped to themselves, as they are
        if no vertex besides them has one of their colours.  The order is exact: automorphisms that move none of
        them are counted (they are those of the graph in which each of them has a colour of its own) and divided out.
        """
        if points is None:
            points = range(len(self.colours))
        found = automorphisms(self)
        place = {vertex: i for i, vertex in enumerate(points)}
        order = found.order
        if order > 1 and len(place) < len(self.colours):
            order //= encode(self, place).count()
        return Group(len(points), [g.on(points, place) for g in found.generators], order)


@dataclass(frozen=True, slots=True)
class Sparse:
    """An automorphism by what it moves."""

    images: dict[int, int]

    def __call__(self, vertex: int) -> int:
        return self.images.get(vertex, vertex)

    def on(self, points: Sequence[int], place: dict[int, int]) -> Permutation:
        try:
            return Permutation([place[self(x)] for x in points])
        except KeyError as error:
            raise ValueError(f"an automorphism maps a point to the vertex {error}, which is not a point") from None


@dataclass(frozen=True, slots=True)
class Automorphisms:
    """Generators of all automorphisms of a graph, and how many there are."""

    generators: tuple[Sparse, ...]
    order: int


def automorphisms(graph: ColouredGraph) -> Automorphisms:
    """All automorphisms of a graph; every generator is checked.

    >>> graph = ColouredGraph()
    >>> a, b = graph.vertex(), graph.vertex()
    >>> graph.edge(a, b); graph.edge(b, a)
    >>> automorphisms(graph)
    Automorphisms(generators=(Sparse(images={0: 1, 1: 0}),), order=2)
    >>> graph.edge(b, a)
    >>> automorphisms(graph).order
    1
    """
    encoded = encode(graph)
    neighbours = adjacency(graph)
    generators = []
    for images in encoded.generators():
        found = Sparse({v: images[v] for v in compress(range(len(graph.colours)), map(ne, images, range(len(images))))})
        check(graph, neighbours, found)
        if found.images:
            generators.append(found)
    return Automorphisms(tuple(generators), encoded.count() if generators else 1)


def adjacency(graph: ColouredGraph) -> dict[int, list[tuple[int, int]]]:
    """The edges at each vertex."""
    result: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for source, target in graph.edges:
        result[source].append((source, target))
        result[target].append((source, target))
    return result


def check(graph: ColouredGraph, neighbours: dict[int, list[tuple[int, int]]], g: Sparse) -> None:
    """That g is an automorphism, by the definition.

    Only edges at a vertex that moves can change; as g is injective on vertices, it is so on pairs, and pairs that
    it maps into the edges are mapped onto them.
    """
    if g.images.keys() != set(g.images.values()):
        raise AutomorphismError("what bliss returned is not a permutation")
    image_of, edges = g.images.get, graph.edges
    for vertex, image in g.images.items():
        if graph.colours[vertex] != graph.colours[image]:
            raise AutomorphismError(f"what bliss returned maps the vertex {vertex} to {image}, of another colour")
        for source, target in neighbours.get(vertex, ()):
            there = edges.get((image_of(source, source), image_of(target, target)))
            # As counters have no zeros they can be compared as dictionaries, which is ten times faster.
            if there is None or dict.__ne__(there, edges[source, target]):
                raise AutomorphismError(f"what bliss returned does not keep the edge from {source} to {target}")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A simple directed graph whose automorphisms are those of a coloured one: its vertices come first."""

    graph: Any
    colours: list[int]

    def generators(self) -> list[list[int]]:
        result: list[list[int]] = self.graph.automorphism_group(color=self.colours)
        return result

    def count(self) -> int:
        with long_integers():
            result: int = self.graph.count_automorphisms(color=self.colours)
        return result


def encode(graph: ColouredGraph, apart: Iterable[int] = ()) -> Encoded:
    """For bliss; each vertex in `apart` gets a colour of its own, so that it is fixed."""
    import igraph

    bundles: dict[tuple[int, int], Bundle] = {ends: frozenset(each.items()) for ends, each in graph.edges.items()}
    plain = next(iter(Counter(bundles.values()).most_common(1)), (frozenset(), 0))[0]
    colours: list[Hashable] = [("vertex", colour) for colour in graph.colours]
    for vertex in apart:
        colours[vertex] = ("apart", vertex)
    edges: list[tuple[int, int]] = []
    for (source, target), bundle in bundles.items():
        if bundle == plain:
            edges.append((source, target))
        else:
            edges += ((source, len(colours)), (len(colours), target))
            colours.append(("edge", bundle))
    number: dict[Hashable, int] = {}
    numbers = [number.setdefault(colour, len(number)) for colour in colours]
    return Encoded(igraph.Graph(n=len(colours), edges=edges, directed=True), numbers)


@contextmanager
def long_integers() -> Iterator[None]:
    """igraph hands over the order as decimal text, which Python refuses to read beyond 4,300 digits."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)
