"""From a Promela file to a model, with all that is wrong with it said in one go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coset.languages.promela import codes
from coset.languages.promela.lower import lower
from coset.languages.promela.parse import parse
from coset.model.model import Model
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source


def load(
    source: Source, defines: Mapping[str, str], include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Model | None:
    """The model of a source, or None if there are errors."""
    program = parse(source, defines, include_dirs, diagnostics)
    if diagnostics.errors:
        return None
    try:
        model = lower(program, Path(source.path).name, diagnostics)
    except RecursionError:
        diagnostics.error(codes.TOO_DEEP, "the model is nested too deeply", None)
        return None
    return None if diagnostics.errors else model
