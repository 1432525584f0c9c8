"""Text -> words of CSP#."""

from __future__ import annotations

import re

from coset.languages.csp import codes
from coset.languages.words import Lexicon, Word
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

KEYWORDS = frozenset({
    "Skip", "Stop", "if", "ifa", "ifb", "else", "case", "default", "atomic", "interrupt", "var", "hvar", "channel",
    "enum", "while", "true", "false", "call", "tau",
})  # fmt: skip
"""Words that cannot be names."""

_WORD = re.compile(
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

LEXICON = Lexicon(_WORD, KEYWORDS, codes.OPEN_COMMENT, codes.BAD_CHARACTER, "in CSP#")


def words(source: Source, diagnostics: Diagnostics) -> list[Word]:
    """All words of a file, and one for its end.

    >>> [w.text for w in words(Source("m.csp", "P = a.0{x++;} -> P; // again"), Diagnostics())][:6]
    ['P', '=', 'a', '.', '0', '{']
    """
    return LEXICON.words(source, diagnostics)
