"""From the text of a sequential model to a concurrent one with a single process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from coset.languages.sequential.parse import parse
from coset.model import model as m
from coset.model.sequential import Inexpressible
from coset.model.sequential.as_process import as_process
from coset.model.sequential.tokens import INEXPRESSIBLE
from coset.source.diagnostics import Diagnostic, InputError
from coset.source.text import Source


def load(source: Source, defines: Mapping[str, str]) -> m.Model:
    """The model in a `.seq` file, as one process.  Raises `InputError`."""
    try:
        flat = parse(source, defines)
        if flat.control is not None:
            raise Inexpressible("`control`, by which some states cannot be observed", flat.control.span)
        return replace(as_process(flat), name=Path(source.path).name)
    except Inexpressible as construct:
        message = f"{construct.construct}: the engines have no process for this"
        raise InputError([Diagnostic(INEXPRESSIBLE, message, construct.span)]) from None
