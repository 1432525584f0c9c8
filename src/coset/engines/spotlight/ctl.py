"""Computation tree logic over three truth values.

The truth of a formula is a pair of sets of states: *pessimistic*, where it is true, and *optimistic*, where it is not
false.  Both are computed as usual, the first with must transitions, the second with may transitions; negation exchanges
them.  Two ordinary checks give the three-valued one (Bruns and Godefroid).  What holds on all paths that there may be
holds on some path, too: the structures that are meant have successors everywhere.

    >>> from coset.properties.ctl import parse_ctl
    >>> steps = [[Step(1, Truth.TRUE), Step(2, Truth.UNKNOWN)], [Step(1, Truth.TRUE)], [Step(2, Truth.TRUE)]]
    >>> k = Structure(steps, lambda state, atom: Truth.TRUE if atom == "pqr"[state] else Truth.FALSE)
    >>> [str(value(parse_ctl(text, lambda name, _: name), k)) for text in ("EX q", "EX r", "AF q", "EF p", "AG !r")]
    ['true', 'unknown', 'unknown', 'true', 'unknown']

With `fair`, paths are those on which every process of the spotlight is infinitely often disabled, or moves infinitely
often (weak fairness).  Of such paths only their possibility is decided: `EG` is never true, unless the structure is
`exact`.  Finite witnesses stay valid, as every finite run goes on in some fair way.

If the structure knows that others make finitely many steps only (`rests`), `EG` is possible only where the processes of the
spotlight go on forever, or the run comes to rest.
"""

from __future__ import annotations

from typing import Generic, NamedTuple

from coset.engines.connected import components
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.structure import A, Step, Structure
from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form
from coset.properties.formula import Atom, Constant, Formula, Logic, Not

__all__ = ["Evaluation", "Step", "Structure", "Truth", "value"]


class Sets(NamedTuple):
    """Where a formula is true, and where it is not false."""

    pessimistic: set[int]
    optimistic: set[int]

    def truth(self, state: int) -> Truth:
        if state in self.pessimistic:
            return Truth.TRUE
        return Truth.UNKNOWN if state in self.optimistic else Truth.FALSE


def value(formula: Formula[A], structure: Structure[A], fair: bool = False, exact: bool = False) -> Truth:
    """The truth of a formula in the initial state."""
    return Evaluation(structure, fair, exact).sets(existential_form(formula)).truth(0)


