"""Text -> preprocessing tokens, as the C standard cuts them (C99 6.4).

One compiled regular expression does the work.  Two rules of C matter for Promela: `1..N` without
blanks is a single *preprocessing number*, so that a macro `N` in it is not expanded, and a block
comment may hide a line's end, so that what follows it is no directive.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum

from coset.source.diagnostics import Diagnostics, register
from coset.source.text import Source, Span

UNTERMINATED_COMMENT = register("P001", "A comment `/* ...` is not closed by `*/` before the end of the file.")


class Kind(Enum):
    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    CHARACTER = "character"
    PUNCTUATOR = "punctuator"
    OTHER = "other"  # a character, or an unclosed quotation, that no language here can use


class PreprocessingToken:
    """A preprocessing token and where the user wrote it.

    `newline_before` and `space_before` say what separates it from the token before it in GCC's
    output; newlines inside the arguments or the body of a macro do not count.  `definition` is the
    name in the `#define` of the macro that the token came from.
    """

    __slots__ = (  # noqa: RUF023, in the order of the constructor
        "kind", "text", "source", "start", "end", "newline_before", "space_before", "definition", "painted",
        "starts_line",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        text: str,
        source: Source,
        start: int,
        end: int,
        newline_before: bool = False,
        space_before: bool = False,
        definition: Span | None = None,
        painted: bool = False,
    ) -> None:
        self.kind = kind
        self.text = text
        self.source = source
        self.start = start
        self.end = end
        self.newline_before = newline_before
        self.space_before = space_before
        self.definition = definition
        self.painted = painted  # the name of a macro met inside its own expansion: never expanded
        self.starts_line = False  # the first of a logical line: where directives begin

    @property
    def span(self) -> Span:
        return Span(self.source, self.start, self.end, None, self.definition)

    def spaced(self, newline_before: bool, space_before: bool) -> PreprocessingToken:
        """A copy with other separation."""
        return PreprocessingToken(
            self.kind, self.text, self.source, self.start, self.end,
            newline_before, space_before, self.definition, self.painted,
        )  # fmt: skip

    def paint(self) -> PreprocessingToken:
        """A copy that is never expanded."""
        token = self.spaced(self.newline_before, self.space_before)
        token.painted = True
        return token

    def __repr__(self) -> str:
        return f"PreprocessingToken({self.text!r})"


_SCAN = re.compile(
    r"""
      ([ \t\f\v\r]+)
    | (\n)
    | ([A-Za-z_$][A-Za-z0-9_$]*)
    | (/\*[\s\S]*?\*/ | //[^\n]*)
    | (\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*)
    | ("(?:\\[^\n]|[^"\\\n])*")
    | ('(?:\\[^\n]|[^'\\\n])+')
    | (\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|(?!/\*)[][(){}.,;:?!=<>+*/%&|^~\#@-])
    | (/\*[\s\S]*)
    | (["'][^\n]* | .)
    """,
    re.VERBOSE,
)
_SPACE, _NEWLINE, _NAME, _COMMENT, _NUMBER, _STRING, _CHARACTER, _PUNCTUATOR, _OPEN_COMMENT, _OTHER = range(1, 11)
_KINDS = {
    _NAME: Kind.NAME,
    _NUMBER: Kind.NUMBER,
    _STRING: Kind.STRING,
    _CHARACTER: Kind.CHARACTER,
    _PUNCTUATOR: Kind.PUNCTUATOR,
    _OTHER: Kind.OTHER,
}
_CONTINUATION = re.compile(r"\\[ \t]*\r?\n")


def scan(source: Source, diagnostics: Diagnostics) -> list[PreprocessingToken]:
    """All tokens of a file."""
    text = source.text
    if "\\" in text and _CONTINUATION.search(text):
        return _scan_spliced(source, diagnostics)
    return _scan(source, text, diagnostics)


def _scan(source: Source, text: str, diagnostics: Diagnostics) -> list[PreprocessingToken]:
    tokens: list[PreprocessingToken] = []
    append = tokens.append
    kinds = _KINDS
    newline, space = True, False
    hidden_newline = False  # in a comment: GCC shows it, but the logical line goes on
    for match in _SCAN.finditer(text):
        group = match.lastindex or 0
        if group == _SPACE:
            space = True
        elif group == _NEWLINE:
            newline = True
        elif group == _COMMENT:
            space = True
            hidden_newline = hidden_newline or "\n" in match.group()
        elif group == _OPEN_COMMENT:
            start = match.start()
            diagnostics.error(UNTERMINATED_COMMENT, "comment is never closed", Span(source, start, start + 2))
            break
        else:
            token = PreprocessingToken(kinds[group], match.group(), source, match.start(), match.end(), newline, space)
            if newline:
                token.starts_line = True
                newline = hidden_newline = False
            elif hidden_newline:
                token.newline_before = True
                hidden_newline = False
            space = False
            append(token)
    return tokens


def _scan_spliced(source: Source, diagnostics: Diagnostics) -> list[PreprocessingToken]:
    """Lines that end in a backslash are glued first, then the offsets are mapped back."""
    starts: list[int] = [0]  # where each piece begins in the glued text
    shifts: list[int] = [0]  # and how much was cut out before it
    pieces: list[str] = []
    position = length = 0
    for match in _CONTINUATION.finditer(source.text):
        pieces.append(source.text[position : match.start()])
        length += match.start() - position
        position = match.end()
        starts.append(length)
        shifts.append(position - length)
    pieces.append(source.text[position:])
    found = Diagnostics()
    tokens = _scan(source, "".join(pieces), found)
    piece = 0
    for token in tokens:
        index = bisect_right(starts, token.start) - 1
        token.start += shifts[index]
        token.end += shifts[bisect_right(starts, token.end - 1) - 1]
        if token.newline_before:
            piece = index
        elif index != piece and token.space_before:
            token.newline_before = True  # GCC shows the new line where there is white space
            piece = index
    for each in found:
        assert each.span is not None
        start = each.span.start + shifts[bisect_right(starts, each.span.start) - 1]
        diagnostics.error(each.code, each.message, Span(source, start, start + 2))
    return tokens


def lex_one(text: str) -> Kind | None:
    """The kind of the single token that the whole text is, or None if it is not one: for `##`."""
    match = _SCAN.fullmatch(text)
    return None if match is None else _KINDS.get(match.lastindex or 0)


def spell(tokens: list[PreprocessingToken]) -> str:
    """The tokens as text, with a blank where there was white space."""
    parts: list[str] = []
    for token in tokens:
        if parts and (token.space_before or token.newline_before):
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)
