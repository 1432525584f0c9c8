"""CSP# as one of the languages of Coset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.language import Language

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.model import Model
    from coset.model.suite import Suite


def read(reading: Reading) -> Model | None:
    from coset.languages.csp.load import load

    return load(reading.source, reading.defines, reading.include_dirs, reading.diagnostics)


def read_suite(reading: Reading) -> Suite | None:
    from coset.languages.csp.load import load_suite

    return load_suite(reading.source, reading.defines, reading.diagnostics)


CSP = Language("csp", "CSP#", (".csp",), read, "write `#assert System() |= ...;` in the file", read_suite)
