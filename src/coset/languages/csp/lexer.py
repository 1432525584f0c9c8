"""Text -> tokens of CSP#."""

from __future__ import annotations

import re

from coset.languages.csp import codes
from coset.languages.tokens import Lexicon, Token
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

KEYWORDS = frozenset({
    "Skip", "Stop", "if", "ifa", "ifb", "else", "case", "default", "atomic", "interrupt", "var", "hvar", "channel",
    "enum", "while", "true", "false", "call", "tau",
})  # fmt: skip
"""Tokens that cannot be names."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|//[^\n]*|/\*[\s\S]*?\*/)
    | (?P<open>/\*)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>[0-9]+)
    | (?P<text>"[^"\n]*")
    | (?P<mark>\|\|\||\|\||\|=|\[\*\]|\[\]|<->|<>|->|&&|==|!=|<=|>=|\+\+|--|\+=|-=|\.\.|[][(){}.,;:?!=<>+*/%@\\\#-])
    | (?P<bad>.)
    """,
    re.VERBOSE,
)

LEXICON = Lexicon(_TOKEN, KEYWORDS, codes.OPEN_COMMENT, codes.BAD_CHARACTER, "in CSP#")


def tokenise(source: Source, diagnostics: Diagnostics) -> list[Token]:
    """All tokens of a file, and one for its end.

    >>> [w.text for w in tokenise(Source("m.csp", "P = a.0{x++;} -> P; // again"), Diagnostics())][:6]
    ['P', '=', 'a', '.', '0', '{']
    """
    return LEXICON.tokens(source, diagnostics)
