"""Check a model: decide every property, with evidence."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coset.engines.choices import STEPS, refuse_unknown
from coset.engines.reduction import UnusableSymmetry
from coset.engines.registry import ENGINES, refuse_cluster
from coset.engines.settings import Settings, chosen
from coset.model.deadlock import with_deadlock
from coset.model.fairness import UNFAIR, Fairness, ProcessFairness, asked_for, stated_by
from coset.model.implicit import implicit_properties
from coset.model.model import CtlProperty, LtlProperty, Model
from coset.properties.kinds import BUILTIN, violated_by
from coset.results.events import Listener, ignore_events
from coset.source.budget import Limits, Phases, installed, within
from coset.tasks import confirm
from coset.tasks.given_symmetry import refuse_wrong_generators
from coset.tasks.load import Warn, ignore, is_suite, load, load_suite

if TYPE_CHECKING:
    from coset.model.suite import Suite
    from coset.results.verdict import Check


def check(
    model: Model | Suite | str | Path,
    *,
    properties: Sequence[str] | None = None,
    ltl: Sequence[str] = (),
    ctl: Sequence[str] = (),
    invariants: Sequence[str] = (),
    fair: bool | str | Sequence[str] = (),
    steps: str = "merged",
    all_errors: bool = False,
    cross_check: bool = False,
    keep_going: bool = False,
    empty_channels: bool = False,
    deadlock: str | None = None,
    coverage: bool = False,
    strict: bool = False,
    symmetry: str | None = None,
    engine: str = "auto",
    threads: int | None = None,
    settings: Settings | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    listener: Listener = ignore_events,
    warn: Warn = ignore,
    language: str | None = None,
) -> Check:
    """Decide every property of a model: its assertions, end states, runtime errors, `ltl` blocks and never claims.

    With `properties` (names), `ltl` or `ctl` (formulas, if `model` is a path), only these are checked; with `invariants`
    (conditions that must hold in all states), these and runtime errors, which end runs.
    `steps` is "merged" (invisible steps are merged where that preserves the verdict) or "plain".  `all_errors`: count all
    errors in single states and show each distinct one.  `empty_channels`: a valid end state needs empty channels.
    `deadlock`: what an invalid end state is (`model/deadlock.py`); by default, what the language says.
    `fair`: only fair runs count: True or "weak", "strong", constraints as "[]<> p" or "[]<> p -> []<> q", or several.
    `keep_going`: decide properties that take long even if another one is violated.
    `coverage`: search for statements that are never reached, however large the model.  `strict`: also decide which properties
    hold vacuously, however long that takes; otherwise both are done for small models only.

    Small models are decided twice, the second time without any reduction; with `cross_check`, all models are, by another
    engine.  Raises `InternalError` if the verdicts differ, or if a symmetry fails on a state of the search.
    """
    refuse_unknown("engine", engine, ENGINES)
    refuse_unknown("steps", steps, STEPS)
    searched = chosen(settings, threads, symmetry)
    refuse_cluster(engine, searched)
    with installed(within(max_seconds, max_memory)):
        return checked(
            model, properties, ltl, ctl, invariants, defines, include_dirs, warn, language,
            asked_fair=fair, engine=engine, steps=steps, all_errors=all_errors, cross_check=cross_check,
            keep_going=keep_going,
            empty_channels=empty_channels, deadlock=deadlock, coverage=coverage, strict=strict,
            settings=searched, limits=Limits(max_states),
            listener=listener,
        )  # fmt: skip


def checked(
    model: Model | Suite | str | Path,
    properties: Sequence[str] | None,
    ltl: Sequence[str],
    ctl: Sequence[str],
    invariants: Sequence[str],
    defines: Mapping[str, str] | None,
    include_dirs: Sequence[str],
    warn: Warn,
    language: str | None,
    *,
    asked_fair: bool | str | Sequence[str],
    empty_channels: bool,
    deadlock: str | None,
    coverage: bool,
    strict: bool,
    settings: Settings,
    limits: Limits,
    **options: Any,
) -> Check:
    """Load the model if necessary, and check the requested properties."""
    kind, constraints = asked_for(asked_fair) if asked_fair else (ProcessFairness.NONE, ())
    if not isinstance(model, Model | str | Path) or (not isinstance(model, Model) and is_suite(model, language)):
        if ltl or ctl or invariants or empty_channels or deadlock:
            raise ValueError("formulas and kinds of end states are for Promela: CSP# says it by `#assert`")
        if settings.generators is not None:
            raise UnusableSymmetry("generators are for one model: each `#assert` of CSP# has its own processes")
        if constraints:
            raise ValueError("fairness constraints are for Promela")
        suite = load_suite(model, defines, language) if isinstance(model, str | Path) else model
        options["fair"] = Fairness(kind)
        return check_assertions(suite, properties, settings, limits, options, coverage, strict)
    if (ltl or ctl or invariants) and isinstance(model, Model):
        raise ValueError("formulas can be added to a file only: give its path, or load(path, formulas=..., ctl=...)")
    began = time.monotonic()
    loaded = (
        model
        if isinstance(model, Model)
        else load(model, defines, include_dirs, warn, ltl, ctl, language, invariants, constraints)
    )
    loading = time.monotonic() - began
    refuse_wrong_generators(loaded, settings)
    options["fair"] = fairness_in(loaded, kind, len(constraints)) if asked_fair else UNFAIR
    loaded = with_deadlock(loaded, deadlock)
    if empty_channels:
        loaded = replace(loaded, empty_at_end=True)
    if properties is not None:
        stated = [*loaded.properties, *implicit_properties(loaded)]
        refuse_unknown_properties(properties, [*BUILTIN, *(each.name for each in stated)])
    if ltl or ctl or invariants:
        added = len(ltl), len(ctl), len(invariants), len(constraints)
        properties = [*(properties or ()), *command_line_properties(loaded, *added)]
    result = confirm.check(loaded, settings=settings, limits=limits, properties=properties, **options)
    examine(loaded, result, limits, settings, coverage, strict, **options)
    result.seconds = {"load": round(loading, 6), **result.seconds}
    return result


def examine(
    model: Model, result: Check, limits: Limits, settings: Settings, coverage: bool, strict: bool, **options: Any
) -> None:
    """Find out what no run reaches, and which properties hold vacuously."""
    from coset.results.coverage import unread
    from coset.tasks import coverage as covering
    from coset.tasks.vacuity import with_vacuity

    listener, began = options["listener"], time.monotonic()
    phases = Phases()
    judged = phases(lambda: with_vacuity(model, result, limits, settings, options.get("fair", False), strict, listener))
    result.properties = judged or result.properties
    asked = coverage or strict
    result.coverage = phases(lambda: covering.coverage(model, result, limits, settings, asked, listener))
    result.unread = unread(model)
    result.seconds["check"] = round(result.seconds.get("check", 0.0) + time.monotonic() - began, 6)


def check_assertions(
    suite: Suite,
    properties: Sequence[str] | None,
    settings: Settings,
    limits: Limits,
    options: Mapping[str, Any],
    coverage: bool,
    strict: bool,
) -> Check:
    """Decide every assertion of a CSP# file, and find out what never happens and what holds vacuously."""
    from coset.tasks import coverage as covering
    from coset.tasks import suite as suites
    from coset.tasks.vacuity import with_vacuity

    if properties is not None:
        refuse_unknown_properties(properties, suites.names(suite))

    def check_one(model: Model, names: Sequence[str]) -> Check:
        found = confirm.check(model, settings=settings, limits=limits, properties=names, **options)
        found.properties = with_vacuity(model, found, limits, settings, options["fair"], strict, options["listener"])
        return found

    result = suites.check_suite(suite, check_one, limits, properties)
    if options.get("cross_check"):
        result.properties = [confirm.unconfirmed(each) for each in result.properties]
    asked = coverage or strict
    result.coverage = covering.suite_coverage(suite, result, limits, settings, asked, options["listener"])
    return result


