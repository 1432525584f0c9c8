"""Text -> words of CSP#."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from coset.languages.csp import codes
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source, Span

NAME, NUMBER, TEXT, END = "name", "number", "text", "the end of the file"

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


@dataclass(frozen=True, slots=True)
class Word:
    """One word.  `kind` is NAME, NUMBER, TEXT or END, or the word itself for keywords and marks."""

    kind: str
    text: str
    span: Span = field(compare=False)


def words(source: Source, diagnostics: Diagnostics) -> list[Word]:
    """All words of a file, and one for its end.

    >>> [w.text for w in words(Source("m.csp", "P = a.0{x++;} -> P; // again"), Diagnostics())][:6]
    ['P', '=', 'a', '.', '0', '{']
    """
    found: list[Word] = []
    for match in _WORD.finditer(source.text):
        text, group = match.group(), match.lastgroup
        span = Span(source, match.start(), match.end())
        match group:
            case "space":
                continue
            case "open":
                diagnostics.error(codes.OPEN_COMMENT, "comment is never closed", span)
                break
            case "bad":
                diagnostics.error(codes.BAD_CHARACTER, f"`{text}` has no meaning in CSP#", span)
            case "name":
                found.append(Word(text if text in KEYWORDS else NAME, text, span))
            case "number":
                found.append(Word(NUMBER, text, span))
            case "text":
                found.append(Word(TEXT, text, span))
            case _:
                found.append(Word(text, text, span))
    end = len(source.text)
    return [*found, Word(END, "", Span(source, end, end))]
