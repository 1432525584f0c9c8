"""A path that shows why a formula of computation tree logic is false in a state, as far as one path can.

What fails "on all paths" fails on one, which is the evidence: `AG p` by a path to a state without p, `AF p` by
a path into a cycle without p.  Nested formulas are followed to the end of the path: `AG (p -> AF q)` by a path to a
state with p, and on into a cycle without q.  What fails "on some path" fails on all, which no path shows; then the
evidence ends where that is so, and `open` is the formula.

That a path is evidence can be confirmed without any graph.  `linear` drops the path quantifiers: a path that does not
satisfy what is left shows that the formula is false where it begins.

E. M. Clarke, O. Grumberg, K. L. McMillan, X. Zhao, "Efficient generation of counterexamples and witnesses in symbolic
model checking", DAC 1995.  E. M. Clarke, I. A. Draghicescu, "Expressibility results for linear-time and
branching-time logics", LNCS 354 (1988).

    >>> graph = StateGraph.of([[1], [2], [1]], {"p": [0, 1], "q": [0]})
    >>> counterexample(parse_ctl("AG (p -> AF q)", lambda name, _: name), graph, 0)
    Evidence(path=(0, 1, 2), loop=1, open=None)
    >>> print(counterexample(parse_ctl("AG EF q", lambda name, _: name), graph, 0).open)
    EF (q)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol

from coset.properties.ctl import B, Evaluation, Graph, S, StateGraph, existential_form, parse_ctl
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Constant, Formula, Logic, Modal, Not, Until
from coset.source.records import dataclass

__all__ = [
    "Evidence", "StateGraph", "WalkableGraph", "counterexample", "is_plain", "linear", "parse_ctl", "positive",
]  # fmt: skip


class WalkableGraph(Graph[B, S], Protocol[B, S]):
    """A graph in which paths can be found."""

    def only(self, state: int) -> S: ...

    def contains(self, one: S, state: int) -> bool: ...

    def following(self, state: int) -> Sequence[int]: ...

    def path(self, start: int, inside: S, goal: S, steps: bool = False) -> list[int]: ...


@dataclass(frozen=True, slots=True)
class Evidence(Generic[A]):
    """States one after the other; after the last one comes `path[loop]` again, or anything if `loop` is None.
    `open` is a formula that is false in the last state, which the path does not show."""

    path: tuple[int, ...]
    loop: int | None = None
    open: Formula[A] | None = None


# --- formulas ------------------------------------------------------------------------------------


def positive(formula: Formula[A], negated: bool = False) -> Formula[A]:
    """An equal formula in which only parts without temporal operators are negated.

    >>> print(positive(parse_ctl("!EF (p && !AX q)", lambda name, _: name)))
    AG (!(p) || AX (q))
    >>> print(positive(parse_ctl("!(E[p W q] -> A[p U q])", lambda name, _: name)))
    (E[(p) W (q)] && E[!(p) R !(q)])
    """
    if is_plain(formula):
        return formula if not negated else formula.operand if isinstance(formula, Not) else Not(formula)
    match formula:
        case Not(operand):
            return positive(operand, not negated)
        case Logic("->", left, right):
            return Logic("&&" if negated else "||", positive(left, not negated), positive(right, negated))
        case Logic("<->", left, right):
            return positive(Logic("&&", Logic("->", left, right), Logic("->", right, left)), negated)
        case Logic(operator, left, right):
            dual = {"&&": "||", "||": "&&"}[operator] if negated else operator
            return Logic(dual, positive(left, negated), positive(right, negated))
        case Branching(quantifier, operator, operand):
            if negated:
                quantifier, operator = _DUAL[quantifier], {"X": "X", "F": "G", "G": "F"}[operator]
            return Branching(quantifier, operator, positive(operand, negated))
        case BranchingUntil(quantifier, operator, left, right) if not negated:
            return BranchingUntil(quantifier, operator, positive(left), positive(right))
        case BranchingUntil(quantifier, "U" | "R" as operator, left, right):
            dual = {"U": "R", "R": "U"}[operator]
            return BranchingUntil(_DUAL[quantifier], dual, positive(left, True), positive(right, True))
        case BranchingUntil(quantifier, "W", left, right):
            stop = positive(right, True)
            return BranchingUntil(_DUAL[quantifier], "U", stop, Logic("&&", positive(left, True), stop))
    raise TypeError(f"not a formula of computation tree logic: {formula!r}")


_DUAL = {"A": "E", "E": "A"}


def is_plain(formula: Formula[A]) -> bool:
    """Whether a formula is about one state only."""
    match formula:
        case Branching() | BranchingUntil():
            return False
        case Not(operand):
            return is_plain(operand)
        case Logic(_, left, right):
            return is_plain(left) and is_plain(right)
    return True


def difficulty(formula: Formula[A]) -> int:
    """How hard it is to show that a formula is false: in one state, by a path, not at all."""
    match formula:
        case Branching("E") | BranchingUntil("E"):
            return 2
    return int(not is_plain(formula))


def linear(formula: Formula[A]) -> Formula[A]:
    """A formula of linear time that all paths from a state satisfy if the formula of branching time holds there: what is
    said of some path is left out, and of all paths is what is left.

    >>> print(linear(parse_ctl("AG (p -> AF q) && EX p", lambda name, _: name)))
    ([] (!(p) || <> (q)) && true)
    """
    return _linear(positive(formula))


def _linear(formula: Formula[A]) -> Formula[A]:
    if is_plain(formula):
        return formula
    match formula:
        case Branching("E") | BranchingUntil("E"):
            return Constant(True)
        case Branching(_, operator, operand):
            return Modal({"X": "X", "F": "<>", "G": "[]"}[operator], _linear(operand))
        case BranchingUntil(_, operator, left, right):
            return Until({"R": "V"}.get(operator, operator), _linear(left), _linear(right))
        case Logic(operator, left, right):
            return Logic(operator, _linear(left), _linear(right))
    raise TypeError(f"not a formula of computation tree logic: {formula!r}")


# --- paths ---------------------------------------------------------------------------------------


def counterexample(
    formula: Formula[A],
    graph: WalkableGraph[A, S],
    start: int,
    known: Evaluation[A, S] | None = None,
    lasso: Callable[[int, S], Evidence[A]] | None = None,
) -> Evidence[A]:
    """Evidence that a formula is false in a state, which it must be.  Where not all paths count, `lasso` finds one that
    does, from a state into a cycle inside a set."""
    search = _Search(graph, known or Evaluation(graph))
    search.lasso = lasso or search.shortest_lasso
    return search.refute(positive(formula), start)


class _Search(Generic[A, S]):
    def __init__(self, graph: WalkableGraph[A, S], evaluation: Evaluation[A, S]) -> None:
        self.graph, self.evaluation = graph, evaluation
        self.lasso: Callable[[int, S], Evidence[A]] = self.shortest_lasso

    def true(self, formula: Formula[A]) -> S:
        return self.evaluation.truth(existential_form(formula))

    def false(self, formula: Formula[A]) -> S:
        return self.true(Not(formula))

    def refute(self, formula: Formula[A], state: int) -> Evidence[A]:
        if is_plain(formula):
            return Evidence((state,))
        match formula:
            case Logic("&&", left, right):
                failing = [part for part in (left, right) if not self.graph.contains(self.true(part), state)]
                return self.refute(min(failing, key=difficulty), state)
            case Logic("||", left, right) if is_plain(left):
                return self.refute(right, state)
            case Logic("||", left, right) if is_plain(right):
                return self.refute(left, state)
            case Branching("A", "X", operand) if not self.graph.following(state):  # it stays here forever
                return Evidence((state,), 0, self.refute(operand, state).open)
            case Branching("A", "X", operand):
                wrong = self.false(operand)
                target = next(each for each in self.graph.following(state) if self.graph.contains(wrong, each))
                return self.onward([state, target], operand)
            case Branching("A", "G", operand):
                every = self.graph.everything()
                return self.onward(self.graph.path(state, every, self.false(operand)), operand)
            case Branching("A", "F", operand) if is_plain(operand):
                return self.lasso(state, self.graph.some_always(self.false(operand)))
            case BranchingUntil("A", "U" | "W", left, right) if is_plain(right):
                stop = self.false(right)
                path = self.graph.path(state, stop, self.true(Logic("&&", Not(left), Not(right))))
                if path:
                    return self.onward(path, left)
                return self.lasso(state, self.graph.some_always(stop))
            case BranchingUntil("A", "R", left, right) if is_plain(left):
                return self.onward(self.graph.path(state, self.false(left), self.false(right)), right)
        return Evidence((state,), None, formula)

    def onward(self, path: list[int], formula: Formula[A]) -> Evidence[A]:
        """A path, and from its last state on the evidence that the formula is false there."""
        rest = self.refute(formula, path[-1])
        loop = None if rest.loop is None else rest.loop + len(path) - 1
        return Evidence((*path[:-1], *rest.path), loop, rest.open)

    def shortest_lasso(self, start: int, inside: S) -> Evidence[A]:
        """A path into a cycle.  Every state inside has a successor inside, or none at all, so that a walk ends or returns to
        an earlier state.  From there the shortest cycle is taken, and the shortest path to it."""
        here, seen = start, set[int]()
        while here not in seen and (targets := self.graph.following(here)):
            seen.add(here)
            here = next(target for target in targets if self.graph.contains(inside, target))
        goal = self.graph.only(here)
        stem = self.graph.path(start, inside, goal)
        if not self.graph.following(here):
            return Evidence(tuple(stem), len(stem) - 1)
        cycle = self.graph.path(here, inside, goal, steps=True)
        return Evidence((*stem, *cycle[1:-1]), len(stem) - 1)
