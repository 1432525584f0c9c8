"""The components of a state, and how many bits encode the value of each.

A process has few local states, a channel few contents, a variable few values.  So each value of a component gets a number
when it is first seen, and a state is stored as these numbers (`component_dictionary.h`), as in SPIN's *collapse* mode (G. J.
Holzmann, "State compression in SPIN: recursive indexing and compression training runs", 1997).  There a component takes one
byte or more; here it takes as many bits as it needs, so that most states fit into one word of 64 bits.

The number of bits is estimated from some states.  If a component runs out of numbers, another search goes on with more bits
for components of that sort (transfer.py).  Unused bits are distributed among the components that may need them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property

from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.halves import arranged
from coset.engines.explicit.layout import Field, Layout
from coset.engines.explicit.packing import bits_of
from coset.model.state import State
from coset.source.records import dataclass

WORD = 64
ROOMS = ((63,), (64, 62), (64,) * 4, (64,) * 6)
"""The bits of each word of a packed state: a key of one or two words has free bits (`key_set.h`), a longer state is halved."""
MOST_SPARE = 16
"""A component gets at most this many spare bits."""
MOST_BITS = 24
"""If a component needs more bits than this, its values are not numbered."""
MOST_COMPONENTS = 256
"""With more components than this, values are not numbered: every cache miss visits each component."""

Sort = Hashable
"""Components of one sort have similar values: the elements of a variable, processes of a kind, channels of a type."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the state, as bits of its bytes."""

    mask: int
    sort: Sort
    most: int
    """The number of bits that suffices for every value."""

    @property
    def first(self) -> int:
        """The first word of the state that has bits of the component."""
        return ((self.mask & -self.mask).bit_length() - 1) // WORD

    @property
    def masks(self) -> list[int]:
        """The bits of the component in each of its words."""
        rest = self.mask >> WORD * self.first
        return [rest >> WORD * k & (1 << WORD) - 1 for k in range(-(-rest.bit_length() // WORD))]


Block = list[list[int]]
"""Columns, each with its components: their numbers are one after the other in a packed state.  None stands across two words, but
columns of the same block may be at the end of the first word and at the beginning of the second one."""


class Components:
    """All components of the states of a layout in which the kind of each process never changes."""

    def __init__(self, layout: Layout, constant: frozenset[object] = frozenset()) -> None:
        self.layout = layout
        self.all: list[Component] = []
        self.blocks: list[Block] = []
        """Columns that are side by side in a packed state (`align`)."""
        self.tied: list[list[int]] = []
        """Components whose numbers have the same width."""
        self.counter = None if layout.count is None else self.add(layout.count, "count")
        self.claim = None if layout.claim is None else self.add(layout.claim, "claim")
        self.globals = [
            self.add(array.element(k), variable, variable in constant)
            for variable, array in layout.variables.items()
            for k in range(array.count)
        ]
        self.cores: list[int] = []
        for pid, (kind,) in enumerate(layout.plan.slots):
            own = layout.kinds[kind]
            size = own.size - sum(type_.size for type_, _ in own.channels)
            self.cores.append(self.region(layout.bases[pid], size, ("process", kind)))
        self.channels = [
            self.region(at, type_.size, ("channel", type_.number)) if type_.size else None
            for type_, at in layout.channel_table()
        ]

    def add(self, field: Field, sort: Sort, constant: bool = False) -> int:
        self.all.append(Component(bits_of(field, field.bits), sort, 0 if constant else field.bits))
        return len(self.all) - 1

    def region(self, offset: int, size: int, sort: Sort) -> int:
        self.all.append(Component((1 << 8 * size) - 1 << 8 * offset, sort, 8 * size))
        return len(self.all) - 1

    def touched(self, bits: int) -> frozenset[int]:
        """The components that have some of these bits."""
        return frozenset(k for k, each in enumerate(self.all) if each.mask & bits)

    def separate(self, orbits: Iterable[Iterable[int]]) -> None:
        """Give the components of each orbit under symmetries a sort of their own.  Each of them has as many values as any other,
        so that they are counted one by one: `box[1]` has messages to 1 only, `box[2]` messages to 2."""
        for number, orbit in enumerate(orbits):
            for k in orbit:
                each = self.all[k]
                self.all[k] = Component(each.mask, ("orbit", number), each.most)

    def align(self, columns: Sequence[Sequence[int]]) -> None:
        """Give columns that symmetries exchange the same layout in a packed state, one after the other."""
        if columns[0]:
            self.blocks.append([list(column) for column in columns])
            self.tied += [list(row) for row in zip(*columns, strict=True)]

    def counts(self, states: Iterable[State]) -> dict[Sort, int]:
        """The number of values that components of each sort have in some states."""
        found: list[set[Hashable]] = [set() for _ in self.all]
        globals_ = [found[k] for k in self.globals]
        cores = [found[k] for k in self.cores]
        channels = [set[Hashable]() if k is None else found[k] for k in self.channels]
        for values in (*cores, *channels):
            values.add(())  # a process that does not exist, an empty channel
        for state in states:
            if not self.layout.plan.fits(state):
                continue
            if self.counter is not None:
                found[self.counter].add(len(state.processes))
            for values, value in zip(globals_, state.values, strict=True):
                values.add(value)
            for values, channel in zip(channels, state.channels, strict=False):
                values.add(channel.messages)
            for values, process in zip(cores, state.processes, strict=False):
                values.add((process.at, process.values, process.priority))
        if self.claim is not None:
            found[self.claim].update(range(self.layout.claim_states))
        counted: dict[Sort, int] = {}
        together: dict[Sort, set[Hashable]] = {}
        for each, values in zip(self.all, found, strict=True):
            if isinstance(each.sort, tuple) and each.sort[0] == "orbit":
                counted[each.sort] = max(counted.get(each.sort, 0), len(values))
            else:
                together.setdefault(each.sort, set()).update(values)
        return counted | {sort: len(values) for sort, values in together.items()}


@dataclass(frozen=True, slots=True)
class BitField:
    """The position of a component's number in a packed state."""

    word: int
    shift: int
    width: int


class Coding:
    """The positions of all components' numbers in a packed state, given how many values to expect of each sort."""

    def __init__(self, components: Components, footprints: Footprints, counts: Mapping[Sort, int]) -> None:
        self.components, self.footprints, self.counts = components, footprints, dict(counts)
        self.bit_fields: list[BitField] = []
        widths = [bits_for(self.counts[each.sort]) for each in components.all]
        able = max(widths, default=0) <= MOST_BITS and len(widths) <= MOST_COMPONENTS
        fitting = (self.fitting(widths, rooms) for rooms in ROOMS) if able else ()
        self.is_aligned = False
        """Whether columns have the layout that was asked for (`Components.align`)."""
        self.words, self.bit_fields = next((found for found in fitting if found is not None), (0, []))
        """The number of words of a packed state and its bit fields; 0 words if there would be too many."""

    def needed(self, component: int) -> dict[Sort, int]:
        """How many values to expect of components of this one's sort, which ran out of numbers."""
        return {self.components.all[component].sort: 4 << self.bit_fields[component].width}

    def fitting(self, widths: Sequence[int], rooms: Sequence[int]) -> tuple[int, list[BitField]] | None:
        """Place numbers into words of these sizes; columns are aligned if they fit and if states are not halved."""
        if self.components.blocks and len(rooms) <= 2:
            found = self.placed(widths, rooms, self.components.blocks, self.components.tied)
            if found is not None:
                self.is_aligned = True
                return found
        return self.placed(widths, rooms)

    def placed(
        self,
        widths: Sequence[int],
        rooms: Sequence[int],
        blocks: Sequence[Block] = (),
        tied: Sequence[Sequence[int]] = (),
    ) -> tuple[int, list[BitField]] | None:
        """Place numbers into words, none across two words: the widest block first, each into the first word with room."""
        wide, rows = list(widths), [*tied, *([k] for k in singles(widths, tied))]
        for row in tied:
            for k in row:
                wide[k] = max(widths[each] for each in row)
        inside = [[k for column in block for k in column] for block in blocks]
        every = [*blocks, *([[k]] for k in singles(widths, inside))]
        sides = self.sides(wide) if len(rooms) > 2 else [0] * len(wide)
        left, words = list(rooms), [-1] * len(wide)
        for block in sorted(every, key=lambda block: -sum(wide[k] for column in block for k in column)):
            side = sides[block[0][0]]
            mine = range(len(rooms)) if len(rooms) <= 2 else range(len(rooms) // 2 * side, len(rooms) // 2 * (side + 1))
            if not put(block, wide, mine, words, left):
                return None
        self.spread(wide, rows, words, left)
        return len(rooms), fields_of(every, wide, words, rooms)

    def spread(self, wide: list[int], rows: Sequence[Sequence[int]], words: Sequence[int], left: list[int]) -> None:
        """Give spare bits to the components that are likely to run out of numbers first, to those of a row together."""
        every = self.components.all

        def is_able(row: Sequence[int]) -> bool:
            needs = Counter(words[k] for k in row)
            return wide[row[0]] < min(every[row[0]].most, MOST_SPARE) and all(left[w] >= n for w, n in needs.items())

        while able := [row for row in rows if is_able(row)]:
            row = max(able, key=lambda row: self.counts[every[row[0]].sort] / (1 << wide[row[0]]))
            for k in row:
                wide[k] += 1
                left[words[k]] -= 1

    def sides(self, widths: Sequence[int]) -> list[int]:
        """The half of each component, 0 or 1: components that change together are in one half (`halves.py`)."""
        order = arranged(widths, self.together)
        sides, sum_, half = [0] * len(widths), 0, sum(widths) / 2
        for k in order:
            sides[k] = int(sum_ + widths[k] / 2 > half)
            sum_ += widths[k]
        return sides

    @cached_property
    def together(self) -> list[frozenset[int]]:
        """The components that one move touches, without the number of processes, which all moves read."""
        slots = range(len(self.footprints.layout.plan.slots))
        every = [each for pid in slots for each in self.footprints.of_slot(pid) if each is not None]
        return [self.components.touched(each.whole & ~self.footprints.count()) for each in every]


def put(block: Block, wide: Sequence[int], mine: Iterable[int], words: list[int], left: list[int]) -> bool:
    """Place a block into one of these words, or across two empty ones; returns whether it fits."""
    column = sum(wide[k] for k in block[0])
    word = next((word for word in mine if left[word] >= column * len(block)), None)
    first = len(block)
    if word is None:
        if len(block) == 1 or len(left) != 2 or any(each >= 0 for each in words):
            return False
        word, first = 0, left[0] // column
        if left[1] < column * (len(block) - first):
            return False
    for number, mine_ in enumerate(block):
        for k in mine_:
            words[k] = word if number < first else 1
            left[words[k]] -= wide[k]
    return True


def fields_of(
    every: Sequence[Block], wide: Sequence[int], words: Sequence[int], rooms: Sequence[int]
) -> list[BitField]:
    """The fields of components in their words.  A block across two words is at the end of the first one."""
    at, fields = [0] * len(rooms), [BitField(0, 0, 0)] * len(wide)
    for block in sorted(every, key=lambda block: (words[block[0][0]] == words[block[-1][0]], block)):
        parts = [k for column in block for k in column]
        across = words[parts[0]] != words[parts[-1]]
        end = WORD - sum(wide[k] for k in parts if words[k] == 0)
        for k in parts:
            shift = end if across and words[k] == 0 else at[words[k]]
            fields[k] = BitField(words[k], shift, wide[k])
            if across and words[k] == 0:
                end += wide[k]
            else:
                at[words[k]] += wide[k]
    return fields


def singles(every: Sequence[object], groups: Iterable[Iterable[int]]) -> list[int]:
    """The components that are in none of these groups."""
    grouped = {k for group in groups for k in group}
    return [k for k in range(len(every)) if k not in grouped]


def bits_for(count: int) -> int:
    """The number of bits that number this many values.

    >>> [bits_for(n) for n in (1, 2, 3, 26)]
    [0, 1, 2, 5]
    """
    return max(0, count - 1).bit_length()
