"""Tables of footprints: what the moves of a process at a location depend on, in bits of the packed state."""

from __future__ import annotations

from coset.engines.explicit.emit.packed import Packed
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.packing import bits_of

MOST_WORDS = 16
"""A larger packed state is not looked at word by word."""


def footprint_tables(packed: Packed, footprints: Footprints) -> str:
    """The tables, or nothing if moves cannot be known by heart in this model."""
    layout = footprints.layout
    if packed.words > MOST_WORDS or not layout.plan.slots or not footprints.possible():
        return ""
    lines = ['#include "known.h"']
    positions, names, assumed = [], [], []
    for pid, (kind,) in enumerate(layout.plan.slots):
        at, base = layout.kinds[kind].at, layout.bases[pid]
        positions.append(packed.spot(bits_of(at, at.bits) << 8 * base))
        rows = ", ".join(packed.footprint(bits) for bits in footprints.of_slot(pid))
        lines.append(f"static const struct footprint footprints_{pid}[] = {{{rows}}};")
        names.append(f"footprints_{pid}")
        assumed.append(assumption(packed, footprints, pid))
    count = packed.spot(0 if layout.count is None else bits_of(layout.count, layout.count.bits))
    lines += [
        f"const struct spot model_count = {count};",
        f"const struct spot model_positions[] = {{{', '.join(positions)}}};",
        f"const struct footprint *const model_footprints[] = {{{', '.join(names)}}};",
        f"const u64 model_assumed[][2][PACKED_WORDS] = {{{', '.join(assumed)}}};",
        "int model_moves(struct context *x, const u8 *s, int pid) {",
        "  return moves_by(x, s, pid);",
        "}",
    ]
    return "\n".join(lines)


def assumption(packed: Packed, footprints: Footprints, pid: int) -> str:
    """The bits whose values were made use of, and these values."""
    bits, example = footprints.assumed[pid], footprints.example
    values = int.from_bytes(footprints.layout.encode(example), "little") if example is not None else 0
    return f"{{{packed.array(packed.mask(bits))}, {packed.array(packed.mask(bits & values))}}}"
