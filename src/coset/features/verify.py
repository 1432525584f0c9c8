"""Verdicts on formulas of a generated specification."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

from coset.features.properties import Instance, Property
from coset.languages.features.generate import generate
from coset.languages.features.tree import Network
from coset.model.model import Model
from coset.results.verdict import Check, Verdict
from coset.source.budget import Phases
from coset.source.diagnostics import Diagnostic, InputError
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Limits:
    """How many states one search may have, and how it is made.  Time and memory are those of the command (`Budget`)."""

    states: int | None = None
    symmetry: str = "auto"
    engine: str = "auto"


@dataclass(frozen=True, slots=True)
class Formula:
    """An `ltl` block and where it comes from."""

    name: str
    text: str
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdict on one formula.  `counterexample` is the run as text, `trace` the same for machines."""

    name: str
    formula: str
    verdict: Verdict
    states: int
    seconds: float
    reason: str | None = None
    counterexample: str | None = None
    trace: dict[str, Any] | None = None


def formula_of(property_: Property, instance: Instance, network: Network) -> Formula:
    return Formula(instance.label, property_.formula_for(instance.arguments, network), property_.span)


def configured(network: Network, instances: Sequence[Instance], properties: dict[str, Property]) -> Network:
    """The network with exactly these features."""
    members: dict[str, tuple[tuple[int, ...], ...]] = {}
    for instance in instances:
        arity = properties[instance.name].arity
        if network.feature(instance.name) is not None:
            members[instance.name] = (*members.get(instance.name, ()), instance.arguments[:arity])
    return network.featured(members)


def verify(text: str, name: str, formulas: Sequence[Formula], limits: Limits, width: int = 100) -> list[Outcome]:
    """Check formulas that a specification has as `ltl` blocks.  Once the budget is used up, the rest is unknown."""
    phases = Phases()
    model = phases(lambda: parsed(text, name, formulas))
    found = []
    for formula in formulas:
        began = time.monotonic()
        outcome = None if model is None else phases(partial(decided, model, formula, limits, width))
        if outcome is None:
            outcome = undecided(formula, str(phases.stopped))
        found.append(replace(outcome, seconds=round(time.monotonic() - began, 3)))
    return found


def parsed(text: str, name: str, formulas: Sequence[Formula]) -> Model:
    from coset.tasks import load as load_task

    try:
        return load_task.parse_text(text, name)
    except InputError as error:
        raise InputError(blamed(each, formulas) for each in error.diagnostics) from None


def decided(model: Model, formula: Formula, limits: Limits, width: int) -> Outcome:
    """The verdict on one formula, with the run that violates it."""
    from coset.formats.trace_json import document
    from coset.results.trace import replay
    from coset.views.lanes import lanes

    alone = replace(model, properties=tuple(each for each in model.properties if each.name == formula.name))
    (result,) = checked(alone, formula.name, limits).properties
    run = None if result.trace is None else replay(alone, result.trace)
    shown = None if run is None else lanes(run, width)
    trace = None if run is None else document(run.trace, run)
    return Outcome(formula.name, formula.text, result.verdict, result.states, 0.0, result.reason, shown, trace)


def undecided(formula: Formula, reason: str) -> Outcome:
    return Outcome(formula.name, formula.text, Verdict.UNKNOWN, 0, 0.0, reason)


def checked(model: Model, name: str, limits: Limits) -> Check:
    """The check of one formula, by the compiled engine at once where there is one: most of these models are not small."""
    from coset.engines.contract import NoCompiler, Unsupported
    from coset.tasks import check as check_task

    options: dict[str, Any] = {
        "properties": [name], "symmetry": limits.symmetry, "max_states": limits.states,
    }  # fmt: skip
    try:
        return check_task.check(model, engine="explicit" if limits.engine == "auto" else limits.engine, **options)
    except (NoCompiler, Unsupported):
        return check_task.check(model, engine="reference", **options)


def blamed(diagnostic: Diagnostic, formulas: Sequence[Formula]) -> Diagnostic:
    """What is wrong with a formula is said where the user has written it."""
    line = "" if diagnostic.span is None else diagnostic.span.source.line_text(diagnostic.span.line)
    for formula in formulas:
        if line.startswith(f"ltl {formula.name} ") and formula.span is not None:
            return replace(diagnostic, span=formula.span, message=f"{diagnostic.message} (in `{formula.text}`)")
    return diagnostic


def checked_specification(network: Network, formulas: Sequence[Formula]) -> str:
    """The specification, after its formulas have been read.  Raises `InputError`."""
    from coset.tasks import load as load_task

    text = specification(network, formulas)
    try:
        load_task.parse_text(text, f"{network.name}.pml")
    except InputError as error:
        raise InputError(blamed(each, formulas) for each in error.diagnostics) from None
    return text


def specification(network: Network, formulas: Sequence[Formula]) -> str:
    return generate(network, [(each.name, each.text) for each in formulas])
