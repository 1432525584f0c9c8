"""The footprints of processes: the bits of a state that their moves read or write.

At a given location, a process accesses little of the state: its own variables, a flag, the channel that it waits for.  If
these bits have the same values as before, its moves are the same and change the same bits.  So the search can memoise
transitions (`runtime/search/transition_cache.h`), as do tools with a *dependency matrix* (S. Blom, J. van de Pol, M. Weber,
"LTSmin: distributed and symbolic reachability", CAV 2010); here there is one row for each process and location.

Which element of an array or which channel is accessed often depends on the process's own variables.  It is left open here
and resolved for each local state when the search first reaches it (`emit/components.py`): `last[r]` is one element for each
value of `r`.

Bits that are written belong to the footprint, too, as a change is cached as the bits that differ.  If the accesses at a
location cannot be determined, it has no footprint, and its moves are computed each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from coset.engines.explicit.emit.expression import channel_numbers
from coset.engines.explicit.layout import ArrayField, Layout, MessageType
from coset.engines.explicit.packing import bits_of
from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.facts import gather
from coset.source.records import dataclass

NO_PROCESS = -1
"""The process that evaluates the conditions of a property: it has no variables of its own."""


class Unclear(Exception):
    """The accesses of the moves cannot be determined."""


@dataclass(frozen=True, slots=True)
class OpenElement:
    """An element of a global variable whose indices depend on the process's own variables."""

    variable: m.Variable
    indices: tuple[e.Expr, ...]


@dataclass(frozen=True, slots=True)
class OpenChannel:
    """A channel that depends on the process's own variables.  If it turns out to be a handshake, a receive is part of the
    sender's move; for any other use the footprint is unknown."""

    channel: e.Expr
    receives: bool


@dataclass(frozen=True, slots=True)
class Footprint:
    """The bits of a footprint and its open elements and channels; `whole` has all bits that these may denote."""

    bits: int
    whole: int
    open: frozenset[OpenElement | OpenChannel]


