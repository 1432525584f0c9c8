"""Packing: only the bits of a state that can be set are stored.

In the layout, elements of arrays and most variables begin at a byte, so that access is fast.  A `bool` has 7 bits there that
are always 0, a variable that never exceeds 5 has 5 of them, and there is padding.  States are stored without these bits:
twelve philosophers take one word of 64 bits instead of 24 bytes.

The largest values are estimated from some states, with spare bits where they cost nothing.  If a value does not fit, the
search begins again with more bits, and finally with as many as always suffice (by domains, and by `model/analysis/ranges`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from coset.engines.explicit.layout import ArrayField, Field, Layout, MessageType
from coset.model import model as m
from coset.model.analysis.ranges import Ranges, find_ranges
from coset.model.domain import Domain
from coset.model.interpreter import Interpreter
from coset.model.state import State, offsets
from coset.source.records import dataclass

WORD = 64
MOST_SPARE = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """The largest values of variables and message fields in some states; None if there are negative ones."""

    variables: dict[m.Variable, int | None]
    fields: dict[tuple[int, tuple[tuple[int, int], ...], int], int | None]
    spare: int = 0
    """How many bits to add to those that these values need."""

    def bits(self, largest: int | None, most: int) -> int:
        """The number of bits for a value with this maximum, at most `most`."""
        return most if largest is None else min(most, largest.bit_length() + self.spare)

    def wider(self) -> Seen | None:
        """The next estimate; None if every value gets all the bits of its domain."""
        return replace(self, spare=MOST_SPARE) if self.spare < MOST_SPARE else None

    def roomy(self, layout: Layout) -> Seen:
        """The same estimate with as many spare bits as fit without making states larger."""
        size = packed_size(words_of(layout, self), layout.size)
        spares = range(MOST_SPARE, self.spare, -1)
        guesses = (replace(self, spare=spare) for spare in spares)
        return next((each for each in guesses if packed_size(words_of(layout, each), layout.size) == size), self)


def seen_in(interpreter: Interpreter, states: Iterable[State]) -> Seen:
    """The largest values in some states."""
    model = interpreter.model
    seen = Seen({}, {})
    for state in states:
        rows = [(model.variables, state.values)]
        rows += [(model.kinds[process.kind].variables, process.values) for process in state.processes]
        for variables, values in rows:
            for variable, start in offsets(variables).items():
                note(seen.variables, variable, values[start : start + variable.size])
        for channel in state.channels:
            type_ = interpreter.channel_types[channel.type]
            for message in channel.messages:
                for k, value in enumerate(message):
                    note(seen.fields, (type_.capacity, shape(type_.fields), k), (value,))
    return seen


def note(table: dict[Any, int | None], key: object, values: Sequence[int]) -> None:
    old = table.get(key, 0)
    table[key] = None if old is None or min(values, default=0) < 0 else max(old, *values, 0)


def shape(fields: Iterable[Domain]) -> tuple[tuple[int, int], ...]:
    return tuple((domain.low, domain.high) for domain in fields)


def used_bits(layout: Layout, seen: Seen | None = None) -> int:
    """The bits of a state that may be set, as one number: bit k of byte n is bit 8 n + k.  With `seen`, only the bits for such
    values."""
    model = layout.interpreter.model
    ranges = find_ranges(model)
    mask = 0
    for field in (layout.count, layout.watch, layout.mover, layout.claim, *layout.sorts):
        if field is not None:
            mask |= bits_of(field, field.bits)
    for field, bits in row_bits(layout.variables, ranges, seen):
        mask |= bits_of(field, bits)
    for type_, offset in layout.channels:
        mask |= channel_bits(type_, seen) << 8 * offset
    slots = [kind_bits(layout, number, ranges, seen) for number in range(len(model.kinds))]
    for kinds, base in zip(layout.plan.slots, layout.bases, strict=True):
        for kind in kinds:
            mask |= slots[kind] << 8 * base
    return mask


def kind_bits(layout: Layout, number: int, ranges: Ranges, seen: Seen | None) -> int:
    """The bits in the slot of a process of a kind."""
    place = layout.kinds[number]
    mask = bits_of(place.at, place.at.bits)
    if place.priority is not None:
        mask |= bits_of(place.priority, place.priority.bits)
    for field, bits in row_bits(place.variables, ranges, seen):
        mask |= bits_of(field, bits)
    for type_, offset in place.channels:
        mask |= channel_bits(type_, seen) << 8 * offset
    return mask


def row_bits(row: dict[m.Variable, ArrayField], ranges: Ranges, seen: Seen | None) -> Iterator[tuple[Field, int]]:
    """The field of each element of some variables, with the number of low bits that may be set."""
    for variable, array in row.items():
        low, high = ranges.of_variable(variable)
        for k in range(array.count):
            field = array.element(k)
            bits = field.bits if low < 0 else min(field.bits, high.bit_length())
            yield field, bits if seen is None else seen.bits(seen.variables.get(variable, 0), bits)


def channel_bits(type_: MessageType, seen: Seen | None) -> int:
    """The bits of a channel: its length, and the fields of its messages."""
    if not type_.capacity:
        return 0
    mask = (1 << type_.capacity.bit_length()) - 1
    for k in range(type_.capacity):
        for number, (field, domain) in enumerate(zip(type_.fields, type_.domains, strict=True)):
            bits = field.bits if domain.low < 0 else min(field.bits, domain.high.bit_length())
            if seen is not None:
                bits = seen.bits(seen.fields.get((type_.capacity, shape(type_.domains), number), 0), bits)
            mask |= bits_of(field, bits) << 8 * (1 + k * type_.stride)
    return mask


def bits_of(field: Field, bits: int) -> int:
    """The low bits of a field.

    >>> bin(bits_of(Field(1, 8), 2)), bin(bits_of(Field(0, 3, 4), 3))
    ('0b1100000000', '0b1110000')
    """
    return (1 << bits) - 1 << 8 * field.offset + field.shift


def words_of(layout: Layout, seen: Seen | None = None) -> list[int]:
    """The used bits of each 64-bit word of a state."""
    mask = used_bits(layout, seen)
    return [mask >> WORD * k & (1 << WORD) - 1 for k in range(layout.size // 8)]


def packed_size(words: list[int], unpacked: int | None = None) -> int:
    """The size of a packed state in bytes.  One or two words are their own key (`key_set.h`), which needs one or two free
    bits; a larger state is divided into halves of whole words, and is not larger than without packing.

    >>> packed_size([(1 << 63) - 1]), packed_size([(1 << 64) - 1]), packed_size([(1 << 64) - 1] * 2)
    (8, 16, 32)
    """
    bits = sum(word.bit_count() for word in words)
    if bits < WORD:
        return 8
    if bits <= 2 * WORD - 2:
        return 16
    size = -(-bits // (2 * WORD)) * 16
    return max(32, size if unpacked is None else min(size, unpacked))
