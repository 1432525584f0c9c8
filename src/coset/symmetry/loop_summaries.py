"""Loops with constant bounds inside of atomic and deterministic sequences, as one step.

    atomic { i = 0; do :: i < 3 -> flag[i] = true; i++ :: else -> break od }
    atomic { i = 0; flag[0] = true; flag[1] = true; flag[2] = true; i = 3 }

A loop over all ids names them one after the other, and in its text no permutation of ids can be seen.  The order is not
observable: control is not given up within the loop.  `summarised` is the model in which a step that leads into such a loop
goes on to where the loop has ended.  In the program graph of that model, effects that do not depend on each other have no order,
and operands of `+` or `&&` neither; so iterations that commute are found to be symmetric, and others are not.

Theorem.  Both models have the same observable states and the same steps between them, with the same errors.  For the path
from the step to the end of the loop is the only one: at each location exactly one edge can be taken, whatever the state is
(its guard is a constant, or the branches are the alternatives of one condition and meet again); none of them waits, faults,
receives, or starts or ends a process; each send finds room (`channel_room`); and the process holds control at each of them, or
the location is transient.
Effects are executed symbolically (`symbolic`), so that the new step assigns what the path would have.

The summarised model is only read to find symmetries.  It has the variables and locations of the model, so they act on
its states; searches, counts and traces use the model as it is written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import starmap

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.choice import exactly_one
from coset.model.analysis.occurrences import places
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.source.records import dataclass
from coset.symmetry.channel_room import buffers, never_full, room_by_guard, whole_room
from coset.symmetry.symbolic import Room, Unknown, Value, Values

Known = dict[e.Place, Value]
"""The values of some variables."""

MOST_STEPS, MOST_NESTED = 2000, 20
"""The most edges of one path, and branches inside of branches."""


def summarised(model: m.Model) -> m.Model:
    """The model with loops as single steps; the model itself if it has none."""
    if model.prioritised:  # another process may take control
        return model
    kinds = [Region(kind) for kind in model.kinds]
    if not any(region.loops for region in kinds):
        return model
    ranges, hands_over = find_ranges(model), may_hand_over(model)
    fixed = (
        buffers(model) if any(region.sends for region in kinds) and model.monitor is None else frozenset[m.Variable]()
    )
    roomy = fixed
    while True:
        known = Knowledge(ranges, hands_over, fixed, whole_room(roomy))
        changed = tuple(with_summaries(region, known) if region.loops else region.kind for region in kinds)
        read = replace(model, kinds=changed) if changed != model.kinds else model
        enough = never_full(model, read, roomy) if roomy else roomy
        if enough == roomy:
            return read
        roomy = enough


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of a model: bounds of variables, whether a send may be a handshake, the channels that are not exchanged for
    others, and those that always have room."""

    ranges: Ranges
    hands_over: bool = False
    fixed: frozenset[m.Variable] = frozenset()
    room: Room = field(default_factory=dict)


def may_hand_over(model: m.Model) -> bool:
    """Whether a send may be a handshake, after which the receiver has control."""
    rows = (model.variables, *(kind.variables for kind in model.kinds))
    return any(isinstance(v.initial, m.NewChannel) and v.initial.type.capacity == 0 for row in rows for v in row)


def with_summaries(region: Region, facts: Knowledge) -> m.Kind:
    """A kind with each edge into a loop replaced by its summary, and with loops that begin where a process may stay."""
    locations = []
    for location in region.kind.locations:
        edges = tuple(Path(region, facts).summary(location, edge) or edge for edge in location.edges)
        locations.append(replace(location, edges=edges))
    kind = replace(region.kind, locations=tuple(locations))
    heads = {number: known for number in region.loops if (known := region.known_at(number))}
    while heads:
        whole = replace(kind, locations=tuple(starmap(partial(head, region, facts, heads), enumerate(kind.locations))))
        wrong = [number for number, known in heads.items() if not always_known(whole, number, known)]
        if not wrong:
            return whole
        heads = {number: known for number, known in heads.items() if number not in wrong}
    return kind


def head(region: Region, facts: Knowledge, heads: dict[int, Known], number: int, location: m.Location) -> m.Location:
    """A location at which a process may stay before it begins a loop, with the loop as its only edge."""
    if number not in heads:
        return location
    edge = Path(region, facts).whole_loop(number, heads[number])
    return location if edge is None else replace(location, edges=(edge,))


