"""Choices by an id that only compute another id, as one step.

    if :: _pid == N - 1 -> next = 0 :: else -> next = _pid + 1 fi          next = (_pid + 1) % N

A ring is often written with a special case for the last process, which names that process.  What the choice computes does
not: as a table it is a rotation.  `joined_choices` is the model in which such a choice is one edge that assigns a
conditional value, written so that the program graph takes its table (`values`).

Theorem.  Both models have the same states and steps.  For exactly one of the edges can be taken in each state, all lead to
the same location, and what they assign is computed symbolically (`symbolic`); no edge waits, faults, sends or receives.

Only the merged model has such choices if the `if` is not atomic: in the plain model its options are different locations.
The model is only read to find symmetries, like that of `loop_summaries`.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.choice import exactly_one
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.symmetry.operators import leaves_of
from coset.symmetry.symbolic import Unknown, Values


def joined_choices(model: m.Model) -> m.Model:
    """The model with choices that compute ids as single edges; the model itself if it has none."""
    ranges = find_ranges(model)
    kinds = tuple(
        replace(kind, locations=tuple(with_tables(joined(location, ranges)) for location in kind.locations))
        for kind in model.kinds
    )
    return replace(model, kinds=kinds) if kinds != model.kinds else model


def with_tables(location: m.Location) -> m.Location:
    """The location with conditional values that its edges assign as tables."""
    edges = tuple(replace(edge, effects=tuple(map(as_table, edge.effects))) for edge in location.edges)
    return replace(location, edges=edges) if edges != location.edges else location


def is_choice(location: m.Location) -> bool:
    """Whether the edges of a location differ only in their conditions and effects."""
    edges = location.edges
    return (
        len(edges) > 1
        and len({(edge.target, edge.hold) for edge in edges}) == 1
        and edges[0].target != m.GONE
        and not any(edge.tier or edge.group for edge in edges)
    )


def joined(location: m.Location, ranges: Ranges) -> m.Location:
    """The location with one edge for its choice, if that is one and computes something from a single variable."""
    if not is_choice(location):
        return location
    before = Values(ranges)
    try:
        guards = [edge.guard if edge.guard == e.Otherwise() else before.read(edge.guard) for edge in location.edges]
        if not exactly_one(guards):
            return location
        result = performed(location.edges[-1], before)
        for edge, guard in zip(reversed(location.edges[:-1]), reversed(guards[:-1]), strict=True):
            result = performed(edge, before).joined(guard, result, before)
        effects = result.effects({})
    except Unknown:
        return location
    if not all(is_computed(effect) for effect in effects):
        return location
    return replace(location, edges=(replace(location.edges[0], guard=e.TRUE, effects=effects),))


def performed(edge: m.Edge, before: Values) -> Values:
    values = before.copy()
    for effect in edge.effects:
        values.perform(effect)
    return values


def is_computed(effect: m.Effect) -> bool:
    """Whether an assignment is conditional, and computed from one variable of the process or from `_pid`."""
    match effect:
        case m.Assign(_, e.Conditional() as value):
            leaves = set(leaves_of(value))
            return len(leaves) == 1 and all(map(is_own, leaves))
    return False


def as_table(effect: m.Effect) -> m.Effect:
    """Such an assignment with its value as an operation: those become tables."""
    if isinstance(effect, m.Assign) and is_computed(effect):
        return m.Assign(effect.place, e.Binary("+", effect.value, e.Const(0)))
    return effect


def is_own(x: e.Expr) -> bool:
    """Whether an expression is `_pid` or a variable of the process itself."""
    return isinstance(x, e.Self) or (isinstance(x, e.Get) and x.variable.owner is not None and not x.indices)
