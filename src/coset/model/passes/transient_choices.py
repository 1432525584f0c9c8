"""Locations at which exactly one private edge is possible become transient.

A location becomes transient if the process can neither wait nor choose there: exactly one of its edges is enabled, which one
depends on the process alone, and all are private.  The step before then continues through it.  This is sound for the same
properties as `merge`, and for the same reason: it merges private steps.

Every cycle keeps a location at which the process can stay: no cycle consists of transient locations alone.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.passes.draft import Draft


def make_choices_transient(model: m.Model, facts: Facts) -> m.Model:
    """The model in which locations with decided private choices are transient."""
    if facts.steps_matter:
        return model
    return replace(model, kinds=tuple(with_transient_choices(kind, facts) for kind in model.kinds))


def with_transient_choices(kind: m.Kind, facts: Facts) -> m.Kind:
    if kind.provided != e.TRUE:
        return kind
    draft = Draft(kind, facts)
    for number in range(len(kind.locations)):
        if is_decided_choice(draft, number) and (number != draft.start or draft.split_start()):
            make_transient(draft, number)
    return draft.kind()


def is_decided_choice(draft: Draft, number: int) -> bool:
    """Whether a process at a location always has exactly one enabled edge, and it is private."""
    edges = draft.edges[number]
    return (
        len(edges) > 1
        and not draft.is_transient(number)
        and len({(edge.hold, edge.tier) for edge in edges}) == 1
        and draft.is_decided(number)
        and all(draft.is_private_step(number, edge) for edge in edges)
        and all(
            draft.can_join(source, before, edges[0]) and not draft.may_hand_over(before)
            for source, before in draft.incoming(number)
        )
    )


def make_transient(draft: Draft, number: int) -> None:
    """Make a location transient.  Whether control is held afterwards now depends on the edges that lead there."""
    hold = draft.edges[number][0].hold
    draft.change_incoming(number, lambda edge: replace(edge, hold=edge.hold and hold))
    draft.edges[number] = [replace(edge, hold=False, tier=0, group=0) for edge in draft.edges[number]]
    draft.locations[number] = replace(draft.locations[number], transient=True, end=False)
