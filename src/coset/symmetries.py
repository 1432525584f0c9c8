"""What `coset symmetry` asks of a model: its group, what the properties cost, and why it is not larger."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from coset.model import model as m
from coset.model.state import process_number
from coset.results.symmetry import Broken, Explanation, GroupFound, Remark, SymmetryReport
from coset.source.budget import Phases
from coset.source.text import Source
from coset.symmetry.detect import Finding, Symmetry, detect

METHODS = ("program", "channels", "hypergraph", "features")

Listener = Callable[[str], None]


def symmetry(
    model: m.Model,
    properties: Sequence[m.Property] | None = None,
    *,
    method: str = "program",
    generators: Source | None = None,
    explain: bool = False,
    steps: str = "plain",
    listener: Listener = lambda line: None,
) -> SymmetryReport:
    """The symmetries of a model that keep some properties (by default all).  `generators` is a file of generators to be
    used instead of a method.  `listener` hears what `channels` does."""
    kept = model.properties if properties is None else tuple(properties)
    began = time.monotonic()
    found = search(model, kept, method, generators, listener)
    seconds = {"symmetry": time.monotonic() - began}
    phases = Phases()
    plain = (phases(lambda: alone(model, (), method)) if kept else None) or found
    explanation = None
    if explain:
        began = time.monotonic()
        explanation = phases(lambda: explained(model, kept, found))
        seconds["explain"] = time.monotonic() - began
    cost = phases(lambda: tuple(costs(model, kept, found, plain, method)))
    broken_rules = phases(lambda: breaches(found))
    return SymmetryReport(
        model.name,
        found.method,
        steps,
        group(found),
        tuple(each.name for each in kept),
        group(plain),
        cost or (),
        candidate(found),
        found.points is not None,
        found.certified,
        tuple(remarks(found.findings)),
        broken_rules,
        tuple(map(str, found.extra.get("log", ()))),  # type: ignore[call-overload]
        explanation,
        {phase: round(spent, 6) for phase, spent in seconds.items()},
        stopped=phases.stopped,
    )


def search(
    model: m.Model, kept: Sequence[m.Property], method: str, generators: Source | None, listener: Listener
) -> Symmetry:
    if generators is not None:
        from coset.symmetry.given import given

        return given(model, generators, kept)
    if method == "channels":
        from coset.symmetry.channels import detect_channels

        return detect_channels(model, kept, listener=listener)
    if method == "hypergraph":
        from coset.symmetry.hypergraph import detect_hypergraph

        return detect_hypergraph(model, kept)
    if method == "features":
        from coset.symmetry.features import detect_features

        return detect_features(model, kept)
    return detect(model, kept)


def alone(model: m.Model, kept: Sequence[m.Property], method: str) -> Symmetry:
    """The symmetries that keep other properties, to compare with; the search of `channels` would take too long for that."""
    if method == "hypergraph":
        from coset.symmetry.hypergraph import detect_hypergraph

        return detect_hypergraph(model, kept, moves=0)
    return detect(model, kept, moves=0)


def group(found: Symmetry) -> GroupFound:
    return GroupFound(found.order, tuple(found.generators()), found.describe())


def candidate(found: Symmetry) -> GroupFound | None:
    if found.candidate is None:
        return None
    generators = found.extra.get("candidate_generators", ())
    return GroupFound(found.candidate.order, tuple(map(str, generators)), "")  # type: ignore[call-overload]


def costs(
    model: m.Model, kept: Sequence[m.Property], found: Symmetry, plain: Symmetry, method: str
) -> Iterable[tuple[str, int]]:
    """What each property alone leaves of the group."""
    for property_ in kept:
        if len(kept) == 1 or found.order == plain.order:
            yield property_.name, found.order
        else:
            yield property_.name, alone(model, (property_,), method).order


def breaches(found: Symmetry) -> tuple[Remark, ...] | None:
    """Where the text breaks the rules that `channels` needs."""
    from coset.symmetry.channels.rules import breaches as broken_rules

    return None if found.points is None else tuple(Remark(each.text, each.span) for each in broken_rules(found.points))


def remarks(findings: Iterable[Finding]) -> Iterable[Remark]:
    return dict.fromkeys(Remark(finding.text, finding.span) for finding in findings)


def explained(model: m.Model, kept: Sequence[m.Property], found: Symmetry) -> Explanation:
    from coset.symmetry.explain import explain
    from coset.symmetry.wording import broken, processes

    explanation = explain(model, kept, found.order)
    entries = [
        Broken(
            each.reason, each.kind, each.between, tuple(processes(each.kind, numbers(model, each.groups))),
            each.spans, each.why, each.gain, each.alone,
        )
        for each in broken(explanation)
    ]  # fmt: skip
    kinds = [process.kind for process in explanation.settled.state.processes] if explanation.settled else []
    return Explanation(tuple(entries), explanation.complete, len(set(kinds)) < len(kinds))


def numbers(model: m.Model, groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """Processes by the numbers that the user knows."""
    return [[process_number(model, number) for number in group] for group in groups]
