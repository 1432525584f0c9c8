"""The whole flow on one page: text -> tree -> model -> engine -> result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from coset.engines import reference
from coset.engines.limits import Limits
from coset.languages.promela.load import load as load_promela
from coset.model.model import Model
from coset.results.events import Finished, Listener, Warned, nobody
from coset.results.exploration import Exploration
from coset.source.diagnostics import Diagnostic, Diagnostics, InputError, register
from coset.source.text import Source

UNREADABLE = register("I001", "the file cannot be read")
UNKNOWN_LANGUAGE = register("I002", "the language of the file is not known from its name")

Loader = Callable[[Source, Mapping[str, str], Sequence[str], Diagnostics], Model | None]
LANGUAGES: dict[str, Loader] = dict.fromkeys((".pml", ".prom", ".promela", ".spin"), load_promela)
"""Which front end reads which kind of file."""

Warn = Callable[[Diagnostic], None]


def ignore(warning: Diagnostic) -> None:
    """For those who do not want to hear warnings."""


def read(path: str | Path) -> Source:
    """The text of a file; bytes that are no UTF-8 are taken as Latin-1, as old models have them in comments."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError([Diagnostic(UNREADABLE, f"{path}: {error.strerror or error}", None)]) from None
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
) -> Model:
    """The model in a file.  Raises `InputError` with everything that is wrong with it."""
    source = read(path)
    suffix = Path(path).suffix.lower()
    if suffix not in LANGUAGES:
        known = ", ".join(LANGUAGES)
        raise InputError([Diagnostic(UNKNOWN_LANGUAGE, f"{path}: expected a file name that ends in {known}", None)])
    return _load(source, LANGUAGES[suffix], defines or {}, include_dirs, warn)


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
    threads: int = 1,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    listener: Listener = nobody,
    warn: Warn = ignore,
) -> Exploration:
    """The whole reachable space of a model, counted.

    `engine` is "reference" (the interpreter), "explicit" (compiled), or "auto": the interpreter for the first moments,
    which is all that a small model takes, then the compiled engine.
    """
    if engine not in ENGINES:
        raise ValueError(f"there is no engine '{engine}'; there are {', '.join(ENGINES)}")
    began = time.monotonic()
    loaded = model if isinstance(model, Model) else load(model, defines, include_dirs, warn)
    loading = time.monotonic() - began
    limits = Limits(max_states, max_seconds, max_memory)
    result = ENGINES[engine](loaded, limits, listener, threads)
    result.seconds = {"load": round(loading, 6), **{part: round(time_, 6) for part, time_ in result.seconds.items()}}
    return result


def explore_by_reference(model: Model, limits: Limits, listener: Listener, threads: int) -> Exploration:
    return reference.explore(model, limits, listener)


def explore_compiled(model: Model, limits: Limits, listener: Listener, threads: int) -> Exploration:
    from coset.engines.explicit import engine

    return engine.explore(model, limits, listener, threads)


def explore_by_any(model: Model, limits: Limits, listener: Listener, threads: int) -> Exploration:
    """A short try with the interpreter: starting a compiler costs more than a small model does."""
    from coset.engines.explicit.build import NoCompiler
    from coset.engines.explicit.engine import Unsupported

    states = min(SMALL_STATES, limits.states or SMALL_STATES)
    seconds = min(SMALL_SECONDS, limits.seconds or SMALL_SECONDS)
    first = reference.explore(model, Limits(states, seconds, limits.memory))
    if first.complete or states == limits.states or seconds == limits.seconds or first.stopped == "an interruption":
        listener(Finished(first.complete))
        return first
    try:
        return explore_compiled(model, limits, listener, threads)
    except (NoCompiler, Unsupported) as reason:
        listener(Warned(f"the compiled engine cannot be used ({reason}); the reference engine serves"))
        return reference.explore(model, limits, listener)


ENGINES: dict[str, Callable[[Model, Limits, Listener, int], Exploration]] = {
    "auto": explore_by_any,
    "explicit": explore_compiled,
    "reference": explore_by_reference,
}
SMALL_STATES, SMALL_SECONDS = 5000, 0.5
