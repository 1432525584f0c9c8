"""Dead variables are reset, so that states that differ only in dead variables become one.

Correct for every property that does not mention the variable: equal up to dead variables is a strong bisimulation
(Bozga, Fernandez and Ghirvu, State space reduction based on live variables analysis, SAS 1999), and here every class
has one member: a variable that is dead at a location holds its *rest* there.  The rest is the initial value, 0 if there
is none that is constant: a process that loops back to its start then comes back to its first state, and a variable
that has not been written yet needs no reset.  (SPIN always resets to 0, and so stores more states in some models.)

Assignments that are dead themselves are dropped, and a receive into a dead variable discards, unless they may fault.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.analysis.liveness import Live, Liveness, liveness, written
from coset.model.evaluate import flat

LARGEST_ARRAY = 16
"""An array that is larger is not worth as many assignments."""


def reset_dead(model: m.Model, facts: Facts) -> m.Model:
    """The model with dead variables reset on the edges where they die."""
    return replace(model, kinds=tuple(Resetting(kind, liveness(kind, facts)).kind() for kind in model.kinds))


def rest(variable: m.Variable) -> tuple[int, ...]:
    """The values that the elements of a variable have while it is dead.

    >>> from coset.model.domain import BYTE
    >>> rest(m.Variable("x", BYTE, initial=(e.Const(7),))), rest(m.Variable("a", BYTE, (2,)))
    ((7,), (0, 0))
    """
    initial = variable.initial
    if isinstance(initial, m.NewChannel) or not all(isinstance(x, e.Const) for x in initial):
        return (0,) * variable.size
    values = [variable.domain.fit(x.value) for x in initial if isinstance(x, e.Const)] or [0]
    return tuple(values * variable.size if len(values) == 1 else values)


class Resetting:
    """The work on one kind of process."""

    def __init__(self, kind: m.Kind, life: Liveness) -> None:
        self.old, self.life = kind, life
        self.candidates = frozenset(v for v in life.tracked if v.size <= LARGEST_ARRAY)
        self.edges = [[self.without_dead_stores(edge) for edge in place.edges] for place in kind.locations]
        self.resting = self.where_resting()

    def kind(self) -> m.Kind:
        locations = []
        for number, location in enumerate(self.old.locations):
            edges = tuple(self.with_resets(edge, self.resting[number]) for edge in self.edges[number])
            locations.append(replace(location, edges=edges))
        return replace(self.old, locations=tuple(locations))

    # --- dead stores -----------------------------------------------------------------------------

    def without_dead_stores(self, edge: m.Edge) -> m.Edge:
        live, kept = self.life.after_edge(edge), list[m.Effect]()
        for effect in reversed(edge.effects):
            if isinstance(effect, m.Assign) and self.life.is_dead_store(effect, live):
                continue
            if isinstance(effect, m.Receive):
                # An index may be a field of the same message.
                wanted = live.union(*(self.life.reads(x) for p in effect.patterns for x in p.children()))
                effect = replace(effect, patterns=tuple(self.discarding(p, wanted) for p in effect.patterns))
            live = self.life.before_effect(effect, live)
            kept.append(effect)
        return replace(edge, effects=tuple(reversed(kept)))

    def discarding(self, pattern: e.Pattern, live: Live) -> e.Pattern:
        """A field that goes to a dead variable is thrown away."""
        place = pattern.place
        if place is None or place.variable is None or place.indices:
            return pattern
        return e.Pattern(None, e.Place(None)) if place.variable in self.life.tracked - live else pattern

    # --- resets ----------------------------------------------------------------------------------

    def where_resting(self) -> list[Live]:
        """Per location the variables that surely hold their rest: a forward analysis, from "all" downwards."""
        start = frozenset(v for k, v in enumerate(self.old.variables) if k >= self.old.parameters and starts_at_rest(v))
        resting = [self.candidates] * len(self.old.locations)
        resting[self.old.start] = self.candidates & start
        pending = set(range(len(resting)))
        while pending:
            number = pending.pop()
            for edge in self.edges[number]:
                if edge.target != m.GONE:
                    after = resting[edge.target] & self.resting_after(edge, resting[number])
                    if after != resting[edge.target]:
                        resting[edge.target] = after
                        pending.add(edge.target)
        return resting

    def resting_after(self, edge: m.Edge, before: Live) -> Live:
        return self.resting_by_effects(edge, before) | (self.candidates - self.life.after_edge(edge))

    def resting_by_effects(self, edge: m.Edge, before: Live) -> Live:
        """What holds its rest when the effects are done, without resets."""
        now = set(before)
        for effect in edge.effects:
            match effect:
                case m.Assign(place, value) if place.variable in self.candidates and place.variable is not None:
                    if not is_rest(place, value):
                        now.discard(place.variable)
                    elif written(place):
                        now.add(place.variable)
                case m.Receive(_, patterns):
                    now -= {p.place.variable for p in patterns if p.place is not None and p.place.variable is not None}
        return frozenset(now)

    def with_resets(self, edge: m.Edge, before: Live) -> m.Edge:
        if edge.target == m.GONE:
            return edge
        edge = self.without_idle_stores(edge, before)
        dirty = self.candidates - self.life.after_edge(edge) - self.resting_by_effects(edge, before)
        resets = [reset for v in self.old.variables if v in dirty for reset in assignments(v)]
        return replace(edge, effects=(*edge.effects, *resets))

    def without_idle_stores(self, edge: m.Edge, before: Live) -> m.Edge:
        """An edge that does not put to rest what rests already."""
        kept = list[m.Effect]()
        for effect in edge.effects:
            resting = self.resting_by_effects(replace(edge, effects=tuple(kept)), before)
            idle = isinstance(effect, m.Assign) and effect.place.variable in resting and not effect.place.indices
            if not (isinstance(effect, m.Assign) and idle and is_rest(effect.place, effect.value)):
                kept.append(effect)
        return replace(edge, effects=tuple(kept))


def starts_at_rest(variable: m.Variable) -> bool:
    initial = variable.initial
    return not isinstance(initial, m.NewChannel) and all(isinstance(x, e.Const) for x in initial)


def is_rest(place: e.Place, value: e.Expr) -> bool:
    """Whether an assignment puts an element to its rest."""
    if place.variable is None or not isinstance(value, e.Const):
        return False
    known = [index.value for index in place.indices if isinstance(index, e.Const)]
    if len(known) < len(place.indices):
        return len(set(rest(place.variable))) == 1 and place.variable.domain.fit(value.value) == rest(place.variable)[0]
    return place.variable.domain.fit(value.value) == rest(place.variable)[flat(known, place.variable.shape)]


def assignments(variable: m.Variable) -> list[m.Assign]:
    """What resets a variable."""
    if not variable.shape:
        return [m.Assign(e.Place(variable), e.Const(rest(variable)[0]))]
    return [
        m.Assign(e.Place(variable, tuple(map(e.Const, variable.indices(offset)))), e.Const(value))
        for offset, value in enumerate(rest(variable))
    ]
