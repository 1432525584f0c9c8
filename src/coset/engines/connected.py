"""Strongly connected components of a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from coset.source.budget import current_budget

Node = TypeVar("Node", bound=Hashable)


def components(nodes: Iterable[Node], successors: Callable[[Node], Iterable[Node]]) -> Iterator[set[Node]]:
    """The strongly connected components, each after those that it leads to: R. E. Tarjan, SIAM J. Computing 1 (1972), without
    recursion.

    >>> graph = {0: [1], 1: [0, 2], 2: []}
    >>> list(components(graph, graph.__getitem__))
    [{2}, {0, 1}]
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on_stack: set[Node] = set()
    work: list[tuple[Node, Iterator[Node]]] = []
    budget = current_budget()

    def enter(node: Node) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        on_stack.add(node)
        work.append((node, iter(successors(node))))

    for root in nodes:
        if root not in number:
            enter(root)
        while work:
            budget.check()
            node, rest = work[-1]
            for target in rest:
                if target not in number:
                    enter(target)
                    break
                if target in on_stack:
                    low[node] = min(low[node], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component: set[Node] = set()
                    while node not in component:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.add(member)
                    yield component
