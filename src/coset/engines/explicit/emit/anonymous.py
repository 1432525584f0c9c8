"""Representatives of states whose processes may be arranged in any order, in C: the tables of anonymous.h.

model_is_over   whether a process can only end
model_end       writes the location of such a process: all of them are alike
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.engines.explicit.emit.action import array_of
from coset.engines.explicit.emit.expression import write
from coset.engines.explicit.layout import Layout
from coset.symmetry.canonical.anonymous_plan import AnonymousPlan


def anonymous_functions(layout: Layout, plan: AnonymousPlan) -> list[str]:
    """C for processes in any order; the layout must have room for any kind in each slot."""
    first = -1 if plan.processes.first is None else plan.processes.first
    last = plan.processes.last
    return [
        "#define POINTS 1\n#define PARTS 1",
        '#include "group.h"',
        array_of("kind_sizes", "int", (kind.size for kind in layout.kinds), "static "),
        f"enum {{ kind_that_stays = {first}, kind_that_ends = {last.kind} }};",
        "\n".join(is_over(plan)),
        f"static inline void model_end(u8 *q) {{ {write(layout.kinds[last.kind].at, 'q', str(last.at))} }}",
        '#include "anonymous.h"',
    ]


def is_over(plan: AnonymousPlan) -> Iterator[str]:
    yield "static inline int model_is_over(const u8 *s, int pid) {"
    yield "  int at = position_of(s, pid);"
    yield "  (void)at;"
    yield "  switch (kind_of(s, pid)) {"
    for kind, locations in enumerate(plan.processes.over):
        if locations:
            yield f"    case {kind}: return {' || '.join(f'at == {each}' for each in sorted(locations))};"
    yield "    default: return 0;"
    yield "  }"
    yield "}"
