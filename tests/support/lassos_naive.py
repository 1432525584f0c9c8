"""The length of a shortest lasso by definition: a search in the graph of states and sets of marks from every state that can be
reached."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)
Graph = Mapping[N, Sequence[tuple[N, int]]]
"""By node, the edges from it: where they lead, and their marks."""


def distances(graph: Graph[N], starts: Sequence[N]) -> dict[N, int]:
    found = dict.fromkeys(starts, 0)
    queue = list(starts)
    for node in queue:
        for target, _ in graph[node]:
            if target not in found:
                found[target] = found[node] + 1
                queue.append(target)
    return found


def shortest_lasso(graph: Graph[N], starts: Sequence[N], required: int) -> int | None:
    """How many edges the shortest path to a state and a closed walk from there with all marks have; None without such a walk.

    >>> graph = {"a": [("b", 0)], "b": [("c", 1), ("b", 0)], "c": [("b", 2), ("a", 0)]}
    >>> shortest_lasso(graph, ["a"], 3), shortest_lasso(graph, ["a"], 0), shortest_lasso(graph, ["a"], 4)
    (3, 2, None)
    """
    lengths = []
    for root, distance in distances(graph, starts).items():
        seen = {(root, 0)}
        queue = [(root, 0, 0)]
        for node, marks, length in queue:
            for target, more in graph[node]:
                following = target, marks | more & required
                if following == (root, required):
                    lengths.append(distance + length + 1)
                    queue.clear()
                    break
                if following not in seen:
                    seen.add(following)
                    queue.append((*following, length + 1))
    return min(lengths, default=None)
