"""How statements out of inlines and macros are shown."""

from __future__ import annotations

from collections.abc import Sequence

from coset.languages.promela.lexer import Token
from coset.source.text import Span


def spelled(tokens: list[Token], parted: Sequence[Token] = ()) -> str:
    """The text of a statement with arguments in the place of parameters, and macros without arguments by their names, unless
    they are parted: their uses have other statements, too."""
    text, last = "", None
    for token in tokens:
        by_name = is_named(token) and not any(are_of_one_use(token, other) for other in parted)
        if by_name and last is not None and are_of_one_use(last, token):
            continue  # the next token of the same expansion
        gap = " " if text and (token.space_before or token.newline_before) else ""
        text += gap + (token.span.text if by_name else token.text)
        last = token
    return text


def are_of_one_use(one: Token, other: Token) -> bool:
    """Whether two tokens come from the same use of a macro, perhaps by other macros in its body."""
    are_of_macros = one.definition is not None and other.definition is not None
    return are_of_macros and (one.source, one.start) == (other.source, other.start)


def is_named(token: Token) -> bool:
    """Whether a token comes from a macro that is shown by its name."""
    return token.definition is not None and not is_of_call(token)


def is_of_call(token: Token) -> bool:
    """Whether a token comes from a macro with arguments, which is shown as what it stands for."""
    return token.definition is not None and token.source.text.startswith("(", after_space(token.source.text, token.end))


def after_space(text: str, start: int) -> int:
    """Where a text goes on after blanks."""
    while start < len(text) and text[start].isspace():
        start += 1
    return start


def one_line(span: Span) -> str:
    """The text of a statement, short enough to show.

    >>> from coset.source.text import Source
    >>> one_line(Span(Source("m", "x =\\n  1"), 0, 8))
    'x = 1'
    """
    text = " ".join((span.spelled or span.text).split())
    return text if len(text) <= 80 else text[:77] + "..."
