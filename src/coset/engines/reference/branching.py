"""Formulas of computation tree logic, checked by the interpreter: the naive twin of the compiled engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coset.engines.branching import Conditions, Decision, Undecided, conditions, decide
from coset.engines.reference.cycles import movers_of
from coset.engines.reference.fair_branching import FairArrow, FairStateGraph, Labels
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.fairness import UNFAIR, Fairness, conditions_of
from coset.model.interpreter import Interpreter, is_fault
from coset.model.state import State
from coset.properties.state_graph import StateGraph
from coset.source.budget import Limits, OutOfBudget, current_budget

if TYPE_CHECKING:
    from coset.symmetry.canonical.representative import Representatives

CHECK_EVERY = 256


def check_properties(
    model: m.Model,
    properties: Sequence[m.CtlProperty],
    limits: Limits | None = None,
    representatives: Representatives | None = None,
    fairness: Fairness = UNFAIR,
) -> list[Decision]:
    """The verdict on each formula, by the graph of all states, or of their orbits under symmetries that keep the formulas.  Under
    fairness it is the graph of all states."""
    assert representatives is None or not fairness
    interpreter = Interpreter(model)
    try:
        states, successors = reachable(interpreter, limits or Limits(), representatives)
        if fairness:
            labels = labelled(interpreter, states, successors)
            return [decided_fairly(interpreter, each, states, successors, labels, fairness) for each in properties]
    except (Fault, Undecided, OutOfBudget) as reason:
        return [Decision(None, reason=str(reason))] * len(properties)
    return [decided(interpreter, property_, states, successors, representatives) for property_ in properties]


def decided(
    interpreter: Interpreter,
    property_: m.CtlProperty,
    states: list[State],
    successors: list[list[int]],
    representatives: Representatives | None = None,
) -> Decision:
    wanted = conditions([property_])
    evaluated = Conditions(interpreter, wanted)
    transitions = 1 + sum(map(len, successors))
    try:
        truth = [evaluated.truth(state) for state in states]
    except Undecided as reason:
        return Decision(None, len(states), transitions, None, str(reason))
    where = {condition: [number for number, row in enumerate(truth) if row[k]] for k, condition in enumerate(wanted)}
    graph = StateGraph.of(successors, where)
    return decide(property_, graph, transitions, interpreter, states.__getitem__, representatives)


def labelled(interpreter: Interpreter, states: list[State], successors: list[list[int]]) -> Labels:
    """Who takes part in each step, and who can begin one.  A state without steps repeats."""
    rows, able, budget = list[list[FairArrow]](), list[int](), current_budget()
    for state, targets in zip(states, successors, strict=True):
        budget.check()
        steps = [step for step in interpreter.steps(state) if not is_fault(step.moves[-1])]
        taken = [movers_of(step.moves) for step in steps]
        rows.append([FairArrow(*each) for each in zip(targets, taken, strict=True)] or [FairArrow(len(rows), 0)])
        able.append(sum(1 << process for process in {step.moves[0].process for step in steps}))
    return Labels(rows, able, max(len(state.processes) for state in states))


def decided_fairly(
    interpreter: Interpreter,
    property_: m.CtlProperty,
    states: list[State],
    successors: list[list[int]],
    labels: Labels,
    fairness: Fairness,
) -> Decision:
    """The verdict on fair runs."""
    wanted = conditions([property_])
    evaluated = Conditions(interpreter, wanted)
    constraints = Conditions(interpreter, conditions_of(fairness.constraints))
    truth = [evaluated.truth(state) for state in states]
    where = {condition: [number for number, row in enumerate(truth) if row[k]] for k, condition in enumerate(wanted)}
    plain = StateGraph.of(successors, where)
    graph = FairStateGraph(plain, labels, lambda number: constraints.truth(states[number]), fairness)
    transitions = 1 + sum(map(len, successors))
    return decide(property_, graph, transitions, interpreter, states.__getitem__, None, graph.fair_lasso, fairness)


def reachable(
    interpreter: Interpreter, limits: Limits, representatives: Representatives | None = None
) -> tuple[list[State], list[list[int]]]:
    """All states, breadth first, and the numbers of the successors of each; with representatives, the first state that is met of
    each orbit.  A step that ends in a fault leads nowhere."""
    key_of = interpreter.key if representatives is None else representatives
    initial = interpreter.initial()
    states, numbers = [initial], {key_of(initial): 0}
    successors: list[list[int]] = []
    for number, state in enumerate(states):
        row = []
        for step in interpreter.steps(state):
            if is_fault(step.moves[-1]):
                continue
            key = key_of(step.state)
            if key not in numbers:
                numbers[key] = len(states)
                states.append(step.state)
            row.append(numbers[key])
        successors.append(row)
        if number % CHECK_EVERY == 0 and (reason := limits.exceeded(len(states))) is not None:
            raise Undecided(reason)
    return states, successors
