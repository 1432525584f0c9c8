"""The graph of a model for formulas about weakly fair runs: a process that could always move from some point on does so
infinitely often.

For each process it must happen again and again that it is unable to begin a step, or takes part in the one that is taken.
These are constraints on steps.  `EG p` is then the greatest set Z of states with p from which, for each process, states of
Z lead to a step into Z that is fair to it (E. A. Emerson, C. L. Lei, "Efficient model checking in fragments of the
propositional mu-calculus", LICS 1986, for constraints on states).

Every finite run can be made a fair one: let the processes take turns, and pass over those that cannot move.  So `EX` and
`EU`, which are shown by a finite run, are the same as without fairness.  A run that stops is fair, as no process can move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from coset.engines.evidence import takers
from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.graph import Region, SymbolicGraph
from coset.engines.symbolic.relation import Relation
from coset.model import expression as e
from coset.model.interpreter import Step, is_fault
from coset.model.state import State
from coset.properties.ctl_evidence import Evidence
from coset.results.internal import Disagreement
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Constraint:
    """For one process: the steps in which it takes part, and where it can begin none.  The same for states before the
    space, by their numbers: where its steps lead, and where it can begin none."""

    process: int
    steps: Relation
    unable: Diagram
    steps_before: Mapping[int, Sequence[State]]
    unable_before: frozenset[int]


class FairGraph(SymbolicGraph):
    """Without symmetries, as a quotient does not tell who moves."""

    @cached_property
    def constraints(self) -> Sequence[Constraint]:
        """Those of processes that can move at all; a model that is one guarded system has none."""
        (space,) = self.found.space.steps
        before = {number: self.taken(self.met[number]) for number in self.first} if self.found.conversion else {}
        beginners = {step.movers[0] for step in space.taken if step.movers}
        beginners |= {step.moves[0].process for row in before.values() for step in row}
        found = []
        for p in sorted(beginners):
            own = [step for step in space.taken if p in step.movers]
            able = self.found.encoding.diagrams.union(step.guard for step in own if step.movers[0] == p)
            leads = {number: [step.state for step in row if p in takers(step)] for number, row in before.items()}
            able_before = {number for number, row in before.items() if any(step.moves[0].process == p for step in row)}
            relation, unable = Relation(self.found.encoding, own), self.found.space.states & ~able
            found.append(Constraint(p, relation, unable, leads, frozenset(self.first) - able_before))
        return found

    def taken(self, state: State) -> list[Step]:
        """The steps from a state that can be completed."""
        return [step for step in self.found.interpreter.steps(state) if not is_fault(step.moves[-1])]

    def lies_in(self, one: Region, state: State) -> bool:
        if state in self.numbers:
            return self.contains(one, self.numbers[state])
        return self.found.contains(one.later, state)

    # --- sets ------------------------------------------------------------------------------------

    def fair_next(self, constraint: Constraint, goal: Region) -> Region:
        """From where a step that is fair to a process leads into a set, or the run stops in it."""
        later = constraint.unable & self.fixpoints.some_next(goal.later) | constraint.steps.preceding(goal.later)
        moving = (
            number
            for number, targets in constraint.steps_before.items()
            if any(self.lies_in(goal, target) for target in targets)
        )
        return Region(later, self.leading(constraint.unable_before, goal).union(moving))

    def some_always(self, holds: Region) -> Region:
        found = super().some_always(holds)
        while True:
            before = found
            for constraint in self.constraints:
                found = self.some_until(found, self.conjunction(found, self.fair_next(constraint, found)))
                self.found.encoding.diagrams.rest()
            if found == before:
                return found

    # --- runs ------------------------------------------------------------------------------------

    def fair_lasso(self, start: int, inside: Region) -> Evidence[e.Expr]:
        """A path into a cycle that is fair to all, inside a set of states with a fair run in it.

        From a state, one process after the other moves or becomes unable to.  If there is no path back, the run has left a
        strongly connected component for good, so that repeating this from the state reached terminates.
        """
        stem = [start]
        while True:
            around = [stem[-1]]
            for constraint in self.constraints:
                if not self.following(around[-1]):
                    break
                if any(self.is_fair(constraint, here, there) for here, there in pairwise(around)):
                    continue
                goal = self.conjunction(inside, self.fair_next(constraint, inside))
                around += self.path(around[-1], inside, goal)[1:]
                if self.following(around[-1]):
                    around.append(self.fair_step(constraint, around[-1], inside))
            if not self.following(around[-1]):
                path = (*stem, *around[1:])
                return Evidence(path, len(path) - 1)
            back = self.path(around[-1], inside, self.only(around[0]), steps=len(around) == 1)
            if back:
                return Evidence((*stem, *(around + back[1:])[1:-1]), len(stem) - 1)
            if len(around) == 1:
                around.append(next(each for each in self.following(around[0]) if self.contains(inside, each)))
            stem += around[1:]

    def fair_step(self, constraint: Constraint, number: int, inside: Region) -> int:
        """Where a step that is fair to a process leads, which there is."""
        for target in self.following(number):
            if self.contains(inside, target) and self.is_fair(constraint, number, target):
                return target
        raise Disagreement("a fair step in decision diagrams is none of the interpreter")

    def is_fair(self, constraint: Constraint, here: int, there: int) -> bool:
        """Whether one can go from a state to another by a step that is fair to a process."""
        steps = self.taken(self.met[here])
        if all(step.moves[0].process != constraint.process for step in steps):
            return True
        return any(constraint.process in takers(step) and step.state == self.met[there] for step in steps)
