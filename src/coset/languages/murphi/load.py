"""From the text of a Murphi file to a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from coset.languages.murphi import codes
from coset.languages.murphi.check import check
from coset.languages.murphi.lower import Lowering
from coset.languages.murphi.parse import parse
from coset.model.model import Model
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source


def load(source: Source, defines: Mapping[str, str], diagnostics: Diagnostics) -> Model | None:
    """The model, or None if there are errors.  `defines` gives constants other values."""
    numbers: dict[str, int] = {}
    for name, text in defines.items():
        try:
            numbers[name] = int(text, 0)
        except ValueError:
            diagnostics.error(codes.NOT_CONSTANT, f"-D {name}={text}: the value must be a number", None)
    program = parse(source, diagnostics)
    if diagnostics.errors:
        return None
    try:
        found = check(program, numbers, diagnostics)
        if diagnostics.errors:
            return None
        return Lowering(found, Path(source.path).name).model()
    except InputError as error:
        for each in error.diagnostics:
            diagnostics.error(each.code, each.message, each.span, each.hint)
        return None
    except RecursionError:
        diagnostics.error(codes.TOO_LARGE, "an expression or a rule is nested too deeply", program.span)
        return None
