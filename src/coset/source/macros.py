"""Macros: their definition and what their body becomes for given arguments (C99 6.10.3).

The order of expansion, and with it what a macro met inside its own expansion does, follows GCC: see
`expand.Expander`, which decides *when* to expand; here is only the substitution.
"""

from __future__ import annotations

from collections.abc import Callable

from coset.source.diagnostics import Diagnostics, register
from coset.source.records import dataclass
from coset.source.text import Span
from coset.source.tokens import Kind, PreprocessingToken, lex_one, spell

BAD_DEFINITION = register("P010", "A `#define` is malformed.")
BAD_PASTE = register("P011", "`##` glues two tokens into something that is not a token.")
REDEFINED = register(
    "P012", "A macro is defined again with another meaning.", "Write `#undef NAME` before the second definition."
)
BAD_ARGUMENTS = register("P013", "A macro is used with the wrong number of arguments.")
UNCLOSED_ARGUMENTS = register("P014", "The argument list of a macro is not closed by `)`.")


@dataclass(eq=False)
class Macro:
    """`parameters` is None for an object-like macro.  With `variadic` the last parameter takes all
    remaining arguments.  `disabled` holds while the macro's own expansion is being read."""

    name: str
    body: list[PreprocessingToken]
    parameters: tuple[str, ...] | None
    variadic: bool
    span: Span
    disabled: bool = False

    def same_as(self, other: Macro) -> bool:
        """Equal definitions may be repeated (6.10.3 paragraph 2)."""
        return (
            self.parameters == other.parameters
            and self.variadic == other.variadic
            and spell(self.body) == spell(other.body)
        )


def parse_definition(
    line: list[PreprocessingToken], directive: PreprocessingToken, diagnostics: Diagnostics
) -> Macro | None:
    """The macro that the tokens after `#define` define, or None after a diagnostic."""
    if not line or line[0].kind is not Kind.NAME or line[0].text == "defined":
        place = line[0] if line else directive
        diagnostics.error(BAD_DEFINITION, "`#define` needs the name of a macro", place.span)
        return None
    name, rest = line[0], line[1:]
    parameters: tuple[str, ...] | None = None
    variadic = False
    if rest and rest[0].text == "(" and not rest[0].space_before:
        names: list[str] = []
        position = 1
        while position < len(rest) and rest[position].text != ")":
            token = rest[position]
            if token.text == "..." and not variadic:
                names.append("__VA_ARGS__")
                variadic = True
            elif token.kind is Kind.NAME and not variadic and token.text not in names:
                names.append(token.text)
                if position + 1 < len(rest) and rest[position + 1].text == "...":
                    variadic = True
                    position += 1
            else:
                diagnostics.error(BAD_DEFINITION, f"bad parameter `{token.text}` of macro `{name.text}`", token.span)
                return None
            position += 1
            if position < len(rest) and rest[position].text == "," and not variadic:
                position += 1
                if position < len(rest) and rest[position].text == ")":
                    position = len(rest)
            elif position < len(rest) and rest[position].text != ")":
                token = rest[position]
                diagnostics.error(BAD_DEFINITION, f"expected `,` or `)` before `{token.text}`", token.span)
                return None
        if position >= len(rest):
            diagnostics.error(BAD_DEFINITION, f"the parameter list of macro `{name.text}` is not closed", name.span)
            return None
        parameters, rest = tuple(names), rest[position + 1 :]
    for place in (rest[0], rest[-1]) if rest else ():
        if place.text == "##":
            diagnostics.error(BAD_DEFINITION, "`##` cannot be at the start or the end of a macro", place.span)
            return None
    if parameters is not None:
        for token, following in zip(rest, [*rest[1:], None], strict=False):
            if token.text == "#" and (following is None or following.text not in parameters):
                diagnostics.error(BAD_DEFINITION, "`#` must be followed by a parameter", token.span)
                return None
    return Macro(name.text, rest, parameters, variadic, name.span)


def stringify(argument: list[PreprocessingToken], at: PreprocessingToken) -> PreprocessingToken:
    """`#parameter`: the argument's spelling as a string."""
    text = "".join(
        (" " if index and (token.space_before or token.newline_before) else "")
        + (
            token.text.replace("\\", "\\\\").replace('"', '\\"')
            if token.kind in (Kind.STRING, Kind.CHARACTER)
            else token.text
        )
        for index, token in enumerate(argument)
    )
    return PreprocessingToken(
        Kind.STRING, f'"{text}"', at.source, at.start, at.end, False, at.space_before, at.definition
    )


