"""The JSON object of each command.

Schemas are in `formats/schemas`, and tests validate against them.  Documented fields are never renamed or dropped.
Integers are exact, however large: Python's limit on the length of integers is turned off.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from coset.model import model as m
from coset.model.expression import TRUE
from coset.model.interpreter import Move
from coset.model.printer import show_variable
from coset.model.state import State
from coset.results.exploration import Exploration
from coset.results.symmetry import SymmetryUsed
from coset.source.diagnostics import Diagnostic
from coset.source.printable import json_text
from coset.source.text import Span
from coset.source.timing import TIMING

if TYPE_CHECKING:
    from coset.formats.dot import Diagram

SCHEMA = 1
"""The version of the format: raised when a field changes its meaning."""

Json = dict[str, Any]


def text(document: Json, indent: int | None = None) -> str:
    """The object on one line, or indented for people.

    >>> len(text({"order": 10**5000}))
    5012
    """
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json_text(document, indent=indent)
    finally:
        sys.set_int_max_str_digits(limit)


def schema(command: str) -> Json:
    """The JSON Schema of a command's output; `error` is that of every command that fails."""
    found: Json = json.loads(resources.files("coset.formats").joinpath(f"schemas/{command}.json").read_text("utf-8"))
    return found


def head(command: str | None) -> Json:
    return {"schema": SCHEMA, "command": command}


# --- places ----------------------------------------------------------------------------------------


def place(span: Span | None) -> Json:
    """A position in the source text; all fields are null without a span."""
    if span is None:
        return {"file": None, "line": None, "column": None}
    return {"file": span.file, "line": span.line, "column": span.column}


def diagnostic(found: Diagnostic) -> Json:
    return {
        "code": found.code,
        "severity": found.severity.value,
        "message": found.message,
        **place(found.span),
        "hint": found.hint,
    }


def failure(command: str | None, kind: str, code: int, message: str, diagnostics: Sequence[Diagnostic] = ()) -> Json:
    """The output of a command that fails.  `kind` is usage, input, environment, internal, limit or interrupted."""
    return {
        **head(command),
        "error": {"kind": kind, "message": message, "exit": code},
        "diagnostics": [diagnostic(each) for each in diagnostics],
    }


# --- explorations ----------------------------------------------------------------------------------


def exploration(result: Exploration) -> Json:
    """`coset explore`."""
    errors = result.errors
    phases = ("load", "symmetry", "compile", "search")
    return {
        **head("explore"),
        "model": result.model,
        "states": result.states,
        "transitions": result.transitions,
        "represents": result.represents,
        "complete": result.complete,
        "depth": result.depth if result.nodes is None else None,
        "errors": {
            "assertions": errors.assertions,
            "invalid_end_states": errors.invalid_end_states,
            "trace": errors.trace,
            "faults": dict(errors.faults),
        },
        "symmetry": symmetry(result.symmetry),
        "engine": result.engine,
        "representative": result.symmetry.representative,
        "certified_states": result.certified_states,
        "threads": result.threads,
        "steps": result.steps,
        "reduction": result.reduction,
        "seconds": {**{phase: result.seconds.get(phase, 0.0) for phase in phases}, "total": TIMING.all()["total"]},
        "bytes_per_state": result.bytes_per_state,
        "peak_memory": result.peak_memory,
        "storage": result.storage,
        "omission_probability": result.omission_probability,
        "nodes": result.nodes,
    }


def symmetry(used: SymmetryUsed) -> Json:
    """The symmetry that a search used."""
    return {
        "method": used.method,
        "order": used.group.order,
        "generators": list(used.group.generators),
        "structure": used.group.structure,
        "note": used.note,
    }


# --- runs ------------------------------------------------------------------------------------------


def step(model: m.Model, number: int, before: State, move: Move, changes: Mapping[str, object]) -> Json:
    """One move of a run."""

    def taken(pid: int, edge: m.Edge) -> Json:
        name = model.kinds[before.processes[pid].kind].name
        return {"process": name, "pid": pid, **place(edge.span), "statement": edge.text}

    return {
        "number": number,
        **taken(move.process, move.edge),
        "partner": None if move.partner is None else taken(*move.partner),
        "changes": dict(changes),
        "output": list(move.output),
        "errors": [{"kind": kind, "message": message} for kind, message in move.errors],
    }


def simulation(model: m.Model, seed: int, steps: Sequence[Json], outcome: str, message: str, last: State) -> Json:
    """`coset simulate`: the moves, why the run ended, and the final locations of the processes."""
    return {
        **head("simulate"),
        "model": model.name,
        "seed": seed,
        "outcome": outcome,
        "message": message,
        "moves": len(steps),
        "steps": list(steps),
        "processes": [standing(model, pid, last) for pid in range(len(last.processes))],
    }


