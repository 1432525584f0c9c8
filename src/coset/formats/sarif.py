"""Verdicts as SARIF 2.1.0 (OASIS, 2020), for code-scanning UIs.

A violated property is a result at the line where its run ends, with all moves of the run as a code flow.  An undecided one is
a result of the kind `open`.  A property that holds has no result, unless it does so vacuously: then a warning.  Statements that
are never reached are notes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from coset.model.state import process_name
from coset.results.coverage import STATEMENT
from coset.results.trace import Run
from coset.results.verdict import Check, PropertyResult, Verdict
from coset.results.waiting import waiting
from coset.source.diagnostics import Diagnostic, Severity
from coset.source.text import Span

Json = dict[str, Any]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


VACUOUS, UNREACHED = "vacuous", "unreached"


def sarif(result: Check, file: str, version: str, runs: Mapping[str, Run]) -> Json:
    """The document for a check of `file`, in which the rules are the kinds of properties; `runs` has the
    counterexamples by the names of their properties."""
    shown = [each for each in result.properties if each.verdict is not Verdict.HOLDS]
    kinds = sorted({each.kind for each in result.properties})
    rules = [{"id": kind, "shortDescription": {"text": kind.violation}} for kind in kinds]
    results = [outcome(each, kinds.index(each.kind), file, runs.get(each.name)) for each in shown]
    for rule, text, found in remarks(result, file):
        if rule not in [each["id"] for each in rules]:
            rules.append({"id": rule, "shortDescription": {"text": text}})
        results.append({"ruleId": rule, "ruleIndex": [each["id"] for each in rules].index(rule), **found})
    return document(version, rules, results, True)


def remarks(result: Check, file: str) -> Iterator[tuple[str, str, Json]]:
    """What is wrong besides violations: a rule, its description, and the result."""
    for each in result.properties:
        if each.vacuous:
            words = f"{each.name} holds vacuously: {each.vacuity}"
            yield VACUOUS, "A property holds vacuously.", remark(words, location(None, file), "warning")
    for unreached in () if result.coverage is None else result.coverage.unreached:
        end = "is never reached" if unreached.kind == STATEMENT else "is never taken"
        words = f"{' '.join(unreached.text.split())} of {unreached.process} {end}"
        yield UNREACHED, "A statement is never reached.", remark(words, location(unreached.span, file), "note")


def remark(words: str, place: Json, level: str) -> Json:
    return {"level": level, "message": {"text": words}, "locations": [place]}


def rejected(file: str, version: str, diagnostics: Sequence[Diagnostic]) -> Json:
    """The document for a model that cannot be loaded: every diagnostic is a result."""
    codes = sorted({each.code for each in diagnostics})
    rules = [{"id": code} for code in codes]
    results = [
        {
            "ruleId": each.code,
            "ruleIndex": codes.index(each.code),
            "level": "error" if each.severity is Severity.ERROR else "warning",
            "message": {"text": each.message + (f" ({each.hint})" if each.hint else "")},
            "locations": [location(each.span, file)],
        }
        for each in diagnostics
    ]
    return document(version, rules, results, False)


def document(version: str, rules: list[Json], results: list[Json], successful: bool) -> Json:
    driver = {"name": "Coset", "version": version, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": successful}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def outcome(result: PropertyResult, rule: int, file: str, run: Run | None) -> Json:
    """The result for a property that is violated or undecided."""
    found: Json = {"ruleId": result.kind, "ruleIndex": rule}
    if result.verdict is Verdict.UNKNOWN:
        found |= {"kind": "open", "level": "none"}
        words = f"{result.name}: not decided: {result.reason}"
    else:
        found |= {"kind": "fail", "level": "error"}
        ending = "" if run is None else f": {run.message}, after {len(run.moves)} moves"
        words = f"{result.name} is violated{ending}"
    found["message"] = {"text": words}
    places = ends(run, file) if run is not None else []
    found["locations"] = places[:1] or [location(None, file)]
    if len(places) > 1:
        found["relatedLocations"] = [{"id": number, **each} for number, each in enumerate(places)]
    found["partialFingerprints"] = {"property/v1": f"{PurePath(file).name}:{result.name}"}
    if run is not None and run.moves:
        found["codeFlows"] = [
            {"threadFlows": [{"locations": [step(run, number, file) for number in range(len(run.moves))]}]}
        ]
    return found


def ends(run: Run, file: str) -> list[Json]:
    """Where a run ends: at the statements on which processes are blocked, or at the last executed statement."""
    if run.trace.kind == "deadlock":
        stuck = [each for each in waiting(run.interpreter, run.last) if not each.valid_end]
        return [location(each.span, file) | {"message": {"text": str(each)}} for each in stuck]
    spans = [move.edge.span for move in run.moves if move.edge.span is not None]
    return [location(span, file) for span in spans[-1:]]


def step(run: Run, number: int, file: str) -> Json:
    """One move as a location of the code flow."""
    move = run.moves[number]
    who = process_name(run.model, move.process, run.states[number].processes[move.process])
    text = f"{who}: {' '.join(move.edge.text.split()) or move.edge.guard}"
    changes = {name: {"text": change.new} for name, change in run.changes[number].items() if change.new is not None}
    place = location(move.edge.span, file) | {"message": {"text": text}}
    return {"location": place, "executionOrder": number + 1, **({"state": changes} if changes else {})}


def location(span: Span | None, file: str) -> Json:
    """A place in a file; the whole file if nothing more is known."""
    if span is None:
        return {"physicalLocation": {"artifactLocation": {"uri": uri(file)}}}
    region = {"startLine": span.line, "startColumn": span.column}
    last = max(span.end, span.start + 1)
    line, column = span.source.position(last)
    if (line, column) > (span.line, span.column):
        region |= {"endLine": line, "endColumn": column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(span.file)}, "region": region}}


def uri(file: str) -> str:
    """A file as SARIF names it.

    >>> uri("my models/a.pml"), uri("/tmp/a.pml")
    ('my%20models/a.pml', 'file:///tmp/a.pml')
    """
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))
