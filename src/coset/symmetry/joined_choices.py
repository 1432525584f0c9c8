"""Choices by an id that only compute another id, as one step.

    if :: _pid == N - 1 -> next = 0 :: else -> next = _pid + 1 fi          next = (_pid + 1) % N

A ring is often written with a special case for the last process, which names that process.  What the choice computes does
not: as a table it is a rotation.  `joined_choices` is the model in which such a choice is one edge that assigns a
conditional value, written so that the program graph takes its table (`values`).

Theorem.  Both models have the same observable states and steps.  For exactly one of the edges can be taken in each state; all
paths from them lead to one location, without waiting, faults, messages, or giving up control on the way; and what they assign
is computed symbolically.  (This is one step of the path of a loop, see `loop_summaries`.)

If the `if` is not atomic, only the merged model has such a choice: in the plain model its options are different locations, at
which others can move.  The model is only read to find symmetries, like that of `loop_summaries`.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.symmetry.loop_summaries import Knowledge, Path, Region, Stop
from coset.symmetry.operators import leaves_of
from coset.symmetry.symbolic import Unknown, Values


def joined_choices(model: m.Model) -> m.Model:
    """The model with choices that compute ids as single edges; the model itself if it has none."""
    ranges = find_ranges(model)
    kinds = tuple(with_joined(kind, ranges, holds=not model.prioritised) for kind in model.kinds)
    return replace(model, kinds=kinds) if kinds != model.kinds else model


def with_joined(kind: m.Kind, ranges: Ranges, holds: bool) -> m.Kind:
    """A kind with its choices joined, unless its processes may be stopped in between."""
    locations = list(kind.locations)
    if holds and kind.provided == e.TRUE:
        region = Region(kind)
        locations = [joined(region, ranges, number) for number in range(len(locations))]
    return replace(kind, locations=tuple(map(with_tables, locations)))


def joined(region: Region, ranges: Ranges, number: int) -> m.Location:
    """A location with one edge for its choice, if what that computes comes from a single variable."""
    location = region.kind.locations[number]
    if len(location.edges) < 2:
        return location
    path = Path(region, Knowledge(ranges))
    try:
        values, stop = path.step(Values(ranges), Stop(number, hold=not location.transient))
        effects = values.effects({})
    except Unknown:
        return location
    if stop.at == m.GONE or not effects or not all(map(is_computed, effects)):
        return location
    edge = replace(location.edges[0], guard=e.TRUE)
    return replace(location, edges=(path.ending(location, edge, stop, effects),))


def with_tables(location: m.Location) -> m.Location:
    """The location with conditional values that its edges assign as tables."""
    edges = tuple(replace(edge, effects=tuple(map(as_table, edge.effects))) for edge in location.edges)
    return replace(location, edges=edges) if edges != location.edges else location


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
