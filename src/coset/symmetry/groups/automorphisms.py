"""Automorphisms of graphs with colours, by bliss (Junttila and Kaski, ALENEX 2007) through igraph.

A `ColouredGraph` has vertices of colours and directed edges of colours; between two vertices there may be several edges.
An automorphism permutes the vertices such that colours are kept and as many edges of each colour lead from g(a) to g(b)
as from a to b.  bliss knows neither colours of edges nor parallel edges (igraph drops these without a word), so the edges
from a to b, if they are not of the commonest sort, become one vertex in the middle, coloured by what they are.

Trust: every generator is checked against the graph as it was built, before any encoding.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.symmetry.groups.aside import aside
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation

Bundle = frozenset[tuple[Hashable, int]]
"""The edges from one vertex to another: how many of each colour."""
PLAIN = 1
"""The number of the bundle of one edge without colour."""
LARGE = 4000
"""Vertices from which on it may take long, so that it is done aside."""

T = TypeVar("T")


class AutomorphismError(Exception):
    """What the library returned is not an automorphism: an internal error."""


class TooManyVertices(Exception):
    """The graph is too large for its automorphisms to be found in reasonable time."""


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

    def __init__(self, most: int | None = None) -> None:
        self.budget, self.most = current_budget(), most
        self.colours: list[Hashable] = []
        self.edges: list[dict[int, int]] = []
        """For each vertex those that edges lead to, with the number of the bundle."""
        self.bundles: list[Bundle] = [frozenset(), frozenset({(None, 1)})]
        self.larger: dict[tuple[int, Hashable], int] = {(0, None): PLAIN}
        """The number of a bundle with an edge more."""

    def vertex(self, colour: Hashable = None, to: Iterable[int] = ()) -> int:
        """A new vertex, with an edge without colour to each of some others; vertices are numbered from 0.  Raises
        `TooManyVertices` if there are `most` already."""
        self.budget.check()
        if self.most is not None and len(self.colours) >= self.most:
            raise TooManyVertices(f"more than {self.most:,} vertices")
        self.colours.append(colour)
        self.edges.append(dict.fromkeys(to, PLAIN))
        return len(self.colours) - 1

    def edge(self, source: int, target: int, colour: Hashable = None) -> None:
        """One more edge of that colour from a vertex to a vertex."""
        if not 0 <= source < len(self.colours) or not 0 <= target < len(self.colours):
            raise ValueError(f"there is no vertex {source}, or no vertex {target}")
        row = self.edges[source]
        key = row.get(target, 0), colour
        row[target] = self.larger.get(key) or self.enlarged(*key)

    def enlarged(self, bundle: int, colour: Hashable) -> int:
        """The number of a bundle with one more edge of a colour; equal bundles have one number."""
        counts = Counter(dict(self.bundles[bundle]))
        counts[colour] += 1
        found = frozenset(counts.items())
        if found not in self.bundles:
            self.bundles.append(found)
        number = self.larger[bundle, colour] = self.bundles.index(found)
        return number

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
        encoded = encode(self)
        found = automorphisms(self, encoded)
        place = {vertex: i for i, vertex in enumerate(points)}
        order = found.order
        if order > 1 and len(place) < len(self.colours):
            order //= encoded.fixing(place).count()
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


def automorphisms(graph: ColouredGraph, encoded: Encoded | None = None) -> Automorphisms:
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
    encoded = encoded or encode(graph)
    sources = origins(graph)
    generators = []
    for images in encoded.generators():
        current_budget().check()
        found = Sparse({vertex: image for vertex, image in images.items() if vertex < len(graph.colours)})
        check(graph, sources, found)
        if found.images:
            generators.append(found)
    return Automorphisms(tuple(generators), encoded.count() if generators else 1)


def origins(graph: ColouredGraph) -> list[list[int]]:
    """For each vertex those that edges come from."""
    result: list[list[int]] = [[] for _ in graph.colours]
    for source, row in enumerate(graph.edges):
        for target in row:
            result[target].append(source)
    return result


def check(graph: ColouredGraph, sources: list[list[int]], found: Sparse) -> None:
    """That a permutation is an automorphism, by the definition: the edges from g(a) are the images of the edges from a.

    This is so where nothing moves, neither the vertex nor where its edges lead.
    """
    images, moved = found, found.images
    if {*moved.values()} != {*moved}:
        raise AutomorphismError("the result of bliss is not a permutation")
    touched = set(moved)
    for vertex in moved:
        if graph.colours[vertex] != graph.colours[images(vertex)]:
            text = f"what bliss returned maps the vertex {vertex} to {images(vertex)}, of another colour"
            raise AutomorphismError(text)
        touched.update(sources[vertex])
    for vertex in touched:
        row, there = graph.edges[vertex], graph.edges[images(vertex)]
        kept = len(row) == len(there)
        for target in row:
            kept = kept and there.get(images(target)) == row[target]
        if not kept:
            raise AutomorphismError(f"what bliss returned does not keep the edges from {vertex}")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A simple directed graph whose automorphisms are those of a coloured one: its vertices come first."""

    graph: Any
    colours: list[int]

    def generators(self) -> list[dict[int, int]]:
        """What each generator moves, and to where."""
        return self.apart(self.moves)

    def moves(self) -> list[dict[int, int]]:
        found: list[list[int]] = self.graph.automorphism_group(color=self.colours)
        return [{x: y for x, y in enumerate(images) if x != y} for images in found]

    def fixing(self, vertices: Iterable[int]) -> Encoded:
        """The same graph in which each of some vertices has a colour of its own, so that it is fixed."""
        colours, fresh = [*self.colours], max(self.colours, default=0) + 1
        for number, vertex in enumerate(vertices, fresh):
            colours[vertex] = number
        return Encoded(self.graph, colours)

    def count(self) -> int:
        return self.apart(self.counted)

    def counted(self) -> int:
        with long_integers():
            result: int = self.graph.count_automorphisms(color=self.colours)
        return result

    def apart(self, action: Callable[[], T]) -> T:
        return aside(action) if len(self.colours) > LARGE else action()


