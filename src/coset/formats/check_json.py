"""The JSON object of `coset check` (schema: `schemas/check.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.formats.json_output import Json, exploration, place
from coset.formats.trace_json import document
from coset.model.fairness import asked_for
from coset.properties.kinds import PropertyKind
from coset.results.coverage import Unreached
from coset.results.trace import Run
from coset.results.verdict import BySymmetry, Check, Confirmation, FoundError, PropertyResult, Verdict
from coset.results.waiting import Waiting, waiting
from coset.source.timing import TIMING


def check(result: Check, runs: Mapping[str, Run], fair: bool | Sequence[str]) -> Json:
    """The fields of `coset explore`, for the search for errors in single states, and the verdicts.  `runs` maps the names of
    properties to counterexamples and witnesses.

    If no property is about single states, the counts are those of the largest search.
    """
    found = exploration(result.exploration)
    if result.properties and not any(each.kind.builtin for each in result.properties):
        largest = max(result.properties, key=lambda each: each.states)
        found["states"] = found["represents"] = largest.states
        found["transitions"] = largest.transitions
        found["complete"] = all(
            each.verdict is Verdict.HOLDS or (each.kind is PropertyKind.CTL and each.verdict is Verdict.VIOLATED)
            for each in result.properties
        )
    seconds = {**found["seconds"], "load": result.seconds.get("load", 0.0), "check": result.seconds.get("check", 0.0)}
    return {
        **found,
        "command": "check",
        "engine": result.engine,
        "seconds": seconds,
        "timing": TIMING.all(),
        "fair": bool(fair),
        "fairness": fairness(fair),
        "confirmed": confirmation(result.confirmed),
        "unreached": None if result.coverage is None else [unreached(each) for each in result.coverage.unreached],
        "unread": [{"name": each.name, "process": each.process, "span": place(each.span)} for each in result.unread],
        "properties": [property_(each, runs.get(each.name)) for each in result.properties],
        "verdict": result.verdict.value,
    }


def fairness(fair: bool | Sequence[str]) -> Json:
    """Which runs count."""
    kind, constraints = asked_for(fair)
    return {"processes": kind.value, "constraints": list(constraints)}


def property_(result: PropertyResult, run: Run | None) -> Json:
    return {
        "name": result.name,
        "kind": result.kind,
        "verdict": result.verdict.value,
        "reason": result.reason,
        "states": result.states,
        "transitions": result.transitions,
        "trace": None if result.trace is None else document(result.trace, run),
        "waiting": None if run is None or run.trace.kind != "deadlock" else [stands(each) for each in stuck(run)],
        "errors": [error(each) for each in result.errors],
        "confirmed": confirmation(result.confirmed),
        "unconfirmed": result.unconfirmed,
        "by_symmetry": by_symmetry(result.by_symmetry),
        "vacuous": result.vacuous,
        "vacuity": result.vacuity,
        "witness": None if result.witness is None else document(result.witness, run),
    }


def unreached(found: Unreached) -> Json:
    """A statement that is never reached, or an option that is never taken."""
    return {"kind": found.kind, "process": found.process, "statement": found.text, "span": place(found.span)}


def by_symmetry(found: BySymmetry | None) -> Json | None:
    """How a verdict follows from others."""
    if found is None:
        return None
    return {
        "like": found.like,
        "symmetry": found.symmetry,
        "conjuncts": found.conjuncts,
        "decided": found.decided,
    }


def confirmation(found: Confirmation | None) -> Json | None:
    """How a verdict was confirmed."""
    if found is None:
        return None
    return {"states": found.states, "engine": found.engine, "steps": found.steps, "symmetry": found.symmetry}


def stuck(run: Run) -> tuple[Waiting, ...]:
    return waiting(run.interpreter, run.last)


def stands(found: Waiting) -> Json:
    """Where a process waits, for what, and why it is blocked."""
    return {
        "process": found.process.partition("(")[0],
        "pid": found.pid,
        **place(found.span),
        "valid_end": found.valid_end,
        "blocked": [{"statement": each.statement, "why": each.why, **place(each.span)} for each in found.blocked],
        "unhandled": list(found.unhandled),
    }


def error(found: FoundError) -> Json:
    """One of several distinct errors; its moves suffice to replay it."""
    return {"kind": found.kind, "message": found.message, **place(found.span), "trace": document(found.trace)}
