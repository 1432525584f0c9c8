"""The shared-variable language as one of the languages of Coset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.language import Language

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.family import Family
    from coset.model.model import Model


def read(reading: Reading) -> Model | None:
    from coset.languages.shared.load import load

    return load(
        reading.source, reading.defines, reading.include_dirs, reading.diagnostics, reading.ltl, reading.ctl, reading.invariants
    )  # fmt: skip


def read_family(reading: Reading) -> Family | None:
    from coset.languages.shared.load import load_family

    return load_family(reading.source, reading.defines, reading.diagnostics)


SHARED = Language("shared", "shared-variable programs", (".spl",), read, read_family=read_family)
