"""Traces as JSON: what `coset check` stores and `coset replay` reads (schema: `schemas/trace.json`).

The moves are the trace; `steps`, if present, describes the same run for programs that do not replay it.  It is not read
back: only the interpreter defines what a trace means.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from coset.formats.json_output import SCHEMA, Json, head, step
from coset.properties.kinds import TRACES
from coset.results.trace import Choice, Run, Trace


class TraceFormatError(ValueError):
    """A document that is not a trace."""


LONGEST_DESCRIBED = 5_000
"""Moves of a run that is described step by step without being asked for: hardly anyone reads a longer one, and it takes longer to
describe than to find.  `coset replay --json` describes any run."""


def document(trace: Trace, run: Run | None = None) -> Json:
    """A trace for a file; with the run, its steps as well, unless there are very many."""
    return complete(trace, None if run is None or len(trace) > LONGEST_DESCRIBED else steps(run))


def complete(trace: Trace, described: list[Json] | None) -> Json:
    return {
        "schema": SCHEMA,
        "model": trace.model,
        "digest": trace.digest,
        "property": trace.property,
        "kind": trace.kind,
        "moves": [[choice.process, choice.edge, *(choice.partner or ())] for choice in trace.moves],
        "loop_start": trace.loop_start,
        "steps": described,
    }


def steps(run: Run) -> list[Json]:
    """The moves of a run with what they changed: old and new value by name."""
    return [
        step(
            run.model,
            number,
            run.states[number - 1],
            move,
            {name: list(change) for name, change in changes.items() if not name.endswith("@")},
        )
        for number, (move, changes) in enumerate(zip(run.moves, run.changes), 1)
    ]


def replayed(run: Run, spin: Sequence[str] | None) -> Json:
    """The output of `coset replay`; `spin` has the differences from SPIN's replay, None if it was not requested."""
    return {
        **head("replay"),
        "model": run.model.name,
        "trace": complete(run.trace, steps(run)),
        "message": run.message,
        "spin": None if spin is None else {"confirmed": not spin, "differences": list(spin)},
    }


def read(text: str) -> Trace:
    """Read a trace from a text: a trace alone, or the first one in the output of a command.

    >>> read('{"schema": 1, "model": "m.pml", "kind": "deadlock", "moves": [[0, 1], [0, 0, 2, 1]]}').moves
    (Choice(process=0, edge=1, partner=None), Choice(process=0, edge=0, partner=(2, 1)))
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TraceFormatError(f"this is no JSON: {error}") from None
    return parse(inside(found))


def inside(found: Any) -> Any:
    """The trace within the output of `coset replay` or `coset check`."""
    if not isinstance(found, dict) or "moves" in found:
        return found
    if isinstance(found.get("properties"), list):
        for kind in ("trace", "witness"):
            for each in found["properties"]:
                if isinstance(each, dict) and isinstance(each.get(kind), dict):
                    return each[kind]
        raise TraceFormatError("there is no trace in it: no property has a counterexample or a witness")
    return found.get("trace", found)


def parse(found: Any) -> Trace:
    """Parse the trace in a document."""
    if not isinstance(found, dict) or not isinstance(found.get("moves"), list):
        raise TraceFormatError("this is no trace: it has no list of moves")
    if found.get("schema") != SCHEMA:
        raise TraceFormatError(f"this trace has schema {found.get('schema')!r}; this version reads {SCHEMA}")
    kind, loop_start = found.get("kind"), found.get("loop_start")
    if kind not in TRACES:
        raise TraceFormatError(f"a trace of the unknown kind {kind!r} (known: {', '.join(TRACES)})")
    if loop_start is not None and not natural(loop_start):
        raise TraceFormatError(f"loop_start is {loop_start!r}")
    moves = tuple(choice(number, move) for number, move in enumerate(found["moves"], 1))
    named = {name: found.get(name) for name in ("model", "property", "digest")}
    for name, value in named.items():
        if value is not None and not isinstance(value, str):
            raise TraceFormatError(f"{name} is {value!r}")
    return Trace(named["model"] or "", named["property"] or kind, kind, moves, loop_start, named["digest"])


def choice(number: int, move: Any) -> Choice:
    """One move: process and edge, and for a handshake those of the partner."""
    if not isinstance(move, list) or len(move) not in (2, 4) or not all(natural(part) for part in move):
        raise TraceFormatError(f"move {number} is {move!r}: two or four numbers are expected")
    return Choice(move[0], move[1], (move[2], move[3]) if len(move) == 4 else None)


def natural(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
