"""Liveness: which local variables may still be read before they are written again.

A backward analysis of each automaton (Nielson, Nielson and Hankin, Principles of Program Analysis, 1999, section 2.1.4), in
its strong form: a value that is only used to compute a dead one is dead as well.  Every continuation from a location is one
of its edges (the escapes of `unless`, both sides of a handshake, the inside of a `d_step`), so that it suffices to join the
edges of a location.

Variables that others may read (`Remote`, properties, variables that the caller declares visible) are not *tracked*.
An array is one variable: writing an element does not end the life of the others.  A `provided` clause
reads its variables everywhere.
"""

from __future__ import annotations

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.analysis.occurrences import parts, read_by
from coset.model.analysis.ranges import Ranges

Live = frozenset[m.Variable]


class Liveness:
    """The live variables of one kind of process.  `at[n]` are those of location n."""

    def __init__(self, kind: m.Kind, tracked: Live, ranges: Ranges) -> None:
        self.kind, self.tracked, self.ranges = kind, tracked, ranges
        self.read: dict[int, tuple[e.Expr, Live]] = {}
        """What expressions read, by their identity; they are kept, so that no other one gets it."""
        self.always = self.reads(kind.provided)
        self.at: list[Live] = [self.always] * len(kind.locations)
        self.solve()

    def solve(self) -> None:
        """The least fixed point, by a work list over predecessors; the last locations first, as most edges lead on."""
        before: dict[int, set[int]] = {}
        for source, edge in self.kind.edges():
            before.setdefault(edge.target, set()).add(source)
        pending = dict.fromkeys(range(len(self.at)))
        while pending:
            number, _ = pending.popitem()
            live = self.always.union(*(self.before_edge(edge) for edge in self.kind.locations[number].edges))
            if live != self.at[number]:
                self.at[number] = live
                pending |= dict.fromkeys(before.get(number, ()))

    def reads(self, x: e.Expr) -> Live:
        known = self.read.get(id(x))
        if known is None:
            known = self.read[id(x)] = x, frozenset(v for v in read_by(x) if v in self.tracked)
        return known[1]

    def after_edge(self, edge: m.Edge) -> Live:
        """What is live when the effects of an edge are done."""
        return frozenset() if edge.target == m.GONE else self.at[edge.target]

    def before_edge(self, edge: m.Edge) -> Live:
        """What is live where the edge begins, because of this edge."""
        live = self.after_edge(edge)
        for effect in reversed(edge.effects):
            live = self.before_effect(effect, live)
        return live | self.reads(edge.guard)

    def before_effect(self, effect: m.Effect, live: Live) -> Live:
        """What is live before an effect, given what is live after it."""
        match effect:
            case m.Assign() if self.is_dead_store(effect, live):
                return live
            case m.Assign(place):
                live = live - written(place)
            case m.Receive(_, patterns):
                places = [p.place for p in patterns if p.place is not None]
                live = live.difference(*(written(place) for place in places))
        return live.union(*(self.reads(x) for x in parts(effect)))

    def is_dead_store(self, effect: m.Assign, live: Live) -> bool:
        """Whether an assignment has no effect on live variables."""
        variable = effect.place.variable
        if variable not in self.tracked or variable in live:
            return False
        return not self.ranges.may_fault(effect.value) and not self.ranges.place_may_fault(effect.place)


def written(place: e.Place) -> Live:
    """The variable whose old value is lost by an assignment to the place."""
    if place.variable is None or place.variable.shape:
        return frozenset()
    return frozenset({place.variable})


def tracked_variables(kind: m.Kind, facts: Facts) -> Live:
    """The variables that are tracked: private ones that change.  Resetting a variable that never changes saves no states, and
    symmetry is found more easily if it keeps its value."""
    return frozenset(v for v in kind.variables if facts.private(v) and v in facts.assigned)


def liveness(kind: m.Kind, facts: Facts) -> Liveness:
    """The live variables at each location of a kind."""
    return Liveness(kind, tracked_variables(kind, facts), facts.ranges)
