"""Choices that a process makes by itself are made at once.

A location becomes transient if the process can neither wait there nor choose: exactly one of its edges is possible, which one
depends only on the process itself, and all are private.  The step before then goes on through it.  Correct for the same
properties, and for the same reason, as `merge`: it is merging of private steps, with a choice that is no choice.

That exactly one edge is possible is shown for `else`, and for conditions on one and the same expression: they only change
at the constants that it is compared with, so trying the values at and beside them tries all.  A cycle needs a location where
the process can stay: a transient location never leads to another that was made so.  (The sender of a handshake does not
pass through transient locations before it is answered, so it must not come to one.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import OPERATORS
from coset.model.passes.facts import Facts
from coset.model.passes.merge import Merging, split_start

MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def settle_choices(model: m.Model, facts: Facts) -> m.Model:
    """The model with private choices made transient."""
    if facts.steps_matter:
        return model
    return replace(model, kinds=tuple(settled(kind, facts) for kind in model.kinds))


def settled(kind: m.Kind, facts: Facts) -> m.Kind:
    if kind.provided != e.TRUE:
        return kind
    for number in range(len(kind.locations)):
        if not is_settled_choice(kind, facts, number):
            continue
        if number == kind.start:
            kind = split_start(kind, facts)
        if number != kind.start:
            kind = made_transient(kind, number)
    return kind


def is_settled_choice(kind: m.Kind, facts: Facts, number: int) -> bool:
    """Whether a process that comes to the location goes on at once, in one way, unseen."""
    edges = kind.locations[number].edges
    merging = Merging(kind, facts)
    return (
        len(edges) > 1
        and merging.is_unmarked(number)
        and len({(edge.hold, edge.tier) for edge in edges}) == 1
        and all(is_decided_alone(edge.guard, facts) for edge in edges)
        and all(merging.is_private_step(number, replace(edge, guard=e.TRUE)) for edge in edges)
        and all(edge.target != number for edge in edges)
        and exactly_one([edge.guard for edge in edges])
        and all(
            merging.can_join(source, edges[0]) and not merging.may_lose_control(edge)
            for source, edge in merging.incoming(number)
        )
    )


def is_decided_alone(guard: e.Expr, facts: Facts) -> bool:
    return guard == e.Otherwise() or (facts.local(guard) and not facts.ranges.may_fault(guard))


def made_transient(kind: m.Kind, number: int) -> m.Kind:
    """The location left at once.  Whether control is held afterwards is now up to the edges that lead to it."""
    hold = kind.locations[number].edges[0].hold
    locations = list(kind.locations)
    for source, location in enumerate(locations):
        edges = tuple(replace(x, hold=x.hold and hold) if x.target == number else x for x in location.edges)
        locations[source] = replace(location, edges=edges)
    inner = tuple(replace(edge, hold=False, tier=0, group=0) for edge in locations[number].edges)
    locations[number] = replace(locations[number], edges=inner, transient=True, end=False)
    return replace(kind, locations=tuple(locations))


# --- exactly one -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one expression: what it is about, where it can change, and when it holds."""

    subject: e.Expr
    constants: frozenset[int]
    holds: Callable[[int], bool]


def condition(guard: e.Expr) -> Condition:
    """A guard as a condition on one expression, if need be on itself."""
    match guard:
        case e.Unary("!", operand):
            inner = condition(operand)
            return Condition(inner.subject, inner.constants, lambda value: not inner.holds(value))
        case e.Binary("&&" | "||" as operator, left, right):
            a, b = condition(left), condition(right)
            if a.subject == b.subject:
                both = (lambda v: a.holds(v) and b.holds(v)) if operator == "&&" else (lambda v: a.holds(v) or b.holds(v))
                return Condition(a.subject, a.constants | b.constants, both)
        case e.Binary(operator, subject, e.Const(constant)) if operator in MIRRORED:
            return Condition(subject, frozenset({constant}), lambda value: bool(OPERATORS[operator](value, constant)))
        case e.Binary(operator, e.Const() as constant, subject) if operator in MIRRORED:
            return condition(e.Binary(MIRRORED[operator], subject, constant))
    return Condition(guard, frozenset({0}), lambda value: value != 0)


def exactly_one(guards: list[e.Expr]) -> bool:
    """Whether it is certain that one guard holds, and only one; `else` must be the last.

    >>> x = e.Self()
    >>> exactly_one([e.Binary("<", x, e.Const(3)), e.Binary(">=", x, e.Const(3))])
    True
    >>> exactly_one([e.Binary("==", x, e.Const(1)), e.Binary("==", x, e.Const(2))])
    False
    >>> exactly_one([e.Binary("==", x, e.Const(1)), e.Binary("==", x, e.Const(2)), e.Otherwise()])
    True
    """
    has_else = guards[-1] == e.Otherwise()
    conditions = [condition(guard) for guard in (guards[:-1] if has_else else guards)]
    if e.Otherwise() in guards[:-1] or any(c.subject != conditions[0].subject for c in conditions):
        return False
    if has_else and len(conditions) == 1:
        return True
    constants = frozenset[int]().union(*(c.constants for c in conditions))
    values = sorted({value + delta for value in constants for delta in (-1, 0, 1)})
    counts = {sum(c.holds(value) for c in conditions) for value in values}
    return counts == {1} or (has_else and counts <= {0, 1})
