"""Diagnostics about the input: each has a code, a span and, if possible, a suggestion.

The stages of a front end never raise on bad input.  They add a `Diagnostic` to a `Diagnostics`
collector and continue, so that one run reports everything that is wrong.  Code that needs a result
without errors calls `Diagnostics.check`, which raises `InputError` with all of them.

Every code is registered with one sentence of explanation; an unregistered code is a bug and
fails at once.  The first letter names the stage:

    P preprocessor   L lexer   S syntax   N names   T types   U unsupported, by name   C formulas   M model
"""

from __future__ import annotations

import difflib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from enum import Enum

from coset.source.printable import one_line, printable
from coset.source.records import dataclass
from coset.source.text import Span

CODES: dict[str, str] = {}
ADVICE: dict[str, str] = {}


def register(code: str, summary: str, advice: str = "") -> str:
    """Make a code known: what it means in one sentence and, if there is more to say, what to do.
    Registering twice with another meaning is an error.  Returns the code, to be given a name."""
    if CODES.get(code, summary) != summary:
        raise ValueError(f"diagnostic code {code} already means: {CODES[code]}")
    CODES[code] = summary
    if advice:
        ADVICE[code] = advice
    return code


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message.  `span` is None only when no text is to blame (a file that cannot be read)."""

    code: str
    message: str
    span: Span | None
    hint: str | None = None
    notes: tuple[tuple[str, Span | None], ...] = ()
    severity: Severity = Severity.ERROR

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"unregistered diagnostic code {self.code}")


@dataclass
class Diagnostics:
    """Collects diagnostics: each once, in the order of the text, at most `limit` errors and as many
    warnings (counted apart, so that warnings never hide an error)."""

    limit: int = 100
    _found: dict[tuple[object, ...], Diagnostic] = field(default_factory=dict)
    _counts: Counter[Severity] = field(default_factory=Counter)

    def add(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.span
        place = None if span is None else (span.file, span.start)
        key = (diagnostic.code, diagnostic.message, place)
        if key not in self._found and self._counts[diagnostic.severity] < self.limit:
            self._found[key] = diagnostic
            self._counts[diagnostic.severity] += 1

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        hint: str | None = None,
        notes: Iterable[tuple[str, Span | None]] = (),
    ) -> None:
        self.add(Diagnostic(code, message, span, hint, tuple(notes)))

    def warning(
        self,
        code: str,
        message: str,
        span: Span | None,
        hint: str | None = None,
        notes: Iterable[tuple[str, Span | None]] = (),
    ) -> None:
        self.add(Diagnostic(code, message, span, hint, tuple(notes), Severity.WARNING))

    @property
    def full(self) -> bool:
        """No more errors will be taken: a stage may stop looking."""
        return self._counts[Severity.ERROR] >= self.limit

    @property
    def errors(self) -> list[Diagnostic]:
        return [each for each in self if each.severity is Severity.ERROR]

    @property
    def warnings(self) -> list[Diagnostic]:
        return [each for each in self if each.severity is Severity.WARNING]

    def sorted(self) -> list[Diagnostic]:
        """By file (in the order of the first message about it), then by place."""
        files: dict[str, int] = {}

        def key(diagnostic: Diagnostic) -> tuple[int, int]:
            span = diagnostic.span
            if span is None:
                return -1, 0
            return files.setdefault(span.file, len(files)), span.start

        return sorted(self._found.values(), key=key)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.sorted())

    def __len__(self) -> int:
        return len(self._found)

    def render(self) -> str:
        return "\n".join(render(each) for each in self)

    def check(self) -> None:
        """Raise `InputError` if there is any error."""
        if self.errors:
            raise InputError(self.sorted())


class InputError(Exception):
    """The user's input cannot be used; `diagnostics` says why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(render(each) for each in self.diagnostics))


def render(diagnostic: Diagnostic) -> str:
    """Plain text, as compilers print it:

    m.pml:3:7: error[S003]: expected `;` before `y`
        3 | x = 1 y = 2
          |       ^
      help: statements are separated by `;` or `->`
    """
    head = f"{diagnostic.severity.value}[{diagnostic.code}]: {one_line(diagnostic.message)}"
    span = diagnostic.span
    lines = [head] if span is None else [f"{span}: {head}", *_excerpt(span)]
    if diagnostic.hint:
        lines.append(f"  help: {diagnostic.hint}")
    for text, place in (*diagnostic.notes, *_origins(span)):
        lines.append(f"  note: {text}" + (f" ({place})" if place is not None else ""))
    return printable("\n".join(lines))


def _origins(span: Span | None) -> Iterator[tuple[str, Span]]:
    """How the text came to this place: through a macro, through inlines."""
    if span is None:
        return
    if span.definition is not None:
        yield f"in the expansion of macro `{span.definition.text}`, defined here", span.definition
    via = span.via
    while via is not None:
        yield f"in the body of inline `{via.text}`, called here", via
        via = via.via


_WIDTH = 110  # longer lines are shown in part


def _excerpt(span: Span) -> list[str]:
    """The line of the text with a caret under the place."""
    line, column = span.source.position(span.start)
    text = "".join(_visible(character) for character in span.source.line_text(line))
    start = min(column - 1, len(text))
    end = max(start + 1, min(start + span.end - span.start, len(text)))
    if len(text) > _WIDTH:
        left = max(0, min(start - _WIDTH // 3, len(text) - _WIDTH))
        text, start, end = text[left : left + _WIDTH], start - left, min(end - left, _WIDTH)
    margin = "".join(character if character == "\t" else " " * _cells(character) for character in text[:start])
    marked = sum(_cells(character) for character in text[start:end]) or 1
    number = f"{line:5}"
    return [f"{number} | {text}".rstrip(), f"{' ' * len(number)} | {margin}^{'~' * (marked - 1)}"]


def _visible(character: str) -> str:
    return character if character == "\t" or character.isprintable() else "\ufffd"


def _cells(character: str) -> int:
    """How many places of the terminal a character takes."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that the user may have meant, if one is close; best the same letters in another
    order.

    >>> suggest("prinft", ["printm", "printf"])
    'printf'
    """
    others = sorted(set(candidates) - {name})
    letters = sorted(name)
    close = [other for other in others if sorted(other) == letters]
    close = close or difflib.get_close_matches(name, others, n=1, cutoff=0.7)
    return close[0] if close else None
