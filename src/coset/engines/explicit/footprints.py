"""What the moves of a process depend on: the bits of a state that they read or write.

A process that stands at a location sees little of the state: its own variables, a flag, the channel that it waits for.  If
these bits are as they were another time, its moves are the same, and they change the same bits.  So the search can know
moves by heart (`runtime/known.h`), as do tools with a *dependency matrix* (S. Blom, J. van de Pol, M. Weber, "LTSmin:
distributed and symbolic reachability", CAV 2010); here there is one row for each process and location.

The bits that are written count as well, for a change is remembered as the bits that differ.  Whatever cannot be told is left out:
a location without a footprint has its moves made anew each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from coset.engines.explicit.layout import ArrayField, Layout, MessageType
from coset.engines.explicit.packing import bits_of
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.passes.facts import gather
from coset.model.state import State


class Unclear(Exception):
    """The moves depend on more than can be told."""


@dataclass(slots=True)
class Footprints:
    """The footprints of one layout.  `example` is a state in the midst of a run: variables that are never assigned have
    the values there that they are taken to have; `assumed` says of which bits that was made use of."""

    layout: Layout
    example: State | None
    fixed: frozenset[m.Variable] = frozenset()
    assumed: dict[int, int] = field(default_factory=dict)
    slots: dict[int, list[int | None]] = field(default_factory=dict)
    """What has been found out."""

    def __post_init__(self) -> None:
        model = self.layout.interpreter.model
        rows = (model.variables, *(kind.variables for kind in model.kinds))
        self.fixed = frozenset(v for row in rows for v in row) - gather(model).assigned
        if self.example is not None and not self.layout.plan.fits(self.example):
            self.example = None

    def possible(self) -> bool:
        """Whether the moves of a process are its own affair in this model at all."""
        model = self.layout.interpreter.model
        return self.layout.fixed and not (model.prioritised or model.monitor is not None or model.remembers_mover)

    def of_slot(self, pid: int) -> list[int | None]:
        """For each location of the process with a number, its footprint."""
        if pid not in self.slots:
            self.assumed[pid] = 0
            (kind,) = self.layout.plan.slots[pid]
            places = self.layout.interpreter.model.kinds[kind].locations
            self.slots[pid] = [self.of_location(pid, kind, number) for number in range(len(places))]
        return self.slots[pid]

    def of_location(self, pid: int, kind: int, start: int) -> int | None:
        """What all moves from a location touch: until somebody else can see what has happened.  Who holds control goes on
        from where the way through transient locations ends."""
        own = self.layout.interpreter.model.kinds[kind]
        seen, pending = {(start, False)}, [(start, False)]
        mask = bits_of(self.layout.kinds[kind].at, self.layout.kinds[kind].at.bits) << 8 * self.layout.bases[pid]
        try:
            mask |= self.expression(pid, own.provided)
            while pending:
                at, held = pending.pop()
                for edge in own.locations[at].edges:
                    mask |= self.edge(pid, edge)
                    holds = edge.hold or (held and own.locations[at].transient)
                    if edge.target == m.GONE or not (holds or own.locations[edge.target].transient):
                        continue
                    if (edge.target, holds) not in seen:
                        seen.add((edge.target, holds))
                        pending.append((edge.target, holds))
        except Unclear:
            return None
        return mask

    def edge(self, pid: int, edge: m.Edge) -> int:
        mask = 0 if edge.guard == e.Otherwise() else self.expression(pid, edge.guard)
        match edge.effects:
            case (m.Receive(channel), *_) if self.is_handshake(pid, channel):
                return mask | self.count() | self.expression(pid, channel)  # whoever sends makes this move
        for effect in edge.effects:
            mask |= self.effect(pid, effect)
        return mask

    def effect(self, pid: int, effect: m.Effect) -> int:
        match effect:
            case m.Assign(place, value):
                return self.place(pid, place) | self.expression(pid, value)
            case m.Send(channel, values):
                return self.message(pid, channel) | self.expressions(pid, *values)
            case m.Receive(channel, patterns):
                return self.message(pid, channel) | self.patterns(pid, patterns)
            case m.Assert(condition):
                return self.expression(pid, condition)
            case m.Print(_, arguments):
                return self.expressions(pid, *arguments)
            case m.Exit():
                (kind,) = self.layout.plan.slots[pid]
                return self.count() | (1 << 8 * self.layout.kinds[kind].size) - 1 << 8 * self.layout.bases[pid]
        raise Unclear

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
            case e.Unary() | e.Binary() | e.Conditional():
                return self.expressions(pid, *x.children())
            case e.ProcessCount() | e.Youngest():
                return self.count()
            case e.Length(channel) | e.Full(channel):
                return self.channels(pid, channel, lengths=True) | self.expression(pid, channel)
            case e.Poll(channel, patterns):
                return self.message(pid, channel) | self.patterns(pid, patterns)
            case e.AtLocation(kind, process) if process is not None:
                return self.expression(pid, process) | self.count() | self.of_others(kind, None)
            case e.Remote(kind, process, variable, indices) if process is not None:
                return self.expressions(pid, process, *indices) | self.count() | self.of_others(kind, variable)
        raise Unclear

    def place(self, pid: int, place: e.Place) -> int:
        if place.variable is None:
            return 0
        return self.element(pid, place.variable, place.indices) | self.expressions(pid, *place.indices)

    def element(self, pid: int, variable: m.Variable, indices: tuple[e.Expr, ...]) -> int:
        """An element of a variable if it is known which, or all of them."""
        array, base = self.array(pid, variable)
        if not indices:
            return bits_of(array.first, array.first.bits) << 8 * base if array.count == 1 else all_bits(array, base)
        known = [self.value(pid, index) for index in indices]
        number = 0
        for index, length in zip(known, variable.shape, strict=True):
            if index is None or not 0 <= index < length:
                return all_bits(array, base)
            number = number * length + index
        one = array.element(number)
        return bits_of(one, one.bits) << 8 * base

    def array(self, pid: int, variable: m.Variable) -> tuple[ArrayField, int]:
        if variable.owner is None:
            return self.layout.variables[variable], 0
        (kind,) = self.layout.plan.slots[pid]
        return self.layout.kinds[kind].variables[variable], self.layout.bases[pid]

    def of_others(self, name: str, variable: m.Variable | None) -> int:
        """A variable, or the location, of all processes of a kind."""
        mask = 0
        for pid, (number,) in enumerate(self.layout.plan.slots):
            if self.layout.interpreter.model.kinds[number].name == name:
                base, kind = self.layout.bases[pid], self.layout.kinds[number]
                one = ArrayField(kind.at, 1, 1) if variable is None else kind.variables[variable]
                mask |= all_bits(one, base)
        return mask

    def count(self) -> int:
        return 0 if self.layout.count is None else bits_of(self.layout.count, self.layout.count.bits)

    def value(self, pid: int, x: e.Expr) -> int | None:
        """What an expression is taken to be, if it depends only on what never changes."""
        if isinstance(x, e.Const):
            return x.value
        if self.example is None or pid >= len(self.example.processes):
            return None
        (kind,) = self.layout.plan.slots[pid]
        if self.example.processes[pid].kind != kind or not all(map(self.is_fixed, x.walk())):
            return None
        interpreter = self.layout.interpreter
        now = interpreter.moment(self.example, pid)
        now.own = self.example.processes[pid].values
        try:
            value = interpreter.evaluation.expression(x)(now)
        except Fault:
            return None
        self.assumed[pid] |= self.expression(pid, x)
        return value

    def is_fixed(self, x: e.Expr) -> bool:
        match x:
            case e.Get(variable):
                return variable in self.fixed
            case e.Const() | e.Self() | e.Unary() | e.Binary() | e.Conditional():
                return True
        return False

    # --- channels --------------------------------------------------------------------------------

    def message(self, pid: int, channel: e.Expr) -> int:
        """A channel that is no handshake, and how it is found."""
        return self.channels(pid, channel, lengths=False) | self.expression(pid, channel)

    def channels(self, pid: int, channel: e.Expr, lengths: bool) -> int:
        """All channels that may be meant, or only their lengths; whether they exist depends on the processes."""
        mask = self.count()
        for type_, offset in self.meant(pid, channel):
            if not type_.capacity:
                raise Unclear
            mask |= (1 << 8 * (1 if lengths else type_.size)) - 1 << 8 * offset
        return mask

    def meant(self, pid: int, channel: e.Expr) -> Iterator[tuple[MessageType, int]]:
        table = self.layout.channel_table()
        number = self.value(pid, channel)
        if number is None:
            yield from table
        elif 1 <= number <= len(table):
            yield table[number - 1]

    def is_handshake(self, pid: int, channel: e.Expr) -> bool:
        return all(type_.capacity == 0 for type_, _ in self.meant(pid, channel))


def all_bits(array: ArrayField, base: int) -> int:
    mask = 0
    for k in range(array.count):
        one = array.element(k)
        mask |= bits_of(one, one.bits) << 8 * base
    return mask
