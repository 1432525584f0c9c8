"""Load models: from a file or a text to the concurrent model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from coset.languages.language import Language
from coset.languages.promela.language import PROMELA
from coset.languages.reading import Reading
from coset.languages.registry import LANGUAGES, endings, language_by_sign, language_of
from coset.model.depth import refuse_depth
from coset.model.family import Family
from coset.model.model import Model
from coset.source.diagnostics import Diagnostic, InputError, register
from coset.source.text import Source
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.model.suite import Suite

UNREADABLE = register("I001", "the file cannot be read")
UNKNOWN_LANGUAGE = register("I002", "the file name extension does not determine the language")
NO_FORMULAS = register("C003", "a formula of the command line cannot be used with this language")

MOST_BYTES = 64 << 20
"""The largest model file; a larger one may be a device without an end."""

T = TypeVar("T")
Warn = Callable[[Diagnostic], None]


def ignore(warning: Diagnostic) -> None:
    """Discard a warning."""


def read(path: str | Path) -> Source:
    """The text of a file; bytes that are not UTF-8 are read as Latin-1, which occurs in comments of old models."""
    try:
        with open(Path(path), "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        name = str(path) or "''"
        raise InputError([Diagnostic(UNREADABLE, f"{name}: {error.strerror or error}", None)]) from None
    if len(data) > MOST_BYTES:
        message = f"{path}: this is no model, it has more than {MOST_BYTES >> 20} MB"
        raise InputError([Diagnostic(UNREADABLE, message, None)])
    if b"\0" in data:
        raise InputError([Diagnostic(UNREADABLE, f"{path}: not a text file: it contains NUL bytes", None)])
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Source(str(path), text)


def language_for(path: str | Path, name: str | None = None, text: str = "") -> Language:
    """The language of a file: the one with this name, otherwise by the file's extension.  Raises `InputError`, which names
    the language that the text plainly is in."""
    found = language_of(path) if name is None else LANGUAGES.get(name)
    if found is not None:
        return found
    if name is not None:
        message = f"unknown language '{name}'; expected one of {', '.join(LANGUAGES)}"
        raise InputError([Diagnostic(UNKNOWN_LANGUAGE, message, None)])
    message = f"{path}: expected a file name that ends in {', '.join(endings())}"
    meant = language_by_sign(text)
    hint = (
        f"this looks like {meant.title}: add --language {meant.name}" if meant else "or say what it is: --language NAME"
    )
    raise InputError([Diagnostic(UNKNOWN_LANGUAGE, message, None, hint)])


def opened(path: str | Path, language: str | None) -> tuple[Source, Language]:
    """The text of a file, and the language that it is in.  Raises `InputError`."""
    source = read(path)
    return source, language_for(path, language, source.text)


@phase("load")
def load(
    path: str | Path,
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
    warn: Warn = ignore,
    formulas: Sequence[str] = (),
    ctl: Sequence[str] = (),
    language: str | None = None,
    invariants: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> Model:
    """Load the model in a file.  `formulas`, written as in an `ltl` block, are added to its properties as `command_line_1`
    and so on, CTL formulas as `ctl_1`, conditions that must hold in all states as `invariant_1`, fairness constraints as
    `fairness_1`.  Raises `InputError`."""
    source, found = opened(path, language)
    if found.formula_hint is not None and (formulas or ctl or invariants or constraints):
        message = f"formulas of the command line are not supported for {found.title}"
        raise InputError([Diagnostic(NO_FORMULAS, message, None, found.formula_hint)])
    reading = Reading(source, defines or {}, include_dirs, formulas, ctl, invariants, constraints)
    return completed(found.read, reading, warn)


def completed(read_it: Callable[[Reading], T | None], reading: Reading, warn: Warn) -> T:
    """Run a front end and return its result.  Raises `InputError`."""
    found = read_it(reading)
    reading.diagnostics.check()
    for warning in reading.diagnostics.warnings:
        warn(warning)
    assert found is not None
    refuse_depth(found)
    return found


def is_suite(path: str | Path, language: str | None = None) -> bool:
    """Whether the file is in a language in which each assertion has its own process."""
    found = language_of(path) if language is None else LANGUAGES.get(language)
    return found is not None and found.read_suite is not None


def load_suite(path: str | Path, defines: Mapping[str, str] | None = None, language: str | None = None) -> Suite:
    """Load all assertions of a file, with their models.  Raises `InputError`."""
    source, found = opened(path, language)
    assert found.read_suite is not None
    return completed(found.read_suite, Reading(source, defines or {}), ignore)


def is_family(path: str | Path, language: str | None = None) -> bool:
    """Whether the file is in a language in which the numbers of processes are parameters."""
    found = language_of(path) if language is None else LANGUAGES.get(language)
    return found is not None and found.read_family is not None


def load_family(
    path: str | Path, defines: Mapping[str, str] | None = None, warn: Warn = ignore, language: str | None = None
) -> Family:
    """Load the family of models that a file defines, with any number of processes.  Raises `InputError`."""
    source, found = opened(path, language)
    assert found.read_family is not None
    return completed(found.read_family, Reading(source, defines or {}), warn)


def parse_text(text: str, name: str = "model.pml", defines: Mapping[str, str] | None = None) -> Model:
    """The model in a text (Promela)."""
    return completed(PROMELA.read, Reading(Source(name, text), defines or {}), ignore)
