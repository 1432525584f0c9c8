"""From the text of a CSP# file to models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from coset.languages.csp import codes
from coset.languages.csp.assertions import suite
from coset.languages.csp.names import resolve
from coset.languages.csp.parse import parse
from coset.languages.csp.terms import Refused
from coset.model.model import Model
from coset.model.suite import Suite
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source


def load(
    source: Source, defines: Mapping[str, str], include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Model | None:
    """The model of the first assertion's process, or None if there are errors."""
    found = load_suite(source, defines, diagnostics)
    return None if found is None else found.models[0]


def load_suite(source: Source, defines: Mapping[str, str], diagnostics: Diagnostics) -> Suite | None:
    """All assertions of a file with their models."""
    try:
        program = parse(source, defines, diagnostics)
        if diagnostics.errors:
            return None
        program = resolve(program, diagnostics)
        return None if diagnostics.errors else suite(program, Path(source.path).name)
    except Refused as error:
        diagnostics.error(error.code, error.message, error.node.span, error.hint)
    except RecursionError:
        diagnostics.error(codes.UNGUARDED, "a process or an expression is nested too deeply", None)
    return None
