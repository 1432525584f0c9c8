"""A graph of states in memory, in plain Python: what the operators of computation tree logic mean on it.

`EX` is one step backward, `EU` a backward search, and for `EG` states are removed until every one that is left has a
successor that is left.  A state without successors is taken to repeat forever.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Generic, TypeVar

from coset.source.records import dataclass

N = TypeVar("N")
"""The names of atoms."""


@dataclass(frozen=True)
class Edges:
    """A relation in rows: `targets[offsets[s] : offsets[s + 1]]` are the states that s is related to."""

    offsets: array[int]
    targets: array[int]

    @property
    def states(self) -> int:
        return len(self.offsets) - 1

    def row(self, state: int) -> array[int]:
        return self.targets[self.offsets[state] : self.offsets[state + 1]]

    def ends(self) -> Iterable[int]:
        """The states that are related to none."""
        offsets = self.offsets
        return (state for state in range(self.states) if offsets[state] == offsets[state + 1])


_NEGATION = bytes([1]) + bytes(255)


class ByteSets:
    """Sets of states with a byte for every state, 1 for those in it."""

    @property
    def states(self) -> int:
        raise NotImplementedError

    def everything(self) -> bytearray:
        return bytearray([1]) * self.states

    def only(self, state: int) -> bytearray:
        result = bytearray(self.states)
        result[state] = 1
        return result

    def contains(self, one: bytearray, state: int) -> bool:
        return bool(one[state])

    def negation(self, one: bytearray) -> bytearray:
        return one.translate(_NEGATION)

    def conjunction(self, one: bytearray, other: bytearray) -> bytearray:
        return self._joined(int.from_bytes(one, "little") & int.from_bytes(other, "little"))

    def disjunction(self, one: bytearray, other: bytearray) -> bytearray:
        return self._joined(int.from_bytes(one, "little") | int.from_bytes(other, "little"))

    def _joined(self, bits: int) -> bytearray:
        return bytearray(bits.to_bytes(self.states, "little"))


@dataclass
class StateGraph(ByteSets, Generic[N]):
    """A graph with named atoms: for each a byte per state, 1 where it is true.  The predecessors are computed when they
    are first asked for."""

    successors: Edges
    atoms: Mapping[N, bytearray]
    _predecessors: Edges | None = field(default=None, repr=False)

    @property
    def states(self) -> int:
        return self.successors.states

    @property
    def predecessors(self) -> Edges:
        if self._predecessors is None:
            self._predecessors = predecessors(self.successors)
        return self._predecessors

    def truth(self, atom: N) -> bytearray:
        found = self.atoms[atom]
        if len(found) != self.states:
            raise ValueError(f"the truth of {atom} has {len(found)} bytes, not one for each of {self.states}")
        return found

    @staticmethod
    def of(successors: Sequence[Iterable[int]], atoms: Mapping[N, Iterable[int]]) -> StateGraph[N]:
        """From lists of successors, and for every atom the states where it is true."""
        offsets, targets = array("q", [0]), array("q")
        for row in successors:
            targets.extend(row)
            offsets.append(len(targets))
        truth = {name: bytearray(len(successors)) for name in atoms}
        for name, states in atoms.items():
            for state in states:
                truth[name][state] = 1
        return StateGraph(Edges(offsets, targets), truth)

    # --- the operators -----------------------------------------------------------------------------

    def some_next(self, holds: bytearray) -> bytearray:
        """Where `EX` of it holds."""
        result = bytearray(self.states)
        for state in members(holds):
            for source in self.predecessors.row(state):
                result[source] = 1
        for state in self.successors.ends():
            result[state] = holds[state]
        return result

    def some_until(self, holds: bytearray, reaches: bytearray) -> bytearray:
        """Where `E[holds U reaches]` holds."""
        back = self.predecessors
        result = bytearray(reaches)
        todo = list(members(reaches))
        while todo:
            for source in back.row(todo.pop()):
                if holds[source] and not result[source]:
                    result[source] = 1
                    todo.append(source)
        return result

    def some_always(self, holds: bytearray) -> bytearray:
        """Where `EG` of it holds: `left` counts successors that are left, and an end counts itself."""
        back = self.predecessors
        result = bytearray(holds)
        left = array("q", bytes(8 * len(holds)))
        for state in members(holds):
            for source in back.row(state):
                left[source] += 1
        for state in self.successors.ends():
            left[state] = 1
        todo = [state for state in members(holds) if not left[state]]
        while todo:
            state = todo.pop()
            result[state] = 0
            for source in back.row(state):
                left[source] -= 1
                if not left[source] and result[source]:
                    todo.append(source)
        return result

    # --- paths -------------------------------------------------------------------------------------

    def following(self, state: int) -> Sequence[int]:
        return self.successors.row(state)

    def path(self, start: int, inside: bytearray, goal: bytearray, steps: bool = False) -> list[int]:
        """The shortest path from a state to one of the goal, through states inside (the last one need not be); empty if
        there is none.  With `steps` it has at least one step.

        >>> graph = StateGraph.of([[1, 2], [0], []], {})
        >>> all_ = bytearray([1, 1, 1])
        >>> graph.path(0, all_, bytearray([0, 0, 1])), graph.path(0, all_, bytearray([1, 0, 0]), steps=True)
        ([0, 2], [0, 1, 0])
        """
        if goal[start] and not steps:
            return [start]
        parents: dict[int, int] = {}
        queue = deque([start] if inside[start] else [])
        while queue:
            state = queue.popleft()
            for target in self.following(state):
                if goal[target]:
                    path = [target, state]
                    while path[-1] != start:
                        path.append(parents[path[-1]])
                    return path[::-1]
                if inside[target] and target not in parents and target != start:
                    parents[target] = state
                    queue.append(target)
        return []


def predecessors(edges: Edges) -> Edges:
    """The relation turned around, by counting.

    >>> predecessors(Edges(array("q", [0, 2, 3]), array("q", [0, 1, 0])))
    Edges(offsets=array('q', [0, 2, 3]), targets=array('q', [0, 1, 0]))
    """
    states = edges.states
    offsets = array("q", bytes(8 * (states + 1)))
    for target in edges.targets:
        offsets[target + 1] += 1
    for state in range(states):
        offsets[state + 1] += offsets[state]
    place = array("q", offsets)
    sources = array("q", bytes(8 * len(edges.targets)))
    for source in range(states):
        for target in edges.row(source):
            sources[place[target]] = source
            place[target] += 1
    return Edges(offsets, sources)


def members(states: bytearray) -> Iterable[int]:
    """The states with a 1."""
    state = states.find(1)
    while state >= 0:
        yield state
        state = states.find(1, state + 1)
