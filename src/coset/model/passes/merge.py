"""Steps that nobody can see are taken together with their neighbours, and the states between them disappear.

A location is removed in four cases, and its only edge joined to each of the edges that lead to it:

* *private*: the edge is always possible and only touches private variables, so it makes no difference to anybody
  when it happens: it happens at once, with the step before it.
* *delayed*: the edge is always possible, and every edge that leads to the location is private and the only one where it
  begins (the start of a process, say): those wait and happen with the step after them.
* *held*: control is held on every way to the location and the edge is always possible: the state was never observed.
* *transient*: the same inside of a deterministic step.

Correct for deadlocks, assertions, end states, monitors and linear-time properties without next.  A private
step commutes with every step of every other process, cannot be disabled, disables nobody, and neither changes an
atom of a property nor a value that others read: joining it to its neighbour is Lipton's reduction (CACM 18(12), 1975) with
a step that is both a left and a right mover; the runs are equal up to stuttering (Cohen and Lamport, Reduction in
TLA, CONCUR 1998).  Not correct for: next, branching time, counting steps.

Therefore a step is private only if it
* changes only private variables, reads only own variables and constants, and cannot fault (a fault would hide the step before);
* neither enters nor leaves a region that is asked about (`P@label`), and does not leave an accept or progress mark behind;
* belongs to a process without `provided` clause (it may be stopped in between, and a stopped process may be a deadlock).
Assertions about own variables may be joined: they are evaluated on the same values.  Nothing is merged in a model whose
steps can be told apart (`Facts.steps_matter`).  A cycle of private steps keeps one location: a process that only runs in
circles does not become a deadlock, and a loop of joined edges never has to be unrolled.

`hold` after joining: control is held if both steps held it.  A step that began an atomic sequence privately leaves it
to the next one to begin it, which may be later: nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.passes.facts import Facts, edge_expressions


Rule = Callable[[int, m.Edge], bool]


def merge_steps(model: m.Model, facts: Facts) -> m.Model:
    """The model with private steps joined to their neighbours.  Removed locations are left without edges."""
    if facts.steps_matter:
        return model
    return replace(model, kinds=tuple(Merging(with_own_start(kind, facts), facts).kind() for kind in model.kinds))


def with_own_start(kind: m.Kind, facts: Facts) -> m.Kind:
    """A process that comes back to its start comes back to a copy of it, if the copy will be removed."""
    start = kind.locations[kind.start]
    merging = Merging(kind, facts)
    if len(start.edges) != 1 or not merging.is_private(kind.start, start.edges[0]):
        return kind
    return split_start(kind, facts)


def split_start(kind: m.Kind, facts: Facts) -> m.Kind:
    """The start as a location of its own, to which nothing leads; the same kind if that is so, or if it is in a region."""
    if any(facts.region(kind.name, kind.start)) or all(edge.target != kind.start for _, edge in kind.edges()):
        return kind
    return replace(kind, locations=(*kind.locations, kind.locations[kind.start]), start=len(kind.locations))


class Merging:
    """The work on one kind of process."""

    def __init__(self, kind: m.Kind, facts: Facts) -> None:
        self.old, self.facts = kind, facts
        self.edges = [list(location.edges) for location in kind.locations]
        self.start = kind.start
        self.removed: set[int] = set()

    def kind(self) -> m.Kind:
        if self.old.provided != e.TRUE:
            return self.old
        self.skip_start()
        for rule in (self.is_inside, self.is_private, self.is_held, self.is_delayed):
            self.apply(rule)
        if not self.removed and self.start == self.old.start:
            return self.old
        locations = [
            m.Location((), span=location.span) if number in self.removed else replace(location, edges=tuple(edges))
            for number, (location, edges) in enumerate(zip(self.old.locations, self.edges, strict=True))
        ]
        return replace(self.old, locations=tuple(locations), start=self.start)

    def skip_start(self) -> None:
        """A process that does nothing first starts after that."""
        for _ in self.edges:
            match self.edges[self.start]:
                case [m.Edge(effects=()) as edge] if (
                    edge.target != self.start
                    and self.is_unmarked(self.start)
                    and self.is_private_step(self.start, edge)
                ):
                    self.start = edge.target
                case _:
                    return

    def apply(self, rule: Rule) -> None:
        """Remove the locations that a rule allows to remove, one after the other."""
        for number in range(len(self.edges)):
            if number == self.start or len(self.edges[number]) != 1:
                continue
            (edge,) = self.edges[number]
            if edge.target in (m.GONE, number) or not rule(number, edge):
                continue
            if self.may_fault(edge) and any(reports(before) for _, before in self.incoming(number)):
                continue  # a fault ends the whole step, and what it had reported before is lost
            self.remove(number, edge, rule)

    def remove(self, number: int, last: m.Edge, rule: Rule) -> None:
        self.removed.add(number)
        self.edges[number] = []
        for edges in self.edges:
            edges[:] = [self.joined(edge, last, rule) if edge.target == number else edge for edge in edges]

    def joined(self, first: m.Edge, last: m.Edge, rule: Rule) -> m.Edge:
        """Two edges as one step."""
        if rule == self.is_inside:
            hold = first.hold
        elif rule == self.is_delayed:
            hold = last.hold
        else:
            hold = first.hold and last.hold
        text = "; ".join(text for text in (first.text, last.text) if text)
        return replace(first, target=last.target, effects=first.effects + last.effects, hold=hold, text=text)

    # --- the rules -------------------------------------------------------------------------------

    def is_private(self, number: int, edge: m.Edge) -> bool:
        """Whether the step from a location makes no difference to anybody, at whatever time it happens."""
        if not self.is_unmarked(number) or not self.is_private_step(number, edge):
            return False
        return all(self.can_join(source, edge) for source, _ in self.incoming(number))

    def is_delayed(self, number: int, edge: m.Edge) -> bool:
        """Whether the steps to a location can wait for the step from it."""
        if not self.is_unmarked(number) or not self.is_always_possible(edge):
            return False
        return all(
            len(self.edges[source]) == 1
            and not self.old.locations[source].transient
            and self.is_private_step(source, before)
            and (before.hold or not self.is_entered_holding(source))
            for source, before in self.incoming(number)
        )

    def is_held(self, number: int, edge: m.Edge) -> bool:
        """Whether a location is only passed while control is held."""
        if self.facts.prioritised or not self.is_unmarked(number):
            return False
        if not self.is_always_possible(edge) or not self.same_region(number, edge.target):
            return False
        return all(
            before.hold and not self.may_lose_control(before) and not self.old.locations[source].transient
            for source, before in self.incoming(number)
        )

    def is_inside(self, number: int, edge: m.Edge) -> bool:
        """Whether a location is inside of a deterministic step and leaves no choice."""
        if not self.old.locations[number].transient or not has_no_message(edge):
            return False
        return edge.guard in (e.TRUE, e.Otherwise())

    # --- what they ask ---------------------------------------------------------------------------

    def incoming(self, number: int) -> list[tuple[int, m.Edge]]:
        return [(source, edge) for source, edges in enumerate(self.edges) for edge in edges if edge.target == number]

    def is_unmarked(self, number: int) -> bool:
        """Whether nothing is lost with a location.  An `end` mark is not: a process that can always go on does not end."""
        location = self.old.locations[number]
        return not (location.accept or location.progress or location.transient)

    def same_region(self, one: int, other: int) -> bool:
        return self.facts.region(self.old.name, one) == self.facts.region(self.old.name, other)

    def is_private_step(self, source: int, edge: m.Edge) -> bool:
        return (
            self.is_always_possible(edge)
            and all(self.is_private_effect(effect) for effect in edge.effects)
            and self.same_region(source, edge.target)
        )

    def is_private_effect(self, effect: m.Effect) -> bool:
        local = self.facts.local
        match effect:
            case m.Assign(place, value):
                return (
                    (place.variable is None or self.facts.private(place.variable))
                    and all(map(local, (value, *place.indices)))
                    and not self.facts.ranges.place_may_fault(place)
                    and not self.facts.ranges.may_fault(value)
                )
            case m.Assert(condition):
                return local(condition) and not self.facts.ranges.may_fault(condition)
            case m.Print(_, arguments):
                return not any(map(self.facts.ranges.may_fault, arguments))
        return False

    def is_always_possible(self, edge: m.Edge) -> bool:
        """Whether an edge can be taken at any time, and is all of a step: the rest of a deterministic step may block."""
        return edge.guard == e.TRUE and has_no_message(edge) and not self.old.locations[edge.target].transient

    def may_fault(self, edge: m.Edge) -> bool:
        """Whether the effects of an edge may fault.  Creating a process may: there can be too many."""
        if any(isinstance(effect, m.Run | m.SetPriority) for effect in edge.effects):
            return True
        ranges, stores = self.facts.ranges, [effect.place for effect in edge.effects if isinstance(effect, m.Assign)]
        return any(map(ranges.place_may_fault, stores)) or any(map(ranges.may_fault, edge_expressions(edge)))

    def can_join(self, source: int, edge: m.Edge) -> bool:
        """Whether an edge can be joined to one that leaves `source`.  Out of a deterministic step nothing but the
        edge that entered it says whether control is held, so it must hold either way."""
        return not self.old.locations[source].transient or edge.hold or True not in self.holds_into(source)

    def is_entered_holding(self, number: int) -> bool:
        return any(edge.hold or self.old.locations[source].transient for source, edge in self.incoming(number))

    def holds_into(self, number: int) -> set[bool]:
        """Whether control is held by the edges that enter the deterministic step around a location."""
        holds, seen, pending = set[bool](), {number}, [number]
        while pending:
            for source, edge in self.incoming(pending.pop()):
                if not self.old.locations[source].transient:
                    holds.add(edge.hold)
                elif source not in seen:
                    seen.add(source)
                    pending.append(source)
        return holds

    def may_lose_control(self, edge: m.Edge) -> bool:
        """Whether an edge may be the sending side of a handshake, after which the receiver has control."""
        return self.facts.may_hand_over and any(isinstance(effect, m.Send) for effect in edge.effects)


def has_no_message(edge: m.Edge) -> bool:
    return not any(isinstance(effect, m.Send | m.Receive | m.Exit) for effect in edge.effects)



def reports(edge: m.Edge) -> bool:
    """Whether an edge may report something: an assertion, or what a monitor says to a message."""
    return any(isinstance(effect, m.Assert | m.Send | m.Receive) for effect in edge.effects)

