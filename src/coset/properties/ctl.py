"""In which states does a formula of computation tree logic hold?

`evaluate` computes the truth of every subformula in every state, from the leaves up, in time linear in the size of
the graph for each: `EX` by one step backward, `EU` by a backward search, `EG` by removing states until every one that
is left has a successor that is left.  E. M. Clarke, E. A. Emerson, A. P. Sistla, ACM TOPLAS 8 (1986); that
`EG` needs no components is from A. Arnold and P. Crubille, "A linear algorithm to solve fixed-point equations on
transition systems", Information Processing Letters 29 (1988).

Paths are infinite.  A state without successors is taken to repeat forever, as SPIN extends a finite run for its
claims: there `EX p` and `AX p` are `p`, `AF p` is `p`, and `AG p` asks for nothing more than `p`.

    >>> graph = StateGraph.of([[1, 2], [1], []], {"p": [0, 1], "q": [2]})
    >>> [list(evaluate(parse_ctl(text, lambda name, _: name), graph)) for text in ("EG p", "AF q", "EX q", "A[p U q]")]
    [[1, 1, 0], [0, 0, 1], [1, 0, 1], [0, 0, 1]]
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form
from coset.properties.ctl_parser import CtlSyntaxError, parse_ctl
from coset.properties.formula import A, Atom, Constant, Formula, Logic, Not
from coset.properties.state_graph import StateGraph

__all__ = [
    "Branching", "BranchingUntil", "CtlSyntaxError", "Evaluation", "Graph", "StateGraph", "evaluate",
    "existential_form", "parse_ctl",
]  # fmt: skip

B = TypeVar("B", contravariant=True)
S = TypeVar("S")
"""Sets of states, as a graph keeps them."""


class Graph(Protocol[B, S]):
    """What `Evaluation` asks of a state graph.  What a set is the graph knows: a byte for every state
    (`state_graph.ByteSets`), or a decision diagram."""

    @property
    def states(self) -> int: ...

    def truth(self, atom: B) -> S: ...

    def everything(self) -> S: ...

    def negation(self, one: S) -> S: ...

    def conjunction(self, one: S, other: S) -> S: ...

    def disjunction(self, one: S, other: S) -> S: ...

    def some_next(self, holds: S) -> S: ...

    def some_until(self, holds: S, reaches: S) -> S: ...

    def some_always(self, holds: S) -> S: ...


def evaluate(formula: Formula[A], graph: Graph[A, bytearray]) -> bytearray:
    """One byte for every state: 1 where the formula holds."""
    return bytearray(Evaluation(graph).truth(existential_form(formula)))


class Evaluation(Generic[A, S]):
    """Truth of subformulas.  Equal ones are computed once: a subformula is known by its operator and by the numbers
    of its operands, and an object by its identity, so that shared parts of a formula are not visited again.  Objects that
    have been seen are kept: otherwise a new one could get the identity of one that is gone."""

    def __init__(self, graph: Graph[A, S]) -> None:
        self.graph = graph
        self._number: dict[int, int] = {}
        self._seen: list[Formula[A]] = []
        self._known: dict[tuple[object, ...], int] = {}
        self._truth: list[S] = []

    def truth(self, formula: Formula[A]) -> S:
        return self._truth[self.number(formula)]

    def number(self, formula: Formula[A]) -> int:
        if id(formula) not in self._number:
            key = self.key(formula)
            if key not in self._known:
                self._known[key] = len(self._truth)
                self._truth.append(self.compute(formula))
            self._number[id(formula)] = self._known[key]
            self._seen.append(formula)
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

    def compute(self, formula: Formula[A]) -> S:
        match formula:
            case Constant(value):
                everything = self.graph.everything()
                return everything if value else self.graph.negation(everything)
            case Atom(atom):
                return self.graph.truth(atom)
            case Not(operand):
                return self.graph.negation(self.truth(operand))
            case Logic("&&", left, right):
                return self.graph.conjunction(self.truth(left), self.truth(right))
            case Logic("||", left, right):
                return self.graph.disjunction(self.truth(left), self.truth(right))
            case Branching("E", "X", operand):
                return self.graph.some_next(self.truth(operand))
            case Branching("E", "G", operand):
                return self.graph.some_always(self.truth(operand))
            case BranchingUntil("E", "U", left, right):
                return self.graph.some_until(self.truth(left), self.truth(right))
        raise TypeError(f"not in existential form: {formula!r}")
