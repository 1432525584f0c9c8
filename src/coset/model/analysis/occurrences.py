"""What occurs in a model: the expressions of its parts, the places that effects assign to, the variables that change."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m

Spot = tuple[str, int]
"""A location of a kind, by its name and number."""


def parts(effect: m.Effect) -> Iterator[e.Expr]:
    """The expressions that an effect evaluates, indices of what it assigns to included."""
    match effect:
        case m.Assign(place, value):
            yield value
            yield from place.indices
        case m.Send(channel, values):
            yield channel
            yield from values
        case m.Deliver(condition, channel, values):
            yield condition
            yield channel
            yield from values
        case m.Receive(channel, patterns) | m.Event(_, channel, patterns):
            yield channel
            for pattern in patterns:
                yield from pattern.children()
        case m.Run(_, arguments) | m.Print(_, arguments):
            yield from arguments
        case m.Assert(condition):
            yield condition
        case m.SetPriority(process, value):
            yield process
            yield value


def places(effect: m.Effect) -> Iterator[e.Place]:
    """What an effect assigns to."""
    match effect:
        case m.Assign(place, _):
            yield place
        case m.Receive(_, patterns):
            yield from (pattern.place for pattern in patterns if pattern.place is not None)


def assigned(model: m.Model) -> frozenset[m.Variable]:
    """The variables that change after their initialisation."""
    effects = (effect for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects)
    return frozenset(place.variable for effect in effects for place in places(effect) if place.variable is not None)


def edge_expressions(edge: m.Edge) -> Iterator[e.Expr]:
    yield edge.guard
    for effect in edge.effects:
        yield from parts(effect)


def kind_expressions(kind: m.Kind) -> Iterator[e.Expr]:
    """Every expression of a kind of process."""
    yield kind.provided
    yield from initial_expressions(kind.variables)
    for _, edge in kind.edges():
        yield from edge_expressions(edge)


def initial_expressions(variables: tuple[m.Variable, ...]) -> Iterator[e.Expr]:
    for variable in variables:
        if isinstance(variable.initial, tuple):
            yield from variable.initial


def property_expressions(model: m.Model) -> Iterator[e.Expr]:
    """Every expression of the properties and of the monitor."""
    for property_ in model.properties:
        if isinstance(property_, m.Claim):
            yield from kind_expressions(property_.automaton)
        else:
            yield from property_.formula.atoms()
    if model.monitor is not None:
        yield from kind_expressions(model.monitor.automaton)


def process_expressions(model: m.Model) -> Iterator[e.Expr]:
    """Every expression that the processes evaluate, from their creation on."""
    yield from initial_expressions(model.variables)
    for instance in model.processes:
        yield from instance.arguments
    for kind in model.kinds:
        yield from kind_expressions(kind)


def read_by(x: e.Expr) -> Iterator[m.Variable]:
    """The variables that an expression reads, of whatever process."""
    for part in x.walk():
        if isinstance(part, e.Get | e.Remote):
            yield part.variable


def visible_variables(model: m.Model) -> frozenset[m.Variable]:
    """The variables that properties mention.  Assertions are evaluated in place and need no mention."""
    return frozenset(v for x in property_expressions(model) for v in read_by(x))


def visible_locations(model: m.Model) -> frozenset[Spot]:
    """The locations that properties mention by their labels."""
    found = [part for x in property_expressions(model) for part in x.walk() if isinstance(part, e.AtLocation)]
    return frozenset((x.kind, number) for x in found for number in x.locations)
