"""The graph of a concurrent model for formulas of computation tree logic: a `WalkableGraph` whose sets are diagrams.

States get numbers when they are met on a path: the initial one has 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from coset.engines.branching import Conditions, Undecided
from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.fixpoints import Fixpoints
from coset.engines.symbolic.runs import ConcurrentSpace, Refused
from coset.model import expression as e
from coset.model.state import State
from coset.results.internal import Disagreement


class Region(NamedTuple):
    """A set of states: those of the space, and the numbers of those before it."""

    later: Diagram
    before: frozenset[int]


class SymbolicGraph:
    def __init__(self, found: ConcurrentSpace) -> None:
        self.found, self.beginning = found, found.beginning
        self.fixpoints = Fixpoints(found.space.relation, found.space.states)
        self.met: list[State] = list(found.beginning.states) or [found.initial]
        self.numbers = {state: number for number, state in enumerate(self.met)}
        self.first = range(len(found.beginning.states))
        """The numbers of the states before the space."""

    @property
    def states(self) -> int:
        return self.found.size

    def state(self, number: int) -> State:
        return self.met[number]

    def number(self, state: State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.met)
            self.met.append(state)
        return self.numbers[state]

    # --- sets ------------------------------------------------------------------------------------

    def truth(self, atom: e.Expr) -> Region:
        try:
            later, undefined = self.found.condition(atom)
        except Refused as reason:
            raise Undecided(f"the symbolic engine cannot do this formula: {reason}") from None
        conditions = Conditions(self.found.interpreter, [atom])
        if undefined.satisfiable():
            raise Undecided(f"the condition {atom} has no value in a reachable state")
        return Region(later, frozenset(n for n in self.first if conditions.truth(self.met[n])[0]))

    def everything(self) -> Region:
        return Region(self.found.space.states, frozenset(self.first))

    def only(self, state: int) -> Region:
        nothing = self.found.encoding.diagrams.false
        if state in self.first:
            return Region(nothing, frozenset({state}))
        return Region(self.found.set_of(self.met[state]), frozenset())

    def contains(self, one: Region, state: int) -> bool:
        return state in one.before if state in self.first else self.found.contains(one.later, self.met[state])

    def negation(self, one: Region) -> Region:
        return Region(self.found.space.states & ~one.later, frozenset(self.first) - one.before)

    def conjunction(self, one: Region, other: Region) -> Region:
        return Region(one.later & other.later, one.before & other.before)

    def disjunction(self, one: Region, other: Region) -> Region:
        return Region(one.later | other.later, one.before | other.before)

    # --- operators: first in the space, then in what leads to it ---------------------------------

    def leads(self, number: int, one: Region) -> bool:
        """Whether a step leads from a state before the space into a set, or it stays there for ever."""
        inner, later = self.beginning.successors[number], self.found.begins[number]
        if not inner and not later.satisfiable():
            return number in one.before
        return not one.before.isdisjoint(inner) or (later & one.later).satisfiable()

    def some_next(self, holds: Region) -> Region:
        before = (number for number in self.first if self.leads(number, holds))
        return Region(self.fixpoints.some_next(holds.later), frozenset(before))

    def some_until(self, holds: Region, reaches: Region) -> Region:
        later = self.fixpoints.some_until(holds.later, reaches.later)
        return self.fixpoint(Region(later, reaches.before), lambda now: now.before | self.leading(holds.before, now))

    def some_always(self, holds: Region) -> Region:
        later = self.fixpoints.some_always(holds.later)
        return self.fixpoint(Region(later, holds.before), lambda now: self.leading(now.before, now))

    def leading(self, among: Iterable[int], one: Region) -> frozenset[int]:
        return frozenset(number for number in among if self.leads(number, one))

    def fixpoint(self, now: Region, change: Callable[[Region], frozenset[int]]) -> Region:
        while (before := change(now)) != now.before:
            now = Region(now.later, before)
        return now

    # --- paths -----------------------------------------------------------------------------------

    def following(self, state: int) -> Sequence[int]:
        return list(
            dict.fromkeys(self.number(self.found.canonical(each)) for each in self.found.steps(self.met[state]))
        )

    def step_into(self, state: int, goal: Region) -> int:
        """A successor in a set, which there is; there may be very many others."""
        for target in map(self.found.canonical, self.found.successors(self.met[state])):
            if target in self.numbers:
                if self.contains(goal, self.numbers[target]):
                    return self.numbers[target]
            elif self.found.contains(goal.later, target):
                return self.number(target)
        raise Disagreement("a step in decision diagrams is none of the interpreter")

    def path(self, start: int, inside: Region, goal: Region, steps: bool = False) -> list[int]:
        """The shortest path to the goal, through states inside (the last one need not be); empty if there is none."""
        if self.contains(goal, start) and not steps:
            return [start]
        if not self.contains(inside, start):
            return []
        rings: list[Region] = []
        ring, seen = goal, goal
        while True:
            rings.append(ring)
            one = Region(
                inside.later & self.found.space.relation.preceding(ring.later), self.leading(inside.before, ring)
            )
            if self.contains(one, start):
                break
            ring = Region(one.later & ~seen.later, one.before - seen.before)
            if not ring.before and not ring.later.satisfiable():
                return []
            seen = self.disjunction(seen, ring)
            self.found.encoding.diagrams.rest()
        path = [start]
        for ring in reversed(rings):
            path.append(self.step_into(path[-1], ring))
        return path