def encode(graph: ColouredGraph) -> Encoded:
    """For bliss."""
    usual = Counter(chain.from_iterable(map(dict.values, graph.edges))).most_common(1)
    plain = usual[0][0] if usual else 0
    number: dict[Hashable, int] = {}
    colours = [number.setdefault(colour, len(number)) for colour in graph.colours]
    edges: list[tuple[int, int]] = []
    for source, row in enumerate(graph.edges):
        for target, bundle in row.items():
            if bundle == plain:
                edges.append((source, target))
            else:
                edges += ((source, len(colours)), (len(colours), target))
                colours.append(len(number) + bundle)
    return Encoded(graph_class()(n=len(colours), edges=edges, directed=True), colours)


CORE = "igraph._igraph"


@cache
def graph_class() -> Any:
    """The class of graphs in the C core of igraph.  To import the package around it (drawing, clustering, files) takes
    several times as long as to find the automorphisms of a usual model.  The core can be initialised only once in a process,
    so it is left where an import of the package looks for it."""
    package = find_spec("igraph")
    folder = Path(package.origin).parent if package is not None and package.origin else Path()
    files = (folder / f"_igraph{suffix}" for suffix in EXTENSION_SUFFIXES)
    core = next((spec_from_file_location(CORE, file) for file in files if file.exists()), None)
    if CORE not in sys.modules and core is not None and core.loader is not None:
        module = module_from_spec(core)
        core.loader.exec_module(module)
        sys.modules[CORE] = module
    if CORE not in sys.modules:
        import igraph  # noqa: F401 (which imports its core)
    return sys.modules[CORE].GraphBase


@contextmanager
def long_integers() -> Iterator[None]:
    """igraph hands over the order as decimal text, which Python refuses to read beyond 4,300 digits."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)
