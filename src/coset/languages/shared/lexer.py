"""Text -> tokens of a shared-variable program."""

from __future__ import annotations

import re

from coset.languages.shared import codes
from coset.languages.tokens import Lexicon, Token
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

KEYWORDS = frozenset({
    "assume", "asynchronous", "atomic", "await", "bool", "choose", "class", "const", "count", "critical", "deadlock",
    "define", "do", "else", "exists", "false", "forall", "forever", "global", "goto", "halt", "if", "in", "int", "invariant",
    "local", "loop", "ltl", "nat", "noncritical", "none", "oneof", "or", "parameter", "process", "property",
    "release", "request", "self", "sem", "shared", "skip", "synchronous", "then", "true", "type", "where", "while",
})  # fmt: skip
"""Tokens that cannot be names."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<open>/\*)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*'*)
    | (?P<number>[0-9]+)
    | (?P<mark>:=|\.\.|<->|<>|->|\[\]|&&|\|\||==|!=|<=|>=|[][(){}.,;:!=<>+*/%@&|-])
    | (?P<bad>.)
    """,
    re.VERBOSE,
)
LEXICON = Lexicon(_TOKEN, KEYWORDS, codes.OPEN_COMMENT, codes.BAD_CHARACTER, same={"&&": "&", "==": "="})


def tokenise(source: Source, diagnostics: Diagnostics) -> list[Token]:
    """All tokens of a text, and one for its end.

    >>> [w.kind for w in tokenise(Source("m.spl", "l' : await x && y; // wait"), Diagnostics())]
    ['name', ':', 'await', 'name', '&', 'name', ';', 'the end of the file']
    """
    return LEXICON.tokens(source, diagnostics)
