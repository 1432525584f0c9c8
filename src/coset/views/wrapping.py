"""Wraps lines to the width of a terminal, between words, with hanging indentation.

This is only for terminals.  In files and pipes each fact stays on one line, for `grep`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import TextIO

from coset.source.printable import CONTROL

CODE = re.compile(r"\x1b\[[0-9;]*m|" + CONTROL.pattern, re.DOTALL)
WORD = re.compile(r"\s*\S+")
LABEL = re.compile(r"\s*(?:- |\S+(?: \S+)*?(?:  +|: ))")
NARROWEST, WIDEST_LABEL = 20, 24


def fitted(text: str, stream: TextIO) -> str:
    """The text, wrapped if the stream is a terminal."""
    return wrapped(text, shutil.get_terminal_size().columns) if stream.isatty() else text


def wrapped(text: str, width: int) -> str:
    """
    >>> print(wrapped("  method   by constraints, which find no more\\n  - one more reason to go on for long", 28))
      method   by constraints,
               which find no
               more
      - one more reason to go on
        for long
    """
    return "\n".join(part for line in text.split("\n") for part in broken(line, max(width, NARROWEST)))


def broken(line: str, width: int) -> Iterator[str]:
    """The line in parts.  If it begins with a label, further parts are indented to the right of it."""
    if length(line) <= width:
        yield line
        return
    label = LABEL.match(CODE.sub("", line))
    left = label.end() if label is not None and label.end() <= min(WIDEST_LABEL, width // 2) else indent(line) + 2
    part = ""
    for word in WORD.findall(line):
        if part.strip() and length(part + word) > width:
            yield part
            part = " " * left + word.lstrip()
        else:
            part += word
    yield part


def length(text: str) -> int:
    """The number of columns of a text, without escape sequences for colours."""
    return len(CODE.sub("", text))


def indent(line: str) -> int:
    plain = CODE.sub("", line)
    return len(plain) - len(plain.lstrip())
