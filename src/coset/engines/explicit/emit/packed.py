"""Where the bits of a state are when it is packed, as C knows it."""

from __future__ import annotations

from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.halves import arranged

WORD = 64
TOUCHED = 6
"""Words that a footprint may touch, as in `known.h`."""


class Packed:
    """The used bits of each word of a state are brought together, one word behind the other, in some order."""

    def __init__(self, words: list[int], size: int, unpacked: int, order: list[int] | None = None) -> None:
        self.size, self.words, self.used = size, size // 8, words
        self.before = [0] * len(words)
        self.is_copy = size == unpacked and size > 16
        """Whether a packed state is the state as it is."""
        at = 0
        for k in order or range(len(words)):
            self.before[k] = at
            at += words[k].bit_count()

    def definition(self) -> str:
        """What `packing.h` needs to know."""
        return (
            f"static const u64 used_bits[] = {{{', '.join(f'{word:#x}u' for word in self.used)}}};\n"
            f"static const int used_before[] = {{{', '.join(map(str, self.before))}}};\n"
            '#include "packing.h"'
        )

    def mask(self, bits: int) -> int:
        """The image of some bits of the state.

        >>> bin(Packed([0b11011], 8, 8).mask(0b10010)), bin(Packed([0b11011], 8, 8).mask(0b100))
        ('0b1010', '0b0')
        """
        if self.is_copy:
            return bits
        result = 0
        for k, (used, before) in enumerate(zip(self.used, self.before, strict=True)):
            rest = bits >> WORD * k & used
            while rest:
                lowest = rest & -rest
                result |= 1 << before + (used & lowest - 1).bit_count()
                rest ^= lowest
        return result

    def array(self, mask: int) -> str:
        return f"{{{', '.join(f'{mask >> WORD * k & (1 << WORD) - 1:#x}u' for k in range(self.words))}}}"

    def spot(self, bits: int) -> str:
        """A `struct spot`: where a field is, all bits of which are next to each other."""
        mask = self.mask(bits)
        at = (mask & -mask).bit_length() - 1 if mask else 0
        return f"{{{at // WORD}, {at % WORD}, {(1 << mask.bit_count()) - 1:#x}u}}"

    def footprint(self, bits: int | None) -> str:
        """A `struct footprint`; without words if there is none, or if it is too large."""
        if bits is None:
            return "{0}"
        mask, every = self.mask(bits), range(self.words)
        masks = [mask >> WORD * k & (1 << WORD) - 1 for k in every]
        touched = [k for k in every if masks[k]] if self.words > TOUCHED else list(every)
        if len(touched) > TOUCHED:
            return "{0}"
        sides = any(k < self.words // 2 for k in touched) + 2 * any(k >= self.words // 2 for k in touched)
        numbers, bits_of_each = ", ".join(map(str, touched)), ", ".join(f"{masks[k]:#x}u" for k in touched)
        return f"{{{len(touched)}, {sides}, {{{numbers}}}, {{{bits_of_each}}}}}"


def order_of(words: list[int], size: int, footprints: Footprints) -> list[int] | None:
    """In which order words are packed, if that matters: a state of two words is not cut.  That all processes look at how many
    there are says nothing about which parts belong together."""
    if size <= 16 or not footprints.possible():
        return None
    touched, count = [], footprints.count()
    for pid in range(len(footprints.layout.plan.slots)):
        for mask in footprints.of_slot(pid):
            if mask is not None:
                touched.append(frozenset(k for k in range(len(words)) if (mask & ~count) >> WORD * k & words[k]))
    return arranged([word.bit_count() for word in words], touched)
