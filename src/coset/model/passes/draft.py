"""A kind of process while passes change it, and the conditions that they check.

A *private* step is one that no other process and no property can observe, whenever it happens.  It
* is always possible, and ends at a location where the process can stay;
* cannot fault (that would undo the step to which it is joined);
* touches nothing in a way that conflicts with what any process ever does (`visibility`): it changes only private
  variables, reads only own variables and constants, neither enters nor leaves a set of locations that is asked about
  (`P@label`), and does not make the process ready for a handshake whose absence is noticed (by `else`, by what an `unless`
  escapes from, by an atomic sequence that loses control, by priorities).

Then it commutes with every step of every other process, cannot be disabled and disables nothing: the states before and
after it are equivalent (a confluent inert step of branching bisimulation: Groote and van de Pol, State space reduction
using partial tau-confluence, MFCS 2000).  This holds with priorities as well: while the process can make the step, those of
lower priority wait, and those of higher priority are not concerned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import is_

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis import Access
from coset.model.analysis.choice import exactly_one
from coset.model.analysis.facts import Facts


class Draft:
    """The locations and edges of a kind, to be changed in place.  Removed locations are left without edges."""

    def __init__(self, kind: m.Kind, facts: Facts) -> None:
        self.old, self.facts = kind, facts
        self.locations = list(kind.locations)
        self.edges = [list(location.edges) for location in kind.locations]
        self.start = kind.start
        self.sources: dict[int, set[int]] = {}
        """For each location where edges to it come from, or came from."""
        for number in range(len(self.edges)):
            self.index(number)

    def index(self, number: int) -> None:
        """Remember where the edges of a location lead."""
        for edge in self.edges[number]:
            self.sources.setdefault(edge.target, set()).add(number)

    def place(self, number: int) -> m.Location:
        """A location as it is now; the same object if nothing has changed."""
        before, now = self.locations[number].edges, self.edges[number]
        if len(before) == len(now) and all(map(is_, before, now)):
            return self.locations[number]
        return replace(self.locations[number], edges=tuple(self.edges[number]))

    def kind(self) -> m.Kind:
        """The changed kind; the same object if nothing has changed."""
        locations = tuple(map(self.place, range(len(self.locations))))
        if locations == self.old.locations and self.start == self.old.start:
            return self.old
        return replace(self.old, locations=locations, start=self.start)

    # --- changes ---------------------------------------------------------------------------------

    def clear(self, number: int) -> None:
        self.edges[number] = []
        self.locations[number] = m.Location((), span=self.locations[number].span)

    def change_incoming(self, number: int, change: Callable[[m.Edge], m.Edge]) -> None:
        """Replace each edge that leads to a location."""
        for source in self.sources.get(number, set()).copy():
            edges = self.edges[source]
            edges[:] = [change(edge) if edge.target == number else edge for edge in edges]
            self.index(source)

    def split_start(self) -> bool:
        """Make the start a copy to which no edge leads.  Returns False if it already is one, or is in a region."""
        if any(self.facts.region(self.old.name, self.start)) or not self.incoming(self.start):
            return False
        self.locations.append(self.locations[self.start])
        self.edges.append(list(self.edges[self.start]))
        self.start = len(self.locations) - 1
        self.index(self.start)
        return True

    # --- questions about locations ---------------------------------------------------------------

    def incoming(self, number: int) -> list[tuple[int, m.Edge]]:
        """The edges that lead to a location, each with the location that it leaves."""
        sources = sorted(self.sources.get(number, ()))
        return [(source, edge) for source in sources for edge in self.edges[source] if edge.target == number]

    def is_transient(self, number: int) -> bool:
        return self.locations[number].transient

    def same_region(self, one: int, other: int) -> bool:
        return self.facts.region(self.old.name, one) == self.facts.region(self.old.name, other)

    def is_quiet(self, number: int) -> bool:
        """Whether a process that comes to a location stays there, or passes through it by private steps in one way."""
        edges = self.edges[number]
        return not self.is_transient(number) or (
            self.is_decided(number) and all(self.is_private_step(number, edge) for edge in edges)
        )

    def is_decided(self, number: int) -> bool:
        """Whether exactly one edge of a location is enabled, and which one depends on the process alone."""
        guards = [edge.guard for edge in self.edges[number]]
        alone = all(g == e.Otherwise() or (self.facts.local(g) and not self.facts.ranges.may_fault(g)) for g in guards)
        return alone and exactly_one(guards)

    def leads_back(self, number: int) -> bool:
        """Whether a process may come back to a location without having stayed anywhere."""
        seen, pending = set[int](), [number]
        while pending:
            for edge in self.edges[pending.pop()]:
                if edge.target == number:
                    return True
                if edge.target != m.GONE and self.is_transient(edge.target) and edge.target not in seen:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return False

    # --- questions about edges -------------------------------------------------------------------

    def is_sure(self, source: int, edge: m.Edge) -> bool:
        """Whether an edge can be taken at any time and is a whole step by itself."""
        return edge.guard == e.TRUE and self.is_whole(source, edge)

    def is_whole(self, source: int, edge: m.Edge) -> bool:
        """Whether an edge does not wait for a message and is followed by nothing but private steps."""
        return has_no_message(edge) and not self.leads_back(source) and self.is_quiet(edge.target)

    def is_private_step(self, source: int, edge: m.Edge) -> bool:
        """Whether an edge is private, its guard aside."""
        return (
            self.is_whole(source, edge)
            and all(self.is_safe_effect(effect) for effect in edge.effects)
            and self.facts.accesses.is_inert(list(self.touched(source, edge)))
        )

    def is_safe_effect(self, effect: m.Effect) -> bool:
        """Whether an effect is a local computation that cannot fault."""
        ranges = self.facts.ranges
        match effect:
            case m.Assign(place, value):
                return not ranges.place_may_fault(place) and not ranges.may_fault(value)
            case m.Assert(condition):
                return not ranges.may_fault(condition)
            case m.Print(_, arguments):
                return not any(map(ranges.may_fault, arguments))
        return False

    def touched(self, source: int, edge: m.Edge) -> Iterator[Access]:
        """What the effects of an edge and the change of location touch.  The edges of a transient target are checked
        separately."""
        accesses = self.facts.accesses
        for effect in edge.effects:
            yield from accesses.effect(self.old, effect, None, noticed=True)
        yield from accesses.entering(self.old.name, source, edge.target, self.place)

    def may_hand_over(self, edge: m.Edge) -> bool:
        """Whether an edge may be the sending side of a handshake, after which the receiver has control."""
        return self.facts.may_hand_over and any(isinstance(effect, m.Send) for effect in edge.effects)

    # --- questions about control -----------------------------------------------------------------

    def holds_into(self, number: int) -> set[bool]:
        """Whether control is held by the edges that enter the deterministic step around a transient location."""
        holds, seen, pending = set[bool](), {number}, [number]
        while pending:
            for source, edge in self.incoming(pending.pop()):
                if not self.is_transient(source):
                    holds.add(edge.hold)
                elif source not in seen:
                    seen.add(source)
                    pending.append(source)
        return holds

    def can_join(self, source: int, before: m.Edge, edge: m.Edge) -> bool:
        """Whether a private edge can be joined to one that comes before it.  After a deterministic step, whether control is held
        depends on the edge that entered it, which must not change; and the sender of a handshake does not pass through
        transient locations before the receive, so it must not come to one."""
        if self.is_transient(source) and not edge.hold and True in self.holds_into(source):
            return False
        return not (self.is_transient(edge.target) and self.may_hand_over(before))


def has_no_message(edge: m.Edge) -> bool:
    return not any(isinstance(effect, m.Send | m.Receive | m.Exit) for effect in edge.effects)
