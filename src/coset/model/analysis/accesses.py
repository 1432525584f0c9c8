"""What expressions, effects, edges, whole steps and the future of a process touch.

A *step* is all that happens from one observable state to the next: an edge, the deterministic step that it enters, and the
rest of an atomic sequence for as long as control is held.  The *future* of a process is everything that it may still do, and
that the processes may do that it creates.

Private variables are not accesses: no other process can read them.  Reading a variable that never changes is none either.

Whether a message *can* be sent or received is noticed where something else happens if it cannot: beside `else`, in a sequence
that `unless` escapes from, in a deterministic choice, and inside of atomic sequences and deterministic steps, which lose
control or fail.  Elsewhere a process that cannot send or receive waits, which counts only while it does (`When`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.aspects import Aspect, conflict
from coset.model.analysis.channels import Channels, Origins
from coset.model.analysis.occurrences import parts, places
from coset.source.records import dataclass

if TYPE_CHECKING:
    from coset.model.analysis.facts import Facts


class When(Enum):
    """When an access counts: always, or only at the current location of a process, under a condition."""

    ALWAYS = "always"
    WAITING = "while the process stands at the location"
    EMPTY = "while it stands there and the channel is empty"
    FULL = "while it stands there and the channel is full"


@dataclass(frozen=True, slots=True)
class Region:
    """A set of locations of a kind that an expression asks about."""

    kind: str
    locations: frozenset[int]


@dataclass(frozen=True, slots=True)
class ChannelSet:
    """The channel that an expression denotes at the current location, if it is known; otherwise any of its origins'."""

    expression: e.Expr | None
    origins: Origins


Subject = m.Variable | Region | ChannelSet | None
"""What is touched; None is the table of processes."""
PRIORITIES = Region("", frozenset())
"""The region that represents the priorities of processes."""


@dataclass(frozen=True, slots=True)
class Access:
    """One object touched by one aspect.  `indices` determine the element of an array if they can be evaluated in the state in
    which the step begins; None means any element."""

    aspect: Aspect
    subject: Subject
    indices: tuple[e.Expr, ...] | None = None
    when: When = When.ALWAYS


Changed = set[m.Variable] | None
"""The process's own variables that a step has changed so far; None: any of them."""


