r"""Text of others, made safe to show.

Names of files, strings and comments of a model may hold anything: escape sequences that clear a terminal or change its
title, marks that reverse the direction of writing, characters that XML forbids.  Whatever Coset writes passes through
`printable`, which shows such a character as an escape, so that it can be seen and does nothing:

    >>> print(printable("a\x1b[2J\u202eb"))
    a\x1b[2J\u202eb

It is called where text leaves Coset: by `Printable`, which stands before the standard streams while a command runs, and by
the functions that finish a document (HTML, SVG, DOT, JUnit).  JSON has its own notation: `json_text`.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from typing import Any, TextIO

_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")
_OWN = f"\x1b<{os.urandom(8).hex()}:"
"""Begins a control sequence of ours.  The author of a model cannot know it, and so cannot forge colours."""
CONTROL = re.compile(re.escape(_OWN) + r"(.*?)>", re.DOTALL)
"""A control sequence of ours; what it does is its first group."""


def printable(text: str) -> str:
    r"""The text with every character escaped that is neither printable nor a space, a tab or an end of line.

    >>> printable("\r\0\x7f\x9b\u200b\ud800"), printable("é 漢 \u00a0")
    ('\\r\\x00\\x7f\\x9b\\u200b\\ud800', 'é 漢 \xa0')
    """
    return _SUSPECT.sub(lambda found: _shown(found[0]), text)


def one_line(text: str) -> str:
    r"""The same for a name, which must not begin a line of its own.

    >>> one_line("a\nb.pml")
    'a\\nb.pml'
    """
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def _shown(character: str) -> str:
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode("ascii")


def json_text(document: Any, **settings: Any) -> str:
    r"""JSON in printable ASCII.

    >>> json_text({"a": "\x1b\x7f\u202e"})
    '{"a": "\\u001b\\u007f\\u202e"}'
    """
    import json  # not before it is needed: this module is loaded with every command

    return json.dumps(document, **settings).replace("\x7f", "\\u007f")  # the only one that `json` leaves as it is


def printable_values(document: Any) -> Any:
    r"""Data in which every text is printable, for a program that shows what it reads.

    >>> printable_values({"a\r": ["\x1b", 1, None]})
    {'a\\r': ['\\x1b', 1, None]}
    """
    if isinstance(document, str):
        return printable(document)
    if isinstance(document, dict):
        return {printable_values(key): printable_values(value) for key, value in document.items()}
    return [printable_values(each) for each in document] if isinstance(document, list | tuple) else document


# --- terminals -------------------------------------------------------------------------------------


def control(code: str) -> str:
    """A control sequence of ours, for a `Printable` stream."""
    return f"{_OWN}{code}>"


class Printable:
    r"""A stream that writes printable text, and the control sequences that `control` has made.

    >>> import sys
    >>> print("\x1b[31mred", control("no code"), file=Printable(sys.stdout))
    \x1b[31mred no code
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        parts = CONTROL.split(text)  # text and codes by turns
        self.stream.write("".join(part if place % 2 else printable(part) for place, part in enumerate(parts)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)
