"""The served folder: its models, and the guarantee that no other file is accessible."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from coset.languages.registry import language_of
from coset.source.diagnostics import InputError
from coset.source.records import dataclass
from coset.source.text import Source
from coset.tasks.load import read

MOST = 2000
"""The most models that are listed."""

COMMENT = re.compile(r"\s*(?:/\*.*?(?:\*/|\Z)|(?://[^\n]*\n\s*)+)", re.DOTALL)
MARKS = re.compile(r"^\s*(?:/?\*+|//+)|\*/", re.MULTILINE)
SENTENCE = re.compile(r".{0,160}?(?:\.(?= [A-Z]|$)|$)")
NOT_LISTED = {"__pycache__", "node_modules", "build", "dist"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A model by its path below the folder, with the first sentence of its head comment."""

    file: str
    summary: str


@dataclass(frozen=True, slots=True)
class Folder:
    """All models below `root`, or the one called `only`."""

    root: Path
    only: str | None = None

    def models(self) -> Iterator[Entry]:
        """The models by folder, in alphabetical order."""
        if self.only is not None:
            yield Entry(self.only, summary(self.root / self.only))
            return
        number = 0
        for where, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in NOT_LISTED)
            for name in sorted(files):
                path = Path(where, name)
                file = str(path.relative_to(self.root))
                if number < MOST and is_text(file) and self.path(file) is not None:
                    number += 1
                    yield Entry(file, summary(path))

    def path(self, file: str) -> Path | None:
        """The model of this name; None if there is none, or if it is outside of the folder, also by way of a link."""
        if "\0" in file or (self.only is not None and file != self.only):
            return None
        try:
            path = (self.root / file).resolve()
            inside = path.is_relative_to(self.root.resolve())
            return path if inside and language_of(path) is not None and path.is_file() else None
        except OSError:  # a name that is too long, a folder without permission
            return None

    def source(self, file: str) -> Source | None:
        """The text of a model."""
        path = self.path(file)
        try:
            return None if path is None else read(path)
        except InputError:
            return None


def is_text(file: str) -> bool:
    """Whether a page can show the name of the file, which may not be valid text.

    >>> is_text("a.pml"), is_text("a\\udcff.pml")
    (True, False)
    """
    return not any("\ud800" <= each <= "\udfff" for each in file)


def served(path: Path) -> Folder:
    """The folder for the path on the command line: a folder, or a model."""
    path = path.absolute()
    return Folder(path) if path.is_dir() else Folder(path.parent, path.name)


def summary(path: Path) -> str:
    """The first sentence of the comment that a model begins with, if it does."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return first_sentence(file.read(600))
    except OSError:
        return ""


def first_sentence(text: str) -> str:
    r"""
    >>> first_sentence("/*\n * Two who\n * take turns. And more. */\nbyte x;"), first_sentence("byte x; /* What. */")
    ('Two who take turns.', '')
    """
    comment = COMMENT.match(text)
    if comment is None:
        return ""
    words = " ".join(MARKS.sub(" ", comment[0]).split())
    sentence = SENTENCE.match(words)
    return sentence[0] if sentence else words[:160].rpartition(" ")[0] + " ..."
