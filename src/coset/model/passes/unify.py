"""Equivalent locations are unified.

This is sound for every property: the locations have equal marks and regions, and equal edges to equal locations, so
identifying them is a strong bisimulation.  The coarsest such partition is found by refinement (Kanellakis and
Smolka, CCS expressions, finite state processes, and three problems of equivalence, PODC 1983: the simple algorithm).
It finds the copies of a control point that the front end or merging creates, such as a loop that is the first statement of an
option.  Of equal edges at a location one is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.passes.compact import reachable

Bodies = dict[int, list[tuple[int, int]]]
"""For each location its edges: a number for all but the target, and the target."""


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
        return replace(location, edges=distinct(leading_to(edge, first[edge.target]) for edge in location.edges))

    locations = tuple(led(number, location) for number, location in enumerate(kind.locations))
    return replace(kind, locations=locations, start=first[kind.start])


def representatives(kind: m.Kind, facts: Facts) -> dict[int, int]:
    """For each reachable location the first one that is equivalent to it."""
    places = reachable(kind)
    group = dict.fromkeys(places, 0)
    bodies = bodies_of(kind, places)
    count = 1
    while True:
        known: dict[Hashable, int] = {}
        group = {n: known.setdefault((group[n], signature(kind, n, group, facts, bodies)), len(known)) for n in places}
        if len(known) == count:
            break
        count = len(known)
    leaders: dict[int, int] = {}
    return {number: leaders.setdefault(group[number], number) for number in places}


def signature(kind: m.Kind, number: int, group: dict[int, int], facts: Facts, bodies: Bodies) -> Hashable:
    """The marks and edges of a location, with targets up to the present partition."""
    location = kind.locations[number]
    marks = (location.end, location.accept, location.progress, location.transient)
    edges = tuple(dict.fromkeys((body, group.get(target, target)) for body, target in bodies[number]))
    return marks, facts.region(kind.name, number), edges


def bodies_of(kind: m.Kind, places: Iterable[int]) -> Bodies:
    """The edges of some locations; equal numbers stand for what is equal up to targets."""
    known: dict[Hashable, int] = {}
    return {
        n: [
            (known.setdefault((edge.guard, edge.effects, edge.hold, edge.tier, edge.group), len(known)), edge.target)
            for edge in kind.locations[n].edges
        ]
        for n in places
    }


def leading_to(edge: m.Edge, target: int) -> m.Edge:
    return edge if edge.target == target else replace(edge, target=target)


def distinct(edges: Iterable[m.Edge]) -> tuple[m.Edge, ...]:
    """The edges without copies of earlier ones."""
    return tuple(dict.fromkeys(edges))
