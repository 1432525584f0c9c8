"""Joins: the first process waits until it is the only one.

    init { atomic { run P(); run P() }; _nr_pr == 1; assert(done == 2) }

`_nr_pr` counts processes that are at their ends, and wait for younger ones to end.  A join does not: it holds as soon as all
other processes have ended, and nothing else can happen while they do.  So it may be read as "all others are at their ends"
(`others_are_over`), and where processes at their ends are not counted, as it is written (`canonical/anonymous`).

A join is the whole guard of a step of process 0, which is the only one of its kind.  No alternative of it is an `else` or an
escape, which would hold in between, and control is not held when it is tested: it would be released in between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from coset.model import expression as e
from coset.model import model as m
from coset.model.state import Process

ALONE = {("==", 1), ("<", 2), ("<=", 1)}
"""What is asked of the number of processes."""


def is_join(guard: e.Expr) -> bool:
    """Whether an expression says that there is one process.

    >>> is_join(e.Binary("==", e.ProcessCount(), e.Const(1)))
    True
    """
    match guard:
        case e.Binary("==", e.Const(1), e.ProcessCount()):
            return True
        case e.Binary(operator, e.ProcessCount(), e.Const(value)):
            return (operator, value) in ALONE
    return False


def with_joins(model: m.Model, change: Callable[[e.Expr], e.Expr]) -> m.Model:
    """The model with other guards in place of its joins; the model itself if there are none."""
    kinds = tuple(with_joins_of(kind, change) if is_oldest(kind, model) else kind for kind in model.kinds)
    return model if kinds == model.kinds else replace(model, kinds=kinds)


def is_oldest(kind: m.Kind, model: m.Model) -> bool:
    """Whether process 0 is of this kind, and no other one is."""
    effects = (effect for each in model.kinds for _, edge in each.edges() for effect in edge.effects)
    numbers = [number for number, instance in enumerate(model.processes) if instance.kind == kind.name]
    return numbers == [0] and not any(isinstance(effect, m.Run) and effect.kind == kind.name for effect in effects)


def with_joins_of(kind: m.Kind, change: Callable[[e.Expr], e.Expr]) -> m.Kind:
    held = {edge.target for _, edge in kind.edges() if edge.hold}
    locations = tuple(
        location if number in held or not is_simple(location) else replace(location, edges=tuple(
            replace(edge, guard=change(edge.guard)) if is_join(edge.guard) else edge for edge in location.edges
        ))
        for number, location in enumerate(kind.locations)
    )  # fmt: skip
    return kind if locations == kind.locations else replace(kind, locations=locations)


def is_simple(location: m.Location) -> bool:
    """Whether the options of a location do not depend on one another."""
    return not location.transient and not any(
        edge.tier or edge.group or isinstance(part, e.Otherwise | e.Timeout)
        for edge in location.edges
        for part in edge.guard.walk()
    )


def without_joins(model: m.Model) -> m.Model:
    """The model as far as it may observe the number of processes otherwise."""
    return with_joins(model, lambda guard: e.TRUE)


def others_are_over(processes: Sequence[Process], ends: Sequence[frozenset[int]], model: m.Model) -> e.Expr:
    """That all processes but the first one are at their ends."""
    found: e.Expr = e.TRUE
    for number, process in enumerate(processes[1:], 1):
        name = model.kinds[process.kind].name
        one = e.AtLocation(name, e.Const(number), "end", ends[process.kind])
        found = one if found == e.TRUE else e.Binary("&&", found, one)
    return found
