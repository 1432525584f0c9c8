"""What a language is to the rest of Coset: the endings of its files, and how their text is read.

A language has a folder with a module `language` that describes it by one `Language`, and a line in `registry`.  Descriptions
are light, as `coset --help` shows them: a front end is imported when a file of its language is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from coset.languages.reading import Reading
    from coset.model.family import Family
    from coset.model.model import Model
    from coset.model.suite import Suite


class Language(NamedTuple):
    """A modelling language.

    `read` returns the model, or None after errors.  `formula_hint` says how a file states its properties, where formulas of
    the command line are not supported.  `read_suite` is for a language in which each assertion is about a process of its
    own; `read_family` for one in which the numbers of processes are parameters.  `sign` is a pattern that a text in this
    language plainly shows, for files whose names do not tell.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    read: Callable[[Reading], Model | None]
    formula_hint: str | None = None
    read_suite: Callable[[Reading], Suite | None] | None = None
    read_family: Callable[[Reading], Family | None] | None = None
    sign: str | None = None
