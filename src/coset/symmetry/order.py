"""Which effects of one step depend on each other: their order matters, that of others does not."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import expression as e
from coset.model import model as m
from coset.model.checker import parts, places

Access = tuple[m.Variable | str, tuple[int, ...] | None]
"""A variable (or "channels", "processes") and the element, if it is known."""

CHANNELS, PROCESSES = "channels", "processes"


def conflicts(one: m.Effect, other: m.Effect) -> bool:
    """Whether one of two effects writes what the other reads or writes.

    >>> from coset.model.domain import BYTE
    >>> a = m.Variable("a", BYTE, (2,))
    >>> first, second = (m.Assign(e.Place(a, (e.Const(k),)), e.Const(7)) for k in (0, 1))
    >>> conflicts(first, second), conflicts(first, first)
    (False, True)
    """
    one_reads, one_writes = list(reads(one)), list(writes(one))
    other_reads, other_writes = list(reads(other)), list(writes(other))
    return meet(one_writes, other_writes) or meet(one_writes, other_reads) or meet(one_reads, other_writes)


def meet(some: list[Access], others: list[Access]) -> bool:
    return any(x == y and (i is None or j is None or i == j) for x, i in some for y, j in others)


def element(indices: tuple[e.Expr, ...]) -> tuple[int, ...] | None:
    """The element that literal indices name."""
    known = [index.value for index in indices if isinstance(index, e.Const)]
    return tuple(known) if len(known) == len(indices) else None


def writes(effect: m.Effect) -> Iterator[Access]:
    for place in places(effect):
        if place.variable is not None:
            yield place.variable, element(place.indices)
    if isinstance(effect, m.Send | m.Receive):
        yield CHANNELS, None
    if isinstance(effect, m.Run | m.Exit | m.SetPriority):
        yield PROCESSES, None
        yield CHANNELS, None


def reads(effect: m.Effect) -> Iterator[Access]:
    expressions = [*parts(effect), *(index for place in places(effect) for index in place.indices)]
    for x in (part for whole in expressions for part in whole.walk()):
        match x:
            case e.Get(variable, indices):
                yield variable, element(indices)
            case e.Remote(variable=variable):
                yield variable, None
                yield PROCESSES, None
            case e.Length() | e.Full() | e.Poll() | e.Enabled():
                yield CHANNELS, None
            case e.AtLocation() | e.ProcessCount() | e.Started() | e.Youngest() | e.PriorityOf() | e.Position():
                yield PROCESSES, None
    if isinstance(effect, m.Send | m.Receive | m.Event):
        yield CHANNELS, None
