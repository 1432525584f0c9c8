"""SPIN trails, which `spin -t` replays on the user's model.

A trail has one line `depth:process:statement` per statement, where `statement` is the number that SPIN gives to it
in the whole program (`Edge.statement`; `pan -d` shows it as `id`).  As in the trails of pan:

* a handshake is two lines, the sender's first;
* an atomic sequence has one line per statement, a d_step is one line with the number of the d_step itself;
* the end of a process is a line with the number of its closing brace;
* `-1:-1:-1` comes before the first line of a cycle;
* `-2:N:-2` in front starts the claim with number N; from there on the claim is process 0, the others are
  one higher, and the claim moves before every step that begins where it can be observed;
* `-4:-4:-4` in front means that pan merged statements.  Coset writes one line for each statement.

SPIN sets a process to the statement that a line names and executes it; it does not check whether a run can reach it.  So it
is not enough that SPIN reports no error: see `spin_replay`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from coset.model.model import Claim, Edge, Model
from coset.results.infinite import ClaimRun, accepted, observed
from coset.results.trace import Run

Entry = tuple[int, Edge] | None
"""A process and its edge, or None where the cycle begins."""


def trail(run: Run) -> str:
    r"""The trail of a run.  If it violates a never claim of the model, the moves of the claim are interleaved.  For all other
    errors SPIN replays the run without a claim, whatever claims and formulas the file has.

    >>> from coset.tasks.load import parse_text
    >>> from coset.results.trace import replay, shortest_safety_trace
    >>> model = parse_text("byte x; active proctype P() { x = 1; assert(x == 2) }")
    >>> trail(replay(model, shortest_safety_trace(model, "assertion")))
    '1:0:0\n2:0:1\n'
    """
    claim = claim_run(run)
    lines = [] if claim is None else [f"-2:{claim_number(run.model, claim)}:-2"]
    depth = 0
    for entry in alone(run) if claim is None else with_claim(run, claim):
        if entry is None:
            lines.append("-1:-1:-1")
        else:
            depth += 1
            lines.append(f"{depth}:{entry[0]}:{entry[1].statement}")
    return "".join(f"{line}\n" for line in lines)


def claim_run(run: Run) -> ClaimRun | None:
    """How the claim accepts the run; None if the run does not violate a claim."""
    for claim in run.model.properties:
        if isinstance(claim, Claim) and (claim.name, "never") == (run.trace.property, run.trace.kind):
            path = observed(run.interpreter, run.states, run.holders, run.trace.loop_start)
            return accepted(run.interpreter, path, claim)
    return None


def alone(run: Run) -> Iterator[Entry]:
    """The lines of a trail without a claim.  A cycle without moves is not marked."""
    for number, move in enumerate(run.moves):
        if number == run.trace.loop_start:
            yield None
        yield move.process, move.edge
        if move.partner is not None:
            yield move.partner


def with_claim(run: Run, claim: ClaimRun) -> Iterator[Entry]:
    """The lines of a trail in which the claim is process 0.  After its end, the claim does not move."""
    last = len(claim.steps) - 1
    for number, (position, edge) in enumerate(claim.steps):
        if number == claim.loop_start:
            yield None
        yield 0, edge
        yield from ((0, replace(edge, statement=each)) for each in edge.statements)
        span = claim.path.spans[position]
        ended = number == last and claim.loop_start is None
        for move in run.moves[span.start :] if ended else run.moves[span]:
            yield move.process + 1, move.edge
            if move.partner is not None:
                yield move.partner[0] + 1, move.partner[1]


def claim_number(model: Model, claim: ClaimRun) -> int:
    """The position of a claim among all bodies of the source; their statements are numbered in that order."""
    bodies = [*model.kinds, *(each.automaton for each in model.properties if isinstance(each, Claim))]
    if model.monitor is not None:
        bodies.append(model.monitor.automaton)
    firsts = {body.name: min(edge.statement for _, edge in body.edges()) for body in bodies}
    return sum(first < firsts[claim.automaton.name] for first in firsts.values())
