"""The components of states, and which of them each move touches, in C: the tables of codes.h and known.h."""

from __future__ import annotations

from coset.engines.explicit.components import WORD, Coding
from coset.engines.explicit.emit.expression import read


def knowledge(coding: Coding) -> str:
    """What has to be known of a model so that its moves can be known by heart."""
    return "\n".join(['#include "known.h"', *components(coding), *reaches(coding), *assumptions(coding), *functions(coding)])


def constants(coding: Coding | None) -> list[str]:
    """For the header."""
    if coding is None:
        return ["#define MODEL_KNOWS 0"]
    every = coding.components.all
    return [
        "#define MODEL_KNOWS 1",
        f"#define COMPONENTS {len(every)}",
        f"#define ITEM_WORDS {max(len(each.masks) for each in every)}",
    ]


def components(coding: Coding) -> list[str]:
    every = coding.components.all
    masks = [f"static const u64 masks_{k}[] = {words(each.masks)};" for k, each in enumerate(every)]
    rows = ", ".join(f"{{{each.first}, {len(each.masks)}, masks_{k}}}" for k, each in enumerate(every))
    return [*masks, f"const struct component model_components[] = {{{rows}}};"]


def reaches(coding: Coding) -> list[str]:
    """For each process and location the components that its moves touch there, as bits."""
    size = -(-len(coding.components.all) // WORD)
    lines, names, counts = [], [], []
    for pid in range(len(coding.components.cores)):
        rows = []
        for mask in coding.footprints.of_slot(pid):
            bits = 0 if mask is None else sum(1 << k for k in coding.components.touched(mask))
            rows.append(f"{{{int(mask is not None)}, {words([bits >> WORD * k & (1 << WORD) - 1 for k in range(size)])}}}")
        lines.append(f"static const struct reach reaches_{pid}[] = {{{', '.join(rows)}}};")
        names.append(f"reaches_{pid}")
        counts.append(str(len(rows)))
    return [
        *lines,
        f"const struct reach *const model_reaches[] = {{{', '.join(names)}}};",
        f"const int model_locations[] = {{{', '.join(counts)}}};",
    ]


def assumptions(coding: Coding) -> list[str]:
    """The bits of the state whose values were made use of, and these values, for each process."""
    footprints, layout = coding.footprints, coding.components.layout
    example = 0 if footprints.example is None else int.from_bytes(layout.encode(footprints.example), "little")
    size = layout.size // 8
    rows = []
    for pid in range(len(layout.plan.slots)):
        bits = footprints.assumed[pid]
        pair = (words([each >> WORD * k & (1 << WORD) - 1 for k in range(size)]) for each in (bits, bits & example))
        rows.append(f"{{{', '.join(pair)}}}")
    return [f"const u64 model_assumed[][2][STATE_WORDS] = {{{', '.join(rows)}}};"]


def functions(coding: Coding) -> list[str]:
    layout, parts = coding.components.layout, coding.components
    cases = []
    for pid, ((kind,), base) in enumerate(zip(layout.plan.slots, layout.bases, strict=True)):
        cases.append(f"    case {parts.cores[pid]}: return {read(layout.kinds[kind].at, f'(s + {base})')};")
    if layout.count is not None:
        cases.append(f"    case {parts.counter}: return {read(layout.count, 's')};")
    return [
        f"const int model_counter = {-1 if parts.counter is None else parts.counter};",
        f"const int model_cores[] = {{{', '.join(map(str, parts.cores))}}};",
        "int model_number(int component, const u8 *s) {",
        "  switch (component) {",
        *cases,
        "    default: return 0;",
        "  }",
        "}",
        "int model_moves(struct context *x, const u8 *s, int pid) {",
        "  return moves_by(x, s, pid);",
        "}",
    ]


def words(values: list[int]) -> str:
    return f"{{{', '.join(f'{each:#x}u' for each in values)}}}"