def standing(model: m.Model, pid: int, state: State) -> Json:
    """Where a process is, and what it may do next."""
    process = state.processes[pid]
    location = model.kinds[process.kind].locations[process.at]
    span = location.span or (location.edges[0].span if location.edges else None)
    return {
        "process": model.kinds[process.kind].name,
        "pid": pid,
        **place(span),
        "valid_end": location.end,
        "statements": [edge.text for edge in location.edges],
    }


# --- the installation ------------------------------------------------------------------------------


def doctor(usable: bool, findings: Sequence[Json], cleared: Json | None = None) -> Json:
    """`coset doctor`; with --clear-cache, also what was removed."""
    return {**head("doctor"), "usable": usable, "findings": list(findings), "cleared": cleared}


def serving(folder: str, file: str | None, url: str, port: int) -> Json:
    """`coset serve`, once the server accepts requests."""
    return {**head("serve"), "folder": folder, "file": file, "url": url, "port": port}


# --- drawings --------------------------------------------------------------------------------------


def drawing(shown: m.Model, what: str, diagram: Diagram, dot: str, output: str | None) -> Json:
    """`coset draw`: the content of the diagram, and the text for Graphviz."""
    return {
        **head("draw"),
        "model": shown.name,
        "what": what,
        "parts": [
            {
                "title": part.title,
                "subtitle": part.subtitle or None,
                "nodes": [
                    {
                        "name": node.name,
                        "title": node.title,
                        "note": node.note or None,
                        "marks": sorted(node.marks),
                        "states": node.states,
                        "problem": node.problem or None,
                    }
                    for node in part.nodes
                ],
                "arrows": [
                    {
                        "source": arrow.source,
                        "target": arrow.target,
                        "labels": list(arrow.labels),
                        "marks": sorted(arrow.marks),
                    }
                    for arrow in part.arrows
                ],
            }
            for part in diagram.parts
        ],
        "dot": dot,
        "output": output,
    }


# --- the concurrent model --------------------------------------------------------------------------


def model(shown: m.Model, warnings: Sequence[Diagnostic] = ()) -> Json:
    """`coset show`: expressions and effects are text, as the printer writes it."""
    monitor = shown.monitor
    return {
        **head("show"),
        "model": shown.name,
        "variables": [variable(each) for each in shown.variables],
        "kinds": [kind(each) for each in shown.kinds],
        "processes": [
            {"kind": each.kind, "arguments": [str(argument) for argument in each.arguments], "priority": each.priority}
            for each in shown.processes
        ],
        "monitor": None if monitor is None else {"negated": monitor.negated, "automaton": kind(monitor.automaton)},
        "properties": [property_(each) for each in shown.properties],
        "warnings": [diagnostic(each) for each in warnings],
    }


def variable(shown: m.Variable) -> Json:
    initial = shown.initial
    return {
        "name": shown.name,
        "domain": str(shown.domain),
        "low": shown.domain.low,
        "high": shown.domain.high,
        "refers": shown.domain.refers.value,
        "shape": list(shown.shape),
        "hidden": shown.hidden,
        "channel": str(initial.type) if isinstance(initial, m.NewChannel) else None,
        "initial": [] if isinstance(initial, m.NewChannel) else [str(value) for value in initial],
        "text": show_variable(shown),
        **place(shown.span),
    }


def kind(shown: m.Kind) -> Json:
    return {
        "name": shown.name,
        "parameters": shown.parameters,
        "variables": [variable(each) for each in shown.variables],
        "provided": None if shown.provided == TRUE else str(shown.provided),
        "priority": shown.priority,
        "deterministic": shown.deterministic,
        "start": shown.start,
        "locations": [location(number, each) for number, each in enumerate(shown.locations)],
        **place(shown.span),
    }


def location(number: int, shown: m.Location) -> Json:
    return {
        "number": number,
        "labels": list(shown.labels),
        "end": shown.end,
        "accept": shown.accept,
        "progress": shown.progress,
        "transient": shown.transient,
        "edges": [edge(each) for each in shown.edges],
    }


def edge(shown: m.Edge) -> Json:
    """An edge; the target is null when the process ends."""
    return {
        "target": None if shown.target == m.GONE else shown.target,
        "guard": None if shown.guard == TRUE else str(shown.guard),
        "effects": [str(effect) for effect in shown.effects],
        "hold": shown.hold,
        "tier": shown.tier,
        "group": shown.group,
        "statement": shown.text,
        **place(shown.span),
    }


def property_(shown: m.Property) -> Json:
    if isinstance(shown, m.Claim):
        return {"name": shown.name, "kind": shown.kind, "formula": None, "automaton": kind(shown.automaton)}
    return {"name": shown.name, "kind": shown.kind, "formula": str(shown.formula), "automaton": None}
