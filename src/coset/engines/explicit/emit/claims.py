"""The automaton of a property as C: which of its edges can be taken in a state."""

from __future__ import annotations

from coset.engines.claim import Claim
from coset.engines.explicit.emit.expression import READ, Expressions
from coset.engines.explicit.layout import Layout


def claim_function(layout: Layout, claim: Claim | None) -> str:
    expressions = Expressions(layout)
    cases = []
    for state in range(claim.states if claim is not None else 0):
        assert claim is not None
        lines = [
            f"if ({expressions.value(edge.guard, READ)}) "
            f"{{ targets[count] = {edge.target}; marks[count++] = {edge.marks}u; }}"
            for edge in claim.edges
            if edge.source == state
        ]
        cases.append(f"case {state}:\n      " + "\n      ".join([*lines, "break;"]))
    body = "\n    ".join(cases)
    sources = [edge.source for edge in claim.edges] if claim is not None else []
    most = max([1, *map(sources.count, sources)])
    return f"""int model_claim(struct context *ctx, const u8 *s, int q, int *targets, u64 *marks) {{
  const int pid = -1, moved = 0;
  const u8 *p = s;
  int count = 0;
  (void)pid; (void)moved; (void)p; (void)s; (void)ctx; (void)targets; (void)marks;
  switch (q) {{
    {body}
    default: break;
  }}
  return count;
}}
const int model_claim_edges = {most}, model_claim_states = {claim.states if claim is not None else 0};"""
