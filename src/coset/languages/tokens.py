"""Text cut into tokens, and a reader's place among them: what the parsers of the smaller languages begin with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from coset.source.budget import current_budget
from coset.source.diagnostics import Diagnostics
from coset.source.records import dataclass
from coset.source.text import Source, Span

NAME, NUMBER, TEXT, END = "name", "number", "text", "the end of the file"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.  `kind` is NAME, NUMBER, TEXT or END, or the token itself for keywords and marks."""

    kind: str
    text: str
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How a language is cut into tokens.  `pattern` has the groups `space` (with comments), `open` (a comment that is never
    closed), `name`, `number`, `text`, `mark`, and `bad` for whatever else.  Marks that mean the same have one kind."""

    pattern: re.Pattern[str]
    keywords: frozenset[str]
    open_comment: str
    bad_character: str
    where: str = "here"
    same: Mapping[str, str] = field(default_factory=dict)

    def tokens(self, source: Source, diagnostics: Diagnostics) -> list[Token]:
        """All tokens of a text, and one for its end."""
        found: list[Token] = []
        for match in self.pattern.finditer(source.text):
            text, group = match.group(), match.lastgroup
            span = Span(source, match.start(), match.end())
            match group:
                case "space":
                    continue
                case "open":
                    diagnostics.error(self.open_comment, "comment is never closed", span)
                    break
                case "bad":
                    diagnostics.error(self.bad_character, f"`{text}` has no meaning {self.where}", span)
                case "name":
                    found.append(Token(text if text in self.keywords else NAME, text, span))
                case "number" | "text":
                    found.append(Token(group, text, span))
                case _:
                    found.append(Token(self.same.get(text, text), text, span))
        end = len(source.text)
        return [*found, Token(END, "", Span(source, end, end))]


class Failure(Exception):
    """A syntax error that has been reported: unwind to where parsing can go on."""


class Reader:
    """A place among tokens."""

    unexpected: ClassVar[str]
    """The code of the message that something else was expected."""

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        self.tokens = tokens
        self.diagnostics = diagnostics
        self.position = 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.position + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        current_budget().check()
        token = self.peek()
        self.position += 1
        return token

    def at(self, *kinds: str) -> bool:
        return self.peek().kind in kinds

    def accept(self, kind: str) -> Token | None:
        return self.take() if self.at(kind) else None

    def expect(self, kind: str, where: str) -> Token:
        """Take a token of this kind; `where` completes the message "expected `x` ..."."""
        if self.at(kind):
            return self.take()
        what = f"a {kind}" if kind in (NAME, NUMBER) else f"`{kind}`"
        raise self.failure(f"expected {what} {where}, not {self.shown()}", self.advice(kind))

    def advice(self, kind: str) -> str | None:
        """What to do if a token of this kind was expected here."""
        return None

    def shown(self) -> str:
        return END if self.at(END) else f"`{self.peek().text}`"

    def failure(self, message: str, hint: str | None = None, code: str | None = None) -> Failure:
        """Report an error at the next token; to be raised."""
        self.diagnostics.error(code or self.unexpected, message, self.peek().span, hint)
        return Failure()

    def since(self, start: Token) -> Span:
        """From a token to the last one taken."""
        last = self.tokens[max(self.position - 1, 0)]
        return start.span.join(last.span)
