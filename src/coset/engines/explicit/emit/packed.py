"""Where the bits of a state are when it is packed without those that are never set, as C knows it."""

from __future__ import annotations

from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.halves import arranged

WORD = 64


def packing(words: list[int], order: list[int]) -> str:
    """What `packing.h` needs to know: the used bits of each word of a state are brought together, one word behind the
    other, in some order."""
    before, at = [0] * len(words), 0
    for k in order:
        before[k] = at
        at += words[k].bit_count()
    return (
        f"static const u64 used_bits[] = {{{', '.join(f'{word:#x}u' for word in words)}}};\n"
        f"static const int used_before[] = {{{', '.join(map(str, before))}}};\n"
        '#include "packing.h"'
    )


def order_of(words: list[int], size: int, footprints: Footprints) -> list[int]:
    """In which order words are packed, if that matters: a state of two words is not cut.  That all processes look at how many
    there are says nothing about which parts belong together."""
    if size <= 16 or not footprints.possible():
        return list(range(len(words)))
    touched, count = [], footprints.count()
    for pid in range(len(footprints.layout.plan.slots)):
        for each in footprints.of_slot(pid):
            if each is not None:
                mask = each.whole & ~count
                touched.append(frozenset(k for k in range(len(words)) if mask >> WORD * k & words[k]))
    return arranged([word.bit_count() for word in words], touched)
