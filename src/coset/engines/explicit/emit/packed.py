"""The positions of a state's bits when it is packed without bits that are never set, as C."""

from __future__ import annotations

from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.halves import arranged

WORD = 64


def packing(words: list[int], order: list[int]) -> str:
    """The tables for `packing.h`: the used bits of each word of a state are gathered, one word after the other, in a given
    order."""
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
    """The order in which words are packed.  It matters only if the state is halved, that is, longer than two words.  The number
    of processes, which all moves read, is ignored."""
    if size <= 16 or not footprints.possible():
        return list(range(len(words)))
    touched, count = [], footprints.count()
    for pid in range(len(footprints.layout.plan.slots)):
        for each in footprints.of_slot(pid):
            if each is not None:
                mask = each.whole & ~count
                touched.append(frozenset(k for k in range(len(words)) if mask >> WORD * k & words[k]))
    return arranged([word.bit_count() for word in words], touched)
