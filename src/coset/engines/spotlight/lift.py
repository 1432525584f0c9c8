"""A model as a member of a family: the same kinds of processes, in any number.

Kinds of which there is one process stay so; of a kind with several, there may be any number.  A property that speaks of
processes by their numbers speaks of as many different ones: by symmetry it is true of them if it is true of all choices.
Constants of the text stay what they are, also where they happen to be the number of processes.

What the model must be like: all processes exist from the start, without arguments; they do not know who they are, and look
at nothing but themselves and the global variables (`program`).  A step of several statements becomes one if nothing can
stop it half way.  Processes that have come to their end stay there, which no formula without next can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from coset.engines.spotlight.expressions import MACHINE_INT, Obstacle, bounds, is_unbounded, negation, substituted
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import PROCESS, Domain
from coset.model.family import Family, FamilyProperty, ProcessClass, Quantifier
from coset.model.rewrite import exchanged, rebuild_value
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching
from coset.source.text import Span

MOST_PROCESSES = 255
"""As many processes as a Promela model can have: so that a byte counts them."""
LONGEST_STEP = 64
"""Statements in one step, at most."""


def lifted(model: m.Model) -> Family:
    """The family that a model is a member of.  Raises `Obstacle`."""
    model = with_machine_integers(without_arguments(model))
    check_model(model)
    members: dict[str, list[int]] = {}
    for pid, process in enumerate(model.processes):
        members.setdefault(process.kind, []).append(pid)
    several = [name for name, pids in members.items() if len(pids) > 1]
    if not several:
        raise Obstacle("every kind of process has one member: `active [2] proctype` stands for any number")
    sizes: dict[str, int | m.Variable] = {
        name: m.Variable("N" if len(several) == 1 else f"N_{name}", Domain("nat", 0, 2**31 - 1))
        if name in several
        else 1
        for name in members
    }
    kinds = [staying(kind) for kind in model.kinds if kind.name in members]
    properties = tuple(lifted_property(model, each, members, kinds) for each in model.properties)
    classes = tuple(ProcessClass(whole_steps(kind), sizes[kind.name], kind.span) for kind in kinds)
    parameters = tuple(size for size in sizes.values() if isinstance(size, m.Variable))
    most = tuple(e.Binary("<=", e.Get(each), e.Const(MOST_PROCESSES)) for each in parameters)
    return Family(model.name, parameters, model.variables, classes, most, properties)


def check_model(model: m.Model) -> None:
    """Refuse what a family has no word for."""
    if model.prioritised:
        raise Obstacle("priorities tell processes apart")
    if model.monitor is not None:
        raise Obstacle("messages are watched (trace, notrace)", model.monitor.automaton.span)
    if model.remembers_mover:
        raise Obstacle("a process refers to the last one that moved (_last)")
    for kind in model.kinds:
        if kind.deterministic:
            raise Obstacle(f"{kind.name} is deterministic (D_proctype)", kind.span)
        for _, edge in kind.edges():
            if any(isinstance(effect, m.Run) for effect in edge.effects):
                raise Obstacle("processes are created by `run`: write `active [2] proctype` for any number", edge.span)
    for process in model.processes:
        if process.arguments:
            raise Obstacle(
                f"processes of {process.kind} are distinguished by their arguments", model.kind(process.kind).span
            )


def with_machine_integers(model: m.Model) -> m.Model:
    """The model with integers of 32 bits that wrap, not ones that stand for all numbers."""
    images = {}
    for variable in (*model.variables, *(v for kind in model.kinds for v in kind.variables)):
        if is_unbounded(variable.domain):
            domain = replace(variable.domain, name=MACHINE_INT)
            images[variable] = replace(variable, domain=domain)
    found: m.Model = exchanged(model, images) if images else model
    return found


def without_arguments(model: m.Model) -> m.Model:
    """The model in which arguments that are only printed, or not read at all, are removed."""
    images: list[m.Kind] = []
    for kind in model.kinds:
        parameters = kind.variables[: kind.parameters]
        read = {
            x.variable
            for _, edge in kind.edges()
            for x in (*edge.guard.walk(), *(y for effect in silent(edge).effects for y in expressions_in(effect)))
            if isinstance(x, e.Get)
        }
        if parameters and not read & set(parameters):
            locations = tuple(
                replace(location, edges=tuple(map(silent, location.edges))) for location in kind.locations
            )
            kind = replace(kind, variables=kind.variables[kind.parameters :], parameters=0, locations=locations)
        images.append(kind)
    gone = {kind.name for kind in images if not kind.parameters}
    processes = tuple(replace(each, arguments=()) if each.kind in gone else each for each in model.processes)
    return replace(model, kinds=tuple(images), processes=processes)


def silent(edge: m.Edge) -> m.Edge:
    """An edge that prints nothing."""
    return replace(edge, effects=tuple(effect for effect in edge.effects if not isinstance(effect, m.Print)))


def expressions_in(effect: m.Effect) -> Iterator[e.Expr]:
    """All expressions in an effect, and the variable that it assigns."""
    found: list[e.Expr] = []

    def see(x: e.Expr) -> e.Expr:
        found.append(x)
        return x

    rebuild_value(effect, see)
    yield from found
    if isinstance(effect, m.Assign) and effect.place.variable is not None:
        yield e.Get(effect.place.variable)


# --- automata ------------------------------------------------------------------------------------


def staying(kind: m.Kind) -> m.Kind:
    """The kind whose processes stay at their ends."""
    locations = []
    for location in kind.locations:
        edges = tuple(edge for edge in location.edges if edge.target != m.GONE)
        if len(edges) < len(location.edges) and (edges or len(location.edges) > 1):
            raise Obstacle(f"processes of {kind.name} may disappear or go on", location.span)
        locations.append(replace(location, edges=edges))
    return replace(kind, locations=tuple(locations))


def whole_steps(kind: m.Kind) -> m.Kind:
    """The kind in which every step of several statements is one edge."""
    locations = []
    for location in kind.locations:
        edges: list[m.Edge] = []
        if not location.transient:
            for number in range(len(location.edges)):
                edges += [replace(each, tier=0, group=0) for each in finished(kind, decided(location, number), 0)]
        locations.append(replace(location, edges=tuple(edges), transient=False))
    return replace(kind, locations=tuple(locations))


def decided(location: m.Location, number: int) -> m.Edge:
    """An edge that says by its guard alone when it can be taken: that others come first is part of it."""
    edge = location.edges[number]
    none: e.Expr = e.TRUE
    guard = edge.guard
    for k, before in enumerate(location.edges[:number]):
        stops = negation(decided(location, k).guard)
        none = e.conjunction(none, stops)
        if location.transient or before.tier != edge.tier or (edge.group and before.group == edge.group):
            guard = e.conjunction(guard, stops)
    found: e.Expr = rebuild_value(guard, lambda x: none if isinstance(x, e.Otherwise) else x)
    return replace(edge, guard=found)


def finished(kind: m.Kind, edge: m.Edge, length: int) -> Iterator[m.Edge]:
    """The ways in which a step that begins with an edge goes on to its end."""
    target = kind.locations[edge.target]
    if not (edge.hold or target.transient):
        yield edge
        return
    if length > LONGEST_STEP:
        raise Obstacle("a step of several statements does not end", edge.span)
    if not target.edges and edge.hold:
        yield replace(edge, hold=False)
        return
    if not is_total(target):
        raise Obstacle("a step of several statements may be stopped half way (atomic)", edge.span)
    for number, following in enumerate(target.edges):
        guard = after_effects(decided(target, number).guard, edge)
        if guard != e.FALSE:
            joined = replace(
                following,
                guard=e.conjunction(edge.guard, guard),
                effects=(*edge.effects, *following.effects),
                text="; ".join(text for text in (edge.text, following.text) if text),
                span=edge.span,
            )
            yield from finished(kind, joined, length + 1)


def is_total(location: m.Location) -> bool:
    """Whether a process never waits at a location."""
    return any(isinstance(edge.guard, e.Otherwise) or edge.guard == e.TRUE for edge in location.edges)


def after_effects(guard: e.Expr, edge: m.Edge) -> e.Expr:
    """A condition on the state in the middle of a step, as one on the state before it."""
    values: dict[m.Variable, e.Expr] = {}
    for effect in edge.effects:
        if isinstance(effect, m.Assign) and effect.place.variable is not None:
            variable = effect.place.variable
            if effect.place.indices:
                raise Obstacle(f"{variable.name} is an array", edge.span)
            values[variable] = stored(substituted(effect.value, values), variable, edge.span)
    return substituted(guard, values)


def stored(value: e.Expr, variable: m.Variable, span: Span | None) -> e.Expr:
    """The value that a variable has after an assignment, as an expression: it may overflow by once its range."""
    domain = variable.domain
    if isinstance(value, e.Const):
        return e.Const(domain.fit(value.value))
    low, high = bounds(value)
    size = domain.high - domain.low + 1
    if low is None or high is None or low < domain.low - size or high > domain.high + size:
        raise Obstacle(f"a step changes {variable.name} and then tests it, and it may overflow", span)
    found = value
    if high > domain.high:
        too_large = e.Binary(">", value, e.Const(domain.high))
        found = e.Conditional(too_large, e.Binary("-", value, e.Const(size)), found)
    if low < domain.low:
        too_small = e.Binary("<", value, e.Const(domain.low))
        found = e.Conditional(too_small, e.Binary("+", value, e.Const(size)), found)
    return found


# --- properties ----------------------------------------------------------------------------------


def lifted_property(
    model: m.Model, property_: m.Property, members: dict[str, list[int]], kinds: list[m.Kind]
) -> FamilyProperty:
    """The property of all choices of processes that a property of the first ones means."""
    if isinstance(property_, m.Claim):
        raise Obstacle(f"'{property_.name}' is an automaton: state it as a formula", property_.automaton.span)
    variables: dict[int, m.Variable] = {}
    ends = {kind.name: ended(model.kind(kind.name)) for kind in kinds}
    if any(ends.values()) and has_next(property_.formula):
        raise Obstacle(f"'{property_.name}' counts steps, and processes come to an end", property_.span)

    def someone(kind: str, process: e.Expr | None) -> e.Expr | None:
        """The variable that stands for a process; None if the process is of another kind."""
        pid = members[kind][0] if process is None and kind in members else None
        if isinstance(process, e.Const):
            pid = process.value
        if pid is None:
            raise Obstacle(f"'{property_.name}' speaks of processes that it does not name", property_.span)
        if pid not in members.get(kind, ()):
            return None
        return e.Get(variables.setdefault(pid, m.Variable(f"{kind}[{pid}]", PROCESS)))

    def change(x: e.Expr) -> e.Expr:
        match x:
            case e.AtLocation(kind, process, label, locations):
                if locations & ends.get(kind, frozenset()):
                    raise Obstacle(
                        f"'{property_.name}' asks for a process at its end, where it is gone", property_.span
                    )
                who = someone(kind, process)
                return e.FALSE if who is None else e.AtLocation(kind, who, label, locations)
            case e.Remote(kind, process, variable, ()):
                if ends.get(kind):
                    raise Obstacle(f"'{property_.name}' reads {variable.name} of a process that ends", property_.span)
                who = someone(kind, process)
                return e.FALSE if who is None else e.Remote(kind, who, variable)
            case e.Timeout():
                raise Obstacle(f"'{property_.name}' speaks of timeouts", property_.span)
        return x

    formula: f.Formula[e.Expr] = rebuild_value(property_.formula, change)
    quantifiers = tuple(Quantifier((variable,), model.processes[pid].kind) for pid, variable in variables.items())
    linear = isinstance(property_, m.LtlProperty)
    return FamilyProperty(property_.name, quantifiers, formula, linear, property_.text, property_.span)


def ended(kind: m.Kind) -> frozenset[int]:
    """The locations from which processes disappear."""
    return frozenset(number for number, edge in kind.edges() if edge.target == m.GONE)


def has_next(formula: f.Formula[e.Expr]) -> bool:
    match formula:
        case f.Not(operand):
            return has_next(operand)
        case f.Modal(operator, operand) | Branching(_, operator, operand):
            return operator == "X" or has_next(operand)
    return any(
        has_next(part) for name in ("left", "right") if isinstance(part := getattr(formula, name, None), f.Formula)
    )
