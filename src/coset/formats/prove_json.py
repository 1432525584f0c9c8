"""The JSON object of `coset prove` (schema: `schemas/prove.json`)."""

from __future__ import annotations

from collections.abc import Mapping

from coset.formats.json_output import Json, head
from coset.formats.trace_json import document
from coset.results.proof import Proof, PropertyProof, RoundReport, SizeVerdict
from coset.results.trace import Run


def proof(result: Proof, runs: Mapping[str, Run]) -> Json:
    """The verdicts.  The top-level fields about one property are those of the deciding one: the first with the overall
    verdict.  `runs` maps the names of properties to counterexamples."""
    deciding = result.deciding
    return {
        **head("prove"),
        "model": result.model,
        "verdict": result.verdict.value,
        "for_all": None if deciding is None else deciding.for_all,
        "answer": None if deciding is None else deciding.answer,
        "spotlight": [] if deciding is None else list(deciding.spotlight),
        "predicates": [] if deciding is None else list(deciding.predicates),
        "iterations": 0 if deciding is None else deciding.iterations,
        "fair": result.fair,
        "invariants": list(result.invariants),
        "dropped_lemmas": list(result.dropped),
        "seconds": result.seconds,
        "properties": [property_(each, runs.get(each.name)) for each in result.properties],
    }


def property_(found: PropertyProof, run: Run | None) -> Json:
    return {
        "name": found.name,
        "formula": found.text,
        "verdict": found.verdict.value,
        "answer": found.answer,
        "for_all": found.for_all,
        "general": found.general.value,
        "paper": found.paper.value,
        "spotlight": list(found.spotlight),
        "predicates": list(found.predicates),
        "iterations": found.iterations,
        "rounds": [round_(each) for each in found.rounds],
        "sizes": [size(each) for each in found.sizes],
        "reason": found.reason,
        "at": found.at,
        "trace": None if found.trace is None else document(found.trace, run),
    }


def round_(each: RoundReport) -> Json:
    return {
        "spotlight": list(each.spotlight),
        "predicates": list(each.predicates),
        "states": each.states,
        "truth": each.truth,
        "next": each.next,
    }


def size(each: SizeVerdict) -> Json:
    return {
        "sizes": each.sizes,
        "verdict": each.verdict.value,
        "how": each.how,
        "states": each.states,
        "reason": each.reason,
        "confirms": not each.general,
    }
