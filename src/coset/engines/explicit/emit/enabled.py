"""Whether a process can move by its own guards, as C: for priorities and `enabled()`.

As in SPIN, the sender of a handshake counts as enabled even without a partner, and a receiver only while a message is
offered.
"""

from __future__ import annotations

from coset.engines.explicit.emit.expression import READ, Expressions, read
from coset.engines.explicit.layout import Layout
from coset.model import expression as e
from coset.model import model as m


def enabled_functions(layout: Layout) -> list[str]:
    model = layout.interpreter.model
    expressions = Expressions(layout)
    parts = ["static int enabled(struct context *ctx, const u8 *s, int pid);"]  # guards may use it, too
    parts += [enabled_function(layout, expressions, k, kind) for k, kind in enumerate(model.kinds)]
    cases = "\n    ".join(f"case {k}: return enabled_{k}(ctx, s, pid);" for k in range(len(model.kinds)))
    parts.append(f"""static int can_move(struct context *ctx, const u8 *s, int pid) {{
  switch (kind_of(s, pid)) {{
    {cases}
    default: return 0;
  }}
}}""")
    return [*parts, '#include "enabled.h"']


def enabled_function(layout: Layout, expressions: Expressions, k: int, kind: m.Kind) -> str:
    cases = []
    for at, location in enumerate(kind.locations):
        tests = [test_of(edge, expressions) for edge in location.edges]
        if not location.transient and tests:
            cases.append(f"case {at}: return {' || '.join(f'({test})' for test in tests)};")
    provided = f"if (!({expressions.value(kind.provided, READ)})) return 0;" if kind.provided != e.TRUE else ""
    body = "\n    ".join(cases)
    return f"""static int enabled_{k}(struct context *ctx, const u8 *s, int pid) {{
  const u8 *p = s + bases[pid];
  const int moved = 0;
  (void)p; (void)moved; (void)ctx;
  {provided}
  switch ({read(layout.kinds[k].at, "p")}) {{
    {body}
    default: return 0;
  }}
}}"""


def test_of(edge: m.Edge, expressions: Expressions) -> str:
    """Whether an edge can be taken."""
    guard = expressions.value(edge.guard, READ)
    first = edge.effects[0] if edge.effects else None
    match first:
        case m.Receive(channel, patterns, random):
            number = expressions.value(channel, READ)
            asked = [expressions.value(p.value, READ) if p.value is not None else "0" for p in patterns]
            mask = sum(1 << i for i, p in enumerate(patterns) if p.value is not None)
            values = f"(const int[]){{{', '.join(asked) or '0'}}}"
            offered = (
                " && ".join(f"ctx->message[{i}] == {asked[i]}" for i in range(len(patterns)) if mask >> i & 1) or "1"
            )
            buffered = f"receivable(ctx, s, {number}, {values}, {mask}u, {int(random)})"
            return f"({guard}) && (ctx->offered ? ctx->offered == {number} && {offered} : {buffered})"
        case m.Send(channel):
            room = f"!({expressions.value(e.Full(channel), READ)})"
            return f"!ctx->offered && ({guard}) && {room}"
        case _:
            return f"!ctx->offered && ({guard})"
