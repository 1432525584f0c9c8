"""Source text and places in it.

A `Source` is one file as the user wrote it.  A `Span` is a stretch of it.  Everything that is ever
said to the user about his text (diagnostics, traces, explanations of symmetry) is said with a span,
so spans are cheap: offsets are kept, and lines and columns are only computed when they are shown.

    >>> source = Source("m.pml", "byte x;\\nx = 1")
    >>> span = Span(source, 8, 9)
    >>> span.line, span.column, span.text
    (2, 1, 'x')
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field, replace
from functools import cached_property

from coset.source.printable import one_line
from coset.source.records import dataclass


class Source:
    """The text of one file.  Two sources are the same only if they are the same object."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    def __repr__(self) -> str:
        return f"Source({self.path!r})"

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset at which each line begins; computed once, when first asked for."""
        text = self.text
        starts = [0]
        position = text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = text.find("\n", position + 1)
        return starts

    @property
    def lines(self) -> list[str]:
        """All lines without their ends, numbered as `position` does: `str.splitlines` also breaks at form feeds and the like.

        >>> Source("m.pml", "a\\fb\\r\\nc\\n").lines
        ['a\\x0cb', 'c']
        """
        found = [line.rstrip("\r") for line in self.text.split("\n")]
        return found if found[-1] else found[:-1]

    def position(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, both counted from 1, in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Line `line` (from 1) without its end; empty when there is no such line."""
        starts = self.line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] - 1 if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (exclusive) of a source.

    Text that was moved before it was parsed remembers it:

    * `via`: the place of use, when this text is the body of an inline that was called there;
    * `definition`: the name in the `#define` of the macro that produced the text.  The span itself
      is then where the user wrote the macro's name, since that is the line that he looks at;
    * `spelled`: the text with the arguments of the inline in the place of its parameters.
    """

    source: Source
    start: int
    end: int
    via: Span | None = field(default=None, compare=False)
    definition: Span | None = field(default=None, compare=False)
    spelled: str | None = field(default=None, compare=False)

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def file(self) -> str:
        return self.source.path

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def join(self, other: Span) -> Span:
        """The smallest span that holds both.  Spans of different files cannot be joined, nor an
        inline's body with its surroundings: then the first one stays."""
        if other.source is not self.source or other.via != self.via:
            return self
        if self.start <= other.start and other.end <= self.end:
            return self
        return Span(self.source, min(self.start, other.start), max(self.end, other.end), self.via, self.definition)

    def used_at(self, place: Span) -> Span:
        """The same text, with `place` as the (outermost) place of use."""
        return replace(self, via=place if self.via is None else self.via.used_at(place))

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{one_line(self.file)}:{line}:{column}"

    def __repr__(self) -> str:
        return f"<{self}>"
