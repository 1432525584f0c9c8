"""Murphi as one of the languages of Coset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.language import Language

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.model import Model


def read(reading: Reading) -> Model | None:
    from coset.languages.murphi.load import load

    return load(
        reading.source,
        reading.defines,
        reading.diagnostics,
        reading.ltl,
        reading.ctl,
        reading.invariants,
        reading.constraints,
    )


MURPHI = Language("murphi", "Murphi", (".m",), read, sign=r"(?im)^\s*startstate\b")
