"""Text -> words of a shared-variable program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from coset.languages.shared import codes
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source, Span

NAME, NUMBER, END = "name", "number", "the end of the file"

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
_SAME = {"&&": "&", "==": "="}


@dataclass(frozen=True, slots=True)
class Word:
    """One word.  `kind` is NAME, NUMBER or END, or the word itself for keywords and marks."""

    kind: str
    text: str
    span: Span = field(compare=False)


def words(source: Source, diagnostics: Diagnostics) -> list[Word]:
    """All words of a text, and one for its end.

    >>> [w.kind for w in words(Source("m.spl", "l' : await x && y; // wait"), Diagnostics())]
    ['name', ':', 'await', 'name', '&', 'name', ';', 'the end of the file']
    """
    found: list[Word] = []
    for match in _WORD.finditer(source.text):
        text = match.group()
        span = Span(source, match.start(), match.end())
        match match.lastgroup:
            case "space":
                continue
            case "open":
                diagnostics.error(codes.OPEN_COMMENT, "comment is never closed", span)
                break
            case "bad":
                diagnostics.error(codes.BAD_CHARACTER, f"`{text}` has no meaning here", span)
            case "name":
                found.append(Word(text if text in KEYWORDS else NAME, text, span))
            case "number":
                found.append(Word(NUMBER, text, span))
            case _:
                found.append(Word(_SAME.get(text, text), text, span))
    end = len(source.text)
    return [*found, Word(END, "", Span(source, end, end))]
