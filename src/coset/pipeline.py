"""The whole flow on one page: text -> tree -> model -> engine -> result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coset.engines import reference
from coset.engines.limits import SMALL_STATES, SMALL_STEPS, Limits
from coset.engines.settings import Settings
from coset.languages.promela.formulas import append
from coset.languages.promela.load import load as load_promela
from coset.model.family import Family
from coset.model.model import Branching, Model, Temporal
from coset.model.passes import merged
from coset.reduction import Reduction, folding, reduction
from coset.results.events import Finished, Listener, Warned, nobody
from coset.results.exploration import Exploration
from coset.source.budget import INTERRUPTED, Phases, current_budget, installed, peak_memory, within
from coset.source.diagnostics import Diagnostic, Diagnostics, InputError, register
from coset.source.text import Source

if TYPE_CHECKING:
    from coset.languages.csp.assertions import Suite
    from coset.results.proof import Proof
    from coset.results.quotient import Quotient
    from coset.results.verdict import Check

UNREADABLE = register("I001", "the file cannot be read")
UNKNOWN_LANGUAGE = register("I002", "the language of the file is not known from its name")
NO_FORMULAS = register("C003", "a formula of the command line cannot be used with this language")

CSP, SEQUENTIAL, SHARED = ".csp", ".seq", ".spl"
HINTS = {CSP: "write `#assert System() |= ...;` in the file", SEQUENTIAL: "write `always ...;` in the file"}
"""How languages without formulas on the command line state what shall hold."""
DRAWN_STATES = 200
"""A state graph with more nodes cannot be read."""
Loader = Callable[[Source, Mapping[str, str], Sequence[str], Diagnostics], Model | None]


def load_csp(
    source: Source, defines: Mapping[str, str], include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Model | None:
    """The front end of CSP#, which most runs do not need."""
    from coset.languages.csp.load import load

    return load(source, defines, include_dirs, diagnostics)


