"""Text -> tokens of a Murphi file.  Keywords are case-insensitive, names are not."""

from __future__ import annotations

import re

from coset.languages.murphi import codes
from coset.languages.tokens import NAME, Lexicon, Token
from coset.source.diagnostics import Diagnostics
from coset.source.records import dataclass
from coset.source.text import Source

ENDS = (
    "alias", "choose", "exists", "for", "forall", "function", "if", "procedure", "record", "rule", "ruleset",
    "startstate", "switch", "while",
)  # fmt: skip
"""What `end` may name: `endif`."""
KEYWORDS = frozenset({
    "alias", "array", "assert", "assume", "begin", "boolean", "by", "case", "choose", "clear", "const", "cover", "do",
    "else", "elsif", "end", "enum", "error", "exists", "for", "forall", "function", "if", "invariant", "ismember",
    "isundefined", "liveness", "multiset", "multisetadd", "multisetcount", "multisetremove", "multisetremovepred", "of",
    "procedure", "put", "real", "record", "return", "rule", "ruleset", "scalarset", "startstate", "switch", "then", "to",
    "type", "undefine", "union", "var", "while", *(f"end{each}" for each in ENDS),
})  # fmt: skip
"""Tokens that cannot be names, in lower case."""
RUMUR = frozenset({"cover", "liveness", "assume"})
"""Keywords of Rumur only: models written for CMurphi have variables of these names."""

NAME_BEFORE = frozenset({":=", ".", "[", ",", ":", "=", ")", ";"})
"""What follows such a name, and never the keyword."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s+|--[^\n]*|/\*[\s\S]*?\*/)
    | (?P<open>/\*)
    | (?P<name>[^\W\d]\w*)
    | (?P<number>0[xX][0-9A-Fa-f]+|[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?<!\.))
    | (?P<text>["“](?:\\.|[^\\"”])*["”])
    | (?P<mark>:=|≔|\.\.|==>|⇒|->|→|<<|>>|<=|≤|>=|≥|!=|≠|==|&&|\|\||¬|∧|∨|÷|−|∕|×|∀|∃|[][(){}.,;:!=<>+*/%?&|^~-])
    | (?P<bad>.)
    """,
    re.VERBOSE,
)
SAME = {
    "≔": ":=", "⇒": "==>", "→": "->", "≤": "<=", "≥": ">=", "≠": "!=", "==": "=", "¬": "!", "∧": "&&", "∨": "||",
    "÷": "/", "∕": "/", "−": "-", "×": "*", "∀": "forall", "∃": "exists",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MurphiLexicon(Lexicon):
    """A lexicon in which keywords may be written in capitals."""

    def tokens(self, source: Source, diagnostics: Diagnostics) -> list[Token]:
        # `self.keywords` is empty for the base class: which names are keywords is decided here.
        found = Lexicon.tokens(self, source, diagnostics)
        following = [token.text for token in found[1:]] + ["", ""]
        return [
            Token(token.text.lower(), token.text, token.span)
            if token.kind == NAME and is_keyword(token.text.lower(), *following[k : k + 2])
            else token
            for k, token in enumerate(found)
        ]


def is_keyword(text: str, after: str, second: str) -> bool:
    """Whether a word is a keyword.  Words that only one of CMurphi and Rumur knows are names for the other one.

    >>> is_keyword("choose", "m", ":"), is_keyword("choose", ";", "end"), is_keyword("cover", ":=", "x")
    (True, False, False)
    """
    if text == "choose":
        return second == ":"
    return text in KEYWORDS and not (text in RUMUR and after in NAME_BEFORE)


LEXICON = MurphiLexicon(_TOKEN, frozenset(), codes.OPEN_COMMENT, codes.BAD_CHARACTER, same=SAME)


def tokenise(source: Source, diagnostics: Diagnostics) -> list[Token]:
    """All tokens of a text, and one for its end.

    >>> [w.kind for w in tokenise(Source("m.m", "Rule x := 0..3 -- wait"), Diagnostics())]
    ['rule', 'name', ':=', 'number', '..', 'number', 'the end of the file']
    """
    return LEXICON.tokens(source, diagnostics)
