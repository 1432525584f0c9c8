"""Sequential form as one of the languages of Coset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.language import Language

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.model import Model


def read(reading: Reading) -> Model | None:
    from coset.languages.sequential.load import load

    return load(reading.source, reading.defines)


SEQUENTIAL = Language("sequential", "sequential form", (".seq",), read, "write `always ...;` in the file")
