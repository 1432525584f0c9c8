"""The ways in which a step can touch an object, and which of them conflict.

An object is a variable (or one element of it), a channel, a set of locations that some expression asks about, or the table of
processes.  `CONFLICTS` is the whole theory of dependence: two steps of different processes that touch one object by two
aspects of a pair may not commute, or one may enable or disable the other.  Every other pair commutes.  Some that are *not*
there, and why:

* `SEND` and `RECEIVE`: a message is appended at one end and removed at the other.  A receive from an empty channel waits,
  a send to a full one too; who merely waits is not disturbed by what ends the waiting.
* `EXIT` and `EXIT`: only the youngest process can go, so no two can at once.
* `READY` and `SYNC`: a process that is not yet ready takes part in no handshake.

Each pair is needed: `tests/model/analysis/test_visibility.py` removes one at a time and shows the verdict that is then wrong.
"""

from __future__ import annotations

from enum import Enum


class Aspect(Enum):
    """How a step touches an object."""

    READ = "reads a variable, or asks where a process is"
    WRITE = "changes a variable, or enters or leaves a set of locations"
    SEND = "appends a message"
    INSERT = "inserts a message in sorted order"
    RECEIVE = "removes a message"
    ARRIVAL = "notices that a message arrives: asks for the length, or reacts to an empty channel"
    REMOVAL = "notices that a message is removed: asks for the length or for messages, or reacts to a full channel"
    SYNC = "takes part in a handshake"
    READY = "makes a process ready for a handshake, or no longer ready"
    NOTICE = "notices whether a handshake finds a partner"
    CREATE = "creates a process"
    EXIT = "ends a process"
    COUNT = "depends on which processes exist"


CONFLICTS: dict[tuple[Aspect, Aspect], str] = {
    (Aspect.WRITE, Aspect.READ): "the value read depends on the order",
    (Aspect.WRITE, Aspect.WRITE): "the last value stays",
    (Aspect.SEND, Aspect.SEND): "messages keep the order in which they were sent",
    (Aspect.RECEIVE, Aspect.RECEIVE): "a message is received once",
    (Aspect.INSERT, Aspect.RECEIVE): "the message to be received depends on those inserted before it",
    (Aspect.INSERT, Aspect.REMOVAL): "the first message depends on those inserted before it",
    (Aspect.SEND, Aspect.ARRIVAL): "an arrival ends what an empty channel allowed",
    (Aspect.RECEIVE, Aspect.REMOVAL): "a removal ends what a full channel allowed",
    (Aspect.SYNC, Aspect.SYNC): "a handshake moves both partners, and there may be others to choose from",
    (Aspect.READY, Aspect.NOTICE): "a partner that becomes ready ends what its absence allowed",
    (Aspect.CREATE, Aspect.CREATE): "process numbers are given out in order",
    (Aspect.CREATE, Aspect.EXIT): "only the youngest process can end",
    (Aspect.CREATE, Aspect.COUNT): "the number of processes grows",
    (Aspect.EXIT, Aspect.COUNT): "the number of processes shrinks",
}
"""Pairs of aspects that conflict, in either order, with the reason."""


def conflict(one: Aspect, other: Aspect) -> bool:
    """Whether two aspects of one object conflict.

    >>> conflict(Aspect.READ, Aspect.WRITE), conflict(Aspect.SEND, Aspect.RECEIVE)
    (True, False)
    """
    return (one, other) in CONFLICTS or (other, one) in CONFLICTS


def adverse(aspect: Aspect) -> list[Aspect]:
    """The aspects that conflict with one.

    >>> [each.name for each in adverse(Aspect.SEND)]
    ['SEND', 'ARRIVAL']
    """
    return [other for other in Aspect if conflict(aspect, other)]