class Accesses:
    """The accesses of one model.  `facts` tell which variables and locations are observed from outside."""

    def __init__(self, model: m.Model, facts: Facts) -> None:
        self.model, self.facts = model, facts
        self.channels = Channels(model)
        self.kinds = {kind.name: kind for kind in model.kinds}
        self.held = cache(self.find_held)
        self.future = cache(self.find_future)

    # --- what can be evaluated -------------------------------------------------------------------

    def is_known(self, x: e.Expr, changed: Changed) -> bool:
        """Whether an expression can be evaluated without a fault in the state in which the step begins, and still has that value
        when it is used."""
        for part in x.walk():
            match part:
                case e.Get(variable):
                    is_own = variable.owner is not None and changed is not None and variable not in changed
                    if not is_own and variable in self.facts.assigned:
                        return False
                case e.Const() | e.Self() | e.Unary() | e.Binary() | e.Conditional():
                    continue
                case _:
                    return False
        return not self.facts.ranges.may_fault(x)

    def known(self, indices: tuple[e.Expr, ...], changed: Changed) -> tuple[e.Expr, ...] | None:
        return indices if all(self.is_known(index, changed) for index in indices) else None

    def channel(self, x: e.Expr, changed: Changed) -> ChannelSet:
        return ChannelSet(x if self.is_known(x, changed) else None, self.channels.origins(x))

    # --- expressions -----------------------------------------------------------------------------

    def expression(self, x: e.Expr, changed: Changed = None) -> Iterator[Access]:
        """What the evaluation of an expression touches."""
        for part in x.walk():
            match part:
                case e.Get(variable, indices):
                    if variable.owner is None and variable in self.facts.assigned:
                        yield Access(Aspect.READ, variable, self.known(indices, changed))
                case e.Remote(variable=variable):
                    yield Access(Aspect.READ, variable)
                    yield Access(Aspect.COUNT, None)
                case e.AtLocation(kind, _, _, locations):
                    yield Access(Aspect.READ, Region(kind, locations))
                    yield Access(Aspect.COUNT, None)
                case e.Accepting() | e.NonProgress():
                    for each in self.model.kinds:
                        yield from (Access(Aspect.READ, region) for region in marked(each))
                    yield Access(Aspect.COUNT, None)
                case e.ProcessCount() | e.Youngest():
                    yield Access(Aspect.COUNT, None)
                case e.PriorityOf():
                    yield Access(Aspect.READ, PRIORITIES)
                    yield Access(Aspect.COUNT, None)
                case e.Length(channel) | e.Full(channel) | e.Poll(channel):
                    denoted = self.channel(channel, changed)
                    yield Access(Aspect.ARRIVAL, denoted)
                    yield Access(Aspect.REMOVAL, denoted)

    def expressions(self, all_of: Iterable[e.Expr], changed: Changed = None) -> Iterator[Access]:
        for x in all_of:
            yield from self.expression(x, changed)

    def place(self, place: e.Place | None, changed: Changed) -> Iterator[Access]:
        """What an assignment touches."""
        if place is None or place.variable is None:
            return
        yield from self.expressions(place.indices, changed)
        if not self.facts.private(place.variable):
            yield Access(Aspect.WRITE, place.variable, self.known(place.indices, changed))

    # --- effects ---------------------------------------------------------------------------------

    def effect(self, kind: m.Kind, effect: m.Effect, changed: Changed, noticed: bool) -> Iterator[Access]:
        """What an effect touches; `noticed` if the process notices that a message cannot be sent or received."""
        match effect:
            case m.Send():
                yield from self.send(effect, changed, noticed)
            case m.Deliver(condition, channel, values):
                yield from self.expression(condition, changed)
                yield from self.send(m.Send(channel, values), changed, noticed)
            case m.Receive():
                yield from self.receive(effect, changed, noticed)
            case m.Assign(place, value):
                yield from self.expression(value, changed)
                yield from self.place(place, changed)
            case m.Run(name):
                yield from self.expressions(parts(effect), changed)
                yield from self.creation(self.kinds[name])
            case m.Exit():
                yield Access(Aspect.EXIT, None)
                for variable in kind.variables:
                    if isinstance(variable.initial, m.NewChannel):
                        gone = ChannelSet(None, frozenset({variable}))
                        yield from (Access(aspect, gone) for aspect in (Aspect.SEND, Aspect.RECEIVE, Aspect.SYNC))
            case m.Print(_, arguments):
                # Output is not part of a state, but a fault is.
                yield from self.expressions((x for x in arguments if self.facts.ranges.may_fault(x)), changed)
            case m.SetPriority():
                yield from self.expressions(parts(effect), changed)
                yield Access(Aspect.WRITE, PRIORITIES)
            case _:
                yield from self.expressions(parts(effect), changed)

    def send(self, send: m.Send, changed: Changed, noticed: bool) -> Iterator[Access]:
        yield from self.expressions(parts(send), changed)
        channel = self.channel(send.channel, changed)
        if self.channels.may_be_buffered(send.channel):
            yield Access(Aspect.SEND, channel)
            if send.sorted:
                yield Access(Aspect.INSERT, channel)
            yield Access(Aspect.REMOVAL, channel, when=When.ALWAYS if noticed else When.FULL)
        if self.channels.may_be_sync(send.channel):
            yield Access(Aspect.SYNC, channel)
            if noticed:
                yield Access(Aspect.NOTICE, channel)

    def receive(self, receive: m.Receive, changed: Changed, noticed: bool) -> Iterator[Access]:
        yield from self.expressions(parts(receive), changed)
        channel = self.channel(receive.channel, changed)
        if self.channels.may_be_buffered(receive.channel):
            yield Access(Aspect.REMOVAL if receive.peek else Aspect.RECEIVE, channel)
            # The first message, if there is one, stays the first until it is received; not so the first that matches.
            waiting = When.WAITING if receive.random else When.EMPTY
            yield Access(Aspect.ARRIVAL, channel, when=When.ALWAYS if noticed else waiting)
        if self.channels.may_be_sync(receive.channel):
            yield Access(Aspect.SYNC, channel)
        # Fields are stored from left to right, so that one may be an index of the next.
        bound = {place.variable for place in places(receive) if place.variable is not None}
        for place in places(receive):
            yield from self.place(place, None if changed is None else changed | bound)

    def creation(self, kind: m.Kind) -> Iterator[Access]:
        """What the creation of a process touches: others may observe its location, or its readiness for a handshake."""
        yield Access(Aspect.CREATE, None)
        for variable in kind.variables:
            if isinstance(variable.initial, tuple):
                yield from map(of_another, self.expressions(variable.initial))
        yield from map(of_another, self.entering(kind.name, None, kind.start, kind.locations.__getitem__))

    # --- locations -------------------------------------------------------------------------------

    def ready(self, location: m.Location) -> Iterator[ChannelSet]:
        """The channels from which a process at a location is ready to receive by a handshake."""
        for edge in location.edges if not location.transient else ():
            match edge.effects[:1]:
                case (m.Receive(channel),) if self.channels.may_be_sync(channel):
                    yield self.channel(channel, None)

    def entering(
        self, kind: str, source: int | None, target: int, location: Callable[[int], m.Location]
    ) -> Iterator[Access]:
        """What a change of location touches: readiness for handshakes, and sets of locations that are asked about."""
        for number in (source, target):
            if number is not None and number != m.GONE:
                yield from (Access(Aspect.READY, channel) for channel in self.ready(location(number)))
        for locations in self.facts.regions.get(kind, ()):
            if (source in locations) != (target in locations):
                yield Access(Aspect.WRITE, Region(kind, locations))

    def find_held(self, name: str) -> frozenset[int]:
        """The locations of a kind to which a process may come while it holds control."""
        kind = self.kinds[name]
        return frozenset(
            target
            for number in range(len(kind.locations))
            for _, target, holds in self.chain(kind, number)
            if holds and target != m.GONE and not kind.locations[target].transient
        )

    def is_noticed(self, kind: m.Kind, number: int, edge: m.Edge, arrives: bool) -> bool:
        """Whether the process notices that the message of an edge cannot be sent or received.  `arrives` if it may have come to
        the location within the same step, so that it loses control or fails."""
        location = kind.locations[number]
        if self.model.prioritised or location.transient or (arrives and number in self.held(kind.name)):
            return True
        later = location.edges[location.edges.index(edge) + 1 :]
        return any(
            other.tier != edge.tier
            or (edge.group != 0 and other.group == edge.group)
            or any(isinstance(part, e.Otherwise) for part in other.guard.walk())
            for other in later
        )

    def edge(self, kind: m.Kind, number: int, edge: m.Edge, changed: Changed, arrives: bool) -> Iterator[Access]:
        """What an edge touches, and the change of location with it; nothing if it can never be taken."""
        if edge.guard == e.FALSE:
            return
        if edge.target != m.GONE or edge.guard != e.Youngest():  # `EXIT` expresses that only the youngest can terminate
            yield from self.expression(edge.guard, changed)
        has_message = any(isinstance(effect, m.Send | m.Receive | m.Deliver) for effect in edge.effects)
        noticed = has_message and self.is_noticed(kind, number, edge, arrives)
        for effect in edge.effects:
            yield from self.effect(kind, effect, changed, noticed)
            if changed is not None:
                changed |= {place.variable for place in places(effect) if place.variable is not None}
        yield from self.entering(kind.name, number, edge.target, kind.locations.__getitem__)

    # --- steps and futures -----------------------------------------------------------------------

    def chain(self, kind: m.Kind, start: int) -> Iterator[tuple[int, int, bool]]:
        """The edges within one step: the location where each begins, its end, and whether control is held."""
        seen, pending = set[tuple[int, bool]](), [(start, False)]
        while pending:
            at, held = pending.pop()
            for edge in kind.locations[at].edges:
                if edge.guard == e.FALSE:
                    continue
                holds = edge.hold or (held and kind.locations[at].transient)
                yield at, edge.target, holds
                if edge.target == m.GONE or not (holds or kind.locations[edge.target].transient):
                    continue
                if (edge.target, holds) not in seen:
                    seen.add((edge.target, holds))
                    pending.append((edge.target, holds))

    def step(self, kind: m.Kind, start: int) -> frozenset[Access]:
        """What the steps of a process at a location touch, including steps that are not enabled yet."""
        found = set(self.expression(kind.provided))
        for edge in kind.locations[start].edges:
            found.update(self.edge(kind, start, edge, set(), arrives=False))
        within = {
            target
            for _, target, holds in self.chain(kind, start)
            if target != m.GONE and (holds or kind.locations[target].transient)
        }
        return frozenset(found).union(*(self.at_any_time(kind, number) for number in within))

    def at_any_time(self, kind: m.Kind, number: int) -> frozenset[Access]:
        """What the edges from a location touch, whenever the process comes there."""
        return frozenset(
            access
            for edge in kind.locations[number].edges
            for access in self.edge(kind, number, edge, None, arrives=True)
            if access.when is When.ALWAYS
        )

    def find_future(self, name: str) -> tuple[frozenset[Access], ...]:
        """For each location of a kind what a process that stands there may touch from then on."""
        kind = self.kinds[name]
        always = frozenset(self.expression(kind.provided))
        found = {number: always | self.at_any_time(kind, number) for number in range(len(kind.locations))}
        for number, edge in kind.edges():
            for effect in edge.effects:
                if isinstance(effect, m.Run):
                    found[number] |= self.life(effect.kind)
        before: dict[int, set[int]] = {}
        for source, edge in kind.edges():
            if edge.guard != e.FALSE:
                before.setdefault(edge.target, set()).add(source)
        pending = set(found)
        while pending:
            number = pending.pop()
            for source in before.get(number, ()):
                if not found[number] <= found[source]:
                    found[source] |= found[number]
                    pending.add(source)
        return tuple(found[number] for number in range(len(kind.locations)))

    def life(self, name: str) -> frozenset[Access]:
        """What processes of a kind, and those that they create, may ever touch."""
        names, pending, found = {name}, [name], set[Access]()
        while pending:
            kind = self.kinds[pending.pop()]
            found |= self.of_kind(kind)
            for _, edge in kind.edges():
                for effect in edge.effects:
                    if isinstance(effect, m.Run) and effect.kind not in names:
                        names.add(effect.kind)
                        pending.append(effect.kind)
        return frozenset(map(of_another, found))

    def of_kind(self, kind: m.Kind) -> frozenset[Access]:
        """What processes of a kind may ever touch."""
        steps = (self.at_any_time(kind, number) for number in kind.reachable(kind.start))
        return frozenset(self.expression(kind.provided)).union(*steps)

    def observed(self, expressions: Iterable[e.Expr]) -> frozenset[Access]:
        """What a property over these conditions sees."""
        return frozenset(self.expressions(expressions))

    # --- conflicts with any process --------------------------------------------------------------

    @cached_property
    def everywhere(self) -> dict[Aspect, set[object]]:
        """By aspect the objects that any process touches, at any time."""
        found: dict[Aspect, set[object]] = {aspect: set() for aspect in Aspect}
        for kind in self.model.kinds:
            for access in self.of_kind(kind):
                found[access.aspect].update(objects(access.subject))
        return found

    def is_inert(self, accesses: Collection[Access]) -> bool:
        """Whether accesses conflict with nothing that any process ever does."""
        return not any(
            conflict(access.aspect, other) and not self.everywhere[other].isdisjoint(objects(access.subject))
            for access in accesses
            for other in Aspect
        )


def objects(subject: Subject) -> Collection[object]:
    """The objects that a subject may denote, regardless of elements."""
    return subject.origins if isinstance(subject, ChannelSet) else (subject,)


def of_another(access: Access) -> Access:
    """An access of another process, whose element or channel cannot be evaluated here."""
    subject = access.subject
    if isinstance(subject, ChannelSet):
        subject = ChannelSet(None, subject.origins)
    return replace(access, subject=subject, indices=None)


def marked(kind: m.Kind) -> Iterator[Region]:
    """The locations of a kind that are marked as accepting, and those marked as progress."""
    yield Region(kind.name, frozenset(n for n, place in enumerate(kind.locations) if place.accept))
    yield Region(kind.name, frozenset(n for n, place in enumerate(kind.locations) if place.progress))
