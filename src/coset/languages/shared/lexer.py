"""Text -> words of a shared-variable program."""

from __future__ import annotations

import re

from coset.languages.shared import codes
from coset.languages.words import Lexicon, Word
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

KEYWORDS = frozenset({
    "assume", "asynchronous", "atomic", "await", "bool", "choose", "class", "const", "count", "critical", "deadlock",
    "define", "do", "else", "exists", "false", "forall", "forever", "global", "goto", "halt", "if", "in", "int", "invariant",
    "local", "loop", "ltl", "nat", "noncritical", "none", "oneof", "or", "parameter", "process", "property",
    "release", "request", "self", "sem", "shared", "skip", "synchronous", "then", "true", "type", "where", "while",
})  # fmt: skip
"""Words that cannot be names."""

_WORD = re.compile(
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
LEXICON = Lexicon(_WORD, KEYWORDS, codes.OPEN_COMMENT, codes.BAD_CHARACTER, same={"&&": "&", "==": "="})


def words(source: Source, diagnostics: Diagnostics) -> list[Word]:
    """All words of a text, and one for its end.

    >>> [w.kind for w in words(Source("m.spl", "l' : await x && y; // wait"), Diagnostics())]
    ['name', ':', 'await', 'name', '&', 'name', ';', 'the end of the file']
    """
    return LEXICON.words(source, diagnostics)
