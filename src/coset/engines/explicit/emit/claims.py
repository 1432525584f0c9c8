"""The automaton of a property as C: which of its edges can be taken in a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coset.engines.claim import Claim
from coset.engines.explicit.emit.expression import READ, Expressions
from coset.engines.explicit.layout import Layout
from coset.model.fairness import ProcessFairness, conditions_of

if TYPE_CHECKING:
    from coset.engines.explicit.components import Coding

WORD = 64
MARK_BITS = 32
"""The most marks of a recorded edge."""


def has_graph(claim: Claim | None, is_partial: bool, quick: bool) -> bool:
    """Whether a breadth-first search records the graph of the product (links.h).  Cycles are searched depth first instead in the
    quick tier, which finds those that are near, and with stubborn sets, whose condition on cycles is one on the stack of the
    search; but not under fairness, which is decided by whole components."""
    if claim is None or not claim.states:  # the negation of a valid formula has an automaton without states
        return False
    if claim.observes or claim.fairness:
        return True
    return not (is_partial or quick or claim.required >> MARK_BITS)


def fairness_constants(claim: Claim | None, graph: bool) -> list[str]:
    """Constants for the header."""
    if claim is None or not graph or not claim.fairness:
        return ["#define MODEL_FAIR 0"]
    return [
        "#define MODEL_FAIR 1",
        f"#define MODEL_FAIR_PROCESSES {list(ProcessFairness).index(claim.fairness.processes)}",
    ]


def constraints_function(layout: Layout, claim: Claim) -> str:
    """Which conditions of fairness constraints hold in a state, as bits."""
    expressions = Expressions(layout)
    conditions = enumerate(conditions_of(claim.fairness.constraints))
    lines = [f"if ({expressions.value(each, READ)}) holds |= (u64)1 << {number};" for number, each in conditions]
    body = "\n  ".join(lines)
    identity = braced([*range(len(layout.plan.slots)), *[0] * 8])
    return f"""const uint16_t model_identity[] = {identity};
u64 model_constraints(struct context *ctx, const u8 *s) {{
  const int pid = -1, moved = 0;
  const u8 *p = s;
  u64 holds = 0;
  (void)pid; (void)moved; (void)p; (void)s; (void)ctx;
  {body}
  return holds;
}}"""


def graph_constants(claim: Claim | None, graph: bool, coding: Coding | None) -> list[str]:
    """Constants for the header."""
    if claim is None or not graph:
        return ["#define MODEL_GRAPH 0", "#define MODEL_OBSERVES 0"]
    is_cached = coding is not None and coding.footprints.of_conditions([edge.guard for edge in claim.edges]) is not None
    return [
        "#define MODEL_GRAPH 1",
        f"#define MODEL_OBSERVES {int(claim.observes)}",
        f"#define MODEL_MARKED {int(not claim.observes and not claim.is_weak())}",
        f"#define MODEL_CLAIM_EDGES {claim.most_edges()}",
        f"#define MODEL_CLAIM_STATES {claim.states}",
        f"#define MODEL_CLAIM_CACHED {int(is_cached)}",
        *([] if coding is None else [f"#define CLAIM_COMPONENT {coding.components.claim}"]),
    ]


def graph_tables(claim: Claim, coding: Coding | None) -> str:
    """The components that the automaton reads, as bits, and the accepting components of the automaton (automaton.h)."""
    groups = [0] if claim.observes else claim.accepting_groups()
    reads = [0]
    if coding is not None:
        bits = coding.footprints.of_conditions([edge.guard for edge in claim.edges]) or 0
        touched, size = coding.components.touched(bits), -(-len(coding.components.all) // WORD)
        reads = [sum(1 << k % WORD for k in touched if k // WORD == word) for word in range(size)]
    return "\n".join([
        '#include "automaton.h"',
        f"const u64 model_claim_reads[] = {braced([f'{each:#x}u' for each in reads])};",
        f"const int model_claim_group[] = {braced(groups)};",
    ])  # fmt: skip


def braced(items: Sequence[object]) -> str:
    return f"{{{', '.join(map(str, items))}}}"


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
    most = claim.most_edges() if claim is not None else 1
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
