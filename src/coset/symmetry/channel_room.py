"""Sends inside of loops that certainly find room.

    atomic { empty(to[0]) && empty(to[1]) -> for (i : 0 .. 1) { to[i]!commit } }

A send to a full channel waits, and others can observe how far the loop has come; so a loop of sends is one step only if none of
them waits.  Two reasons are known:

* *The guard says so.*  The step that leads into the loop requires `nfull(c)`, `empty(c)` or `len(c) < k`, and control is held
  from there on, so that no other process fills the channel.
* *There are not enough messages.*  No run sends more messages to the channel than it has room for, even if none is received:
  count the sends on each path of each process.  Loops are counted as the steps that they are read as, with all sends assumed
  to find room; then those of channels that may be full are read as they are written, until nothing changes.  By induction on
  the length of a run no send waits: up to there the run is one of the model that was counted.

Both speak of global variables that are never assigned, so that different ones hold different channels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.model.interpreter import Interpreter
from coset.symmetry.operators import flattened
from coset.symmetry.startup import StartedStates, startup
from coset.symmetry.symbolic import Room


def buffers(model: m.Model) -> frozenset[m.Variable]:
    """The variables that always hold the same channels, with room for messages."""
    changing = assigned(model)
    return frozenset(
        v
        for v in model.variables
        if isinstance(v.initial, m.NewChannel) and v.initial.type.capacity > 0 and v not in changing
    )


def capacity(variable: m.Variable) -> int:
    assert isinstance(variable.initial, m.NewChannel)
    return variable.initial.type.capacity


def channels(variable: m.Variable) -> Iterator[e.Get]:
    """The channels of a variable, one by one."""
    for offset in range(variable.size):
        yield e.Get(variable, tuple(map(e.Const, variable.indices(offset))))


def whole_room(variables: Collection[m.Variable]) -> Room:
    """All channels of some variables, with all their room."""
    return {channel: capacity(variable) for variable in variables for channel in channels(variable)}


def room_by_guard(edge: m.Edge, variables: Collection[m.Variable]) -> Room:
    """The room that channels have where a guard holds.

    >>> from coset.model.domain import BYTE
    >>> q = m.Variable("q", BYTE, initial=m.NewChannel(m.ChannelType("q", 3, (BYTE,))))
    >>> length = e.Length(e.Get(q))
    >>> list(room_by_guard(m.Edge(0, e.Binary("==", length, e.Const(0))), [q]).values())
    [3]
    """
    if any(isinstance(effect, m.Send) for effect in edge.effects):
        return {}
    found: dict[e.Expr, int] = {}
    for part in flattened(edge.guard, "&&"):
        match part:
            case e.Unary("!", e.Full(e.Get(variable) as channel)) if variable in variables:
                room = 1
            case e.Binary("==", e.Length(e.Get(variable) as channel), e.Const(held)) if variable in variables:
                room = capacity(variable) - held
            case e.Binary("<", e.Length(e.Get(variable) as channel), e.Const(most)) if variable in variables:
                room = capacity(variable) - most + 1
            case _:
                continue
        channel = e.Get(variable, tuple(e.Const(x.value) if isinstance(x, e.Const) else x for x in channel.indices))
        found[channel] = max(found.get(channel, 0), room)
    return found


def never_full(model: m.Model, read: m.Model, variables: Collection[m.Variable]) -> frozenset[m.Variable]:
    """The variables whose channels no run of a model, as it is `read`, can fill beyond their room."""
    sends = [effect for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects]
    fixed = {v for v in model.variables if isinstance(v.initial, m.NewChannel)} - assigned(model)
    if not all(isinstance(x.channel, e.Get) and x.channel.variable in fixed for x in sends if isinstance(x, m.Send)):
        return frozenset()  # a variable may hold any channel
    started = startup(Interpreter(model))
    if not isinstance(started, StartedStates):
        return frozenset()
    numbers = [process.kind for process in started.state.processes]
    return frozenset(
        v
        for v in variables
        if all(
            sum(most_sent(read.kinds[number], channel, capacity(v) + 1) for number in numbers) <= capacity(v)
            for channel in channels(v)
        )
    )


def most_sent(kind: m.Kind, channel: e.Get, most: int) -> int:
    """The most messages that one process sends to a channel, at most so many: the heaviest path through its automaton."""
    weights = {kind.start: 0}
    pending = [kind.start]
    heaviest = 0
    while pending:
        source = pending.pop()
        for edge in kind.locations[source].edges:
            weight = min(most, weights[source] + sum(1 for effect in edge.effects if may_send(effect, channel)))
            heaviest = max(heaviest, weight)
            if edge.target != m.GONE and weight > weights.get(edge.target, -1):
                weights[edge.target] = weight
                pending.append(edge.target)
    return heaviest


def may_send(effect: m.Effect, channel: e.Get) -> bool:
    if not isinstance(effect, m.Send | m.Deliver):
        return False
    used = effect.channel
    assert isinstance(used, e.Get)
    return used.variable is channel.variable and not any(
        isinstance(i, e.Const) and isinstance(j, e.Const) and i.value != j.value
        for i, j in zip(used.indices, channel.indices, strict=True)
    )
