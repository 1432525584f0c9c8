"""Invisible steps are merged with their neighbours, and the states between them disappear.

A location with a single edge is removed in four cases, and the edge joined to each of the edges that lead there:

* *private*: the step from the location is private (see `draft`): it happens at once, with the step before it.
* *delayed*: the step from it is always possible, and every step to it is private and the only one where it begins (the
  start of a process, say): those wait and happen with the step after them.
* *held*: control is held on every way to the location and the step from it is always possible: it was never observed.
* *inside*: the same within a deterministic step.

Correct for deadlocks, assertions, faults, end states, monitors and properties without next, in linear and in branching
time: what is left is divergence-sensitive branching bisimilar to what was (De Nicola and Vaandrager, Three logics for
branching bisimulation, JACM 42(2), 1995); for a run it is Lipton's reduction (CACM 18(12), 1975) with steps that move
both ways.  SPIN's merging (Holzmann, The engineering of a model checker, SPIN 1999) joins private steps to each other
only.

Nothing is merged where steps can be told apart (`_last`, `enabled`, `pc_value`) or in a process with a `provided`
clause (it may be stopped in between, and a system of stopped processes is a deadlock).  One location stays in each
cycle: a process that only runs in circles must not seem to be stuck.  An `end` mark is no reason to stay: who can
always go on does not end there.  Assertions about own variables may be joined, as they are evaluated on the same
values; what a step reports before a fault is not lost with it.

Control: after two joined steps it is held if both held it.  A private step that begins an atomic sequence leaves it to
the next one to begin it, which may be later, invisibly.  A delayed step needs to be able to wait: either control
was not held when the process came to it, or it is held on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import Facts
from coset.model.passes.draft import Draft, has_no_message

Rule = Callable[[Draft, int, m.Edge], bool]


def merge_steps(model: m.Model, facts: Facts) -> m.Model:
    """The model with private steps joined to their neighbours.  Removed locations are left without edges."""
    if facts.steps_matter:
        return model
    return replace(model, kinds=tuple(merged_kind(kind, facts) for kind in model.kinds))


def merged_kind(kind: m.Kind, facts: Facts) -> m.Kind:
    if kind.provided != e.TRUE:
        return kind
    draft = Draft(kind, facts)
    skip_start(draft)
    free_start(draft)
    for rule in (is_inside, is_private, is_held, is_delayed):
        apply(rule, draft)
    return draft.kind()


def skip_start(draft: Draft) -> None:
    """A process that does nothing first starts after that."""
    for _ in draft.edges:
        match draft.edges[draft.start]:
            case [m.Edge(effects=()) as edge] if (
                edge.guard == e.TRUE
                and draft.is_private_step(draft.start, edge)
                and not draft.is_transient(edge.target)
            ):
                draft.start = edge.target
            case _:
                return


def free_start(draft: Draft) -> None:
    """A process that comes back to its start comes back to a copy of it, if that can be removed."""
    match draft.edges[draft.start]:
        case [edge] if is_private(draft, draft.start, edge):
            draft.split_start()


def apply(rule: Rule, draft: Draft) -> None:
    """Remove the locations that a rule allows to remove, one after the other."""
    for number in range(len(draft.edges)):
        if number == draft.start or len(draft.edges[number]) != 1:
            continue
        (edge,) = draft.edges[number]
        if edge.target in (m.GONE, number) or not rule(draft, number, edge):
            continue
        draft.change_incoming(number, lambda before, edge=edge: joined(before, edge, rule))  # type: ignore[misc]
        draft.clear(number)


def joined(first: m.Edge, last: m.Edge, rule: Rule) -> m.Edge:
    """Two edges as one step."""
    if rule is is_inside:
        hold = first.hold
    elif rule is is_delayed:
        hold = last.hold
    else:
        hold = first.hold and last.hold
    text = "; ".join(text for text in (first.text, last.text) if text)
    return replace(first, target=last.target, effects=first.effects + last.effects, hold=hold, text=text)


# --- the rules -----------------------------------------------------------------------------------


def is_private(draft: Draft, number: int, edge: m.Edge) -> bool:
    """Whether the step from a location makes no difference to anybody, at whatever time it happens."""
    return (
        edge.guard == e.TRUE
        and not draft.is_transient(number)
        and draft.is_private_step(number, edge)
        and all(draft.can_join(source, before, edge) for source, before in draft.incoming(number))
    )


def is_delayed(draft: Draft, number: int, edge: m.Edge) -> bool:
    """Whether the steps to a location can wait for the step from it."""
    return (
        not draft.is_transient(number)
        and draft.is_sure(number, edge)
        and all(can_wait(draft, source, before) for source, before in draft.incoming(number))
    )


def can_wait(draft: Draft, source: int, edge: m.Edge) -> bool:
    """Whether a step can be delayed: it is private and no alternative, and others may move before it."""
    if len(draft.edges[source]) != 1 or draft.is_transient(source):
        return False
    came_holding = any(before.hold or draft.is_transient(place) for place, before in draft.incoming(source))
    return edge.guard == e.TRUE and draft.is_private_step(source, edge) and (edge.hold or not came_holding)


def is_held(draft: Draft, number: int, edge: m.Edge) -> bool:
    """Whether a location is only passed while control is held.  One of higher priority would take control."""
    return (
        not draft.facts.prioritised
        and not draft.is_transient(number)
        and draft.is_sure(number, edge)
        and draft.same_region(number, edge.target)
        and all(
            before.hold and not draft.may_hand_over(before) and not draft.is_transient(source)
            for source, before in draft.incoming(number)
        )
    )


def is_inside(draft: Draft, number: int, edge: m.Edge) -> bool:
    """Whether a location is inside of a deterministic step and leaves no choice."""
    return draft.is_transient(number) and has_no_message(edge) and edge.guard in (e.TRUE, e.Otherwise())
