"""Formulas that are not in the file, such as those of the command line: each becomes one more `ltl` block.

The blocks are put behind the text, so that a formula can speak of everything that the file declares, macros included.
What is wrong with a formula is then said about the formula, and not about a line that the user never wrote.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from coset.source.diagnostics import Diagnostic
from coset.source.text import Source, Span

STEM = "command_line"
ORIGIN = "--ltl"
"""What the place of a mistake in a formula is called."""


@dataclass(frozen=True, slots=True)
class Appended:
    """A source with more `ltl` blocks, their names, and where in it each formula starts."""

    source: Source
    names: tuple[str, ...]
    formulas: tuple[str, ...]
    starts: tuple[int, ...]
    original: int

    def located(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic, with its place in the formula if it is about one."""
        return replace(
            diagnostic,
            span=self.place(diagnostic.span),
            notes=tuple((text, self.place(span)) for text, span in diagnostic.notes),
        )

    def place(self, span: Span | None) -> Span | None:
        if span is None or span.source is not self.source or span.start < self.original:
            return span
        number = max((k for k, start in enumerate(self.starts) if start <= span.start), default=0)
        formula, start = self.formulas[number], self.starts[number]
        begin = min(max(span.start - start, 0), len(formula))
        end = min(max(span.end - start, begin), len(formula))
        return Span(Source(ORIGIN, formula), begin, end, span.via, span.definition)


def append(source: Source, formulas: Sequence[str]) -> Appended:
    r"""The source with an `ltl` block for each formula.

    >>> appended = append(Source("m.pml", "byte x;"), ["[] (x == 0)"])
    >>> appended.source.text, appended.names
    ('byte x;\nltl command_line_1 { [] (x == 0) }\n', ('command_line_1',))
    """
    text, names, starts = source.text, list[str](), list[int]()
    numbers = count(1)
    for formula in formulas:
        name = next(name for name in (f"{STEM}_{number}" for number in numbers) if name not in source.text)
        text += "" if text.endswith("\n") else "\n"
        text += f"ltl {name} {{ "
        names.append(name)
        starts.append(len(text))
        text += f"{formula} }}\n"
    return Appended(Source(source.path, text), tuple(names), tuple(formulas), tuple(starts), len(source.text))
