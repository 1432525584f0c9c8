"""The tokens of a `.seq` file, and the codes of what can be wrong with it."""

from __future__ import annotations

import re
from typing import NamedTuple

from coset.source.diagnostics import Diagnostics, register
from coset.source.text import Source, Span

SYNTAX = register("Q001", "the grammar of sequential models does not allow this token here")
NAME = register("Q002", "a name is not declared in the sequential model, or declared twice")
TYPE = register("Q003", "a variable, an index or a value of a sequential model does not fit its declaration")
INEXPRESSIBLE = register("Q004", "a construct of the model has no sequential form")

KEYWORDS = frozenset({
    "all", "always", "bit", "bool", "byte", "condition", "const", "control", "each", "else", "false", "if", "init", "process",
    "some", "sum", "true", "type", "while",
})  # fmt: skip

TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)|(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\.\.|&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^~!<>=?:;,.(){}\[\]])|(?P<other>.)",
    re.S,
)


class Token(NamedTuple):
    """`what` is "number", "name", "sign" or "end"."""

    what: str
    text: str
    span: Span


def tokenise(source: Source, diagnostics: Diagnostics) -> list[Token]:
    """All tokens of a text, closed by one whose text is empty.

    >>> [token.text for token in tokenise(Source("m.seq", "0..N-1 u // agent"), Diagnostics())]
    ['0', '..', 'N', '-', '1', 'u', '']
    """
    found = []
    for match in TOKEN.finditer(source.text):
        what, span = match.lastgroup or "other", Span(source, match.start(), match.end())
        if what == "other":
            diagnostics.error(SYNTAX, f"`{match[0]}` cannot be used in a sequential model", span)
        elif what != "blank":
            found.append(Token(what, match[0], span))
    end = len(source.text)
    return [*found, Token("end", "", Span(source, end, end))]
