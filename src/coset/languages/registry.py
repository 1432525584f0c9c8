"""The languages that Coset reads.  A new one is its folder and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.csp.language import CSP
from coset.languages.language import Language
from coset.languages.murphi.language import MURPHI
from coset.languages.promela.language import PROMELA
from coset.languages.sequential.language import SEQUENTIAL
from coset.languages.shared.language import SHARED

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES: dict[str, Language] = {
    language.name: language
    for language in (
        PROMELA,
        CSP,
        MURPHI,
        SEQUENTIAL,
        SHARED,
    )
}


def language_of(path: str | Path) -> Language | None:
    """The language of a file, by the ending of its name.

    >>> language_of("a/Model.PML").title, language_of("notes.txt")
    ('Promela', None)
    """
    from pathlib import Path

    ending = Path(path).suffix.lower()
    return next((language for language in LANGUAGES.values() if ending in language.endings), None)


def language_by_sign(text: str) -> Language | None:
    """The language that a text plainly is in.

    >>> language_by_sign("active [2] proctype P() { skip }").title, language_by_sign("a proctype of a car")
    ('Promela', None)
    """
    import re

    signed = (each for each in LANGUAGES.values() if each.sign is not None)
    return next((each for each in signed if re.search(each.sign or "", text, re.MULTILINE)), None)


def endings() -> list[str]:
    """All endings of names of models."""
    return [ending for language in LANGUAGES.values() for ending in language.endings]
