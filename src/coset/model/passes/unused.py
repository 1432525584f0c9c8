"""Variables that nothing depends on are removed, with the assignments to them and the printing.

Correct for every property: a removed variable is read by no guard, message, assertion, argument, index, property or
monitor, nor by an assignment to a variable that is; so dropping its value is a strong bisimulation of the state graphs.
(A variable that is only read to compute itself, as in `n = n + 1`, is *faint*: Giegerich, Moencke and Wilhelm,
Invariance of approximative semantics with respect to program transformations, 1981; here for the whole program at
once.)  Printing is no part of a state; runs to be shown are searched for in the model that the user wrote.

What may fault stays, and so does what it reads: no error is lost.  Variables that create channels stay: they decide
the numbers of all channels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.analysis.occurrences import parts, property_expressions, read_by
from coset.model.analysis.ranges import Ranges


def remove_unused(model: m.Model, facts: Facts) -> m.Model:
    """The model without the variables that do not matter."""
    needed = needed_variables(model, facts)

    def kept(variables: tuple[m.Variable, ...]) -> tuple[m.Variable, ...]:
        return tuple(v for v in variables if v in needed)

    wanted = {kind.name: [v in needed for v in kind.variables[: kind.parameters]] for kind in model.kinds}

    def arguments(kind: str, values: tuple[e.Expr, ...]) -> tuple[e.Expr, ...]:
        return tuple(value for value, is_wanted in zip(values, wanted[kind], strict=True) if is_wanted)

    def effect(old: m.Effect) -> m.Effect | None:
        match old:
            case m.Assign(place) if place.variable is not None and place.variable not in needed:
                return None
            case m.Receive(_, patterns):
                return replace(old, patterns=tuple(discarded(p, needed) for p in patterns))
            case m.Run(kind, values):
                return replace(old, arguments=arguments(kind, values))
            case m.Print(_, values) if not any(map(facts.ranges.may_fault, values)):
                return None
        return old

    kinds = tuple(
        replace(
            kind,
            variables=kept(kind.variables),
            parameters=sum(wanted[kind.name]),
            locations=tuple(rewritten(location, effect) for location in kind.locations),
        )
        for kind in model.kinds
    )
    processes = tuple(replace(p, arguments=arguments(p.kind, p.arguments)) for p in model.processes)
    return replace(model, variables=kept(model.variables), kinds=kinds, processes=processes)


def rewritten(location: m.Location, change: Callable[[m.Effect], m.Effect | None]) -> m.Location:
    """A location with every effect of its edges changed, or left out where the change is None."""
    edges = []
    for edge in location.edges:
        changed = (change(effect) for effect in edge.effects)
        edges.append(replace(edge, effects=tuple(effect for effect in changed if effect is not None)))
    return replace(location, edges=tuple(edges))


def discarded(pattern: e.Pattern, needed: set[m.Variable]) -> e.Pattern:
    """A field that is received into a removed variable is thrown away."""
    place = pattern.place
    if place is None or place.variable is None or place.variable in needed:
        return pattern
    return e.Pattern(None, e.Place(None))


def needed_variables(model: m.Model, facts: Facts) -> set[m.Variable]:
    """The least set of variables that contains what matters at once and is closed under "is computed from"."""
    rows = (model.variables, *(kind.variables for kind in model.kinds))
    feeds: dict[m.Variable, set[m.Variable]] = {}
    roots = set(facts.watched)
    roots.update(v for row in rows for v in row if isinstance(v.initial, m.NewChannel))
    roots.update(v for x in property_expressions(model) for v in read_by(x))
    for target, source in flows(model, facts.ranges):
        if target is None:
            roots.update(read_by(source))
        else:
            feeds.setdefault(target, set()).update(read_by(source))
            if facts.ranges.may_fault(source):
                roots.add(target)
    needed: set[m.Variable] = set()
    pending = list(roots)
    while pending:
        variable = pending.pop()
        if variable not in needed:
            needed.add(variable)
            pending.extend(feeds.get(variable, ()))
    return needed


def flows(model: m.Model, ranges: Ranges) -> Iterator[tuple[m.Variable | None, e.Expr]]:
    """Every expression that processes evaluate, with the variable that its value goes to, if that is all
    that it is for.  What decides about a fault matters by itself."""
    parameters = {kind.name: kind.variables[: kind.parameters] for kind in model.kinds}
    for variables in (model.variables, *(kind.variables for kind in model.kinds)):
        for variable in variables:
            if isinstance(variable.initial, tuple):
                yield from ((variable, x) for x in variable.initial)
    for instance in model.processes:
        yield from zip(parameters[instance.kind], instance.arguments, strict=True)
    for kind in model.kinds:
        yield None, kind.provided
        for _, edge in kind.edges():
            yield None, edge.guard
            for effect in edge.effects:
                yield from effect_flows(effect, parameters, ranges)


def effect_flows(
    effect: m.Effect, parameters: dict[str, tuple[m.Variable, ...]], ranges: Ranges
) -> Iterator[tuple[m.Variable | None, e.Expr]]:
    match effect:
        case m.Assign(place, value):
            yield place.variable, value
            for index in place.indices:
                yield place.variable, index
            if place.variable is not None and ranges.place_may_fault(place):
                yield None, e.Get(place.variable, place.indices)
        case m.Receive(channel, patterns):
            yield None, channel
            for pattern in patterns:
                if pattern.value is not None:
                    yield None, pattern.value
                elif pattern.place is not None and pattern.place.variable is not None:
                    for index in pattern.place.indices:
                        yield pattern.place.variable, index
                    if ranges.place_may_fault(pattern.place):
                        yield None, e.Get(pattern.place.variable, pattern.place.indices)
        case m.Run(kind, arguments):
            yield from zip(parameters[kind], arguments, strict=True)
        case m.Print(_, arguments):
            yield from ((None, x) for x in arguments if any(map(ranges.may_fault, arguments)))
        case _:
            yield from ((None, x) for x in parts(effect))
