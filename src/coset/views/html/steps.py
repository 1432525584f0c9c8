"""A run as data for a page that steps through it: each move, its changes, and the locations of processes."""

from __future__ import annotations

from typing import Any

from coset.model.state import State, process_name
from coset.results.changes import table
from coset.results.trace import Run
from coset.source.text import Source, Span
from coset.views.lanes import movers, statement

Json = dict[str, Any]


def steps(run: Run, name: str) -> Json:
    """The run that violates the property `name`.

    >>> from coset.tasks.load import parse_text
    >>> from coset.results.trace import replay, shortest_safety_trace
    >>> model = parse_text("byte x; active proctype P() { x = 1; assert(x == 2) }")
    >>> found = steps(replay(model, shortest_safety_trace(model, "assertion")), "assertions")
    >>> found["start"], found["moves"][0]["changes"]
    ({'x': '0'}, {'x': '1'})
    >>> found["moves"][1]["who"], found["moves"][1]["says"], found["moves"][1]["at"]
    ('P(0)', 'assert(x == 2)', ['model.pml', 1])
    """
    start = {key: value for key, value in table(run.interpreter, run.states[0]).items() if is_shown(key)}
    return {
        "name": name,
        "message": run.message,
        "loop": run.trace.loop_start,
        "start": start,
        "moves": [move(run, number) for number in range(len(run.moves))],
        "stands": [standing(run, state) for state in run.states],
    }


def move(run: Run, number: int) -> Json:
    """One move; a variable that no longer exists has the value null."""
    before, taken = run.states[number], run.moves[number]
    who = [process_name(run.model, pid, before.processes[pid]) for pid, _ in movers(taken)]
    return {
        "who": " and ".join(who),
        "says": " / ".join(statement(run, before, pid, edge) for pid, edge in movers(taken)),
        "at": place(taken.edge.span),
        "kept": run.holders[number] == taken.process,
        "prints": "".join(taken.output),
        "changes": {name: change.new for name, change in run.changes[number].items() if is_shown(name)},
    }


def standing(run: Run, state: State) -> list[tuple[str, str, int]]:
    """The location of every process that is at a statement."""
    found = []
    for pid, process in enumerate(state.processes):
        edges = run.model.kinds[process.kind].locations[process.at].edges
        at = place(edges[0].span) if edges else None
        if at is not None:
            found.append((process_name(run.model, pid, process), *at))
    return found


def sources(run: Run) -> set[Source]:
    """The files that the moves of a run come from."""
    return {move.edge.span.source for move in run.moves if move.edge.span is not None}


def place(span: Span | None) -> Any:
    return None if span is None else [span.file, span.line]


def is_shown(name: str) -> bool:
    """Whether a name is shown: locations are marked in the source, not listed as numbers."""
    return not name.endswith("@")
