"""Runs of the model from walks in an annotated quotient.

A step of the quotient leads from a representative r to a state t, whose representative is w(t) for a symmetry w, its
*element*. A run of the model is followed by a symmetry g: where the quotient is in r, the run is in g(r). It goes on
to g(t), and g(t) is g(w^-1(w(t))). So the run takes the very steps that the walk takes, up to the numbers of
processes, and what is fair there is fair here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from coset.engines.evidence import takers
from coset.engines.streett import Way, moved_bits
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.results.internal import Disagreement
from coset.symmetry.action import Action, Point, Points
from coset.symmetry.groups.permutation import Permutation

MOST_ACTIONS = 2_000


class Passage(NamedTuple):
    """A step of the quotient: the state that it leads to, before it becomes its representative by the element, and who takes
    part, as bits.  Without movers the run stays where it is."""

    state: State
    element: Permutation
    movers: int


Annotated = Callable[[State], tuple[State, Permutation]]
"""The representative of a state, and a symmetry that takes the state to it."""


class Elements:
    """The symmetries of a model as they act on states and on the numbers of processes."""

    def __init__(self, points: Points) -> None:
        self.points = points
        self.identity = Permutation.identity(len(points.points))
        number = points.sorts.process.leader.number
        self.place = {
            point.item: k for k, point in enumerate(points.points) if point.what == "value" and point.number == number
        }
        self.action = lru_cache(MOST_ACTIONS)(lambda element: Action(points, element))

    def image(self, element: Permutation, state: State) -> State:
        found: State = self.action(element)(state) if element else state
        return found

    def way(self, element: Permutation, processes: int) -> Way | None:
        """How the processes are renumbered."""
        if not element:
            return None
        points: Sequence[Point] = self.points.points
        images = (points[element(self.place[pid])].item if pid in self.place else pid for pid in range(processes))
        way = tuple(images)
        return None if way == tuple(range(processes)) else way

    # --- runs ------------------------------------------------------------------------------------

    def run(
        self, interpreter: Interpreter, start: State, element: Permutation, passages: Sequence[Passage]
    ) -> tuple[State, Permutation, list[Move]]:
        """Where a walk leads from the state g(r), its element g there, and its moves."""
        here, moves = start, list[Move]()
        for each in passages:
            if each.movers:
                there = self.image(element, each.state)
                moves += step_by(interpreter, here, there, moved_bits(each.movers, self.way_of(element, here)))
                here = there
            element = each.element.inverse() * element
        return here, element, moves

    def way_of(self, element: Permutation, state: State) -> Way | None:
        return self.way(element, len(state.processes) + 1)

    def around(
        self, interpreter: Interpreter, start: State, element: Permutation, passages: Sequence[Passage]
    ) -> list[Move]:
        """The moves of a closed walk, repeated until the run is in the same state again."""
        here, moves = start, list[Move]()
        while True:
            here, element, more = self.run(interpreter, here, element, passages)
            moves += more
            if here == start:
                return moves


def step_by(interpreter: Interpreter, before: State, after: State, movers: int) -> tuple[Move, ...]:
    """The moves of a step from one state to another in which these processes take part."""
    for step in interpreter.steps(before):
        if step.state == after and not is_fault(step.moves[-1]) and bits(takers(step)) == movers:
            return step.moves
    raise Disagreement(f"no step of these processes leads from {before} to {after}")


def bits(numbers: set[int]) -> int:
    """
    >>> bits({0, 2})
    5
    """
    return sum(1 << number for number in numbers)