def always_known(kind: m.Kind, number: int, known: Known) -> bool:
    """Whether what is known at a location holds however a process comes there."""
    return number != kind.start and all(
        known.items() <= constants(edge).items()
        for source in kind.reachable(kind.start)
        for edge in kind.locations[source].edges
        if edge.target == number
    )


class Region:
    """The locations of a kind that its processes may pass without giving up control, and the paths between them."""

    def __init__(self, kind: m.Kind) -> None:
        self.kind = kind
        self.incoming: dict[int, list[m.Edge]] = {}
        for _, edge in kind.edges():
            self.incoming.setdefault(edge.target, []).append(edge)
        self.inside = {
            number
            for number, location in enumerate(kind.locations)
            if kind.provided == e.TRUE
            and number != kind.start
            and (location.transient or any(edge.hold for edge in self.incoming.get(number, [])))
        }

    def known_at(self, number: int) -> Known:
        """What a process that may stay at a location knows of its own variables, as those steps say that lead there."""
        if self.kind.locations[number].transient:
            return {}
        staying = [constants(edge) for edge in self.incoming.get(number, []) if not edge.hold]
        if not staying:
            return {}
        first, *others = staying
        return {
            place: value
            for place, value in first.items()
            if place.variable in self.kind.variables and all(known.get(place) == value for known in others)
        }

    def after(self, number: int) -> set[int]:
        return {edge.target for edge in self.kind.locations[number].edges}

    @cached_property
    def reached(self) -> dict[int, set[int]]:
        """For each location inside, those that a path inside leads to."""
        locations = self.kind.locations
        found = {
            number: {edge.target for edge in locations[number].edges if edge.hold or locations[number].transient}
            & self.inside
            for number in self.inside
        }
        is_growing = True
        while is_growing:
            is_growing = False
            for number, known in found.items():
                more = known.union(*(found[other] for other in known))
                if more != known:
                    found[number], is_growing = more, True
        return found

    @cached_property
    def loops(self) -> frozenset[int]:
        """The locations on cycles."""
        return frozenset(number for number, known in self.reached.items() if number in known)

    @cached_property
    def sends(self) -> bool:
        """Whether messages are sent on cycles."""
        locations = self.kind.locations
        return any(isinstance(x, m.Send) for n in self.loops for edge in locations[n].edges for x in edge.effects)

    def are_together(self, one: int, other: int) -> bool:
        """Whether two locations are on one cycle."""
        return one in self.reached.get(other, ()) and other in self.reached.get(one, ())

    @cached_property
    def always(self) -> dict[int, set[int]]:
        """For each location those that every path from it passes, as long as it is inside (its post-dominators)."""
        everything = set(range(len(self.kind.locations))) | {m.GONE}
        found = {n: everything if n in self.inside else {n} for n in everything}
        is_shrinking = True
        while is_shrinking:
            is_shrinking = False
            for number in self.inside:
                following = [found[target] for target in self.after(number)]
                known = {number} | (set.intersection(*following) if following else set())
                if known != found[number]:
                    found[number], is_shrinking = known, True
        return found

    def meeting(self, number: int) -> int:
        """The first location at which all branches of a choice meet."""
        rest = set.intersection(*(self.always[target] for target in self.after(number))) - {number}
        if not rest:
            raise Unknown
        return max(rest, key=lambda other: len(self.always[other]))


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a path has come to, and whether its process still holds control there."""

    at: int
    hold: bool


class Path:
    """The one path from an edge through a loop."""

    def __init__(self, region: Region, facts: Knowledge) -> None:
        self.region, self.facts = region, facts
        self.steps = self.nested = 0

    def summary(self, location: m.Location, edge: m.Edge) -> m.Edge | None:
        """An edge with everything up to the end of the loop that it leads into; None if there is none, or it is not known."""
        leads = edge.target in self.region.inside and (
            edge.target in self.region.loops or self.region.reached[edge.target] & self.region.loops
        )
        if not leads or any(isinstance(effect, m.Run | m.Exit) for effect in edge.effects):
            return None
        if self.facts.hands_over and any(isinstance(effect, m.Send) for effect in edge.effects):
            return None
        known = constants(edge)
        try:
            room = {**room_by_guard(edge, self.facts.fixed), **self.facts.room}
            values = Values(self.facts.ranges, dict(known), room=room)
            after, stop = self.through(values, self.beyond(location, edge))
            effects = (*edge.effects, *after.effects(known))
        except Unknown:
            return None
        return self.ending(location, edge, stop, effects)

    def beyond(self, location: m.Location, edge: m.Edge) -> Stop:
        """Where an edge leads.  Whether control is held after a deterministic step depends on the edge by which it was
        entered; inside of it that edge is not known, so the path ends where the deterministic step does."""
        return Stop(edge.target, edge.hold and not location.transient)

    def ending(self, location: m.Location, edge: m.Edge, stop: Stop, effects: tuple[m.Effect, ...]) -> m.Edge:
        """The edge to the end of a path."""
        hold = edge.hold if location.transient else stop.hold
        return replace(edge, target=stop.at, effects=effects, hold=hold)

    def whole_loop(self, number: int, known: Known) -> m.Edge | None:
        """One edge for the loop that begins at a location, where something is known."""
        location = self.region.kind.locations[number]
        try:
            values = Values(self.facts.ranges, dict(known), room=self.facts.room)
            after, stop = self.through(values, Stop(number, hold=True))
            effects = after.effects(known)
        except Unknown:
            return None
        return self.ending(location, replace(location.edges[0], guard=e.TRUE), stop, effects)

    def through(self, values: Values, stop: Stop) -> tuple[Values, Stop]:
        """Follow the path until it has left a loop."""
        met: Counter[int] = Counter()
        while not any(count > 1 and not self.region.are_together(other, stop.at) for other, count in met.items()):
            met[stop.at] += 1
            values, stop = self.step(values, stop)
        return values, stop

    def until(self, end: int, values: Values, stop: Stop) -> tuple[Values, Stop]:
        """Follow the path of a branch to the location where branches meet."""
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise Unknown
        while stop.at != end:
            values, stop = self.step(values, stop)
        self.nested -= 1
        return values, stop

    def step(self, values: Values, stop: Stop) -> tuple[Values, Stop]:
        """Leave a location at which the process cannot stay."""
        self.steps += 1
        location = None if stop.at == m.GONE else self.region.kind.locations[stop.at]
        if location is None or self.steps > MOST_STEPS or not (location.transient or stop.hold):
            raise Unknown
        if any(edge.tier or edge.group or receives(edge) for edge in location.edges):
            raise Unknown
        *others, (_, last) = self.options(location, values)
        if not others:
            return self.taken(last, values, stop, location)
        end = self.region.meeting(stop.at)
        joined, where = self.until(end, *self.taken(last, values.copy(), stop, location))
        for condition, edge in reversed(others):
            branch, there = self.until(end, *self.taken(edge, values.copy(), stop, location))
            if there != where:
                raise Unknown
            joined = branch.joined(condition, joined, values)
        return joined, where

    def options(self, location: m.Location, values: Values) -> list[tuple[e.Expr, m.Edge]]:
        """The edges that may be taken, with their conditions on the state before.  Each is taken if its condition holds and
        none before it does, and the last one if none before it is.  At a transient location that is the meaning of a choice;
        elsewhere at most one condition holds."""
        found: list[tuple[e.Expr, m.Edge]] = []
        guards: list[e.Expr] = []
        is_certain = False
        for position, edge in enumerate(location.edges):
            is_else = edge.guard == e.Otherwise()
            if is_else and position < len(location.edges) - 1:
                raise Unknown
            guard = e.TRUE if is_else else values.read(edge.guard)
            if is_else or not isinstance(guard, e.Const) or guard.value:
                guards.append(edge.guard if is_else else guard)
            if not isinstance(guard, e.Const):
                found.append((guard, edge))
            elif guard.value and not (is_else and is_certain):
                found.append((guard, edge))
                is_certain = True
            if is_certain and location.transient:
                return found
        is_one_of_them = (len(found) == 1 and is_certain) or exactly_one(guards)
        if not found or not is_one_of_them:
            raise Unknown
        return found

    def taken(self, edge: m.Edge, values: Values, stop: Stop, location: m.Location) -> tuple[Values, Stop]:
        for effect in edge.effects:
            values.perform(effect)
        return values, Stop(edge.target, stop.hold if location.transient else edge.hold)


def constants(edge: m.Edge) -> Known:
    """What variables certainly hold after an edge, because it says so."""
    known: Known = {}
    for effect in edge.effects:
        for place in places(effect):
            known.pop(e.Place(place.variable), None)
        match effect:
            case m.Assign(e.Place(variable, ()) as place, e.Const(value)) if variable is not None:
                known[place] = Value(e.Const(variable.domain.fit(value)))
    return known


def receives(edge: m.Edge) -> bool:
    return any(isinstance(effect, m.Receive) for effect in edge.effects)
