"""The layout of a state in the bytes of the compiled engine.

    [ global variables and channels | slot of process 0 | slot of process 1 | ... ]

A slot has room for any of the kinds that its process may have, as given by a `SlotPlan`.  The plan is estimated from some
states, and widened when a run creates a process that does not fit.  Values of one bit share bytes, others begin at a byte of
their own, so that arrays can be indexed.  A state is one word whose last byte is free, or two halves of whole words, which
are stored separately.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, zip_longest

from coset.model import model as m
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.state import Channel, Process, State
from coset.source.records import dataclass

WORD = 8


@dataclass(frozen=True, slots=True)
class Field:
    """A number in the state: `bits` bits from bit `shift` of byte `offset` on.  Wide fields are whole bytes."""

    offset: int
    bits: int
    shift: int = 0
    signed: bool = False

    @property
    def width(self) -> int:
        """The number of bytes of the field: 1, 2 or 4."""
        return 1 if self.bits <= 8 else 2 if self.bits <= 16 else 4

    @property
    def whole(self) -> bool:
        return self.bits in (8, 16, 32)

    def read(self, data: bytes | bytearray, base: int = 0) -> int:
        start = base + self.offset
        raw = int.from_bytes(data[start : start + self.width], "little")
        raw = raw >> self.shift & (1 << self.bits) - 1
        return raw - (1 << self.bits) if self.signed and raw >> (self.bits - 1) else raw

    def write(self, data: bytearray, value: int, base: int = 0) -> None:
        start = base + self.offset
        mask = (1 << self.bits) - 1 << self.shift
        raw = int.from_bytes(data[start : start + self.width], "little")
        raw = raw & ~mask | (value << self.shift & mask)
        data[start : start + self.width] = raw.to_bytes(self.width, "little")


def bits_for(domain: Domain) -> tuple[int, bool]:
    """The number of bits that a domain needs, and whether it is signed.

    >>> from coset.model.domain import BIT, BYTE, SHORT
    >>> bits_for(BIT), bits_for(BYTE), bits_for(SHORT)
    ((1, False), (8, False), (16, True))
    """
    if domain.low < 0:
        bits = max((-domain.low - 1).bit_length(), domain.high.bit_length()) + 1
        return (8 if bits <= 8 else 16 if bits <= 16 else 32), True
    bits = max(1, domain.high.bit_length())
    return (bits if bits <= 8 else 16 if bits <= 16 else 32), False


class Packer:
    """Allocates fields; small ones share bytes, first fit."""

    def __init__(self, start: int = 0) -> None:
        self.size = start
        self.room: dict[int, int] = {}

    def small(self, bits: int) -> Field:
        for offset, used in self.room.items():
            if used + bits <= 8:
                self.room[offset] = used + bits
                return Field(offset, bits, used)
        offset = self.bytes(1)
        self.room[offset] = bits
        return Field(offset, bits)

    def bytes(self, count: int) -> int:
        offset, self.size = self.size, self.size + count
        return offset

    def number(self, bits: int, signed: bool = False) -> Field:
        if bits < 8 and not signed:
            return self.small(bits)
        width = 1 if bits <= 8 else 2 if bits <= 16 else 4
        return Field(self.bytes(width), 8 * width, 0, signed)


@dataclass(frozen=True, slots=True)
class ArrayField:
    """The fields of a variable: one for each element, `stride` bytes apart."""

    first: Field
    stride: int
    count: int

    def element(self, k: int) -> Field:
        return Field(self.first.offset + k * self.stride, self.first.bits, self.first.shift, self.first.signed)


class RowReader:
    """Reads several fields at once.

    >>> RowReader([Field(0, 8), Field(1, 16, signed=True), Field(3, 2, shift=4)]).read(bytes([7, 254, 255, 0x2F]))
    (7, -2, 2)
    """

    def __init__(self, fields: Iterable[Field]) -> None:
        fields = tuple(fields)
        cells = sorted({(each.offset, each.width, each.signed) for each in fields})
        place = {offset: number for number, (offset, _, _) in enumerate(cells)}
        format_, end = "<", 0
        for offset, width, signed in cells:
            letter = {1: "b", 2: "h", 4: "i"}[width]
            format_ += "x" * (offset - end) + (letter if signed else letter.upper())
            end = offset + width
        self.unpack = struct.Struct(format_).unpack_from
        self.parts = [(place[each.offset], each.shift, -1 if each.whole else (1 << each.bits) - 1) for each in fields]
        self.is_plain = self.parts == [(number, 0, -1) for number in range(len(cells))]

    def read(self, data: bytes, base: int = 0) -> tuple[int, ...]:
        cells: tuple[int, ...] = self.unpack(data, base)
        return cells if self.is_plain else tuple([cells[k] >> shift & mask for k, shift, mask in self.parts])


def row_reader(row: Mapping[m.Variable, ArrayField]) -> RowReader:
    """Reads the elements of all variables."""
    return RowReader(array.element(k) for array in row.values() for k in range(array.count))


@dataclass(frozen=True, slots=True)
class MessageType:
    """Channels of one capacity with fields of one sort share their code."""

    number: int
    capacity: int
    fields: tuple[Field, ...]
    domains: tuple[Domain, ...]
    stride: int
    reader: RowReader

    @property
    def size(self) -> int:
        """The bytes of a channel: its length, and its messages."""
        return 1 + self.capacity * self.stride if self.capacity else 0


@dataclass(frozen=True, slots=True)
class KindLayout:
    """Offsets within the slot of a process of this kind."""

    at: Field
    priority: Field | None
    variables: dict[m.Variable, ArrayField]
    channels: tuple[tuple[MessageType, int], ...]
    size: int
    reader: RowReader
    """Of the variables."""


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """Which kinds the process with each number may be of."""

    slots: tuple[frozenset[int], ...]

    @property
    def is_fixed(self) -> bool:
        """Whether each slot has one kind."""
        return all(len(kinds) == 1 for kinds in self.slots)

    def fits(self, state: State) -> bool:
        return len(state.processes) <= len(self.slots) and all(
            process.kind in kinds for process, kinds in zip(state.processes, self.slots, strict=False)
        )

    def with_room_for(self, state: State) -> SlotPlan:
        plan = self
        for number, process in enumerate(state.processes if not self.fits(state) else ()):
            plan = plan.including(number, process.kind)
        return plan

    def including(self, number: int, kind: int, copies: int = 1) -> SlotPlan:
        """The plan with a slot for one more process, or for several with the following numbers."""
        slots = list(self.slots) + [frozenset[int]()] * (number + copies - len(self.slots))
        for each in range(number, number + copies):
            slots[each] |= {kind}
        return SlotPlan(tuple(slots))

    def mixed(self, more: frozenset[int]) -> SlotPlan:
        """A plan in which each slot has room for a process of any kind, and of some more."""
        return SlotPlan((more.union(*self.slots),) * len(self.slots))

    def joined(self, other: SlotPlan) -> SlotPlan:
        """A plan with room for the processes of both."""
        rows = zip_longest(self.slots, other.slots, fillvalue=frozenset[int]())
        return SlotPlan(tuple(one | another for one, another in rows))


def plan_for(states: Iterable[State]) -> SlotPlan:
    """The smallest plan for some states."""
    plan = SlotPlan(())
    for state in states:
        plan = plan.with_room_for(state)
    return plan


@dataclass(slots=True)
class Layout:
    """The layout of one model under one plan, with translation to and from the interpreter's states."""

    interpreter: Interpreter
    plan: SlotPlan
    types: list[MessageType] = field(default_factory=list)
    variables: dict[m.Variable, ArrayField] = field(default_factory=dict)
    channels: list[tuple[MessageType, int]] = field(default_factory=list)
    kinds: list[KindLayout] = field(default_factory=list)
    bases: list[int] = field(default_factory=list)
    sorts: list[Field | None] = field(default_factory=list)
    choices: list[tuple[int, ...]] = field(default_factory=list)
    count: Field | None = None
    watch: Field | None = None
    mover: Field | None = None
    claim_states: int = 0
    """The number of states of the property's automaton in the product; 0 if there is none."""
    claim: Field | None = None
    size: int = 0
    reader: RowReader = field(init=False, repr=False)
    """Of the global variables."""
    created: list[list[int]] = field(init=False, repr=False)
    """The types of the channels that the model creates, and then those of each kind."""
    decoded: dict[tuple[int, bytes], tuple[Process, list[Channel]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        model = self.interpreter.model
        packer = Packer()
        effects = [effect for kind in model.kinds for _, edge in kind.edges() for effect in edge.effects]
        if any(isinstance(effect, m.Run | m.Exit) for effect in effects):
            self.count = packer.number(max(1, len(self.plan.slots).bit_length()))
        if model.monitor is not None:
            self.watch = packer.number(max(1, (len(model.monitor.automaton.locations) - 1).bit_length()))
        if model.remembers_mover:
            self.mover = packer.number(8)
        if self.claim_states:
            self.claim = packer.number(max(8, (self.claim_states - 1).bit_length()))
        for kinds in self.plan.slots:
            self.choices.append(tuple(sorted(kinds)))
            several = len(kinds) > 1
            self.sorts.append(packer.number(max(1, (len(kinds) - 1).bit_length())) if several else None)
        for variable in model.variables:
            self.variables[variable] = place(variable, packer)
        self.channels = self.place_channels(model.variables, packer)
        for kind in model.kinds:
            inner = Packer()
            at = inner.number(max(1, (len(kind.locations) - 1).bit_length()))
            priority = inner.number(8) if model.prioritised else None
            variables = {variable: place(variable, inner) for variable in kind.variables}
            channels = self.place_channels(kind.variables, inner)
            self.kinds.append(KindLayout(at, priority, variables, tuple(channels), inner.size, row_reader(variables)))
        self.reader = row_reader(self.variables)
        self.created = [self.created_channels(each) for each in (model.variables, *(k.variables for k in model.kinds))]
        for kinds in self.plan.slots:
            self.bases.append(packer.bytes(max((self.kinds[k].size for k in kinds), default=0)))
        self.size = WORD if packer.size < WORD else -(-packer.size // (2 * WORD)) * 2 * WORD

    def place_channels(self, variables: tuple[m.Variable, ...], packer: Packer) -> list[tuple[MessageType, int]]:
        result: list[tuple[MessageType, int]] = []
        for variable in variables:
            if isinstance(variable.initial, m.NewChannel):
                kind = self.message_type(variable.initial.type)
                result.extend((kind, packer.bytes(kind.size)) for _ in range(variable.size))
        return result

    def message_type(self, channel: m.ChannelType) -> MessageType:
        found = next((t for t in self.types if (t.capacity, t.domains) == (channel.capacity, channel.fields)), None)
        if found is None:
            packer = Packer()
            fields = tuple(packer.number(*bits_for(domain)) for domain in channel.fields)
            found = MessageType(
                len(self.types), channel.capacity, fields, channel.fields, packer.size, RowReader(fields)
            )
            self.types.append(found)
        return found

    # --- numbers of channels ---------------------------------------------------------------------

    @property
    def fixed(self) -> bool:
        """Whether each slot has one kind, so that the number of a channel never changes."""
        return self.plan.is_fixed

    def channel_table(self) -> list[tuple[MessageType, int]]:
        """With a fixed plan, the type and offset of channel 1, 2, ..."""
        table = list(self.channels)
        for (kind,), base in zip(self.choices, self.bases, strict=True):
            table.extend((type_, base + offset) for type_, offset in self.kinds[kind].channels)
        return table

    # --- translation -----------------------------------------------------------------------------

    def encode(self, state: State) -> bytes:
        """The bytes of a state."""
        data = bytearray(self.size)
        if self.count is not None:
            self.count.write(data, len(state.processes))
        if self.watch is not None:
            self.watch.write(data, state.watch)
        if self.mover is not None:
            self.mover.write(data, state.mover)
        self.encode_row(data, 0, self.variables, state.values)
        contents = list(state.channels)
        self.encode_channels(data, 0, self.channels, contents)
        for number, process in enumerate(state.processes):
            kind, base = self.kinds[process.kind], self.bases[number]
            sort = self.sorts[number]
            if sort is not None:
                sort.write(data, self.choices[number].index(process.kind))
            kind.at.write(data, process.at, base)
            if kind.priority is not None:
                kind.priority.write(data, process.priority, base)
            self.encode_row(data, base, kind.variables, process.values)
            self.encode_channels(data, base, list(kind.channels), contents)
        return bytes(data)

    def encode_row(
        self, data: bytearray, base: int, row: dict[m.Variable, ArrayField], values: tuple[int, ...]
    ) -> None:
        position = 0
        for array in row.values():
            for k in range(array.count):
                array.element(k).write(data, values[position], base)
                position += 1

    def encode_channels(
        self, data: bytearray, base: int, channels: list[tuple[MessageType, int]], contents: list[Channel]
    ) -> None:
        for type_, offset in channels:
            held = contents.pop(0)
            if type_.capacity:
                data[base + offset] = len(held.messages)
                for k, message in enumerate(held.messages):
                    for field_, value in zip(type_.fields, message, strict=True):
                        field_.write(data, value, base + offset + 1 + k * type_.stride)

    def decode(self, data: bytes) -> State:
        """The state of some bytes."""
        return next(self.decode_run((data,)))

    def decode_run(self, run: Iterable[bytes]) -> Iterator[State]:
        """The states of a run.  A step changes few processes, so that only slots between the first and the last byte that
        differ from the state before are decoded."""
        beginning = self.bases[0] if self.bases else self.size
        has_choices = any(sort is not None for sort in self.sorts)  # which are kept before the slots
        processes, owned = list[Process](), list[list[Channel]]()
        head, slots = b"", 0
        for data in run:
            if has_choices and data[:beginning] != head:
                head, slots = data[:beginning], 0
                processes, owned = [], []
            before, slots = slots, int.from_bytes(data[beginning:], "little")
            changed = slots ^ before
            first = beginning + ((changed & -changed).bit_length() - 1) // 8
            last = beginning + (changed.bit_length() - 1) // 8
            count = self.count.read(data) if self.count is not None else len(self.plan.slots)
            known = min(count, len(processes))
            del processes[count:], owned[count:]
            near = max(0, bisect_right(self.bases, first) - 1)
            for number in chain(range(near, min(known, bisect_right(self.bases, last))), range(known, count)):
                sort, base = self.sorts[number], self.bases[number]
                kind = self.choices[number][0 if sort is None else sort.read(data)]
                process, own = self.decode_process(kind, data[base : base + self.kinds[kind].size])
                processes[number : number + 1], owned[number : number + 1] = [process], [own]
            channels = self.decode_channels(data, self.created[0], self.channels)
            watch = self.watch.read(data) if self.watch is not None else -1
            mover = self.mover.read(data) if self.mover is not None else 0
            row = self.reader.read(data)
            yield State(row, (*channels, *chain.from_iterable(owned)), tuple(processes), watch, mover)

    def decode_process(self, kind: int, slot: bytes) -> tuple[Process, list[Channel]]:
        """A process and its channels.  Along a run, most slots stay as they are, so that they are decoded once."""
        key = kind, slot
        found = self.decoded.get(key)
        if found is None:
            layout = self.kinds[kind]
            values = layout.reader.read(slot)
            priority = layout.priority.read(slot) if layout.priority is not None else 1
            channels = self.decode_channels(slot, self.created[1 + kind], layout.channels)
            found = self.decoded[key] = Process(kind, layout.at.read(slot), values, priority), channels
        return found

    def created_channels(self, variables: tuple[m.Variable, ...]) -> list[int]:
        """The numbers of the types of the channels that variables create."""
        return [
            self.interpreter.type_number[v.initial.type]
            for v in variables
            if isinstance(v.initial, m.NewChannel)
            for _ in range(v.size)
        ]

    def decode_channels(
        self, data: bytes, created: Sequence[int], channels: Sequence[tuple[MessageType, int]]
    ) -> list[Channel]:
        result = []
        for number, (type_, offset) in zip(created, channels, strict=True):
            count = data[offset] if type_.capacity else 0
            messages = [type_.reader.read(data, offset + 1 + k * type_.stride) for k in range(count)]
            result.append(Channel(number, tuple(messages)))
        return result


def place(variable: m.Variable, packer: Packer) -> ArrayField:
    bits, signed = bits_for(variable.domain)
    if not variable.shape:
        return ArrayField(packer.number(bits, signed), 0, 1)
    width = 1 if bits <= 8 else 2 if bits <= 16 else 4
    offset = packer.bytes(width * variable.size)
    return ArrayField(Field(offset, 8 * width, 0, signed), width, variable.size)
