"""In which states does a formula of computation tree logic hold?

`evaluate` computes the truth of every subformula in every state, from the leaves up, in time linear in the size of
the graph for each: `EX` by one step backward, `EU` by a backward search, `EG` by removing states until every one that
is left has a successor that is left.  E. M. Clarke, E. A. Emerson, A. P. Sistla, ACM TOPLAS 8 (1986); that
`EG` needs no components is from A. Arnold and P. Crubille, "A linear algorithm to solve fixed-point equations on
transition systems", Information Processing Letters 29 (1988).

Paths are infinite.  A state without successors is taken to repeat for ever, as SPIN extends a finite run for its
claims: there `EX p` and `AX p` are `p`, `AF p` is `p`, and `AG p` asks for nothing more than `p`.

    >>> graph = StateGraph.of([[1, 2], [1], []], {"p": [0, 1], "q": [2]})
    >>> [list(evaluate(parse_ctl(text, lambda name, _: name), graph)) for text in ("EG p", "AF q", "EX q", "A[p U q]")]
    [[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1]]
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form
from coset.properties.ctl_parser import CtlSyntaxError, parse_ctl
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Not

__all__ = [
    "Branching", "BranchingUntil", "CtlSyntaxError", "Edges", "Graph", "StateGraph", "evaluate", "existential_form",
    "parse_ctl", "predecessors",
]  # fmt: skip

B = TypeVar("B", contravariant=True)

_NEGATION = bytes([1]) + bytes(255)


@dataclass(frozen=True)
class Edges:
    """A relation in rows: `targets[offsets[s] : offsets[s + 1]]` are the states that s is related to."""

    offsets: array[int]
    targets: array[int]

    @property
    def states(self) -> int:
        return len(self.offsets) - 1


class Graph(Protocol[B]):
    """What `evaluate` asks of a state graph.  `truth` has a byte for every state, 1 where the atom is true."""

    @property
    def successors(self) -> Edges: ...

    @property
    def predecessors(self) -> Edges: ...

    def truth(self, atom: B) -> bytearray: ...


@dataclass
class StateGraph:
    """A graph in memory, with named atoms.  The predecessors are computed when they are first asked for."""

    successors: Edges
    atoms: Mapping[str, bytearray]
    _predecessors: Edges | None = field(default=None, repr=False)

    @property
    def predecessors(self) -> Edges:
        if self._predecessors is None:
            self._predecessors = predecessors(self.successors)
        return self._predecessors

    def truth(self, atom: str) -> bytearray:
        return self.atoms[atom]

    @staticmethod
    def of(successors: Sequence[Sequence[int]], atoms: Mapping[str, Iterable[int]]) -> StateGraph:
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
    starts = edges.offsets
    for source in range(states):
        for target in edges.targets[starts[source] : starts[source + 1]]:
            sources[place[target]] = source
            place[target] += 1
    return Edges(offsets, sources)


def evaluate(formula: Formula[A], graph: Graph[A]) -> bytearray:
    """One byte for every state: 1 where the formula holds."""
    return bytearray(_Evaluation(graph).truth(existential_form(formula)))


class _Evaluation(Generic[A]):
    """Truth of subformulas.  Equal ones are computed once: a subformula is known by its operator and by the numbers
    of its operands, and an object by its number, so that shared parts of a formula are not visited again."""

    def __init__(self, graph: Graph[A]) -> None:
        self.graph = graph
        self.states = graph.successors.states
        self._number: dict[int, int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._truth: list[bytearray] = []

    def truth(self, formula: Formula[A]) -> bytearray:
        return self._truth[self.number(formula)]

    def number(self, formula: Formula[A]) -> int:
        if id(formula) not in self._number:
            key = self.key(formula)
            if key not in self._known:
                self._known[key] = len(self._truth)
                self._truth.append(self.compute(formula))
            self._number[id(formula)] = self._known[key]
        return self._number[id(formula)]

    def key(self, formula: Formula[A]) -> tuple[object, ...]:
        match formula:
            case Constant(value) | Atom(value):
                return type(formula), value
            case Not(operand):
                return Not, self.number(operand)
            case Branching(quantifier, operator, operand):
                return quantifier, operator, self.number(operand)
            case BranchingUntil(quantifier, operator, left, right):
                return quantifier, operator, self.number(left), self.number(right)
            case Logic(operator, left, right):
                return operator, self.number(left), self.number(right)
        raise TypeError(f"not a formula of computation tree logic: {formula!r}")

    def compute(self, formula: Formula[A]) -> bytearray:
        match formula:
            case Constant(value):
                return bytearray([value]) * self.states
            case Atom(atom):
                found = self.graph.truth(atom)
                if len(found) != self.states:
                    raise ValueError(f"the truth of {atom} has {len(found)} bytes, not one for each of {self.states}")
                return found
            case Not(operand):
                return self.truth(operand).translate(_NEGATION)
            case Logic("&&" | "||" as operator, left, right):
                one, other = (int.from_bytes(self.truth(part), "little") for part in (left, right))
                return bytearray((one & other if operator == "&&" else one | other).to_bytes(self.states, "little"))
            case Branching("E", "X", operand):
                return _some_next(self.truth(operand), self.graph)
            case Branching("E", "G", operand):
                return _some_always(self.truth(operand), self.graph)
            case BranchingUntil("E", "U", left, right):
                return _some_until(self.truth(left), self.truth(right), self.graph)
        raise TypeError(f"not in existential form: {formula!r}")


def _members(states: bytearray) -> Iterable[int]:
    """The states with a 1."""
    state = states.find(1)
    while state >= 0:
        yield state
        state = states.find(1, state + 1)


def _ends(edges: Edges) -> Iterable[int]:
    """The states without successors."""
    offsets = edges.offsets
    return (state for state in range(edges.states) if offsets[state] == offsets[state + 1])


def _some_next(holds: bytearray, graph: Graph[A]) -> bytearray:
    back = graph.predecessors
    offsets, sources = back.offsets, back.targets
    result = bytearray(len(holds))
    for state in _members(holds):
        for source in sources[offsets[state] : offsets[state + 1]]:
            result[source] = 1
    for state in _ends(graph.successors):
        result[state] = holds[state]
    return result


def _some_until(holds: bytearray, reaches: bytearray, graph: Graph[A]) -> bytearray:
    back = graph.predecessors
    offsets, sources = back.offsets, back.targets
    result = bytearray(reaches)
    todo = list(_members(reaches))
    while todo:
        state = todo.pop()
        for source in sources[offsets[state] : offsets[state + 1]]:
            if holds[source] and not result[source]:
                result[source] = 1
                todo.append(source)
    return result


def _some_always(holds: bytearray, graph: Graph[A]) -> bytearray:
    """States are removed while they have no successor left; `left` counts those, and an end counts itself."""
    back = graph.predecessors
    offsets, sources = back.offsets, back.targets
    result = bytearray(holds)
    left = array("q", bytes(8 * len(holds)))
    for state in _members(holds):
        for source in sources[offsets[state] : offsets[state + 1]]:
            left[source] += 1
    for state in _ends(graph.successors):
        left[state] = 1
    todo = [state for state in _members(holds) if not left[state]]
    while todo:
        state = todo.pop()
        result[state] = 0
        for source in sources[offsets[state] : offsets[state + 1]]:
            left[source] -= 1
            if not left[source] and result[source]:
                todo.append(source)
    return result
