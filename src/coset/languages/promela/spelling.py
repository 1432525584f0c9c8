"""How statements out of inlines are shown."""

from __future__ import annotations

from coset.languages.promela.lexer import Token
from coset.source.text import Span


def spelled(tokens: list[Token]) -> str:
    """The text of a statement with arguments in the place of parameters, and macros without arguments by their names."""
    text, last = "", None
    for token in tokens:
        is_in_macro = is_named(token) and last is not None and last.definition is token.definition
        if is_in_macro and last is not None and (last.source, last.start) == (token.source, token.start):
            continue  # the next token of the same expansion
        gap = " " if text and (token.space_before or token.newline_before) else ""
        text += gap + (token.span.text if is_named(token) else token.text)
        last = token
    return text


def is_named(token: Token) -> bool:
    """Whether a token comes from a macro that is shown by its name; one with arguments is shown as what it stands for."""
    return token.definition is not None and not token.source.text[token.end :].lstrip().startswith("(")


def one_line(span: Span) -> str:
    """The text of a statement, short enough to show.

    >>> from coset.source.text import Source
    >>> one_line(Span(Source("m", "x =\\n  1"), 0, 8))
    'x = 1'
    """
    text = " ".join((span.spelled or span.text).split())
    return text if len(text) <= 80 else text[:77] + "..."