@dataclass(slots=True)
class Footprints:
    """The footprints of one layout."""

    layout: Layout
    fixed: frozenset[m.Variable] = frozenset()
    """Variables that are never assigned."""
    numbers: dict[m.Variable, tuple[int, int]] = field(default_factory=dict)
    """For each variable that declares channels: the number of the first channel, and its position."""
    slots: dict[int, list[Footprint | None]] = field(default_factory=dict)
    """The footprints computed so far, by process."""
    clean: bool = False
    """Whether the process's own variables are unchanged since its move began, except for those in `assigned`."""
    assigned: set[m.Variable] = field(default_factory=set)
    """The own variables that the move being analysed has assigned."""
    whole: int = 0
    """The bits of the footprint being computed, with all that its open parts may denote."""
    open: set[OpenElement | OpenChannel] = field(default_factory=set)
    """The open elements and channels of the footprint being computed."""

    def __post_init__(self) -> None:
        model = self.layout.interpreter.model
        rows = (model.variables, *(kind.variables for kind in model.kinds))
        self.fixed = frozenset(v for row in rows for v in row) - gather(model).assigned
        self.numbers = channel_numbers(self.layout)

    def possible(self) -> bool:
        """Whether the moves of a process in this model can be independent of the other processes."""
        model = self.layout.interpreter.model
        watched = model.stuttering or model.monitor is not None or model.remembers_mover
        return self.layout.fixed and not (model.prioritised or watched)

    def of_slot(self, pid: int) -> list[Footprint | None]:
        """The footprint of each location of a process."""
        if pid not in self.slots:
            (kind,) = self.layout.plan.slots[pid]
            places = self.layout.interpreter.model.kinds[kind].locations
            self.slots[pid] = [self.of_location(pid, kind, number) for number in range(len(places))]
        return self.slots[pid]

    def of_location(self, pid: int, kind: int, start: int) -> Footprint | None:
        """The accesses of all moves from a location, up to the next observable state.  A process that holds control continues
        from the end of the path through transient locations."""
        own = self.layout.interpreter.model.kinds[kind]
        self.whole, self.open = 0, set()
        bits = bits_of(self.layout.kinds[kind].at, self.layout.kinds[kind].at.bits) << 8 * self.layout.bases[pid]
        try:
            self.clean = False
            bits |= self.expression(pid, own.provided)
            seen, pending = set[tuple[int, bool]](), [(start, False)]
            is_first = True
            while pending:
                at, held = pending.pop()
                for edge in own.locations[at].edges:
                    self.clean, self.assigned = is_first, set()
                    bits |= self.edge(pid, edge)
                    holds = edge.hold or (held and own.locations[at].transient)
                    if edge.target == m.GONE or not (holds or own.locations[edge.target].transient):
                        continue
                    if (edge.target, holds) not in seen:
                        seen.add((edge.target, holds))
                        pending.append((edge.target, holds))
                is_first = False
        except Unclear:
            return None
        return Footprint(bits, bits | self.whole, frozenset(self.open))

    def of_conditions(self, conditions: Iterable[e.Expr]) -> int | None:
        """The bits that conditions of a property depend on; None if they cannot be determined."""
        self.clean, self.assigned, self.whole, self.open = False, set(), 0, set()
        try:
            bits = self.expressions(NO_PROCESS, *conditions)
        except Unclear:
            return None
        return bits | self.whole

    def edge(self, pid: int, edge: m.Edge) -> int:
        mask = 0 if edge.guard == e.Otherwise() else self.expression(pid, edge.guard)
        match edge.effects:
            case (m.Receive(channel), *_) if self.is_handshake(pid, channel):
                return mask | self.count() | self.expression(pid, channel)  # this is part of the sender's move
        for effect in edge.effects:
            mask |= self.effect(pid, effect)
        return mask

    def effect(self, pid: int, effect: m.Effect) -> int:
        match effect:
            case m.Assign(place, value):
                mask = self.place(pid, place) | self.expression(pid, value)
                self.assign(place)
                return mask
            case m.Send(channel, values):
                return self.message(pid, channel) | self.expressions(pid, *values)
            case m.Receive(channel, patterns):
                mask = self.message(pid, channel, receives=True)
                for pattern in patterns:
                    self.assign(pattern.place)
                return mask | self.patterns(pid, patterns)
            case m.Assert(condition):
                return self.expression(pid, condition)
            case m.Print(_, arguments):
                return self.expressions(pid, *arguments)
            case m.Exit():
                (kind,) = self.layout.plan.slots[pid]
                return self.count() | (1 << 8 * self.layout.kinds[kind].size) - 1 << 8 * self.layout.bases[pid]
        raise Unclear

    def assign(self, place: e.Place | None) -> None:
        if place is not None and place.variable is not None:
            self.assigned.add(place.variable)

    def patterns(self, pid: int, patterns: tuple[e.Pattern, ...]) -> int:
        mask = 0
        for pattern in patterns:
            mask |= self.expression(pid, pattern.value) if pattern.value is not None else 0
            mask |= self.place(pid, pattern.place) if pattern.place is not None else 0
        return mask

    # --- expressions -----------------------------------------------------------------------------

    def expressions(self, pid: int, *all_of: e.Expr) -> int:
        mask = 0
        for x in all_of:
            mask |= self.expression(pid, x)
        return mask

    def expression(self, pid: int, x: e.Expr) -> int:
        match x:
            case e.Const() | e.Self():
                return 0
            case e.Get(variable, indices):
                return self.element(pid, variable, indices) | self.expressions(pid, *indices)
            case e.Unary() | e.Binary() | e.Conditional() | e.Checked():
                return self.expressions(pid, *x.children())
            case e.ProcessCount() | e.Youngest():
                return self.count()
            case e.Length(channel) | e.Full(channel):
                return self.message(pid, channel)
            case e.Poll(channel, patterns):
                return self.message(pid, channel) | self.patterns(pid, patterns)
            case e.AtLocation(kind, process) if process is not None:
                return self.expression(pid, process) | self.count() | self.of_others(pid, kind, process, None)
            case e.Remote(kind, process, variable, indices) if process is not None:
                others = self.of_others(pid, kind, process, variable)
                return self.expressions(pid, process, *indices) | self.count() | others
        raise Unclear

    def place(self, pid: int, place: e.Place) -> int:
        if place.variable is None:
            return 0
        return self.element(pid, place.variable, place.indices) | self.expressions(pid, *place.indices)

    def element(self, pid: int, variable: m.Variable, indices: tuple[e.Expr, ...]) -> int:
        """The bits of an element of a variable if its index is known, otherwise of all elements."""
        array, base = self.array(pid, variable)
        if not indices:
            return bits_of(array.first, array.first.bits) << 8 * base if array.count == 1 else all_bits(array, base)
        known = [self.value(pid, index) for index in indices]
        number = 0
        for index, length in zip(known, variable.shape, strict=True):
            if index is None or not 0 <= index < length:
                return self.one_of(all_bits(array, base), variable, indices)
            number = number * length + index
        one = array.element(number)
        return bits_of(one, one.bits) << 8 * base

    def one_of(self, every: int, variable: m.Variable, indices: tuple[e.Expr, ...]) -> int:
        """An open element if the process's own variables determine it, otherwise the bits of all elements."""
        if variable.owner is not None or not all(map(self.is_open, indices)):
            return every
        self.whole |= every
        self.open.add(OpenElement(variable, indices))
        return 0

    def array(self, pid: int, variable: m.Variable) -> tuple[ArrayField, int]:
        if variable.owner is None:
            return self.layout.variables[variable], 0
        (kind,) = self.layout.plan.slots[pid]
        return self.layout.kinds[kind].variables[variable], self.layout.bases[pid]

    def of_others(self, pid: int, name: str, process: e.Expr, variable: m.Variable | None) -> int:
        """A variable, or the location, of a process of a kind, or of all of them if it is not known which one is meant."""
        mask, meant = 0, self.value(pid, process)
        for other, (number,) in enumerate(self.layout.plan.slots):
            if meant in (None, other) and self.layout.interpreter.model.kinds[number].name == name:
                base, kind = self.layout.bases[other], self.layout.kinds[number]
                one = ArrayField(kind.at, 1, 1) if variable is None else kind.variables[variable]
                mask |= all_bits(one, base)
        return mask

    def count(self) -> int:
        return 0 if self.layout.count is None else bits_of(self.layout.count, self.layout.count.bits)

    def value(self, pid: int, x: e.Expr) -> int | None:
        """The value of an expression, if it does not depend on the state."""
        return x.value if isinstance(x, e.Const) else pid if isinstance(x, e.Self) else None

    def is_open(self, x: e.Expr) -> bool:
        """Whether the value of an expression depends only on constants and on the process's own variables as they were when its
        move began."""
        match x:
            case e.Const() | e.Self():
                return True
            case e.Get(variable, indices):
                is_own = variable.owner is not None and self.clean and variable not in self.assigned
                return (is_own or variable in self.fixed) and all(map(self.is_open, indices))
            case e.Unary() | e.Binary() | e.Conditional() | e.Checked():
                return all(map(self.is_open, x.children()))
        return False

    # --- channels --------------------------------------------------------------------------------

    def message(self, pid: int, channel: e.Expr, receives: bool = False) -> int:
        """The bits of a channel and of the expression that denotes it; whether it exists depends on the processes."""
        mask = self.count() | self.expression(pid, channel)
        meant = list(self.meant(pid, channel))
        every = 0
        for type_, offset in meant:
            every |= (1 << 8 * type_.size) - 1 << 8 * offset
        if len(meant) > 1 and self.is_open(channel):
            self.whole |= every
            self.open.add(OpenChannel(channel, receives))
            return mask
        if any(not type_.capacity for type_, _ in meant):
            raise Unclear
        return mask | every

    def meant(self, pid: int, channel: e.Expr) -> Iterator[tuple[MessageType, int]]:
        """The channels that an expression may denote."""
        match channel:
            case e.Get(variable, indices) if isinstance(variable.initial, m.NewChannel) and variable in self.fixed:
                type_, (_, first) = self.layout.message_type(variable.initial.type), self.numbers[variable]
                base = 0 if variable.owner is None else self.layout.bases[pid]
                known = [self.value(pid, index) for index in indices]
                for k in range(variable.size):
                    if len(known) != 1 or known[0] in (None, k):
                        yield type_, base + first + k * type_.size
            case _:
                yield from self.layout.channel_table()

    def is_handshake(self, pid: int, channel: e.Expr) -> bool:
        return all(type_.capacity == 0 for type_, _ in self.meant(pid, channel))


def all_bits(array: ArrayField, base: int) -> int:
    mask = 0
    for k in range(array.count):
        one = array.element(k)
        mask |= bits_of(one, one.bits) << 8 * base
    return mask
