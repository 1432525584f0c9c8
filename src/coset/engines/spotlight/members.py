"""Members of a family: with some of its parameters fixed, or all of them, which gives a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from coset.engines.branching import Conditions, Undecided, conditions
from coset.engines.reference.branching import reachable
from coset.engines.spotlight.ctl import Evaluation
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.program import SLOTS
from coset.engines.spotlight.refine import Outcome
from coset.engines.spotlight.solver import Solver
from coset.engines.spotlight.structure import Step, Structure
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.family import Family, instance, put
from coset.model.interpreter import Interpreter
from coset.model.rewrite import exchanged, rebuild_value
from coset.properties.ctl_formula import existential_form
from coset.results.trace import ReplayError, Trace, from_moves, replay
from coset.source.budget import Limits, OutOfBudget

LARGEST_VALUE = 4
"""Values of parameters that are tried for a single member."""


def with_values(family: Family, values: Mapping[str, int]) -> Family:
    """The family of those members whose parameters have these values."""
    numbers = {each: values[each.name] for each in family.parameters if each.name in values}
    own = (*family.variables, *(variable for each in family.classes for variable in each.kind.variables))
    images = {variable: replace(variable, initial=put(variable.initial, numbers)) for variable in own}

    def size(each: int | m.Variable) -> int | m.Variable:
        return numbers.get(each, each) if isinstance(each, m.Variable) else each

    return Family(
        family.name,
        tuple(each for each in family.parameters if each not in numbers),
        tuple(images[each] for each in family.variables),
        tuple(
            replace(each, kind=exchanged(put(each.kind, numbers), images), size=size(each.size))
            for each in family.classes
        ),
        put(family.assumptions, numbers),
        tuple(replace(p, formula=exchanged(put(p.formula, numbers), images)) for p in family.properties),
        tuple(replace(p, condition=exchanged(put(p.condition, numbers), images)) for p in family.lemmas),
    )


def member(family: Family, values: Mapping[str, int]) -> m.Model:
    """The model for values of all parameters, in which "deadlock" asks every process."""
    model = instance(family, values)
    stuck = e.TRUE
    for pid in range(len(model.processes)):
        stuck = e.conjunction(stuck, e.Unary("!", e.Enabled(e.Const(pid))))
    properties = rebuild_value(model.properties, lambda x: stuck if isinstance(x, e.Timeout) else x)
    return replace(model, properties=properties)


def exists(family: Family, solver: Solver) -> bool:
    """Whether the assumptions allow any member at all."""
    sizes = [solver.value(e.Get(each.size)) >= 1 for each in family.classes if isinstance(each.size, m.Variable)]
    values = [solver.value(e.Get(each)) >= each.domain.low for each in family.parameters]
    with solver.context([*sizes, *values, *map(solver.truth, family.assumptions)]):
        return solver.possible()


def small_members(family: Family, solver: Solver, lowest: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Values of the parameters that the assumptions allow, small ones first, each at least as given (sizes at least 1)."""
    sizes = {each.size.name for each in family.classes if isinstance(each.size, m.Variable)}
    names = [each.name for each in family.parameters]
    ranges = [
        range(first := lowest.get(name, 1 if name in sizes else 0), max(first, LARGEST_VALUE) + 1) for name in names
    ]
    for chosen in sorted(product(*ranges), key=lambda each: (sum(each), max(each, default=0), each)):
        values = dict(zip(names, chosen, strict=True))
        if exists(with_values(family, values), solver):
            yield values


def run_of(model: m.Model, property_: str, outcome: Outcome) -> Trace | None:
    """The run of a member that an abstraction shows by steps of its spotlight, None if it is none of this one: where
    an abstract run returns to a state, a concrete one may not."""
    interpreter = Interpreter(model)
    kinds = [process.kind for process in model.processes]
    state, moves = interpreter.initial(), []
    for cause in outcome.run:
        if cause.move is None or cause.slot is None:
            return None
        first = kinds.index(model.kinds[cause.slot // SLOTS].name)
        pid = first + cause.slot % SLOTS
        edge = model.kinds[cause.slot // SLOTS].locations[cause.move.source].edges[cause.move.edge]
        move = next((each for each in interpreter.moves_of(state, pid, False) if each.edge is edge), None)
        if move is None:
            return None
        moves.append(move)
        state = move.state
    trace = from_moves(model, moves, "ctl", property_, outcome.loop)
    try:
        return trace if replay(model, trace).message.endswith("is violated") else None
    except ReplayError:
        return None


def fair_value(model: m.Model, property_: m.Branching, limits: Limits) -> tuple[Truth, int, str | None]:
    """The truth of a formula over weakly fair paths of one model, how many states it has, and why it is not known."""
    interpreter = Interpreter(model)
    try:
        states, _ = reachable(interpreter, limits)
        numbers = {interpreter.key(state): number for number, state in enumerate(states)}
        wanted = conditions([property_])
        evaluated = Conditions(interpreter, wanted)
        truth = [dict(zip(wanted, evaluated.truth(state), strict=True)) for state in states]
    except (Fault, Undecided, OutOfBudget) as reason:
        return Truth.UNKNOWN, 0, str(reason)
    rows: list[list[Step]] = []
    for state in states:
        row = [
            Step(numbers[interpreter.key(s.state)], Truth.TRUE, s.moves[0].process) for s in interpreter.steps(state)
        ]
        rows.append(row or [Step(len(rows), Truth.TRUE)])

    def enabled(state: int, mover: int) -> Truth:
        return Truth.TRUE if any(step.mover == mover for step in rows[state]) else Truth.FALSE

    def label(state: int, atom: e.Expr) -> Truth:
        return Truth.TRUE if truth[state][atom] else Truth.FALSE

    structure = Structure(rows, label, tuple(range(len(model.processes))), enabled)
    known = Evaluation(structure, fair=True, exact=True)
    return known.truth(existential_form(property_.formula), 0), len(states), None
