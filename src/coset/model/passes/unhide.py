"""Hidden variables that no observable state needs, as ordinary ones.

`hidden` variables are no part of a state: which of several states that differ in one is kept depends on the order of the
search, so that neither symmetries nor the compiled engine know them.  Yet most of them are scratch variables:

    hidden byte i;    atomic { i = 0; do :: i < 3 -> sum = sum + a[i]; i++ :: else -> break od }

Theorem.  Let each process that does not hold control, wherever it stands, write v before it reads it, and let no property
read v.  Then observable states that differ only in v are bisimilar, and the model in which v is an ordinary variable that is
reset whenever control is given up has exactly one of them: it has the states, steps and errors that the model with the hidden
variable has in any order of search.  (Equality up to dead variables, as in `reset`: Bozga, Fernandez and Ghirvu, SAS 1999.)

A process holds control after an edge with `hold`, unless the edge is a send that may be a handshake, after which the receiver
has it; and it keeps control where it can always move: where a guard is true, or there is an `else`.  v may be read after
being written only within such stretches, and inside of a `d_step`.  Variables that do not satisfy this stay hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts, gather
from coset.model.analysis.liveness import Live, Liveness
from coset.model.analysis.occurrences import initial_expressions, places, read_by, visible_variables
from coset.model.domain import Refers
from coset.model.passes.reset import assignments, starts_at_rest
from coset.model.rewrite import replace_variables


def unhide(model: m.Model) -> m.Model:
    """The model with scratch variables that are reset instead of hidden; the model itself if it has none."""
    hidden = frozenset(variable for variable in model.variables if variable.hidden)
    if not hidden or model.prioritised or any(kind.provided != e.TRUE for kind in model.kinds):
        return model
    facts = gather(model, visible_variables(model))
    lives = [Liveness(kind, hidden, facts.ranges) for kind in model.kinds]
    begun = {v for kind in model.kinds for x in initial_expressions(kind.variables) for v in read_by(x)}
    scratch = {v for v in hidden if is_simple(v) and v not in facts.watched and v not in begun}
    for life in lives:
        scratch -= needed(life, facts)
    if not scratch:
        return model
    kinds = tuple(with_resets(life, frozenset(scratch)) for life in lives)
    images = {variable: replace(variable, hidden=False) for variable in scratch}
    return replace_variables(replace(model, kinds=kinds), images)


def is_simple(variable: m.Variable) -> bool:
    """Whether a variable holds numbers, constants at first."""
    return variable.domain.refers is not Refers.CHANNEL and starts_at_rest(variable)


def needed(life: Liveness, facts: Facts) -> set[m.Variable]:
    """The variables that may be read after a process has not held control, without being written in between."""
    found = set(life.at[life.kind.start])
    held = frozenset(held_locations(life.kind, facts))
    for number, location in enumerate(life.kind.locations):
        if not location.transient and not (number in held and can_always_move(location)):
            found |= life.at[number]
    return found


def held_locations(kind: m.Kind, facts: Facts) -> Iterator[int]:
    """The locations at which a process holds control whenever it comes there."""
    incoming: dict[int, list[bool]] = {kind.start: [False]}
    for number, edge in kind.edges():
        is_sent = facts.may_hand_over and any(isinstance(effect, m.Send) for effect in edge.effects)
        is_held = edge.hold and not kind.locations[number].transient and not is_sent
        incoming.setdefault(edge.target, []).append(is_held)
    return (number for number, each in incoming.items() if all(each))


def can_always_move(location: m.Location) -> bool:
    """Whether an edge can be taken in every state."""
    return any(
        edge.guard in (e.TRUE, e.Otherwise())
        and not any(isinstance(effect, m.Send | m.Receive) for effect in edge.effects)
        for edge in location.edges
    )


def with_resets(life: Liveness, scratch: Live) -> m.Kind:
    """The kind with assignments where a variable that has been written is not needed any more."""
    kind = life.kind
    written: list[Live] = [frozenset()] * len(kind.locations)
    """For each location the variables that may differ from their first values."""

    def after(source: int, edge: m.Edge) -> Live:
        changed = {place.variable for effect in edge.effects for place in places(effect)}
        return written[source] | (scratch & changed)

    def kept(edge: m.Edge) -> Live:
        is_inside = edge.target != m.GONE and kind.locations[edge.target].transient
        return scratch if is_inside else life.after_edge(edge)

    pending = set(range(len(written)))
    while pending:
        source = pending.pop()
        for edge in kind.locations[source].edges:
            if edge.target != m.GONE:
                there = written[edge.target] | (after(source, edge) & kept(edge))
                if there != written[edge.target]:
                    written[edge.target] = there
                    pending.add(edge.target)
    locations = []
    for number, location in enumerate(kind.locations):
        edges = []
        for edge in location.edges:
            dirty = after(number, edge) - kept(edge)
            resets = [reset for v in sorted(dirty, key=lambda v: v.name) for reset in assignments(v)]
            edges.append(replace(edge, effects=(*edge.effects, *resets)) if resets else edge)
        locations.append(replace(location, edges=tuple(edges)))
    return replace(kind, locations=tuple(locations))
