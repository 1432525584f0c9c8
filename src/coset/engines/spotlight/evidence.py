"""Why a formula is true, false or unknown in a state: a path, and what is found at its end.

For "true" of a formula with `E`, and "false" of one with `A`, it is a path of must transitions, which every member of the
family has.  For "unknown" it is a path of may transitions up to the first thing on it that is not known: a transition, or
a condition on the state.  Among such paths, one with as few steps of the shade as possible is chosen, then one with as
few unknown steps as possible: what a process of the spotlight does can be made known by predicates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from heapq import heappop, heappush
from typing import Generic

from coset.engines.spotlight.ctl import Evaluation
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.structure import A, Step
from coset.properties.ctl_formula import Branching, BranchingUntil, existential_form
from coset.properties.formula import Atom, Formula, Logic, Not
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Evidence(Generic[A]):
    """`steps` lead from the initial state through `states`, one more than there are steps; `loop` is where the path
    returns to, if it does.  At its end is a condition (`atom`), or an unknown `step`, or a formula that all paths from
    there decide together (`open`)."""

    truth: Truth
    states: tuple[int, ...]
    steps: tuple[Step, ...] = ()
    loop: int | None = None
    atom: A | None = None
    step: Step | None = None
    open: Formula[A] | None = field(default=None, repr=False)

    @property
    def last(self) -> int:
        return self.states[-1]

    def longer(self, steps: list[Step]) -> Evidence[A]:
        return replace(self, states=(*self.states, *(s.target for s in steps)), steps=(*self.steps, *steps))


def explain(formula: Formula[A], known: Evaluation[A], state: int = 0) -> Evidence[A]:
    """The evidence for the value of a formula in a state."""
    form = existential_form(formula)
    start: Evidence[A] = Evidence(known.truth(form, state), (state,))
    return descend(form, known, start)


def descend(formula: Formula[A], known: Evaluation[A], way: Evidence[A]) -> Evidence[A]:
    truth = known.truth(formula, way.last)
    match formula:
        case Atom(atom):
            return replace(way, atom=atom)
        case Not(operand):
            return descend(operand, known, way)
        case Logic(operator, left, right):
            decided = truth is (Truth.FALSE if operator == "&&" else Truth.TRUE)
            both = not decided and truth.definite
            parts = [part for part in (left, right) if both or known.truth(part, way.last) is truth]
            return descend(max(parts, key=is_temporal), known, way)
        case Branching() | BranchingUntil():
            if truth is Truth.FALSE or (truth is Truth.TRUE and not has_witness(formula, known, way.last)):
                return replace(way, open=formula)
            return along(formula, known, way, truth)
    return replace(way, open=formula)


def has_witness(formula: Branching[A] | BranchingUntil[A], known: Evaluation[A], state: int) -> bool:
    """Whether must transitions alone show that a formula with `E` is true, not only that every path would."""
    match formula:
        case Branching("E", "X", operand):
            return state in known.some_next(known.sets(operand)[0], True)
        case BranchingUntil("E", "U", left, right):
            return state in known.some_until(known.sets(left)[0], known.sets(right)[0], True)
        case Branching("E", "G", operand):
            return not known.fair and state in known.some_always(known.sets(operand)[0], True)
    return False


def is_temporal(formula: Formula[A]) -> bool:
    match formula:
        case Not(operand):
            return is_temporal(operand)
        case Logic(_, left, right):
            return is_temporal(left) or is_temporal(right)
    return isinstance(formula, Branching | BranchingUntil)


def along(
    formula: Branching[A] | BranchingUntil[A], known: Evaluation[A], way: Evidence[A], truth: Truth
) -> Evidence[A]:
    """The evidence on a path that may or must make a formula with `E` true."""
    must = truth is Truth.TRUE
    side = 0 if must else 1
    match formula:
        case Branching("E", "X", operand):
            goal = known.sets(operand)[side]
            step = min((s for s in steps_of(known, way.last, must) if s.target in goal), key=cost)
            return unknown_or_end([step], None, operand, known, way, must)
        case BranchingUntil("E", "U", left, right):
            path = cheapest(known, way.last, known.sets(left)[side], known.sets(right)[side], must)
            return unknown_or_end(path, left, right, known, way, must)
        case Branching("E", "G", operand):
            inside = known.some_always(known.sets(operand)[0], True) if must else known.sets(formula)[1]
            steps = lasso(known, way.last, inside, must)
            if must:
                found = way.longer(steps)
                return replace(found, loop=found.states.index(found.last, len(way.states) - 1))
            return unknown_or_end(steps, operand, None, known, way, must)
    raise TypeError(f"not in existential form: {formula!r}")


def unknown_or_end(
    path: list[Step],
    left: Formula[A] | None,
    right: Formula[A] | None,
    known: Evaluation[A],
    way: Evidence[A],
    must: bool,
) -> Evidence[A]:
    """The first thing on a path that is not known, else what `right` says at its end."""
    if must:
        end = way.longer(path)
        return descend(right, known, end) if right is not None else end
    for step in path:
        if left is not None and known.truth(left, way.last) is Truth.UNKNOWN:
            return descend(left, known, way)
        if step.truth is Truth.UNKNOWN:
            return replace(way, step=step)
        way = way.longer([step])
    if right is not None and known.truth(right, way.last) is Truth.UNKNOWN:
        return descend(right, known, way)
    return way


def cost(step: Step) -> tuple[bool, bool]:
    return step.mover is None, step.truth is Truth.UNKNOWN


def steps_of(known: Evaluation[A], state: int, must: bool) -> Iterator[Step]:
    for step in known.structure.steps[state]:
        if step.truth is Truth.TRUE or (not must and step.truth):
            yield step


def cheapest(known: Evaluation[A], start: int, through: set[int], goal: set[int], must: bool) -> list[Step]:
    """The steps from a state through some set to a goal: fewest steps of the shade, then fewest unknown, then fewest."""
    best: dict[int, tuple[int, int, int]] = {start: (0, 0, 0)}
    back: dict[int, tuple[int, Step]] = {}
    heap = [((0, 0, 0), start)]
    while heap:
        price, state = heappop(heap)
        if price > best[state]:
            continue
        if state in goal:
            path: list[Step] = []
            while state != start:
                state, step = back[state]
                path.append(step)
            return path[::-1]
        if state not in through:
            continue
        for step in steps_of(known, state, must):
            shade, unknown = cost(step)
            new = (price[0] + shade, price[1] + unknown, price[2] + 1)
            if step.target not in best or new < best[step.target]:
                best[step.target] = new
                back[step.target] = state, step
                heappush(heap, (new, step.target))
    raise ValueError("there is no such path")


def lasso(known: Evaluation[A], start: int, inside: set[int], must: bool) -> list[Step]:
    """Steps that stay in a set until they come back to one of their states, if possible without the shade."""
    lit = {
        state: [s for s in steps_of(known, state, must) if s.mover is not None and s.target in inside]
        for state in inside
    }
    left = set(inside)
    while gone := [state for state in left if not any(s.target in left for s in lit[state])]:
        left.difference_update(gone)
    steps: list[Step] = []
    seen, state = {start}, start
    while True:
        choices = [s for s in steps_of(known, state, must) if s.target in inside]
        if not choices:  # a fair path may have to leave the states that are decided here
            return steps
        step = min(choices, key=lambda s: (s.target not in left, *cost(s)))
        steps.append(step)
        state = step.target
        if state in seen:
            return steps
        seen.add(state)