def load_sequential(
    source: Source, defines: Mapping[str, str], include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Model | None:
    """A sequential model, as a concurrent one with a single process."""
    from coset.sequential import load

    return load(source, defines)


def load_shared(
    source: Source,
    defines: Mapping[str, str],
    include_dirs: Sequence[str],
    diagnostics: Diagnostics,
    formulas: Sequence[str] = (),
    ctl: Sequence[str] = (),
) -> Model | None:
    """A shared-variable program; it reads formulas in its own words."""
    from coset.languages.shared.load import load

    return load(source, defines, include_dirs, diagnostics, formulas, ctl)


LANGUAGES: dict[str, Loader] = {
    **dict.fromkeys((".pml", ".prom", ".promela", ".spin"), load_promela),
    CSP: load_csp,
    SEQUENTIAL: load_sequential,
    SHARED: load_shared,
}
"""Which front end reads which kind of file."""

Warn = Callable[[Diagnostic], None]


def ignore(warning: Diagnostic) -> None:
    """For those who do not want to hear warnings."""


def read(path: str | Path) -> Source:
    """The text of a file; bytes that are no UTF-8 are taken as Latin-1, as old models have them in comments."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        name = str(path) or "''"
        raise InputError([Diagnostic(UNREADABLE, f"{name}: {error.strerror or error}", None)]) from None
    if b"\0" in data:
        raise InputError([Diagnostic(UNREADABLE, f"{path}: this is no text, it has bytes that are 0", None)])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Source(str(path), text)


def load(
    path: str | Path,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    warn: Warn = ignore,
    formulas: Sequence[str] = (),
    ctl: Sequence[str] = (),
) -> Model:
    """The model in a file; `formulas`, written as in an `ltl` block, are added to its properties as `command_line_1`
    and so on, those of computation tree logic as `ctl_1` and so on.  Raises `InputError` with everything that is wrong
    with it."""
    source = read(path)
    suffix = Path(path).suffix.lower()
    if suffix not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InputError([Diagnostic(UNKNOWN_LANGUAGE, f"{path}: expected a file name that ends in {known}", None)])
    if suffix in HINTS and (formulas or ctl):
        message = "formulas of the command line are for Promela"
        raise InputError([Diagnostic(NO_FORMULAS, message, None, HINTS[suffix])])
    if suffix == SHARED:
        return _load(source, partial(load_shared, formulas=formulas, ctl=ctl), defines or {}, include_dirs, warn)
    diagnostics = Diagnostics()
    appended = append(source, formulas, ctl, diagnostics)
    diagnostics.check()
    try:
        model = _load(
            appended.source if appended.blocks else source,
            LANGUAGES[suffix],
            defines or {},
            include_dirs,
            lambda warning: warn(appended.located(warning)),
        )
    except InputError as error:
        raise InputError(map(appended.located, error.diagnostics)) from None
    model = appended.completed(model, diagnostics)
    diagnostics.check()
    return model


def is_suite(path: str | Path) -> bool:
    """Whether the file is in a language in which each assertion has a process of its own."""
    return Path(path).suffix.lower() == CSP


def load_suite(path: str | Path, defines: Mapping[str, str] | None = None) -> Suite:
    """Everything that a CSP# file asserts, with the models.  Raises `InputError`."""
    from coset.languages.csp.load import load_suite as load_all

    diagnostics = Diagnostics()
    found = load_all(read(path), defines or {}, diagnostics)
    diagnostics.check()
    assert found is not None
    return found


def parse_text(text: str, name: str = "model.pml", defines: Mapping[str, str] | None = None) -> Model:
    """The model in a text (Promela)."""
    return _load(Source(name, text), load_promela, defines or {}, (), ignore)


def _load(source: Source, loader: Loader, defines: Mapping[str, str], include_dirs: Sequence[str], warn: Warn) -> Model:
    diagnostics = Diagnostics()
    model = loader(source, defines, include_dirs, diagnostics)
    diagnostics.check()
    for warning in diagnostics.warnings:
        warn(warning)
    assert model is not None
    return model


def explore(
    model: Model | str | Path,
    *,
    engine: str = "auto",
    steps: str = "plain",
    symmetry: str | None = None,
    threads: int | None = None,
    settings: Settings | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    listener: Listener = nobody,
    warn: Warn = ignore,
) -> Exploration:
    """The whole reachable space of a model, counted.

    `engine` is "reference" (the interpreter), "explicit" (compiled), "symbolic" (decision diagrams), or
    "auto": the interpreter for the first moments, which is all that a small model takes, then the compiled engine.
    `steps` is "plain" (every statement is a step) or "merged": private steps are joined and dead variables reset, which
    keeps all errors, but not how often they occur.  With `symmetry` (by default "auto") one state is stored for each
    orbit, and `represents` counts all; "off" stores all.
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine '{engine}'; there are {', '.join(ENGINES)}")
    with installed(within(max_seconds, max_memory)):
        began = time.monotonic()
        loaded = model if isinstance(model, Model) else load(model, defines, include_dirs, warn)
        if loaded.sequential is not None:
            steps = "plain"  # there are no private steps to be merged
        if steps == "merged":
            loaded = merged(replace(loaded, properties=()), marks=False)
        ready = time.monotonic()
        result = explored(loaded, engine, Limits(max_states), chosen(settings, threads, symmetry), listener)
        result.steps = steps
        seconds = {"load": ready - began, **result.seconds}
        result.seconds = {part: round(spent, 6) for part, spent in seconds.items()}
        return result


def explored(model: Model, engine: str, limits: Limits, settings: Settings, listener: Listener) -> Exploration:
    """The space of a loaded model, as far as the budget lets us come."""
    phases, began = Phases(), time.monotonic()
    find = folding if engine == "symbolic" else reduction
    reduced = phases(lambda: find(model, (), settings))
    spent = time.monotonic() - began
    result = None if reduced is None else phases(lambda: ENGINES[engine](model, limits, listener, settings, reduced))
    if result is None:
        result = Exploration(model.name, engine if engine != "auto" else "reference", stopped=phases.stopped)
        result.interrupted, result.peak_memory = phases.stopped == INTERRUPTED, peak_memory()
    result.seconds = {"symmetry": spent, **result.seconds}
    return result


def quotient(model: Model, *, steps: str = "plain", symmetry: str = "auto", max_states: int = DRAWN_STATES) -> Quotient:
    """The state graph of a small model modulo symmetry, with one node for each orbit; `symmetry` "off" has all states.

    Raises `TooManyOrbits` if there are more than `max_states`, and `UnusableSymmetry` if orbits are too large.
    """
    from coset.engines import reference_quotient

    if steps == "merged" and model.sequential is None:
        model = merged(replace(model, properties=()), marks=False)
    found = reduction(model, (), Settings(symmetry=symmetry))
    return reference_quotient.quotient(model, found.orbits(), found.used, max_states)


def check(
    model: Model | Suite | str | Path,
    *,
    properties: Sequence[str] | None = None,
    ltl: Sequence[str] = (),
    ctl: Sequence[str] = (),
    fair: bool = False,
    steps: str = "merged",
    all_errors: bool = False,
    cross_check: bool = False,
    empty_channels: bool = False,
    symmetry: str | None = None,
    engine: str = "auto",
    threads: int | None = None,
    settings: Settings | None = None,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    listener: Listener = nobody,
    warn: Warn = ignore,
) -> Check:
    """A verdict on every property of a model: its assertions, end states, faults, `ltl` blocks and never claims.

    With `properties` (names), `ltl` or `ctl` (formulas, for a model that is yet to be loaded) only these are checked.
    `steps` is "merged" (private steps are joined where that keeps the verdict) or "plain".  `all_errors`: count all errors
    in single states and show each different one.  `empty_channels`: a valid end needs empty channels.

    Small models are decided twice, the second time without any reduction; with `cross_check` all are, by another engine.
    Raises `InternalError` if that gives another verdict, or if a symmetry fails on a state of the search.
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine '{engine}'; there are {', '.join(ENGINES)}")
    with installed(within(max_seconds, max_memory)):
        return checked(
            model, properties, ltl, ctl, defines, include_dirs, warn,
            engine=engine, fair=fair, steps=steps, all_errors=all_errors, cross_check=cross_check,
            empty_channels=empty_channels, settings=chosen(settings, threads, symmetry), limits=Limits(max_states),
            listener=listener,
        )  # fmt: skip


def checked(
    model: Model | Suite | str | Path,
    properties: Sequence[str] | None,
    ltl: Sequence[str],
    ctl: Sequence[str],
    defines: Mapping[str, str] | None,
    include_dirs: Sequence[str],
    warn: Warn,
    *,
    empty_channels: bool,
    settings: Settings,
    limits: Limits,
    **options: Any,
) -> Check:
    """Load the model if that is to be done yet, and check what is asked of it."""
    from coset import checking, confirming

    if not isinstance(model, Model | str | Path) or (not isinstance(model, Model) and is_suite(model)):
        if ltl or ctl or empty_channels:
            raise ValueError("formulas and empty channels are for Promela: CSP# says it by `#assert`")
        suite = load_suite(model, defines) if isinstance(model, str | Path) else model
        return check_assertions(suite, properties, settings, limits, options)
    if (ltl or ctl) and isinstance(model, Model):
        raise ValueError("formulas can be added to a file only: give its path, or load(path, formulas=..., ctl=...)")
    began = time.monotonic()
    loaded = model if isinstance(model, Model) else load(model, defines, include_dirs, warn, ltl, ctl)
    loading = time.monotonic() - began
    if empty_channels:
        loaded = replace(loaded, empty_at_end=True)
    known = [*checking.SAFETY, *(each.name for each in (*loaded.properties, *checking.labelled(loaded)))]
    if properties is not None and (unknown := [name for name in properties if name not in known]):
        raise UnknownProperty(unknown[0], known)
    if ltl or ctl:
        properties = [*(properties or ()), *names_of_last(loaded, len(ltl), len(ctl))]
    result = confirming.check(loaded, settings=settings, limits=limits, properties=properties, **options)
    result.seconds = {"load": round(loading, 6), **result.seconds}
    return result


def prove(
    model: Family | Model | str | Path,
    *,
    properties: Sequence[str] | None = None,
    weak_fair: bool = False,
    max_spotlight: int | None = None,
    shade: str = "fine",
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_seconds: float | None = None,
    listener: Listener = nobody,
    warn: Warn = ignore,
) -> Proof:
    """A verdict on every property for every number of processes.

    A shared-variable program has classes with sizes that are parameters; a model in another language is taken for a family if
    its processes of one kind are interchangeable.  `weak_fair` leaves out runs in which a process could always move and
    never does.  `max_spotlight` limits how many processes are looked at exactly.  `shade` is "fine" or "merged".
    """
    from coset import proving

    family = load_family(model, defines, include_dirs, warn) if not isinstance(model, Family) else model
    known = proving.names(family)
    if properties is not None and (unknown := [name for name in properties if name not in known]):
        raise UnknownProperty(unknown[0], known)
    return proving.prove(
        family,
        properties=properties,
        fair=weak_fair,
        max_spotlight=max_spotlight,
        merges_shade=shade == "merged",
        limits=Limits(seconds=max_seconds),
        listener=listener,
    )


def load_family(
    model: Model | str | Path,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    warn: Warn = ignore,
) -> Family:
    """The family that a file means: models with any number of processes.  Raises `InputError`."""
    from coset.proving import family_of

    if isinstance(model, Model):
        return family_of(model)
    if Path(model).suffix.lower() != SHARED:
        return family_of(load(model, defines, include_dirs, warn))
    from coset.languages.shared.load import load_family as load_shared_family

    diagnostics = Diagnostics()
    family = load_shared_family(read(model), defines or {}, diagnostics)
    diagnostics.check()
    for warning in diagnostics.warnings:
        warn(warning)
    assert family is not None
    return family


def check_assertions(
    suite: Suite, properties: Sequence[str] | None, settings: Settings, limits: Limits, options: Mapping[str, Any]
) -> Check:
    """A verdict on every assertion of a CSP# file."""
    from coset import asserting, confirming

    known = asserting.names(suite)
    if properties is not None and (unknown := [name for name in properties if name not in known]):
        raise UnknownProperty(unknown[0], known)

    def check_one(model: Model, names: Sequence[str]) -> Check:
        return confirming.check(model, settings=settings, limits=limits, properties=names, **options)

    result = asserting.check_suite(suite, check_one, limits, properties)
    if options.get("cross_check"):
        result.properties = [confirming.told(each) for each in result.properties]
    return result


def names_of_last(model: Model, ltl: int, ctl: int = 0) -> list[str]:
    """The names of the last so many formulas of each logic: what `load` has added comes last."""
    linear = [each.name for each in model.properties if isinstance(each, Temporal)]
    branching = [each.name for each in model.properties if isinstance(each, Branching)]
    return linear[len(linear) - ltl :] + branching[len(branching) - ctl :]


class UnknownProperty(ValueError):
    """A name that no property of the model has."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        names = ", ".join(f"'{each}'" for each in known)
        super().__init__(f"the model has no property '{name}'; it has {names}")


def chosen(settings: Settings | None, threads: int | None, symmetry: str | None) -> Settings:
    """The settings, with the number of threads and the symmetry that were given by themselves."""
    settings = settings or Settings(symmetry="auto")
    settings = settings if threads is None else replace(settings, threads=threads)
    return settings if symmetry is None else replace(settings, symmetry=symmetry)


def explore_by_reference(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    representatives = reduced.representatives()
    result = reference.explore(model, limits, listener, representatives)
    if representatives is not None:
        result.symmetry = replace(reduced.used, representative="enumerate")
    elif reduced.plan is not None:
        note = "not used: the reference engine visits whole orbits, and these are too large"
        result.symmetry = replace(reduced.used, representative=None, note=note)
    else:
        result.symmetry = reduced.used
    return result


def explore_compiled(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.explicit import engine

    result = engine.explore(model, limits, listener, settings, reduced.plan)
    result.symmetry = reduced.used
    return result


def explore_symbolic(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    from coset.engines.symbolic import engine

    result = engine.explore(model, limits, listener, reduced.symmetry, reduced.used.representative or "sort")
    result.symmetry = reduced.used
    return result


def explore_by_any(
    model: Model, limits: Limits, listener: Listener, settings: Settings, reduced: Reduction
) -> Exploration:
    """A short try with the interpreter: starting a compiler costs more than a small model does."""
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.engine import Unsupported

    states = min(SMALL_STATES, limits.states or SMALL_STATES)
    with installed(within(steps=SMALL_STEPS)):
        first = explore_by_reference(model, Limits(states), nobody, settings, reduced)
    is_over = current_budget().exceeded() is not None or (limits.states == states and first.states >= states)
    if first.complete or is_over or first.interrupted:
        listener(Finished(first.complete))
        return first
    phases = Phases()

    def go_on() -> Exploration:
        try:
            return explore_compiled(model, limits, listener, settings, reduced)
        except (NoCompiler, Unsupported) as reason:
            listener(Warned(f"the compiled engine cannot be used ({reason}); the reference engine serves"))
            return explore_by_reference(model, limits, listener, settings, reduced)

    result = phases(go_on)
    if result is None:
        first.stopped, first.interrupted = phases.stopped, phases.stopped == INTERRUPTED
        return first
    result.seconds["search"] += first.seconds["search"]
    return result


ENGINES: dict[str, Callable[[Model, Limits, Listener, Settings, Reduction], Exploration]] = {
    "auto": explore_by_any,
    "explicit": explore_compiled,
    "symbolic": explore_symbolic,
    "reference": explore_by_reference,
}
