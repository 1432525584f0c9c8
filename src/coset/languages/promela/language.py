"""Promela as one of the languages of Coset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.language import Language

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.model import Model


def read(reading: Reading) -> Model | None:
    """The model; formulas are read as if they stood at the end of the text."""
    from coset.languages.promela.formulas import append
    from coset.languages.promela.load import load
    from coset.source.diagnostics import Diagnostics, InputError

    diagnostics = reading.diagnostics
    appended = append(reading.source, reading.ltl, reading.ctl, diagnostics, reading.invariants, reading.constraints)
    if diagnostics.errors:
        return None
    source = appended.source if appended.blocks else reading.source
    inner = Diagnostics()
    try:
        model = load(source, reading.defines, reading.include_dirs, inner)
    except InputError as error:
        model = None
        for each in error.diagnostics:
            inner.add(each)
    for each in inner:
        diagnostics.add(appended.located(each))
    return None if model is None or diagnostics.errors else without_scratch(appended.completed(model, diagnostics))


def without_scratch(model: Model) -> Model:
    """The model with hidden variables as ordinary ones where that makes no difference."""
    if not any(variable.hidden for variable in model.variables):
        return model
    from coset.model.passes.unhide import unhide

    return unhide(model)


PROMELA = Language(
    "promela",
    "Promela",
    (".pml", ".prom", ".promela", ".spin", ".p", ".pr", ".prm"),
    read,
    sign=r"^\s*(active\b.*\bproctype|proctype|init)\b[^;=]*\{",
)
