"""The shortest lasso in a graph whose nodes come in the order of a breadth-first search: the naive twin of shortest_cycle.h."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from typing import Generic, Protocol, TypeVar

N = TypeVar("N", bound=Hashable)
Nco = TypeVar("Nco", bound=Hashable, covariant=True)

MOST_WORK = 200_000
"""Edges that are looked at for a shorter cycle than the best one so far."""
MOST_MARKS = 6
"""Sets of more marks are too many to be told apart."""


class Arc(Protocol[Nco]):
    """An edge with marks."""

    @property
    def target(self) -> Nco: ...

    @property
    def marks(self) -> int: ...


A = TypeVar("A", bound=Arc[Hashable])


class ShortestCycles(Generic[N, A]):
    """The closed walks of a graph that take all marks.

    A walk may as well begin at its first node in the order of the search, which is the nearest one to the start.
    """

    def __init__(self, arrows: Mapping[N, Sequence[A]], required: int) -> None:
        self.arrows, self.required = arrows, required
        self.order = {node: number for number, node in enumerate(arrows)}
        self.work = MOST_WORK

    def walk(self, root: N, component: Set[N], most: int) -> list[A] | None:
        """The shortest closed walk from a node inside a component that takes all marks, if it has at most so many edges."""
        links: dict[tuple[N, int], tuple[tuple[N, int], A] | None] = {(root, 0): None}
        level, length = [(root, 0)], 1
        while level and length <= most:
            following = []
            for node in level:
                for arrow in self.arrows[node[0]]:
                    self.work -= 1
                    target: N = arrow.target  # type: ignore[assignment]
                    marks = node[1] | arrow.marks & self.required
                    if target not in component or self.order[target] < self.order[root]:
                        continue
                    if target == root and marks == self.required:
                        return [*path_to(links, node), arrow]
                    if (target, marks) not in links:
                        links[target, marks] = node, arrow
                        following.append((target, marks))
                if self.work < 0:
                    return None
            level, length = following, length + 1
        return None

    def best(self, components: Sequence[Set[N]], depth: Callable[[N], int], length: int) -> tuple[N, list[A]] | None:
        """The node and the walk of a lasso with fewer than `length` edges, the shortest one if work suffices."""
        if self.required.bit_count() > MOST_MARKS:
            return None
        home = {node: component for component in components for node in component}
        found: tuple[N, list[A]] | None = None
        for node in self.arrows:
            if node in home and self.work > 0:
                most = length - 1 - depth(node)
                if most <= 0:
                    break
                walk = self.walk(node, home[node], most)
                if walk is not None:
                    found, length = (node, walk), depth(node) + len(walk)
        return found


def path_to(links: Mapping[tuple[N, int], tuple[tuple[N, int], A] | None], node: tuple[N, int]) -> list[A]:
    """The edges that lead to a node."""
    path = []
    link = links[node]
    while link is not None:
        path.append(link[1])
        link = links[link[0]]
    return path[::-1]
