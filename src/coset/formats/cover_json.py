"""The output of `coset simulate --cover --json` (schema: `schemas/simulate.json`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coset.formats.json_output import Json, head
from coset.formats.trace_json import document
from coset.model.model import Model
from coset.results.cover import Cover


def covered(model: Model, what: str, found: Cover, files: Sequence[Path]) -> Json:
    """The runs, each as a trace that `coset replay` reads, with the file that it was written to, and what they do not cover."""
    names: list[str | None] = [*map(str, files)] or [None] * len(found.runs)
    return {
        **head("simulate"),
        "model": model.name,
        "cover": what,
        "targets": found.targets,
        "covered": found.targets - len(found.missing),
        "missing": list(found.missing),
        "complete": found.complete,
        "stopped": found.stopped,
        "runs": [
            {"file": name, "moves": len(run.moves), "trace": document(run.trace, run)}
            for name, run in zip(names, found.runs, strict=True)
        ],
    }
