"""The components of states, and which of them each move touches, in C: the tables of component_dictionary.h and
transition_cache.h."""

from __future__ import annotations

from collections.abc import Iterator

from coset.engines.explicit.components import WORD, Coding
from coset.engines.explicit.emit.expression import READ, Expressions, read
from coset.engines.explicit.footprints import OpenElement
from coset.model import model as m


def cache_tables(coding: Coding) -> str:
    """The tables and functions of a model that the transition cache needs."""
    return "\n".join(['#include "transition_cache.h"', *components(coding), *footprints(coding), *functions(coding)])


def constants(coding: Coding | None) -> list[str]:
    """Constants for the header."""
    if coding is None:
        return ["#define MODEL_CACHES 0"]
    every = coding.components.all
    return [
        "#define MODEL_CACHES 1",
        f"#define COMPONENTS {len(every)}",
        f"#define CORES {len(coding.components.cores)}",
        f"#define ITEM_WORDS {max(len(each.masks) for each in every)}",
    ]


def components(coding: Coding) -> list[str]:
    every = coding.components.all
    masks = [f"static const u64 masks_{k}[] = {words(each.masks)};" for k, each in enumerate(every)]
    rows = ", ".join(f"{{{each.first}, {len(each.masks)}, masks_{k}}}" for k, each in enumerate(every))
    return [*masks, f"const struct component model_components[] = {{{rows}}};"]


def footprints(coding: Coding) -> list[str]:
    """For each process and location, the components that its moves touch, as bits."""
    lines, names = [], []
    for pid in range(len(coding.components.cores)):
        rows = []
        for footprint in coding.footprints.of_slot(pid):
            bits = 0 if footprint is None else sum(1 << k for k in coding.components.touched(footprint.bits))
            rows.append(
                f"{{{int(footprint is not None)}, {words(split(bits, -(-len(coding.components.all) // WORD)))}}}"
            )
        lines.append(f"static const struct footprint_spec footprints_{pid}[] = {{{', '.join(rows)}}};")
        names.append(f"footprints_{pid}")
    channels = ", ".join(str(-1 if each is None else each) for each in coding.components.channels)
    return [
        *lines,
        f"static const struct footprint_spec *const footprints[] = {{{', '.join(names)}}};",
        f"const int model_channels[] = {{{channels or -1}}};",
        f"const int model_channel_count = {len(coding.components.channels)};",
    ]


def open_footprints(coding: Coding) -> Iterator[str]:
    """Complete the footprints whose elements or channels depend on the local state."""
    expressions, components = Expressions(coding.components.layout), coding.components
    firsts, before = dict[m.Variable, int](), 0
    for variable, array in components.layout.variables.items():
        firsts[variable] = components.globals[before] if array.count else 0
        before += array.count
    for pid in range(len(components.cores)):
        cases = []
        for at, footprint in enumerate(coding.footprints.of_slot(pid)):
            if footprint is None or not footprint.open:
                continue
            parts = []
            for each in sorted(footprint.open, key=repr):
                if isinstance(each, OpenElement):
                    position = expressions.position(each.variable, each.indices, READ)
                    parts.append(f"spec_element(r, ctx, {position}, {firsts[each.variable]}, {each.variable.size});")
                else:
                    parts.append(
                        f"spec_channel(r, ctx, {expressions.value(each.channel, READ)}, {int(each.receives)});"
                    )
            cases.append(f"      case {at}: {' '.join(parts)} break;")
        if cases:
            yield from (f"    case {pid}: switch (at) {{", *cases, "    } break;")


def functions(coding: Coding) -> list[str]:
    layout, parts = coding.components.layout, coding.components
    cases = []
    for pid, ((kind,), base) in enumerate(zip(layout.plan.slots, layout.bases, strict=True)):
        cases.append(f"    case {pid}: p += {base}; at = {read(layout.kinds[kind].at, 'p')}; break;")
    return [
        f"const int model_counter = {-1 if parts.counter is None else parts.counter};",
        f"const int model_cores[] = {{{', '.join(map(str, parts.cores))}}};",
        "int model_count(const u8 *s) { return process_count(s); }",
        "void model_footprint(int pid, const u8 *s, struct footprint_spec *r) {",
        "  struct context context = {0}, *ctx = &context;",
        "  const u8 *p = s;",
        "  int at = 0;",
        "  switch (pid) {",
        *cases,
        "  }",
        "  *r = footprints[pid][at];",
        "  switch (pid) {",
        *open_footprints(coding),
        "    default: break;",
        "  }",
        "}",
        "int model_moves(struct context *ctx, const u8 *s, int pid) {",
        "  return moves_by(ctx, s, pid);",
        "}",
    ]


def split(bits: int, size: int) -> list[int]:
    return [bits >> WORD * k & (1 << WORD) - 1 for k in range(size)]


def words(values: list[int]) -> str:
    return f"{{{', '.join(f'{each:#x}u' for each in values)}}}"
