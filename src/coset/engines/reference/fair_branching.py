"""Computation tree logic where only fair runs count, on the graph of all states.

`EG p` holds where states with p lead into a fair component of states with p (streett.py).  `EX p` and `E[p U q]` ask for a fair
run from the state that they are shown by (E. M. Clarke, O. Grumberg, D. Peled, "Model checking", 1999, section 6.3).  A state
without successors repeats forever, which is fair to all processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from coset.engines.fair_walk import fair_walk
from coset.engines.streett import Way, fair_components
from coset.model import expression as e
from coset.model.fairness import Fairness
from coset.properties.ctl_evidence import Evidence
from coset.properties.state_graph import StateGraph, members

Truth = Callable[[int], Sequence[bool]]
"""Which conditions of constraints hold in a state."""


class FairArrow(NamedTuple):
    """A step, without marks and renumbering."""

    target: int
    movers: int
    marks: int = 0
    way: Way | None = None


class Labels(NamedTuple):
    """Of each state: its steps, and who can begin one."""

    rows: list[list[FairArrow]]
    able: list[int]
    processes: int


class FairStateGraph(StateGraph[e.Expr]):
    """A graph of states with the operators of fair runs."""

    def __init__(self, plain: StateGraph[e.Expr], labels: Labels, truth: Truth, fairness: Fairness) -> None:
        super().__init__(plain.successors, plain.atoms)
        self.labels, self.fairness = labels, fairness
        self.holding = [sum(1 << k for k, each in enumerate(truth(n)) if each) for n in range(plain.states)]

    # --- the graph, for fair_components ----------------------------------------------------------

    @property
    def processes(self) -> int:
        return self.labels.processes

    def edges(self, node: int) -> list[FairArrow]:
        return self.labels.rows[node]

    def able(self, node: int) -> int:
        return self.labels.able[node]

    def holds(self, node: int) -> int:
        return self.holding[node]

    # --- the operators ---------------------------------------------------------------------------

    @cached_property
    def fair(self) -> bytearray:
        """The states with a fair run."""
        return self.some_always(self.everything())

    def some_next(self, holds: bytearray) -> bytearray:
        return super().some_next(self.conjunction(holds, self.fair))

    def some_until(self, holds: bytearray, reaches: bytearray) -> bytearray:
        return super().some_until(holds, self.conjunction(reaches, self.fair))

    def some_always(self, holds: bytearray) -> bytearray:
        found = bytearray(self.states)
        for component in fair_components(self, set(members(holds)), self.fairness, 0):
            for state in component:
                found[state] = 1
        return super().some_until(holds, found)

    def following(self, state: int) -> Sequence[int]:
        return [target for target in super().following(state) if self.fair[target]]

    def path(self, start: int, inside: bytearray, goal: bytearray, steps: bool = False) -> list[int]:
        return super().path(start, inside, self.conjunction(goal, self.fair), steps)

    def fair_lasso(self, start: int, inside: bytearray) -> Evidence[e.Expr]:
        """A path into a fair cycle, through states inside."""
        for component in fair_components(self, set(members(inside)), self.fairness, 0):
            goal = bytearray(self.states)
            for state in component:
                goal[state] = 1
            path = self.path(start, inside, goal)
            if path:
                walk = fair_walk(self, component, path[-1], self.fairness, 0)
                return Evidence((*path, *(arrow.target for arrow in walk[:-1])), len(path) - 1)
        raise AssertionError("a set of states without a fair run")