def command_line_properties(
    model: Model, ltl: int, ctl: int = 0, invariants: int = 0, constraints: int = 0
) -> list[str]:
    """The names of the last `ltl` and `ctl` formulas: those that `load` has added come last, with fairness constraints, which are
    no properties to verify, behind them.  A run that ends by a runtime error
    has no property of infinite runs, so invariants are checked together with these errors."""
    linear = [each.name for each in model.properties if isinstance(each, LtlProperty)]
    linear = linear[: len(linear) - constraints]
    branching = [each.name for each in model.properties if isinstance(each, CtlProperty)]
    faults = [violated_by("fault")] if invariants else []
    return linear[len(linear) - ltl - invariants :] + branching[len(branching) - ctl :] + faults


def fairness_in(model: Model, kind: ProcessFairness, constraints: int) -> Fairness:
    """Fairness with the constraints that `load` has added to a model, which come last."""
    linear = [each for each in model.properties if isinstance(each, LtlProperty)]
    stated = linear[len(linear) - constraints :] if constraints else []
    if len(stated) != constraints:
        raise ValueError("constraints are read together with a model: give its path, or load(path, constraints=...)")
    return stated_by(kind, stated)


def refuse_unknown_properties(names: Sequence[str], known: Sequence[str]) -> None:
    """Raises `UnknownProperty` for the first name that no property has."""
    for name in names:
        if name not in known:
            raise UnknownProperty(name, known)


class UnknownProperty(ValueError):
    """No property of the model has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        names = ", ".join(f"'{each}'" for each in known)
        super().__init__(f"the model has no property '{name}'; it has {names}")
