"""The output of `coset plan --json` (schema: `schemas/plan.json`)."""

from __future__ import annotations

from coset.formats.json_output import Json, head
from coset.results.plan import Plan, Range


def range_(found: Range) -> Json:
    return {"low": int(found.low), "high": None if found.high is None else int(found.high)}


def seconds(found: Range) -> Json:
    return {"low": round(found.low, 1), "high": None if found.high is None else round(found.high, 1)}


def plan(found: Plan) -> Json:
    return {
        **head("plan"),
        "model": found.model,
        "steps": found.steps,
        "symmetry": found.symmetry or None,
        "seen": found.seen,
        "levels": found.levels,
        "complete": found.complete,
        "states": range_(found.states),
        "transitions": range_(found.transitions),
        "state_bytes": found.state_bytes,
        "nanoseconds": round(found.nanoseconds, 1),
        "usable_memory": found.usable_memory,
        "free_disk": found.free_disk,
        "machines": found.machines,
        "ways": [
            {
                "name": each.name,
                "option": each.option or None,
                "memory": range_(each.memory),
                "disk": range_(each.disk),
                "seconds": seconds(each.seconds),
                "fits": each.fits,
            }
            for each in found.ways
        ],
        "advice": found.advice,
        "take": found.take or None,
    }
