"""The parser's place in the text: one word of lookahead, messages, recovery from errors.

The parser proper is a chain of classes, one per file, each on top of the one before: `Cursor`,
`ExpressionParser`, `DeclarationParser`, `StatementParser`, `Parser`.

A syntax error is reported once, where it is found, and then `Failure` is raised.  The sequence or
the program around it catches that, skips to a place where a statement or a unit can begin, and goes
on, so that one run reports all errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from coset.languages.promela.lexer import (
    CONSTANT,
    END,
    INLINE_NAME,
    KEYWORDS,
    NAME,
    PROCTYPE_NAME,
    STRING,
    TYPE_NAME,
    Names,
    Stream,
    Word,
)
from coset.source.budget import current_budget
from coset.source.diagnostics import Diagnostics, register, suggest
from coset.source.text import Source, Span

UNEXPECTED = register("S001", "The grammar of Promela does not allow this token here.")
EXPECTED_NAME = register("S002", "A new name is needed, but the token is a keyword or already declared.")

UNIT_WORDS = frozenset({"proctype", "D_proctype", "active", "init", "never", "trace", "notrace", "typedef", "inline"})
_NAME_KINDS = frozenset({NAME, TYPE_NAME, PROCTYPE_NAME, INLINE_NAME})


class Failure(Exception):
    """A syntax error that has been reported: unwind to where parsing can go on."""


class Cursor:
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        self.stream = stream
        self.names = names
        self.diagnostics = diagnostics
        self.last: Word | None = None  # the last word taken
        self.recording: list[Word] | None = None  # the words of an inline's argument
        self.bad_lines: Collection[tuple[Source, int]] = ()  # where the lexer has complained already
        self._ahead: Word | None = None
        self._after: Word | None = None  # the word after it, when it was put back

    # --- words -------------------------------------------------------------------------------------

    def peek(self) -> Word:
        word = self._ahead
        if word is None:
            word = self._ahead = self._after or self.stream.next()
            self._after = None
        return word

    def take(self) -> Word:
        current_budget().check()
        word = self.peek()
        self._ahead = None
        self.last = word
        if self.recording is not None:
            self.recording.append(word)
        return word

    def put_back(self, word: Word, kind: str) -> None:
        """Read a word again, as what it was probably meant to be."""
        self._after, self._ahead = self.peek(), word
        word.kind = kind

    def at(self, kind: str) -> bool:
        return self.peek().kind == kind

    def accept(self, kind: str) -> Word | None:
        return self.take() if self.peek().kind == kind else None

    def expect(self, kind: str, where: str, opened: Word | None = None) -> Word:
        """Take a word of this kind; `where` completes the message "expected `x` ..."."""
        if self.peek().kind == kind:
            return self.take()
        notes = [("to match this", opened.span)] if opened is not None else []
        hint = "compare with `==`" if self.at("=") else None
        raise self.failure(f"expected {shown(kind)} {where}, not {self.describe()}", hint=hint, notes=notes)

    def expect_name(self, what: str) -> Word:
        """Take a name that has no other meaning yet."""
        word = self.peek()
        if word.kind == NAME:
            return self.take()
        if word.kind in (TYPE_NAME, PROCTYPE_NAME, INLINE_NAME):
            raise self.failure(f"expected {what}, but `{word.text}` is the {word.kind}", code=EXPECTED_NAME)
        if word.kind == CONSTANT and word.value is None:
            raise self.failure(f"expected {what}, but `{word.text}` is an mtype constant", code=EXPECTED_NAME)
        if word.text in KEYWORDS or word.text in ("true", "false", "skip"):
            raise self.failure(f"expected {what}, but `{word.text}` is a keyword of Promela", code=EXPECTED_NAME)
        raise self.failure(f"expected {what}, not {self.describe()}")

    # --- spans and messages ------------------------------------------------------------------------

    def span_from(self, start: Word) -> Span:
        """From a word to the last one taken."""
        last = self.last
        end = start.end
        if last is not None and last.source is start.source and last.via is start.via and last.end > end:
            end = last.end
        return Span(start.source, start.start, end, start.via, start.definition)

    def describe(self, word: Word | None = None) -> str:
        word = word or self.peek()
        if word.kind == ";" and not word.text:
            return "the end of the line"
        if word.kind == END:
            return "the end of the file"
        return f"`{word.text}`"

    def failure(
        self,
        message: str,
        word: Word | None = None,
        hint: str | None = None,
        code: str = UNEXPECTED,
        notes: Iterable[tuple[str, Span | None]] = (),
    ) -> Failure:
        """Report an error at a word, by default at the next one; to be raised."""
        span = (word or self.peek()).span
        if not self.follows_bad_word(span):
            self.diagnostics.error(code, message, span, hint, notes)
        return Failure()

    def follows_bad_word(self, span: Span) -> bool:
        """Whether the lexer has dropped something near here: then the error is only its echo."""
        if not self.bad_lines:
            return False
        lines = {(span.source, span.line)}
        if self.last is not None:
            lines.add((self.last.source, self.last.span.line))
        return any(line in self.bad_lines for line in lines)

    def misspelt(self, word: Word, candidates: Iterable[str]) -> str | None:
        """A hint if a name is nearly one of the candidates."""
        close = suggest(word.text, candidates) if word.kind in _NAME_KINDS else None
        return f"did you mean `{close}`?" if close else None

    def skip_block(self) -> None:
        """Skip to the end of the block around, and behind it."""
        depth = 0
        while not self.at(END) and self.peek().kind not in UNIT_WORDS:
            kind = self.take().kind
            depth += (kind == "{") - (kind == "}")
            if depth < 0:
                return


def shown(kind: str) -> str:
    return f"a {kind}" if kind in (NAME, CONSTANT, STRING) else f"`{kind}`"
