"""What an engine does with a formula of computation tree logic once it has the graph of all states.

The first state of the graph is the initial one.  The run that shows a violation is put together by the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from coset.engines.contract import branching_evidence
from coset.engines.evidence import Representative, fair_moves_around, moves_along, unpermuted, unrolled
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.fairness import UNFAIR, WEAK, Fairness
from coset.model.interpreter import Interpreter, is_fault
from coset.model.state import State
from coset.properties.ctl import Evaluation, S, existential_form
from coset.properties.ctl_evidence import Evidence, WalkableGraph, counterexample
from coset.properties.formula import Not
from coset.properties.goals import is_existential
from coset.properties.kinds import WITNESS, PropertyKind
from coset.results.trace import Trace, from_moves
from coset.results.verdict import PropertyResult, Verdict

MOST_CONDITIONS = 64
"""Different conditions in one formula: engines keep a bit for each."""


class Undecided(Exception):
    """There is no verdict; the message says why."""


class Decision(NamedTuple):
    """Whether a formula holds, None if that is not known; if not, a run that shows it, as far as one can.  `reason` is
    what the run does not show, or why there is no verdict.  `witness` is a run that shows that an existential formula holds."""

    holds: bool | None
    states: int = 0
    transitions: int = 0
    trace: Trace | None = None
    reason: str | None = None
    witness: Trace | None = None

    @property
    def verdict(self) -> Verdict:
        return {True: Verdict.HOLDS, False: Verdict.VIOLATED, None: Verdict.UNKNOWN}[self.holds]

    def result(self, model: m.Model, name: str) -> PropertyResult:
        """The verdict on a formula of computation tree logic, after its evidence was executed."""
        branching_evidence(model, name, self.trace, is_whole=self.reason is None)
        branching_evidence(model, name, self.witness, is_whole=False)
        return PropertyResult(
            name, PropertyKind.CTL, self.verdict, self.trace, self.reason, self.states, self.transitions,
            witness=self.witness,
        )  # fmt: skip


def conditions(properties: Iterable[m.CtlProperty]) -> list[e.Expr]:
    """The different conditions of formulas."""
    return list(dict.fromkeys(atom for property_ in properties for atom in property_.formula.atoms()))


def groups(properties: Iterable[m.CtlProperty]) -> Iterator[list[m.CtlProperty]]:
    """Formulas that one graph can serve: not more conditions than there are bits, unless a formula alone has more."""
    group: list[m.CtlProperty] = []
    for property_ in properties:
        if group and len(conditions([*group, property_])) > MOST_CONDITIONS:
            yield group
            group = []
        group.append(property_)
    if group:
        yield group


def decide(
    property_: m.CtlProperty,
    graph: WalkableGraph[e.Expr, S],
    transitions: int,
    interpreter: Interpreter,
    state: Callable[[int], State],
    canonical: Representative | None = None,
    fair_lasso: Callable[[int, S], Evidence[e.Expr]] | None = None,
    fairness: Fairness = WEAK,
) -> Decision:
    """The verdict on a graph; `state` tells which state a number is, `canonical` which one stands for its orbit if the
    graph has one state for each.  `fair_lasso` finds cycles if only fair runs count, those of a kind of `fairness`."""
    known, counting = Evaluation(graph), fairness if fair_lasso is not None else UNFAIR
    if graph.contains(known.truth(existential_form(property_.formula)), 0):
        witness = None
        if is_existential(property_.formula):
            shown = counterexample(Not(property_.formula), graph, 0, known, fair_lasso)
            if shown.open is None or len(shown.path) > 1:
                witness = trace_of(property_, shown, interpreter, state, canonical, counting, WITNESS)
        return Decision(True, graph.states, transitions, witness=witness)
    evidence = counterexample(property_.formula, graph, 0, known, fair_lasso)
    if evidence.open is not None and len(evidence.path) == 1:
        return Decision(
            False, graph.states, transitions, None, f"{evidence.open} is false at the start: no run shows that"
        )
    reason = None if evidence.open is None else f"the run ends where {evidence.open} is false, which no run can show"
    trace = trace_of(property_, evidence, interpreter, state, canonical, counting)
    return Decision(False, graph.states, transitions, trace, reason)


def trace_of(
    property_: m.CtlProperty,
    evidence: Evidence[e.Expr],
    interpreter: Interpreter,
    state: Callable[[int], State],
    canonical: Representative | None,
    fairness: Fairness,
    kind: str = "ctl",
) -> Trace:
    states = [state(number) for number in evidence.path]
    if canonical is not None:
        return quotient_trace(property_, states, evidence.loop, interpreter, canonical, kind)
    if evidence.loop is None:
        return from_moves(interpreter.model, moves_along(interpreter, states), kind, property_.name)
    before = moves_along(interpreter, states[: evidence.loop + 1])
    around = [*states[evidence.loop :], states[evidence.loop]]
    following = [step for step in interpreter.steps(around[0]) if not is_fault(step.moves[-1])]
    stays = len(around) == 2 and not any(step.state == around[0] for step in following)
    cycle = [] if stays else fair_moves_around(interpreter, around, fairness.processes)
    return from_moves(interpreter.model, before + cycle, kind, property_.name, len(before))


def quotient_trace(
    property_: m.CtlProperty,
    states: list[State],
    loop: int | None,
    interpreter: Interpreter,
    canonical: Representative,
    kind: str,
) -> Trace:
    """The run of the model that goes through the orbits of these states."""
    end = len(states) - 1 if loop is None else loop
    way = unpermuted(interpreter, states[: end + 1], canonical)
    cycle: list[State] = []
    if loop is not None and any(not is_fault(step.moves[-1]) for step in interpreter.steps(way[-1])):
        more, cycle = unrolled(interpreter, way[-1], [*states[loop + 1 :], states[loop]], canonical)
        way += more
    before = moves_along(interpreter, way)
    moves = before + (moves_along(interpreter, [way[-1], *cycle]) if cycle else [])
    return from_moves(interpreter.model, moves, kind, property_.name, None if loop is None else len(before))


class Conditions:
    """Conditions as the interpreter evaluates them."""

    def __init__(self, interpreter: Interpreter, found: list[e.Expr]) -> None:
        self.interpreter = interpreter
        self.functions = [(condition, interpreter.evaluation.expression(condition)) for condition in found]

    def truth(self, state: State) -> list[bool]:
        """Which of them hold in a state; raises `Undecided` if one has no value there."""
        now = self.interpreter.moment(state, -1)
        now.own = ()
        found = []
        for condition, function in self.functions:
            try:
                found.append(bool(function(now)))
            except Fault as fault:
                reason = f"the condition {condition} has no value in a reachable state: {fault.message}"
                raise Undecided(reason) from None
        return found