Expand = Callable[[list[PreprocessingToken]], list[PreprocessingToken]]


class Substitution:
    """One use of a macro: puts the arguments into the body.

    `use` is the name in the text; the body's tokens get its place, since that is where the user
    looks.  `expand` expands an argument completely, and is asked at most once for each."""

    def __init__(
        self,
        macro: Macro,
        use: PreprocessingToken,
        arguments: list[list[PreprocessingToken]],
        expand: Expand,
        diagnostics: Diagnostics,
    ) -> None:
        self.macro = macro
        self.use = use
        self.arguments = dict(zip(macro.parameters or (), arguments, strict=False))
        self.expand = expand
        self.diagnostics = diagnostics
        self.expanded: dict[str, list[PreprocessingToken]] = {}

    def result(self) -> list[PreprocessingToken]:
        body = self.macro.body
        output: list[PreprocessingToken] = []
        position = 0
        # after `##` the next operand is glued to the last token; `hole` holds when the last
        # operand was an empty argument, which vanishes
        paste = hole = False
        blank = False  # an empty argument leaves the blank before it
        while position < len(body):
            token = body[position]
            if token.text == "##" and token.kind is Kind.PUNCTUATOR and 0 < position < len(body) - 1:
                paste = True
                position += 1
                continue
            glued = paste or (position + 1 < len(body) and body[position + 1].text == "##")
            operand, used = self._operand(body, position, glued)
            if not operand:
                blank = blank or (token.space_before and not paste)
            elif blank:
                operand[0].space_before = True
                blank = False
            if paste and self._swallows_comma(body, position, output):
                if operand:
                    operand[0].space_before = False
                    output.extend(operand)
                else:
                    output.pop()
                hole = False
            elif paste and not hole:
                if operand:
                    self._paste(output, operand)
            else:
                output.extend(operand)
            hole = not operand and (hole or not paste)
            paste = False
            position += used
        if output:
            output[0] = output[0].spaced(self.use.newline_before, self.use.space_before)
        return output

    def _operand(
        self, body: list[PreprocessingToken], position: int, glued: bool
    ) -> tuple[list[PreprocessingToken], int]:
        """What the body's token at `position` stands for, and how many tokens it took."""
        token = body[position]
        if token.text == "#" and self.macro.parameters is not None:
            parameter = body[position + 1].text
            return [stringify(self.arguments[parameter], self._placed(token))], 2
        if token.kind is Kind.NAME and token.text in self.arguments:
            name = token.text
            if glued:
                argument = self.arguments[name]
            else:
                if name not in self.expanded:
                    self.expanded[name] = self.expand(self.arguments[name])
                argument = self.expanded[name]
            inner = [each.spaced(False, each.space_before or each.newline_before) for each in argument]
            if inner:
                inner[0].space_before = token.space_before
            return inner, 1
        return [self._placed(token)], 1

    def _placed(self, token: PreprocessingToken) -> PreprocessingToken:
        use = self.use
        return PreprocessingToken(
            token.kind, token.text, use.source, use.start, use.end,
            False, token.space_before, self.macro.span, token.painted,
        )  # fmt: skip

    def _swallows_comma(self, body: list[PreprocessingToken], position: int, output: list[PreprocessingToken]) -> bool:
        """GNU: in `, ## rest` the comma goes away when there are no further arguments."""
        return (
            self.macro.variadic
            and self.macro.parameters is not None
            and body[position].text == self.macro.parameters[-1]
            and body[position - 2].text == ","
            and bool(output)
            and output[-1].text == ","
        )

    def _paste(self, output: list[PreprocessingToken], operand: list[PreprocessingToken]) -> None:
        if not output:
            output.extend(operand)
            return
        left, right = output[-1], operand[0]
        text = left.text + right.text
        kind = lex_one(text)
        if kind is None or kind is Kind.OTHER:
            message = f"pasting `{left.text}` and `{right.text}` does not give a token"
            self.diagnostics.error(BAD_PASTE, message, self.use.span)
            output.extend(operand)
            return
        glued = PreprocessingToken(
            kind, text, left.source, left.start, left.end, left.newline_before, left.space_before, left.definition
        )
        output[-1:] = [glued, *operand[1:]]