class Evaluation(Generic[A]):
    """The sets of all subformulas of formulas in existential form, each computed once.

    `exact` says that all transitions and labels are definite and that `movers` are all processes, so that fair paths
    are known.
    """

    def __init__(self, structure: Structure[A], fair: bool = False, exact: bool = False) -> None:
        self.structure, self.fair, self.exact = structure, fair, exact
        self.all = set(range(structure.states))
        self.before = {must: structure.backward(must) for must in (True, False)}
        self._known: dict[Formula[A], Sets] = {}

    def sets(self, formula: Formula[A]) -> Sets:
        if formula not in self._known:
            self._known[formula] = self.compute(formula)
        return self._known[formula]

    def truth(self, formula: Formula[A], state: int) -> Truth:
        return self.sets(formula).truth(state)

    def compute(self, formula: Formula[A]) -> Sets:
        match formula:
            case Constant(holds):
                return Sets(set(self.all), set(self.all)) if holds else Sets(set(), set())
            case Atom(atom):
                labels = [self.structure.label(state, atom) for state in range(self.structure.states)]
                return Sets(
                    {s for s, t in enumerate(labels) if t is Truth.TRUE}, {s for s, t in enumerate(labels) if t}
                )
            case Not(operand):
                inner = self.sets(operand)
                return Sets(self.all - inner.optimistic, self.all - inner.pessimistic)
            case Logic("&&", left, right):
                one, other = self.sets(left), self.sets(right)
                return Sets(one[0] & other[0], one[1] & other[1])
            case Logic("||", left, right):
                one, other = self.sets(left), self.sets(right)
                return Sets(one[0] | other[0], one[1] | other[1])
            case Branching("E", "X", operand):
                inner = self.sets(operand)
                all_next = self.all - self.some_next(self.all - inner[0], False)
                return Sets(self.some_next(inner[0], True) | all_next, self.some_next(inner[1], False))
            case BranchingUntil("E", "U", left, right):
                one, other = self.sets(left), self.sets(right)
                certain = self.some_until(one[0], other[0], True) | self.all_until(one[0], other[0])
                return Sets(certain, self.some_until(one[1], other[1], False))
            case Branching("E", "G", operand):
                inner = self.sets(operand)
                possible = self.possibly_always(inner[1])
                certain = self.all - self.some_until(self.all, self.all - inner[0], False)
                if not self.fair:
                    certain |= self.some_always(inner[0], True)
                elif self.exact:
                    certain = possible
                return Sets(certain, possible)
        raise TypeError(f"not in existential form: {formula!r}")

    def some_next(self, holds: set[int], must: bool) -> set[int]:
        return {source for target in holds for source in self.before[must][target]}

    def some_until(self, holds: set[int], reaches: set[int], must: bool) -> set[int]:
        found, queue = set(reaches), list(reaches)
        while queue:
            for source in self.before[must][queue.pop()]:
                if source in holds and source not in found:
                    found.add(source)
                    queue.append(source)
        return found

    def all_until(self, holds: set[int], reaches: set[int]) -> set[int]:
        """The states from which every path that there may be stays in one set until it comes to another.  As paths
        do not end, there is one then."""
        waits = self.all - reaches
        return self.all - self.some_until(waits, waits - holds, False) - self.possibly_always(waits)

    def possibly_always(self, holds: set[int]) -> set[int]:
        """The states from which a path may stay in a set forever."""
        return self.some_fair(holds) if self.fair else self.some_lively(self.some_always(holds, False))

    def some_always(self, holds: set[int], must: bool) -> set[int]:
        """The states from which a path of such transitions stays in a set forever; one that ends is none."""
        left = set(holds)
        rows = self.structure.steps
        degree = {s: sum(t in left for t in self.structure.forward(rows[s], must)) for s in left}
        queue = [state for state in left if not degree[state]]
        while queue:
            gone = queue.pop()
            left.discard(gone)
            for source in self.before[must][gone]:
                if source in left and source in degree:
                    degree[source] -= 1
                    if not degree[source]:
                        queue.append(source)
        return left

    def some_lively(self, holds: set[int]) -> set[int]:
        """The states from which a path stays in a set with finitely many steps of others, or comes to rest."""
        rests = self.structure.rests
        if rests is None:
            return holds
        lit = {s: {t.target for t in self.structure.steps[s] if t.truth and t.mover is not None} for s in holds}
        left = set(holds)
        while gone := [state for state in left if not lit[state] & left and not rests(state)]:
            left.difference_update(gone)
        return self.some_until(holds, left, must=False)

    # --- fairness --------------------------------------------------------------------------------

    def some_fair(self, holds: set[int]) -> set[int]:
        """The states from which a path that may be fair stays in a set: those that reach a component that may be."""
        fair: set[int] = set()
        for component in components(holds, lambda state: self.inside(state, holds)):
            if self.may_be_fair(component):
                fair |= component
        return self.some_until(holds, fair, must=False)

    def inside(self, state: int, holds: set[int]) -> list[int]:
        return [t for t in self.structure.forward(self.structure.steps[state], False) if t in holds]

    def may_be_fair(self, component: set[int]) -> bool:
        """Whether a path can stay in a component forever and give every process its due: go everywhere, by every step."""
        steps = [
            (state, step)
            for state in component
            for step in self.structure.steps[state]
            if step.truth and step.target in component
        ]
        if not steps:
            return False
        moving = {step.mover for _, step in steps}
        rests = self.structure.rests
        if rests is not None and moving == {None} and not any(map(rests, component)):
            return False
        return all(
            mover in moving or any(self.structure.enabled(state, mover) is not Truth.TRUE for state in component)
            for mover in self.structure.movers
        )
