"""Locations from which a process goes on in the same way are made one.

Correct for every property: the locations have equal marks and regions, and equal edges to equal locations, so being at
one or the other is a strong bisimulation.  The coarsest such partition is found by refinement (Kanellakis and
Smolka, CCS expressions, finite state processes, and three problems of equivalence, PODC 1983: the simple algorithm).
It finds the copies of a control point that a language makes: a loop that is the first statement of an option, joints
that were merged.  Of equal edges at a location one is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.passes.compact import reachable


def unify_locations(model: m.Model, facts: Facts) -> m.Model:
    """The model with equivalent locations replaced by the first of them."""
    if facts.positions_matter:
        return model
    return replace(model, kinds=tuple(unified(kind, facts) for kind in model.kinds))


def unified(kind: m.Kind, facts: Facts) -> m.Kind:
    first = {m.GONE: m.GONE} | representatives(kind, facts)

    def led(number: int, location: m.Location) -> m.Location:
        if first.get(number) != number:
            return m.Location((), span=location.span)
        return replace(location, edges=distinct(replace(edge, target=first[edge.target]) for edge in location.edges))

    locations = tuple(led(number, location) for number, location in enumerate(kind.locations))
    return replace(kind, locations=locations, start=first[kind.start])


def representatives(kind: m.Kind, facts: Facts) -> dict[int, int]:
    """For each reachable location the first one that is equivalent to it."""
    places = reachable(kind)
    group = dict.fromkeys(places, 0)
    count = 1
    while True:
        known: dict[Hashable, int] = {}
        group = {n: known.setdefault((group[n], signature(kind, n, group, facts)), len(known)) for n in places}
        if len(known) == count:
            break
        count = len(known)
    leaders: dict[int, int] = {}
    return {number: leaders.setdefault(group[number], number) for number in places}


def signature(kind: m.Kind, number: int, group: dict[int, int], facts: Facts) -> Hashable:
    """What can be told of a location in one step, if only groups of locations can be told apart."""
    location = kind.locations[number]
    marks = (location.end, location.accept, location.progress, location.transient)
    edges = distinct(replace(edge, target=group.get(edge.target, edge.target)) for edge in location.edges)
    return marks, facts.region(kind.name, number), edges


def distinct(edges: Iterable[m.Edge]) -> tuple[m.Edge, ...]:
    """The edges without copies of earlier ones."""
    return tuple(dict.fromkeys(edges))
