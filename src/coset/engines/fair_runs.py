"""Is a run that repeats forever fair?  A check of evidence, by the definition and by nothing that the searches use.

>>> from coset.tasks.load import parse_text
>>> from coset.results.trace import Choice, Trace
>>> processes = "active proctype A() { do :: p = true od } active proctype B() { do :: p = false od }"
>>> model = parse_text(f"bool p; {processes} ltl f {{ [] <> !p }}")
>>> only_a = Trace(model.name, "f", "ltl", (Choice(0, 0), Choice(0, 0)), 1)
>>> unfairness(model, only_a, WEAK), unfairness(model, only_a, UNFAIR)
('process 1 can always move, and never does', None)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from coset.model.expression import Expr
from coset.model.fairness import STRONG, UNFAIR, WEAK, Fairness, ProcessFairness
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.internal import Disagreement
from coset.results.trace import Trace, executed, in_control

__all__ = ["STRONG", "UNFAIR", "WEAK", "confirm_fair", "unfairness"]


class Taken(NamedTuple):
    """A state of the cycle, who can begin a step in it, and who takes part in the one that follows."""

    state: State
    able: set[int]
    movers: set[int]


def confirm_fair(model: Model, trace: Trace, fairness: Fairness) -> None:
    """Raises `Disagreement` if a run that is shown is not fair."""
    reason = unfairness(model, trace, fairness)
    if reason is not None:
        raise Disagreement(f"{trace.property} is shown by a run that is not fair: {reason}")


def unfairness(model: Model, trace: Trace, fairness: Fairness) -> str | None:
    """Why a run is not fair, in words; None if it is, or ends."""
    if not fairness or trace.loop_start is None:
        return None
    cycle = list(steps_around(model, trace, trace.loop_start))
    return unfair_process(cycle, fairness.processes) or unfair_constraint(Interpreter(model), cycle, fairness)


def steps_around(model: Model, trace: Trace, start: int) -> Iterator[Taken]:
    """The steps of the cycle: what happens from one state, in which no process is in the middle of a step, to the next one."""
    run = executed(model, trace)
    interpreter, count = run.interpreter, len(run.moves)
    if start == count:
        yield Taken(run.states[start], set(), set())
        return
    places = [k for k in range(start, count + 1) if in_control(interpreter, run.states[k], run.holders[k]) is None]
    if places[0] != start or places[-1] != count or run.states[start] != run.states[count]:
        raise Disagreement(f"{trace.property} is shown by a run that does not repeat a cycle")
    for begin, end in pairwise(places):
        state, movers = run.states[begin], set[int]()
        for move in run.moves[begin:end]:
            movers |= {move.process} | ({move.partner[0]} if move.partner is not None else set())
        able = {step.moves[0].process for step in interpreter.steps(state) if not is_fault(step.moves[-1])}
        yield Taken(state, able, movers)


def unfair_process(cycle: Sequence[Taken], kind: ProcessFairness) -> str | None:
    if kind is ProcessFairness.NONE:
        return None
    able = set[int]().union(*(each.able for each in cycle))
    moved = set[int]().union(*(each.movers for each in cycle))
    for process in sorted(able - moved):
        if all(process in each.able for each in cycle):
            return f"process {process} can always move, and never does"
        if kind is ProcessFairness.STRONG:
            return f"process {process} can move again and again, and never does"
    return None


def unfair_constraint(interpreter: Interpreter, cycle: Sequence[Taken], fairness: Fairness) -> str | None:
    for constraint in fairness.constraints:
        if holds_somewhere(interpreter, cycle, constraint.when) and not holds_somewhere(
            interpreter, cycle, constraint.then
        ):
            return f"{constraint} is false"
    return None


def holds_somewhere(interpreter: Interpreter, cycle: Sequence[Taken], condition: Expr) -> bool:
    function = interpreter.evaluation.expression(condition)
    for each in cycle:
        now = interpreter.moment(each.state, -1)
        now.own = ()
        if function(now):
            return True
    return False
