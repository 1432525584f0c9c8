"""The JSON object of `coset symmetry`."""

from __future__ import annotations

from coset.formats.json_output import Json, head, place
from coset.results.symmetry import Broken, ByExecution, GroupFound, Remark, SymmetryReport


def report(shown: SymmetryReport) -> Json:
    """`coset symmetry`.  Orders are exact; `broken` is null without --explain; `explained` tells whether all reasons were found
    within the time limit."""
    explanation = shown.explanation
    return {
        **head("symmetry"),
        "model": shown.model,
        "steps": shown.steps,
        "why": shown.why,
        "stopped": shown.stopped,
        "symmetry": {"method": shown.method, **group(shown.found)},
        "candidate": None if shown.candidate is None else order(shown.candidate),
        "well_typed": shown.breaches == (),
        "certified": shown.certified,
        "states_tried": shown.tried,
        "properties": [{"name": name, "order": alone} for name, alone in shown.costs],
        "without_properties": group(shown.without_properties),
        "findings": [remark(each) for each in shown.findings],
        "typing": [remark(each) for each in shown.breaches or ()],
        "log": list(shown.log),
        "seconds": dict(shown.seconds),
        "broken": None if explanation is None else [broken(each) for each in explanation.broken],
        "explained": None if explanation is None else explanation.complete,
        "by_steps": None if shown.by_execution is None else by_steps(shown.by_execution),
    }


def by_steps(found: ByExecution) -> Json:
    """`explore` uses the group on plain steps, `check` the one on merged steps, except for the properties in `plain_for`."""
    return {
        "plain": group(found.plain),
        "merged": group(found.merged),
        "explore": "plain",
        "check": "merged",
        "plain_for": list(found.plain_for),
        "why": found.why,
    }


def group(found: GroupFound) -> Json:
    return {**order(found), "structure": found.structure}


def order(found: GroupFound) -> Json:
    return {"order": found.order, "generators": list(found.generators)}


def remark(found: Remark) -> Json:
    return {"text": found.text, "span": place(found.span)}


def broken(found: Broken) -> Json:
    """`gain` is the order of the group without all entries of the same `reason` (and, if it is not `alone`, of the
    reasons before)."""
    return {
        "between": list(found.between),
        "span": place(found.spans[0] if found.spans else None),
        "why": found.why,
        "gain": found.gain,
        "reason": found.reason,
        "alone": found.alone,
        "kind": found.kind,
        "groups": list(found.groups),
        "spans": [place(span) for span in found.spans],
    }
