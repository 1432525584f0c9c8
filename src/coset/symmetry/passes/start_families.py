"""Processes that start others at their beginning.

    proctype worker(byte of) { ... }
    proctype manager(byte me) { run worker(me); run worker(me); ... }
    init { atomic { run manager(1); run manager(2) } }

Symmetries act on states in which all processes exist, and which numbers the workers get depends on which manager is faster.
`start_families` lets whoever starts a manager start its workers as well, in one step, so that `init` starts all of them:

    init { atomic { run manager(1); run worker(1); run worker(1); run manager(2); ... } }

Theorem.  Let no expression depend on the number of a process, and let the steps of a process up to its last start be private
left movers (`startup`).  Then both models have the same runs, up to stuttering and the numbers of processes.

Proof.  In a run of the given model these steps can be moved to the left, up to the step that starts the process itself,
without changing what properties observe: no step in between conflicts with them, and the process takes no other step before.  A
process that is started earlier may also move earlier; that run is one of the given model in which its starter was faster.
The number of steps that are moved is bounded, so that no run diverges.

Control must be released by the last of these steps: inside an atomic sequence the new processes would have to wait for its end.
The path must be known from constants alone, arguments may depend on parameters.  A kind that starts processes of its own
kind is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import assigned, initial_expressions, read_by
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.rewrite import replace_variables, rewrite
from coset.source.records import dataclass
from coset.symmetry.passes.keep_terminated import dying_kinds, has_channels, notices, reads_numbers
from coset.symmetry.startup import (
    StartedStates,
    is_own,
    is_private,
    noticed_handshake,
    spots_before_starts,
    starts,
    startup,
)
from coset.symmetry.symbolic import Unknown, folded

MOST_STEPS = 1000
"""The most steps of a process before its last start."""

Values = dict[m.Variable, e.Expr]
"""What variables of a process hold, as expressions over its parameters and constants."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a process does before its last start: the processes that it starts, where it is then, what its variables hold, and
    the steps that it has taken."""

    started: tuple[m.Run, ...]
    at: int
    values: Values
    taken: tuple[tuple[int, m.Edge], ...]


def start_families(model: m.Model) -> m.Model:
    """The model in which processes are started together with those that they start at their beginning, if its processes are
    not known otherwise."""
    if not any(starts(edge) for kind in model.kinds for _, edge in kind.edges()):
        return model
    if isinstance(startup(Interpreter(model), staying=True), StartedStates):
        return model
    if model.prioritised or model.remembers_mover or reads_numbers(model) or notices(model, dying_kinds(model)):
        return model
    try:
        names = list(TopologicalSorter(started_kinds(model)).static_order())
    except CycleError:
        return model
    for name in names:
        model = with_family(model, model.kind(name))
    return model


def started_kinds(model: m.Model) -> dict[str, list[str]]:
    """The kinds that processes of each kind start."""
    return {kind.name: [run.kind for _, edge in kind.edges() for run in starts(edge)] for kind in model.kinds}


def with_family(model: m.Model, kind: m.Kind) -> m.Model:
    """The model in which processes of a kind are started together with those that they start; the model itself if one
    process starts all, or if the steps before its last start are not known, or observable."""
    starting = [each for each in model.processes if is_starter(model.kind(each.kind))]
    if len(starting) == 1 and starting[0].kind == kind.name:
        return model
    constant = frozenset(model.variables) - assigned(model)
    try:
        begun = beginning(kind, constant)
        if begun is None or not is_unobserved(model, kind, begun, constant):
            return model
        later = {variable: resumed(number < kind.parameters, variable, begun.values)
                 for number, variable in enumerate(kind.variables)}  # fmt: skip
        families = (
            run for each in model.processes if each.kind == kind.name for run in family(kind, begun, each.arguments)
        )
        processes = (*model.processes, *(m.Instance(run.kind, run.arguments, run.priority) for run in families))
        kinds = tuple(
            replace(each, start=begun.at) if each is kind else joined(each, kind, begun) for each in model.kinds
        )
    except Unknown:
        return model
    changed = {old: new for old, new in later.items() if new is not old}
    return replace_variables(replace(model, kinds=kinds, processes=processes), changed)


def is_starter(kind: m.Kind) -> bool:
    return kind.start in spots_before_starts(kind)


def family(kind: m.Kind, begun: Beginning, arguments: Sequence[e.Expr]) -> Iterator[m.Run]:
    """What is started together with a process that has these arguments."""
    used = {variable for run in begun.started for x in run.arguments for variable in read_by(x)}
    given = zip(kind.variables[: kind.parameters], arguments, strict=True)
    values = {parameter: fitted(x, parameter.domain) for parameter, x in given if parameter in used}
    for run in begun.started:
        yield replace(run, arguments=tuple(substituted(x, values) for x in run.arguments))


def joined(kind: m.Kind, started: m.Kind, begun: Beginning) -> m.Kind:
    """A kind that starts processes of another kind together with those that they start."""

    def effects(edge: m.Edge) -> Iterator[m.Effect]:
        for effect in edge.effects:
            yield effect
            if isinstance(effect, m.Run) and effect.kind == started.name:
                yield from family(started, begun, effect.arguments)

    locations = (
        replace(location, edges=tuple(replace(edge, effects=tuple(effects(edge))) if starts(edge) else edge
                                      for edge in location.edges))
        for location in kind.locations
    )  # fmt: skip
    return replace(kind, locations=tuple(locations)) if any(starts(edge) for _, edge in kind.edges()) else kind


def beginning(kind: m.Kind, constant: frozenset[m.Variable]) -> Beginning | None:
    """The steps of a process up to its last start; None if there is none, Unknown if its path is not known."""
    before = spots_before_starts(kind)
    at, started, taken = kind.start, list[m.Run](), list[tuple[int, m.Edge]]()
    if at not in before:
        return None
    values = dict(initial_values(kind))
    while at in before:
        if len(taken) >= MOST_STEPS:
            raise Unknown
        edge = only_edge(kind.locations[at], values)
        if not is_private(edge, constant):
            raise Unknown
        taken.append((at, edge))
        for effect in edge.effects:
            perform(effect, values, started)
        at = edge.target
    if at == m.GONE or kind.locations[at].transient or taken[-1][1].hold:
        raise Unknown
    return Beginning(tuple(started), at, values, tuple(taken))


def initial_values(kind: m.Kind) -> Iterator[tuple[m.Variable, e.Expr]]:
    for number, variable in enumerate(kind.variables):
        if number < kind.parameters:
            yield variable, e.Get(variable)
        elif variable.shape or isinstance(variable.initial, m.NewChannel):
            continue
        elif not variable.initial:
            yield variable, e.Const(variable.domain.fit(0))
        elif isinstance(variable.initial[0], e.Const):
            yield variable, e.Const(variable.domain.fit(variable.initial[0].value))


def only_edge(location: m.Location, values: Values) -> m.Edge:
    """The edge that a process takes; its guards must be known."""
    if location.accept or location.progress:
        raise Unknown
    known = [(edge, known_truth(edge.guard, values)) for edge in location.edges]
    possible = [edge for edge, holds in known if holds]
    if not possible:
        possible = [edge for edge in location.edges if isinstance(edge.guard, e.Otherwise)]
    if len(possible) != 1 or any(edge.tier or edge.group for edge in location.edges):
        raise Unknown
    return possible[0]


def known_truth(guard: e.Expr, values: Values) -> bool:
    if isinstance(guard, e.Otherwise):
        return False
    match substituted(guard, values):
        case e.Const(value):
            return bool(value)
    raise Unknown


def perform(effect: m.Effect, values: Values, started: list[m.Run]) -> None:
    match effect:
        case m.Assign(e.Place(variable, indices), value):
            if variable is None or variable not in values or indices:
                raise Unknown
            values[variable] = fitted(substituted(value, values), variable.domain)
        case m.Run(_, arguments):
            started.append(replace(effect, arguments=tuple(substituted(x, values) for x in arguments)))
        case m.Assert(condition):
            if not known_truth(condition, values):
                raise Unknown
        case m.Print():
            pass
        case _:
            raise Unknown


def substituted(x: e.Expr, values: Values) -> e.Expr:
    """An expression with variables of the process replaced by what they hold."""

    def change(part: e.Expr) -> e.Expr:
        if isinstance(part, e.Get) and part.variable.owner is not None:
            if part.variable not in values or part.indices:
                raise Unknown
            return values[part.variable]
        return folded(part) if isinstance(part, e.Unary | e.Binary | e.Conditional) else part

    return rewrite(x, change)


def fitted(x: e.Expr, domain: Domain) -> e.Expr:
    """A value as a variable holds it."""
    match x:
        case e.Const(value):
            return e.Const(domain.fit(value))
        case e.Get(variable) if domain.low <= variable.domain.low and variable.domain.high <= domain.high:
            return x
    raise Unknown


def is_unobserved(model: m.Model, kind: m.Kind, begun: Beginning, constant: frozenset[m.Variable]) -> bool:
    """Whether the steps before the last start may happen at once."""
    if kind.provided != e.TRUE or has_channels(kind):
        return False
    for run in begun.started:
        started = model.kind(run.kind)
        if has_channels(started) or not all(is_own(x, constant) for x in initial_expressions(started.variables)):
            return False
    return noticed_handshake(model, [(kind, number, edge) for number, edge in begun.taken]) is None


def resumed(is_parameter: bool, variable: m.Variable, values: Values) -> m.Variable:
    """A variable of a process as it is after its last start."""
    if variable not in values or values[variable] == e.Get(variable):
        return variable
    if is_parameter:
        raise Unknown
    return replace(variable, initial=(values[variable],))
