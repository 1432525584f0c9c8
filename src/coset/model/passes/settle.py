"""Choices that a process makes by itself are made at once.

A location becomes transient if the process can neither wait there nor choose: exactly one of its edges is possible,
which one is up to the process alone, and all are private.  The step before then goes on through it.  Correct for the
same properties as `merge`, and for the same reason: it is the merging of private steps, with a choice that is none.

A cycle needs a location where the process can stay: none is made of transient locations alone.
"""

from __future__ import annotations

from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.passes.draft import Draft


def settle_choices(model: m.Model, facts: Facts) -> m.Model:
    """The model with private choices made transient."""
    if facts.steps_matter:
        return model
    return replace(model, kinds=tuple(settled(kind, facts) for kind in model.kinds))


def settled(kind: m.Kind, facts: Facts) -> m.Kind:
    if kind.provided != e.TRUE:
        return kind
    draft = Draft(kind, facts)
    for number in range(len(kind.locations)):
        if is_settled_choice(draft, number) and (number != draft.start or draft.split_start()):
            make_transient(draft, number)
    return draft.kind()


def is_settled_choice(draft: Draft, number: int) -> bool:
    """Whether a process that comes to a location goes on at once, in one way, unseen."""
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
    """Let a location be left at once.  Whether control is held afterwards is now up to the edges that lead there."""
    hold = draft.edges[number][0].hold
    draft.change_incoming(number, lambda edge: replace(edge, hold=edge.hold and hold))
    draft.edges[number] = [replace(edge, hold=False, tier=0, group=0) for edge in draft.edges[number]]
    draft.locations[number] = replace(draft.locations[number], transient=True, end=False)
