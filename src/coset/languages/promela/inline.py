"""Inlines: named pieces of text with parameters, put in where they are called.

SPIN replaces text, and so do we, on tokens: each parameter becomes the tokens of its argument.  The
spans of an expansion point into the body of the inline, with `via` the place of the call.
"""

from __future__ import annotations

from coset.languages.promela.lexer import KEYWORDS, Names, Token
from coset.source.diagnostics import Diagnostics, register
from coset.source.records import dataclass
from coset.source.text import Span

CYCLIC_INLINE = register("S050", "An inline calls itself, directly or through others, without end.")
DEEP_INLINE = register("S051", "Inlines are nested more than 16 deep.")
INLINE_ARGUMENTS = register("S052", "An inline is called with the wrong number of arguments.")
INLINE_CAPTURE = register(
    "S053",
    "An argument of an inline collides with one of its parameters.",
    "SPIN replaces text; give the parameter another name.",
)
LARGE_INLINE = register("S055", "The expansion of inlines is too large.")
MAXIMAL_DEPTH = 16
MAXIMAL_SIZE = 200_000  # tokens


@dataclass(eq=False)
class Inline:
    """`body` holds the tokens from `{` to `}`."""

    name: str
    parameters: tuple[str, ...]
    body: list[Token]
    span: Span


def expand(
    inline: Inline, arguments: list[list[Token]], call: Token, names: Names, diagnostics: Diagnostics
) -> list[Token] | None:
    """The tokens of the body with the arguments put in, or None after a diagnostic."""
    if len(arguments) != len(inline.parameters):
        wanted = len(inline.parameters)
        diagnostics.error(
            INLINE_ARGUMENTS,
            f"inline `{inline.name}` takes {wanted} argument{'s' * (wanted != 1)}, not {len(arguments)}",
            call.span,
            None,
            [("it is defined here", inline.span)],
        )
        return None
    actual = {
        name: argument
        for name, argument in zip(inline.parameters, arguments, strict=True)
        if spell(argument) != name and name not in KEYWORDS and name not in names.mtypes
    }
    place = call.span
    body: list[Token] = []
    for token in inline.body:
        argument = actual.get(token.text) if token.kind == "name" else None
        if argument is None:
            via = place if token.via is None else token.via.used_at(place)
            body.append(token.copy(token.newline_before, token.space_before, via))
        else:
            if not _allowed(inline, token.text, argument, call, diagnostics):
                return None
            newline, space = token.newline_before, token.space_before
            formal = token.span.used_at(place) if token.via is not None else token.span_via(place)
            for part in argument:
                copied = part.copy(newline, space or (part is not argument[0] and part.space_before), part.via)
                copied.parameter = formal
                body.append(copied)
                newline, space = False, False
    return body


def spell(tokens: list[Token]) -> str:
    return "".join(token.text for token in tokens)


def _allowed(inline: Inline, parameter: str, argument: list[Token], call: Token, diagnostics: Diagnostics) -> bool:
    """SPIN refuses an argument that is the name of another parameter, since its replacement of text
    would then go round in circles, and one in which the parameter is part of a structure's name."""
    text = spell(argument)
    if text in inline.parameters:
        diagnostics.error(
            INLINE_CAPTURE,
            f"argument `{text}` of inline `{inline.name}` is also the name of one of its parameters",
            argument[0].span,
            f"give parameter `{text}` another name",
            [("it is defined here", inline.span)],
        )
        return False
    start = text.find(parameter)
    while start >= 0:
        end = start + len(parameter)
        if (start > 0 and text[start - 1] == ".") or text[end : end + 1] == ".":
            diagnostics.error(
                INLINE_CAPTURE,
                f"parameter `{parameter}` of inline `{inline.name}` occurs in the structure name `{text}`",
                argument[0].span,
                f"give parameter `{parameter}` another name",
                [("it is defined here", inline.span)],
            )
            return False
        start = text.find(parameter, start + 1)
    return True
