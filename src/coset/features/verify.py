"""Verdicts on formulas of a generated specification."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coset.features.properties import Instance, Property
from coset.languages.features.generate import generate
from coset.languages.features.tree import Network
from coset.model.model import Model
from coset.results.verdict import Check, Verdict
from coset.source.diagnostics import Diagnostic, InputError
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Limits:
    """What one search may take, and how it is made."""

    states: int | None = None
    seconds: float | None = None
    memory: int | None = None
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
    """Check formulas that a specification has as `ltl` blocks."""
    from coset import pipeline
    from coset.formats.trace_json import document
    from coset.results.trace import replay
    from coset.views.lanes import lanes

    try:
        model = pipeline.parse_text(text, name)
    except InputError as error:
        raise InputError(blamed(each, formulas) for each in error.diagnostics) from None
    found = []
    for formula in formulas:
        began = time.monotonic()
        alone = replace(model, properties=tuple(each for each in model.properties if each.name == formula.name))
        (decided,) = checked(alone, formula.name, limits).properties
        run = None if decided.trace is None else replay(alone, decided.trace)
        shown = None if run is None else lanes(run, width)
        trace = None if run is None else document(run.trace, run)
        spent = round(time.monotonic() - began, 3)
        found.append(
            Outcome(formula.name, formula.text, decided.verdict, decided.states, spent, decided.reason, shown, trace)
        )
    return found


def checked(model: Model, name: str, limits: Limits) -> Check:
    """The check of one formula, by the compiled engine at once where there is one: most of these models are not small."""
    from coset import pipeline
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.engine import Unsupported

    options: dict[str, Any] = {
        "properties": [name], "symmetry": limits.symmetry,
        "max_states": limits.states, "max_seconds": limits.seconds, "max_memory": limits.memory,
    }  # fmt: skip
    try:
        return pipeline.check(model, engine="explicit" if limits.engine == "auto" else limits.engine, **options)
    except (NoCompiler, Unsupported):
        return pipeline.check(model, engine="reference", **options)


def blamed(diagnostic: Diagnostic, formulas: Sequence[Formula]) -> Diagnostic:
    """What is wrong with a formula is said where the user has written it."""
    line = "" if diagnostic.span is None else diagnostic.span.source.line_text(diagnostic.span.line)
    for formula in formulas:
        if line.startswith(f"ltl {formula.name} ") and formula.span is not None:
            return replace(diagnostic, span=formula.span, message=f"{diagnostic.message} (in `{formula.text}`)")
    return diagnostic


def checked_specification(network: Network, formulas: Sequence[Formula]) -> str:
    """The specification, after its formulas have been read.  Raises `InputError`."""
    from coset import pipeline

    text = specification(network, formulas)
    try:
        pipeline.parse_text(text, f"{network.name}.pml")
    except InputError as error:
        raise InputError(blamed(each, formulas) for each in error.diagnostics) from None
    return text


def specification(network: Network, formulas: Sequence[Formula]) -> str:
    return generate(network, [(each.name, each.text) for each in formulas])
