"""Finding the symmetry of a model: its group, what the properties cost, and why it is not larger."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from coset.model import model as m
from coset.model.state import process_number
from coset.results.symmetry import Broken, Explanation, GroupFound, Remark, SymmetryReport
from coset.source.budget import OutOfBudget, Phases, current_budget, installed, within
from coset.source.diagnostics import InputError
from coset.source.text import Source
from coset.symmetry.canonical.anonymous import certify as certify_order
from coset.symmetry.canonical.anonymous import in_any_order
from coset.symmetry.certify import MOVES
from coset.symmetry.declared import declared_types
from coset.symmetry.methods.auto import MOST_EDGES, REPORT_STEPS, REPORT_VERTICES, size
from coset.symmetry.methods.constraints import TooLarge
from coset.symmetry.methods.constraints.detect import uncertified
from coset.symmetry.methods.constraints.form import sequential_form
from coset.symmetry.methods.registry import METHODS, Listener, Question
from coset.symmetry.passes import merged_for_symmetry
from coset.symmetry.startup import UnknownProcesses
from coset.symmetry.symmetry import Finding, Symmetry
from coset.tasks.constraint_symmetry import symmetry_by_constraints, symmetry_of_sequential
from coset.tasks.symmetry_steps import STARTS, by_execution

if TYPE_CHECKING:
    from coset.symmetry.canonical.state_orbits import StateOrbits


def symmetry(
    model: m.Model,
    properties: Sequence[m.Property] | None = None,
    *,
    method: str = "auto",
    generators: Source | None = None,
    explain: bool = False,
    steps: str = "plain",
    listener: Listener = lambda line: None,
) -> SymmetryReport:
    """The symmetries of a model that keep some properties (by default all), by one of the `METHODS` or "auto": by `program`,
    or, where that finds nothing, by `constraints`.  `generators` is a file of generators to be used instead of a method.
    `steps` is "plain", or "merged" for the model as `check` searches it.  `listener` hears what `channels` does."""
    if method not in ("auto", *METHODS):
        raise ValueError(f"unknown method '{method}'; expected auto, {', '.join(METHODS)}")
    if model.sequential is not None and method in ("auto", "constraints"):
        return symmetry_of_sequential(model.sequential, model.name)
    kept = model.properties if properties is None else tuple(properties)
    written, asked = model, kept
    if steps == "merged":
        names = [each.name for each in kept]
        model = merged_for_symmetry(model, marks=False)
        kept = tuple(each for each in model.properties if each.name in names)
    if method == "constraints":
        return symmetry_by_constraints(model, kept, steps=steps)
    if method == "auto" and generators is None:
        report = symmetry_by_either(model, kept, explain=explain, steps=steps)
        phases = Phases()
        compared = phases(lambda: by_execution(written, asked, report.found, steps))
        return replace(report, by_execution=compared, stopped=report.stopped or phases.stopped)
    name = "program" if method == "auto" else method
    return symmetry_by_one(model, kept, name, generators=generators, explain=explain, steps=steps, listener=listener)


def symmetry_by_either(
    model: m.Model, kept: Sequence[m.Property], *, explain: bool = False, steps: str = "plain"
) -> SymmetryReport:
    """What `program` finds, or, where that is nothing, `constraints`: as `auto` does for a search."""
    report = symmetry_by_one(model, kept, "program", explain=explain, steps=steps)
    began, phases = time.monotonic(), Phases()
    order = phases(lambda: order_by_constraints(model, kept))
    seconds = {**report.seconds, "constraints": round(time.monotonic() - began, 6)}
    if order is None:
        return replace(report, seconds=seconds, stopped=phases.stopped)
    if isinstance(order, str):
        return replace(report, why=order or None, seconds=seconds)
    if order <= report.found.order:
        more = "no further symmetry" if order == report.found.order else f"a smaller group (order {order})"
        return replace(report, why=f"cross-check by method 'constraints': {more}", seconds=seconds)
    if report.found.order > 1:
        larger = (
            f"method 'constraints' finds a larger group (order {order:,}), but searches slower (--symmetry constraints)"
        )
        return replace(report, why=larger, seconds=seconds)
    used = "method 'program' finds none; 'constraints' considers only values that occur"
    other = phases(lambda: symmetry_by_constraints(model, kept, steps=steps))
    if other is None:
        return replace(report, seconds=seconds, stopped=phases.stopped)
    return replace(other, why=used, seconds={**seconds, **other.seconds}, explanation=report.explanation)


def order_by_constraints(model: m.Model, kept: Sequence[m.Property]) -> int | str:
    """The order of the group that `constraints` finds, or why it is not known; nothing where other findings tell."""
    if size(model) > MOST_EDGES:
        return f"no cross-check by method 'constraints': the processes have more than {MOST_EDGES} edges"
    try:
        with installed(within(steps=REPORT_STEPS)):
            form = sequential_form(model, kept)
            return "" if isinstance(form, UnknownProcesses) else uncertified(form.flat, REPORT_VERTICES).order
    except OutOfBudget as limit:
        current_budget().demand()
        return f"cross-check by method 'constraints' stopped: it needs more than {limit}"
    except InputError as error:
        return f"no cross-check by method 'constraints': {error.diagnostics[0].message}"
    except TooLarge as error:
        return f"no cross-check by method 'constraints': {error}"


def symmetry_by_one(
    model: m.Model,
    kept: Sequence[m.Property],
    method: str,
    *,
    generators: Source | None = None,
    explain: bool = False,
    steps: str = "plain",
    listener: Listener = lambda line: None,
) -> SymmetryReport:
    """The report on one method, or on the generators of a file."""
    began = time.monotonic()
    phases = Phases()
    before = alone(model, (), method, steps) if kept and method == "program" and generators is None else None
    is_trivial = before is not None and before.order == 1  # then no symmetry keeps the properties
    found = before if before is not None and is_trivial else searched(model, kept, method, generators, listener, steps)
    seconds = {"symmetry": time.monotonic() - began}
    plain = before or (phases(lambda: alone(model, (), method, steps)) if kept else None) or found
    explanation = None
    if explain:
        began = time.monotonic()
        explanation = phases(lambda: explained(model, kept, found))
        seconds["explain"] = time.monotonic() - began
    cost = phases(lambda: tuple(costs(model, kept, found, plain, method, steps)))
    broken_rules = phases(lambda: breaches(found))
    processes = in_any_order(found, kept) if steps == "merged" else None
    tried = found.certified if processes is None else certify_order(processes)
    said_of_types = phases(lambda: declared_types(found)) or ()
    return SymmetryReport(
        model.name,
        found.method,
        steps,
        group(found) if processes is None else GroupFound(1, (), processes.describe()),
        tuple(each.name for each in kept),
        group(plain),
        cost or (),
        candidate(found),
        found.points is not None or processes is not None,
        tried,
        tuple(remarks((*found.findings, *said_of_types))),
        broken_rules,
        found.log,
        explanation,
        {phase: round(spent, 6) for phase, spent in seconds.items()},
        stopped=phases.stopped,
    )


def searched(
    model: m.Model,
    kept: Sequence[m.Property],
    method: str,
    generators: Source | None,
    listener: Listener,
    steps: str,
) -> Symmetry:
    if generators is not None:
        from coset.symmetry.user_generators import user_generators

        return user_generators(model, generators, kept)
    return cast("Symmetry", METHODS[method].detect(Question(model, kept, listener=listener, starts=STARTS[steps])))


def state_orbits(model: m.Model, kept: Sequence[m.Property], method: str) -> StateOrbits:
    """The orbits of states under the group that a method finds, as a report tells it."""
    from coset.symmetry.canonical.state_orbits import StateOrbits

    return StateOrbits(METHODS[method].detect(Question(model, kept, MOVES)).actions)


def alone(model: m.Model, kept: Sequence[m.Property], method: str, steps: str) -> Symmetry:
    """The symmetries that keep other properties, to compare with."""
    comparing = METHODS[method if METHODS[method].compares else "program"]
    return cast("Symmetry", comparing.detect(Question(model, kept, moves=0, starts=STARTS[steps])))


def group(found: Symmetry) -> GroupFound:
    return GroupFound(found.order, tuple(found.generators()), found.describe())


def candidate(found: Symmetry) -> GroupFound | None:
    if found.candidate is None:
        return None
    return GroupFound(found.candidate.order, found.candidate_generators, "")


def costs(
    model: m.Model, kept: Sequence[m.Property], found: Symmetry, plain: Symmetry, method: str, steps: str
) -> Iterable[tuple[str, int]]:
    """What each property alone leaves of the group."""
    for property_ in kept:
        if len(kept) == 1 or found.order == plain.order:
            yield property_.name, found.order
        else:
            yield property_.name, alone(model, (property_,), method, steps).order


def breaches(found: Symmetry) -> tuple[Remark, ...] | None:
    """Where the text breaks the rules that `channels` needs."""
    from coset.symmetry.methods.channels.rules import breaches as broken_rules

    return None if found.points is None else tuple(Remark(each.text, each.span) for each in broken_rules(found.points))


def remarks(findings: Iterable[Finding]) -> Iterable[Remark]:
    return dict.fromkeys(Remark(finding.text, finding.span) for finding in findings)


def explained(model: m.Model, kept: Sequence[m.Property], found: Symmetry) -> Explanation:
    from coset.symmetry.explain.explanation import explain
    from coset.symmetry.explain.near_copies import near_copies
    from coset.symmetry.explain.wording import broken, processes

    free = frozenset() if found.points is None else found.points.started.free
    explanation = explain(found.read or model, kept, found.order, free=free)
    entries = [
        Broken(
            each.reason, each.kind, each.between, tuple(processes(each.kind, numbers(model, each.groups))),
            each.spans, each.why, each.gain, each.alone,
        )
        for each in broken(explanation)
    ]  # fmt: skip
    kinds = [process.kind for process in explanation.started.state.processes] if explanation.started else []
    exchanged = frozenset(
        frozenset({kinds[p], kinds[q]}) for action in found.actions for p, q in action.process.items()
    )
    read = found.read or model
    for number, near in enumerate(near_copies(read, kinds, exchanged), len(explanation.reasons) + 1):
        entries.append(Broken(number, near.names[0], near.names, near.names, near.spans, near.why, None))
    return Explanation(tuple(entries), explanation.complete, len(set(kinds)) < len(kinds))


def numbers(model: m.Model, groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """Processes by the numbers that the user knows."""
    return [[process_number(model, number) for number in group] for group in groups]
