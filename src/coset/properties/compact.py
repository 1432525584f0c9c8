"""An automaton while it is being worked on: bit sets and lists that may change.

`unpack` makes one of a public `Automaton`, `pack` makes an `Automaton` of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coset.properties.automaton import Automaton, AutomatonEdge
from coset.properties.formula import A
from coset.properties.labels import Cube, bits, cube, literals
from coset.source.records import dataclass


class Arrow(NamedTuple):
    """An edge, without its source."""

    cube: Cube
    marks: int
    target: int


@dataclass
class Compact:
    """States are the indices of `rows`; `rows[s]` are the edges that leave s.  `sets` is the number of acceptance
    sets; `marks` of an edge is a bit set of them."""

    sets: int
    initial: list[int]
    rows: list[list[Arrow]]

    @property
    def full(self) -> int:
        return (1 << self.sets) - 1

    def measure(self) -> tuple[int, int, int]:
        """States, edges and sets: what should become small."""
        return len(self.rows), sum(map(len, self.rows)), self.sets

    def restrict(self, keep: Sequence[bool]) -> Compact:
        """Only the states in `keep`, renumbered."""
        number: dict[int, int] = {}
        for state, yes in enumerate(keep):
            if yes:
                number[state] = len(number)
        rows = [
            [arrow._replace(target=number[arrow.target]) for arrow in self.rows[state] if arrow.target in number]
            for state in number
        ]
        return Compact(self.sets, [number[state] for state in self.initial if state in number], rows)

    def renamed(self, name: Sequence[int]) -> Compact:
        """Every edge to s, and every start in s, goes to `name[s]`; edges that become equal are one."""
        rows = [list(dict.fromkeys(arrow._replace(target=name[arrow.target]) for arrow in row)) for row in self.rows]
        return Compact(self.sets, list(dict.fromkeys(name[state] for state in self.initial)), rows)

    def components(self) -> list[int]:
        """The number of the strongly connected component of every state."""
        return components([[arrow.target for arrow in row] for row in self.rows])


def components(successors: Sequence[Iterable[int]]) -> list[int]:
    """The number of the strongly connected component of every node; edges go to components with the same or a
    smaller number.  R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1 (1972).

    >>> components([[1], [0, 2], []])
    [1, 1, 0]
    """
    count = len(successors)
    number, low, component = [0] * count, [0] * count, [-1] * count
    stack: list[int] = []
    clock = found = 0
    for root in range(count):
        if number[root]:
            continue
        clock += 1
        number[root] = low[root] = clock
        stack.append(root)
        path = [(root, iter(successors[root]))]
        while path:
            node, rest = path[-1]
            for target in rest:
                if not number[target]:
                    clock += 1
                    number[target] = low[target] = clock
                    stack.append(target)
                    path.append((target, iter(successors[target])))
                    break
                if component[target] < 0:
                    low[node] = min(low[node], number[target])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == number[node]:
                    while component[node] < 0:
                        component[stack.pop()] = found
                    found += 1
    return component


def unpack(automaton: Automaton[A]) -> Compact:
    rows = [
        [Arrow(cube(edge.label), sum(1 << mark for mark in edge.marks), edge.target) for edge in row]
        for row in automaton.outgoing
    ]
    return Compact(automaton.sets, list(automaton.initial), rows)


def pack(work: Compact, atoms: tuple[A, ...]) -> Automaton[A]:
    """The public automaton, states numbered in the order in which a search from the start meets them."""
    order = list(dict.fromkeys(work.initial))
    for state in order:
        order += dict.fromkeys(arrow.target for arrow in work.rows[state] if arrow.target not in order)
    number = {state: i for i, state in enumerate(order)}
    edges = tuple(
        AutomatonEdge(number[state], number[arrow.target], literals(arrow.cube), frozenset(bits(arrow.marks)))
        for state in order
        for arrow in sorted(work.rows[state], key=lambda arrow: (number[arrow.target], arrow.marks, arrow.cube))
    )
    return Automaton(len(order), tuple(number[state] for state in work.initial), edges, work.sets, atoms)
