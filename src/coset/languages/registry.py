"""The languages that Coset reads.  A new one is its folder and a line here."""

from __future__ import annotations

from pathlib import Path

from coset.languages.csp.language import CSP
from coset.languages.language import Language
from coset.languages.promela.language import PROMELA
from coset.languages.sequential.language import SEQUENTIAL
from coset.languages.shared.language import SHARED

LANGUAGES: list[Language] = [
    PROMELA,
    CSP,
    SEQUENTIAL,
    SHARED,
]


def language_of(path: str | Path) -> Language | None:
    """The language of a file, by the ending of its name.

    >>> language_of("a/Model.PML").title, language_of("notes.txt")
    ('Promela', None)
    """
    ending = Path(path).suffix.lower()
    return next((language for language in LANGUAGES if ending in language.endings), None)


def language_named(name: str) -> Language | None:
    return next((language for language in LANGUAGES if language.name == name), None)


def endings() -> list[str]:
    """All endings of names of models."""
    return [ending for language in LANGUAGES for ending in language.endings]
