"""The reference interpreter, which defines the meaning of a model.

`initial` is the first state, `moves` the possible moves of processes in a state, `steps` the transitions between
observable states.  The engines are tested against this file, so it is written for clarity.

The order of moves matters only for traces, yet it is fixed: the youngest process first, and the edges
of a process in the order of the model, which is also SPIN's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from coset.model import model as m
from coset.model.evaluate import Fault, Now
from coset.model.executable import CompiledEdge, Executable
from coset.model.state import Channel, Message, Process, State
from coset.source.budget import OutOfBudget, current_budget

LONGEST_CHAIN = 1_000_000
"""The most moves without an observable state; a longer sequence is not followed to its end."""
SHORT_LOOP = 64
"""The number of statements of a deterministic step after which loops are searched for."""
ASSUME = "assume"
"""The kind of fault that takes a step back instead of being an error."""
ENDLESS = ("endless", "an atomic sequence may not terminate")


class Move(NamedTuple):
    """One process takes one edge (and a `partner` another, in a handshake).  `state` is the resulting state; `holder` is the
    process that holds control, if any; `errors` are violated assertions and other errors, each with its kind and message."""

    process: int
    edge: m.Edge
    state: State
    holder: int | None
    partner: tuple[int, m.Edge] | None = None
    errors: tuple[tuple[str, str], ...] = ()
    output: tuple[str, ...] = ()


class Step(NamedTuple):
    """A transition between two observable states: several moves if control was held in between.
    The first `shared` of them were part of the step before as well."""

    moves: tuple[Move, ...]
    state: State
    shared: int = 0


class Interpreter(Executable):
    """Executes a model."""

    def __init__(self, model: m.Model) -> None:
        super().__init__(model)
        self.taken_back: set[State] = set()
        """States from which an assumption has taken a step back."""
        self.asking = 0
        """The depth of nested tests whether a process is enabled."""

    def key(self, state: State) -> State:
        """The part of a state that distinguishes it from others: everything but hidden variables."""
        if not self.hidden:
            return state
        values = list(state.values)
        for k in self.hidden:
            values[k] = 0
        return state._replace(values=tuple(values))

    def valid_end(self, state: State) -> bool:
        """Whether the system may stop here: every process is at an end location, and so is the monitor, and all channels are
        empty if the model requires that.  If no process is left, the monitor is ignored."""
        kinds = self.model.kinds
        if self.model.empty_at_end and any(channel.messages for channel in state.channels):
            return False
        if not state.processes:
            return True
        if self.watch is not None and not self.watch.may_end(state.watch):
            return False
        return all(kinds[p.kind].locations[p.at].end for p in state.processes)

    def is_idle(self, state: State, moves: Iterable[Move]) -> bool:
        """Whether moves from a state count for nothing where it is asked whether the system can go on: there are none, or they
        lead back and the model says that this is not enough.  A step that an assumption takes back would have led on."""
        if not self.model.stuttering:
            return not any(True for _ in moves)
        idle = all(move.state == state and not move.errors for move in moves)
        return idle and state not in self.taken_back

    # --- moves -----------------------------------------------------------------------------------

    def moves(self, state: State, holder: int | None = None) -> Iterator[Move]:
        """The possible moves: those of the `holder` of control, or of all processes, the youngest first.
        Timeouts are tried when nothing else is enabled and no process holds control."""
        anything = False
        for pid in reversed(range(len(state.processes))) if holder is None else (holder,):
            for move in self.moves_of(state, pid, timeout=False):
                anything = True
                yield move
        if not anything and holder is None and self.times_out:
            for pid in reversed(range(len(state.processes))):
                yield from self.moves_of(state, pid, timeout=True)

    def moves_by(self, state: State, movers: Sequence[int]) -> Iterator[Move]:
        """The moves of some processes that need no timeout."""
        for pid in movers:
            yield from self.moves_of(state, pid, timeout=False)

    def moves_of(self, state: State, pid: int, timeout: bool) -> Iterator[Move]:
        """The moves of one process."""
        process = state.processes[pid]
        now = self.moment(state, pid)
        now.own, now.timeout = process.values, timeout
        if not self.may_move(now, pid):
            return
        tier: int | None = None
        moved, groups = False, set[int]()
        for compiled in self.edges[process.kind][process.at]:
            edge = compiled.edge
            if tier is not None and edge.tier != tier:
                break
            if edge.group and edge.group in groups:
                continue
            now.otherwise = edge.group != 0 or not moved
            for move in self.take(state, now, compiled):
                moved, tier = True, edge.tier
                groups.add(edge.group)
                yield move

    def may_move(self, now: Now, pid: int) -> bool:
        """Whether the `provided` clause holds, and no process of higher priority can move."""
        provided = self.provided[now.processes[pid].kind]
        if provided is not None and not provided(now):
            return False
        if not self.model.prioritised:
            return True
        priority = now.processes[pid].priority
        return not any(
            other.priority > priority and self.enabled(now, number)
            for number, other in enumerate(now.processes)
            if number != pid
        )

    def enabled(self, now: Now, pid: int) -> bool:
        """Whether a process can move by its own guards: the sender of a handshake is enabled even without a partner, and a
        receiver only when a message is offered."""
        if not 0 <= pid < len(now.processes):
            return False
        if self.asking > len(now.processes):
            raise Fault("endless", "whether a process is enabled depends on itself")
        self.asking += 1
        try:
            return self.can_move(now, pid)
        finally:
            self.asking -= 1

    def can_move(self, now: Now, pid: int) -> bool:
        """Whether a process that exists can move."""
        process = now.processes[pid]
        there = self.moment(State(*map(tuple, (now.values, now.channels, now.processes))), pid)  # type: ignore[arg-type]
        there.own, there.timeout, there.offer, there.mover = process.values, now.timeout, now.offer, now.mover
        provided = self.provided[process.kind]
        if provided is not None and not provided(there):
            return False
        return any(self.executable(there, compiled) for compiled in self.edges[process.kind][process.at])

    def executable(self, now: Now, compiled: CompiledEdge) -> bool:
        """Whether the guard holds and the message, if there is one, can be sent or received."""
        if compiled.receive is not None:
            return compiled.guard(now) != 0 and self.receivable(now, compiled) is not None
        if now.offer is not None or not (compiled.trivial or compiled.guard(now)):
            return False
        if compiled.send is None:
            return True
        held = now.channels[compiled.at(now)]
        return len(held.messages) < max(1, self.channel_types[held.type].capacity)

    def receivable(self, now: Now, compiled: CompiledEdge) -> tuple[int, int, Message] | None:
        """Channel, place in it, and message that a receive would take."""
        receive = compiled.receive
        assert receive is not None
        index = compiled.at(now)
        kind, messages = now.channels[index]
        if self.channel_types[kind].capacity == 0:
            if receive.peek:
                raise Fault("poll", f"the contents of {receive.channel}, a channel of capacity 0, are read")
            if now.offer is None or now.offer[0] != index or not compiled.matches(now, now.offer[1]):
                return None
            return index, 0, now.offer[1]
        if now.offer is not None:
            return None
        for k, message in enumerate(messages if receive.random else messages[:1]):
            if compiled.matches(now, message):
                return index, k, message
        return None

    def take(self, state: State, now: Now, compiled: CompiledEdge) -> Iterator[Move]:
        """The moves by one edge: none if it cannot be taken, several if a handshake has several partners."""
        current_budget().check()
        try:
            if not self.executable(now, compiled):
                return
        except Fault as fault:
            if fault.kind == ASSUME:
                return
            yield self.faulty(state, now, compiled.edge, fault)
            return
        after = self.moment(state, now.pid)
        after.values, after.channels, after.processes = list(state.values), list(state.channels), list(state.processes)
        after.own, after.timeout = list(now.own), now.timeout
        try:
            self.perform(after, compiled)
            if after.offer is not None:
                yield from self.handshakes(state, after, compiled.edge)
                return
            self.finish(after, compiled.edge)
        except Fault as fault:
            if fault.kind == ASSUME:
                self.taken_back.add(state)
            else:
                yield self.faulty(state, after, compiled.edge, fault)
            return
        result = self.frozen(after, after.watch, now.pid)
        holder = now.pid if compiled.edge.hold else None
        yield Move(now.pid, compiled.edge, result, holder, None, tuple(after.errors), tuple(after.output))

    def faulty(self, state: State, now: Now, edge: m.Edge, fault: Fault) -> Move:
        """A move that cannot be completed: it has no successor, but reports the fault, after all earlier errors."""
        errors = (*now.errors, (fault.kind, fault.message))
        return Move(now.pid, edge, state, None, None, errors, tuple(now.output))

    def perform(self, now: Now, compiled: CompiledEdge) -> None:
        """The effects of one edge.  A synchronous send leaves its message in `now.offer`."""
        if compiled.send is not None:
            index = compiled.at(now)
            values = compiled.values(now, index)
            if self.channel_types[now.channels[index].type].capacity == 0:
                message = self.performance.fitted(now, index, values)
                now.offer = (index, message)
            else:
                message = self.performance.put(now, index, values, compiled.send.sorted)
            if self.watch is not None:
                self.watch.sent(now, index, message)
        elif compiled.receive is not None:
            found = self.receivable(now, compiled)
            assert found is not None
            index, k, message = found
            if self.watch is not None and not compiled.receive.peek:
                held = now.channels[index].messages
                self.watch.received(now, index, held[0] if held else message)
            compiled.bind(now, message)
            if now.offer is not None:
                now.offer = None
            elif not compiled.receive.peek:
                kind, messages = now.channels[index]
                cast("list[Channel]", now.channels)[index] = Channel(kind, messages[:k] + messages[k + 1 :])
        for effect in compiled.effects:
            effect(now)

    def finish(self, now: Now, edge: m.Edge) -> None:
        """Put the process at the target, and on through transient locations."""
        pid = now.pid
        if edge.target == m.GONE:
            return
        kind = now.processes[pid].kind
        processes = cast("list[Process]", now.processes)
        locations = self.model.kinds[kind].locations
        at, count, budget = edge.target, 0, current_budget()
        mark: object = None
        while locations[at].transient:
            budget.check()
            at = self.leave(now, kind, at)
            count += 1
            if count > SHORT_LOOP:  # after Brent (1980): the state is compared with one at an increasing distance
                here = (at, *now.values, *now.channels, *now.processes, *now.own, now.watch)
                if here == mark:
                    raise Fault("endless", "a deterministic step does not end")
                mark = here if count & (count - 1) == 0 else mark
            if count > LONGEST_CHAIN:
                raise OutOfBudget(f"a deterministic step of more than {LONGEST_CHAIN:,} statements")
        processes[pid] = Process(kind, at, tuple(now.own), processes[pid].priority)

    def leave(self, now: Now, kind: int, at: int) -> int:
        """Take the first edge that can be taken; returns its target."""
        for compiled in self.edges[kind][at]:
            now.otherwise = True
            if self.executable(now, compiled):
                self.perform(now, compiled)
                if now.offer is not None:
                    raise Fault("blocked", "a synchronous send in a deterministic step")
                return compiled.edge.target
        raise Fault("blocked", "a deterministic step cannot go on")

    def handshakes(self, state: State, offered: Now, edge: m.Edge) -> Iterator[Move]:
        """The moves in which another process receives the offered message.  The sender has already moved."""
        sender = offered.pid
        self.finish(offered, edge)
        middle = State(
            tuple(offered.values), tuple(offered.channels), tuple(offered.processes), offered.watch, state.mover
        )
        for pid in reversed(range(len(middle.processes))):
            if pid == sender:
                continue
            process = middle.processes[pid]
            receiving = self.receiving[process.kind][process.at]
            if not receiving and self.provided[process.kind] is None and not self.model.prioritised:
                continue
            now = self.moment(middle, pid)
            now.own, now.offer, now.timeout = process.values, offered.offer, offered.timeout
            if not self.may_move(now, pid):
                continue
            tier: int | None = None
            groups = set[int]()
            for compiled in receiving:
                if compiled.edge.group and compiled.edge.group in groups:
                    continue
                if tier is not None and compiled.edge.tier != tier:
                    break
                if not self.executable(now, compiled):
                    continue
                tier = compiled.edge.tier
                groups.add(compiled.edge.group)
                yield self.answered(middle, now, edge, sender, compiled, offered)

    def answered(
        self, middle: State, now: Now, edge: m.Edge, sender: int, compiled: CompiledEdge, offered: Now
    ) -> Move:
        """The second half of a handshake: the partner receives."""
        after = self.moment(middle, now.pid)
        after.values, after.channels, after.processes = (
            list(middle.values), list(middle.channels), list(middle.processes),
        )  # fmt: skip
        after.own, after.offer, after.timeout = list(now.own), now.offer, now.timeout
        try:
            self.perform(after, compiled)
            self.finish(after, compiled.edge)
        except Fault as fault:
            faulty = self.faulty(middle, after, compiled.edge, fault)
            errors, output = (*offered.errors, *faulty.errors), (*offered.output, *faulty.output)
            return Move(sender, edge, middle, None, (now.pid, compiled.edge), errors, output)
        errors, output = (*offered.errors, *after.errors), (*offered.output, *after.output)
        holder = now.pid if compiled.edge.hold else None
        result = self.frozen(after, after.watch, now.pid)
        return Move(sender, edge, result, holder, (now.pid, compiled.edge), errors, output)

    # --- steps -----------------------------------------------------------------------------------

    def steps(self, state: State, movers: Sequence[int] | None = None) -> Iterator[Step]:
        """The transitions from an observable state: moves until no process holds control, or the holder is blocked.  With
        `movers`, only those that one of these processes begins, and that need no timeout."""
        path: list[Move] = []
        held: set[tuple[State, int | None]] = set()
        every = self.moves(state) if movers is None else self.moves_by(state, movers)
        stack, shared = [every], 0
        while stack:
            move = next(stack[-1], None)
            if move is None:
                stack.pop()
                if path:
                    left = path.pop()
                    held.discard((left.state, left.holder))
                shared = min(shared, len(path))
                continue
            if move.holder is not None and not is_fault(move):
                inner = self.moves(move.state, move.holder)
                first = next(inner, None)
                if first is not None and (move.state, move.holder) in held:
                    move = move._replace(holder=None, errors=(*move.errors, ENDLESS))
                elif first is not None:
                    if len(path) >= LONGEST_CHAIN:
                        raise OutOfBudget(f"an atomic sequence of more than {LONGEST_CHAIN:,} moves")
                    path.append(move)
                    held.add((move.state, move.holder))
                    stack.append(chain(first, inner))
                    continue
            yield Step((*path, move), move.state, shared)
            shared = len(path)


FAULTS = frozenset({
    "index", "division", "channel", "poll", "message", "processes", "priority", "blocked", "endless", "undefined", "range",
    "error",
})  # fmt: skip


def is_fault(move: Move) -> bool:
    """Whether a move could not be completed: the fault is its last error.  Violated assertions and monitors are errors, too,
    but the run continues."""
    return bool(move.errors) and move.errors[-1][0] in FAULTS


def chain(first: Move, rest: Iterator[Move]) -> Iterator[Move]:
    yield first
    yield from rest
