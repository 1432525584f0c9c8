"""The parser's place in the text: one token of lookahead, messages, recovery from errors.

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
    Token,
)
from coset.languages.promela.spelling import are_of_one_use, is_of_call, spelled
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
        self.last: Token | None = None  # the last token taken
        self.recording: list[Token] | None = None  # the tokens of an inline's argument
        self.bad_lines: Collection[tuple[Source, int]] = ()  # where the lexer has complained already
        self.taken: list[Token] = []
        self._ahead: Token | None = None
        self._after: Token | None = None  # the token after it, when it was put back

    # --- tokens -------------------------------------------------------------------------------------

    def peek(self) -> Token:
        token = self._ahead
        if token is None:
            token = self._ahead = self._after or self.stream.next()
            self._after = None
        return token

    def take(self) -> Token:
        current_budget().check()
        token = self.peek()
        self._ahead = None
        self.last = token
        self.taken.append(token)
        if self.recording is not None:
            self.recording.append(token)
        return token

    def put_back(self, token: Token, kind: str) -> None:
        """Read a token again, as what it was probably meant to be."""
        self._after, self._ahead = self.peek(), token
        token.kind = kind

    def at(self, kind: str) -> bool:
        return self.peek().kind == kind

    def accept(self, kind: str) -> Token | None:
        return self.take() if self.peek().kind == kind else None

    def expect(self, kind: str, where: str, opened: Token | None = None) -> Token:
        """Take a token of this kind; `where` completes the message "expected `x` ..."."""
        if self.peek().kind == kind:
            return self.take()
        notes = [("to match this", opened.span)] if opened is not None else []
        hint = "compare with `==`" if self.at("=") else None
        raise self.failure(f"expected {shown(kind)} {where}, not {self.describe()}", hint=hint, notes=notes)

    def expect_name(self, what: str) -> Token:
        """Take a name that has no other meaning yet."""
        token = self.peek()
        if token.kind == NAME:
            return self.take()
        if token.kind in (TYPE_NAME, PROCTYPE_NAME, INLINE_NAME):
            raise self.failure(f"expected {what}, but `{token.text}` is the {token.kind}", code=EXPECTED_NAME)
        if token.kind == CONSTANT and token.value is None:
            raise self.failure(f"expected {what}, but `{token.text}` is an mtype constant", code=EXPECTED_NAME)
        if token.text in KEYWORDS or token.text in ("true", "false", "skip"):
            raise self.failure(f"expected {what}, but `{token.text}` is a keyword of Promela", code=EXPECTED_NAME)
        raise self.failure(f"expected {what}, not {self.describe()}")

    # --- spans and messages ------------------------------------------------------------------------

    def span_from(self, start: Token) -> Span:
        """From a token to the last one taken."""
        last = self.last
        end = start.end
        if last is not None and last.source is start.source and last.via is start.via and last.end > end:
            end = last.end
        return Span(start.source, start.start, end, start.via, start.definition)

    def statement_span(self, start: Token) -> Span:
        """The span of a statement.  In an inline with parameters, it is where the inline has it, with the arguments put in;
        where a macro with arguments or with several statements was expanded, its body is the text."""
        last = self.last
        first = len(self.taken) - 1
        while first >= 0 and self.taken[first] is not start:
            first -= 1
        taken = self.taken[max(first, 0) :]
        parted = self.parted(first, taken)
        if last is None or not (parted or any(token.parameter is not None or is_of_call(token) for token in taken)):
            return self.span_from(start)
        begin, end = start.parameter or start.span, last.parameter or last.span
        if begin.source is not end.source or begin.via is not end.via:
            return self.span_from(start)
        return Span(
            begin.source, begin.start, max(begin.end, end.end), begin.via, begin.definition, spelled(taken, parted)
        )

    def parted(self, first: int, taken: list[Token]) -> list[Token]:
        """The tokens at the ends of a statement whose macro has more than this statement."""
        before, after = self.taken[first - 1] if first > 0 else None, self.peek()
        pairs = (taken[0], before), (taken[-1], after)
        return [token for token, other in pairs if other is not None and are_of_one_use(token, other)]

    def describe(self, token: Token | None = None) -> str:
        token = token or self.peek()
        if token.kind == ";" and not token.text:
            return "the end of the line"
        if token.kind == END:
            return "the end of the file"
        return f"`{token.text}`"

    def failure(
        self,
        message: str,
        token: Token | None = None,
        hint: str | None = None,
        code: str = UNEXPECTED,
        notes: Iterable[tuple[str, Span | None]] = (),
    ) -> Failure:
        """Report an error at a token, by default at the next one; to be raised."""
        span = (token or self.peek()).span
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

    def misspelt(self, token: Token, candidates: Iterable[str]) -> str | None:
        """A hint if a name is nearly one of the candidates."""
        close = suggest(token.text, candidates) if token.kind in _NAME_KINDS else None
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
