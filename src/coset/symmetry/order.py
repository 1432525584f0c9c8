"""Which effects of one step depend on each other: their order matters, that of others does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.choice import exactly_one
from coset.model.analysis.occurrences import parts, places

Element = tuple[int | None, ...]
"""The indices of an element, as far as they are literals."""
Access = tuple[m.Variable | str, Element]
"""A variable (or "channels", "processes") and the element."""


class Accesses(NamedTuple):
    """What an effect reads and writes."""

    reads: list[Access]
    writes: list[Access]


CHANNELS, PROCESSES = "channels", "processes"


def conflicts(one: m.Effect, other: m.Effect) -> bool:
    """Whether one of two effects writes what the other reads or writes.

    >>> from coset.model.domain import BYTE
    >>> a = m.Variable("a", BYTE, (2,))
    >>> first, second = (m.Assign(e.Place(a, (e.Const(k),)), e.Const(7)) for k in (0, 1))
    >>> conflicts(first, second), conflicts(first, first), conflicts(first, m.Assign(e.Place(a, (e.Self(),)), e.Const(7)))
    (False, True, True)
    """
    return in_conflict(accesses(one), accesses(other))


def accesses(effect: m.Effect) -> Accesses:
    return Accesses(list(reads(effect)), list(writes(effect)))


def in_conflict(one: Accesses, other: Accesses) -> bool:
    return meet(one.writes, other.writes) or meet(one.writes, other.reads) or meet(one.reads, other.writes)


def meet(some: list[Access], others: list[Access]) -> bool:
    return any(x == y and not apart(i, j) for x, i in some for y, j in others)


def apart(one: Element, other: Element) -> bool:
    """Whether two elements of an array differ for sure: in one dimension at least.

    >>> apart((None, 0), (None, 1)), apart((None, 0), (1, None))
    (True, False)
    """
    return any(i is not None and j is not None and i != j for i, j in zip(one, other, strict=False))


def element(indices: tuple[e.Expr, ...]) -> Element:
    return tuple(index.value if isinstance(index, e.Const) else None for index in indices)


def writes(effect: m.Effect) -> Iterator[Access]:
    for place in places(effect):
        if place.variable is not None:
            yield place.variable, element(place.indices)
    if isinstance(effect, m.Send | m.Receive):
        yield CHANNELS, ()
    if isinstance(effect, m.Deliver):  # two variables that are never assigned hold different channels
        channel = effect.channel
        yield CHANNELS, (id(channel.variable), *element(channel.indices)) if isinstance(channel, e.Get) else ()
    if isinstance(effect, m.Run | m.Exit | m.SetPriority):
        yield PROCESSES, ()
        yield CHANNELS, ()


def reads(effect: m.Effect) -> Iterator[Access]:
    expressions = [*parts(effect), *(index for place in places(effect) for index in place.indices)]
    for x in (part for whole in expressions for part in whole.walk()):
        match x:
            case e.Get(variable, indices):
                yield variable, element(indices)
            case e.Remote(variable=variable):
                yield variable, ()
                yield PROCESSES, ()
            case e.Length() | e.Full() | e.Poll() | e.Enabled():
                yield CHANNELS, ()
            case e.AtLocation() | e.ProcessCount() | e.Started() | e.Youngest() | e.PriorityOf() | e.Position():
                yield PROCESSES, ()
    if isinstance(effect, m.Send | m.Receive | m.Event):
        yield CHANNELS, ()


def is_decided(location: m.Location) -> bool:
    """Whether exactly one option of a location is possible, so that it does not matter in which order they are tried."""
    return exactly_one([edge.guard for edge in location.edges])
