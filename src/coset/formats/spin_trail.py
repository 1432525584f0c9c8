"""SPIN's trails: what `spin -t` replays on the user's own model.

A trail has one line `depth:process:statement` per statement, where `statement` is the number that SPIN gives to it in the
whole program (`Edge.statement`; `pan -d` shows it as `id`).  What pan's own trails and SPIN's simulator show:

* a handshake is two lines, the sender's first;
* an atomic sequence is nothing special, a d_step is one line with the number of the d_step itself;
* the end of a process is a line with the number of its closing brace;
* `-1:-1:-1` comes before the first line of a cycle;
* `-2:N:-2` in front starts the claim with number N; from there on the claim is process 0, the others are
  one higher, and each line of a process that begins where it can be observed has a line of the claim before it;
* `-4:-4:-4` in front says that pan merged statements.  We never do, so each statement has its own line.

SPIN sets a process to the statement that a line names and executes it; it does not ask whether a run could have
come there.  So agreement is more than "no complaint": `differences` also compares the values of all variables.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Assert, Edge, Model
from coset.model.state import Process
from coset.results.infinite import ClaimRun
from coset.results.trace import Run, table

SECONDS = 120
"""How long SPIN may take."""

FAULTS = {"index": "indexing array", "channel": "uninitialized chan", "processes": "too many processes"}
"""What SPIN says about a fault, by its kind.  It dies of a division by zero, and a d_step that blocks leaves the process
without a place; of other kinds it says nothing."""

_ENDS = re.compile(r"^spin: trail ends after (\d+) steps$", re.MULTILINE)
_ERROR = re.compile(r"^(?:spin: )?(?:(?P<file>\S.*):(?P<line>\d+), )?(?P<text>Error: .*|too many processes.*)$", re.MULTILINE)
_PROCESS = re.compile(
    r"^\s*\d+:\tproc\s+(?P<pid>\d+|-) \((?P<kind>.+):\d+\) "
    r"(?:(?P<file>.*):(?P<line>-?\d+) \(state -?\d+\)(?P<end> <valid end state>)?)?$",
    re.MULTILINE,
)
_VALUE = re.compile(r"^\t\t(?!queue )(\S+) = (\S+)$", re.MULTILINE)
_QUEUE = re.compile(r"^\t\tqueue \d+ \((\S+)\): (.*)$", re.MULTILINE)


# --- writing -------------------------------------------------------------------------------------


def trail(run: Run, claim: ClaimRun | None = None) -> str:
    """The trail of a run.  With the moves of a claim they are interleaved; without, SPIN replays the run alone, which
    is all it needs for errors of other kinds, whatever claims the file has.

    >>> from coset.pipeline import parse_text
    >>> from coset.results.trace import replay, shortest_safety_trace
    >>> model = parse_text("byte x; active proctype P() { x = 1; assert(x == 2) }")
    >>> trail(replay(model, shortest_safety_trace(model, "assertion")))
    '1:0:0\\n2:0:1\\n'
    """
    lines: list[str] = []
    depth = 0
    if claim is not None:
        lines.append(f"-2:{claim_number(run.model, claim)}:-2")
    for entry in claimed(run, claim) if claim is not None else unclaimed(run):
        if entry is None:
            lines.append("-1:-1:-1")
            continue
        depth += 1
        lines.append(f"{depth}:{entry[0]}:{entry[1].statement}")
    return "".join(f"{line}\n" for line in lines)


Entry = tuple[int, Edge] | None
"""A process and its edge, or None where the cycle begins."""


def unclaimed(run: Run) -> Iterator[Entry]:
    """The lines of a trail without a claim.  A cycle of no moves is not marked: SPIN would wait for its lines."""
    start = run.trace.loop_start
    for number, move in enumerate(run.moves):
        if number == start:
            yield None
        yield move.process, move.edge
        if move.partner is not None:
            yield move.partner


def claimed(run: Run, claim: ClaimRun) -> Iterator[Entry]:
    """The lines of a trail in which the claim is process 0."""
    for number, (position, edge) in enumerate(claim.steps):
        if number == claim.loop_start:
            yield None
        yield 0, edge
        for move in run.moves[claim.spans[position]] if number < len(claim.steps) - 1 or claim.loop_start is not None else ():
            yield move.process + 1, move.edge
            if move.partner is not None:
                yield move.partner[0] + 1, move.partner[1]


def claim_number(model: Model, claim: ClaimRun) -> int:
    """The place of a claim among all bodies of the text, which is the order of their statements."""
    bodies = [*model.kinds, *([model.monitor.automaton] if model.monitor else [])]
    own = min(edge.statement for _, edge in claim.automaton.edges())
    return sum(min((edge.statement for _, edge in body.edges()), default=own) < own for body in bodies)
