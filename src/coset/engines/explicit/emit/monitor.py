"""A monitor (`trace`, `notrace`) as C: a function that is called for every message that is sent or received."""

from __future__ import annotations

from coset.engines.explicit.emit.expression import WRITE, Expressions, read, write
from coset.engines.explicit.layout import Layout
from coset.model import model as m


def monitor_function(layout: Layout) -> str:
    """`event(ctx, t, sends, number, v, edge)`: the monitor takes the first edge that matches, or reports an error."""
    monitor = layout.interpreter.model.monitor
    if monitor is None:
        return ""
    assert layout.watch is not None
    expressions = Expressions(layout)
    automaton = monitor.automaton
    events = [effect for _, edge in automaton.edges() for effect in edge.effects if isinstance(effect, m.Event)]
    scopes = [f"(sends == {int(x.sends)} && number == {expressions.value(x.channel, WRITE)})" for x in events]
    ends = {at for at, location in enumerate(automaton.locations) if any(e.target == m.GONE for e in location.edges)}
    cases = []
    for at, location in enumerate(automaton.locations):
        if at in ends:
            continue
        lines = [f"case {at}:"]
        for edge in location.edges:
            tests = [test for effect in edge.effects for test in matches(effect, expressions)]
            over = "report(ctx, ERROR_TRACE, edge); " if monitor.negated and edge.target in ends else ""
            go = f"{write(layout.watch, 't', str(edge.target))} {over}return;"
            lines.append(f"  if ({' && '.join(tests) or '1'}) {{ {go} }}")
        cases.append("\n    ".join([*lines, "  break;"]))
    end = min(ends, default=0)
    otherwise = write(layout.watch, "t", str(end)) if monitor.negated else "report(ctx, ERROR_TRACE, edge);"
    body = "\n    ".join(cases)
    return f"""static void event(struct context *ctx, u8 *t, int sends, int number, const int *v, int edge) {{
  const int pid = -1;
  u8 *q = t;
  (void)pid; (void)q; (void)v; (void)edge;
  if (!({" || ".join(scopes) or "0"})) return;
  switch ({read(layout.watch, "t")}) {{
    {body}
    default: break;
  }}
  {otherwise}
}}"""


def matches(effect: m.Effect, expressions: Expressions) -> list[str]:
    assert isinstance(effect, m.Event)
    tests = [f"sends == {int(effect.sends)}", f"number == {expressions.value(effect.channel, WRITE)}"]
    for k, pattern in enumerate(effect.patterns):
        if pattern.value is not None:
            tests.append(f"v[{k}] == {expressions.value(pattern.value, WRITE)}")
    return tests


def may_end(layout: Layout) -> str:
    """The C condition under which the run may end according to the monitor."""
    monitor = layout.interpreter.model.monitor
    if monitor is None or layout.watch is None:
        return "1"
    watch = read(layout.watch, "s")
    good = [at for at, location in enumerate(monitor.automaton.locations) if location.end]
    return " || ".join(f"{watch} == {at}" for at in good) or "0"
