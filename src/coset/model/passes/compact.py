"""Locations that cannot be reached are dropped, and the rest numbered anew, in their old order.

Correct for everything that does not look at the numbers themselves (`pc_value`).
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.rewrite import rewrite_model


def reachable(kind: m.Kind) -> list[int]:
    """The locations on some way from the start, in order."""
    seen, pending = {kind.start}, [kind.start]
    while pending:
        for edge in kind.locations[pending.pop()].edges:
            if edge.target != m.GONE and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return sorted(seen)


def compact(model: m.Model, facts: Facts) -> m.Model:
    """The model without unreachable locations."""
    if facts.positions_matter:
        return model
    numbers = {kind.name: {old: new for new, old in enumerate(reachable(kind))} for kind in model.kinds}
    if all(len(numbers[kind.name]) == len(kind.locations) for kind in model.kinds):
        return model

    def relocated(x: e.Expr) -> e.Expr:
        if isinstance(x, e.AtLocation):
            table = numbers[x.kind]
            return replace(x, locations=frozenset(table[n] for n in x.locations if n in table))
        return x

    kinds = tuple(renumbered(kind, numbers[kind.name]) for kind in model.kinds)
    return rewrite_model(replace(model, kinds=kinds), relocated)


def renumbered(kind: m.Kind, numbers: dict[int, int]) -> m.Kind:
    """A kind with only the locations that have a new number."""
    targets = {**numbers, m.GONE: m.GONE}
    locations = []
    for old in numbers:
        edges = (replace(edge, target=targets[edge.target]) for edge in kind.locations[old].edges)
        locations.append(replace(kind.locations[old], edges=tuple(edges)))
    return replace(kind, locations=tuple(locations), start=numbers[kind.start])
