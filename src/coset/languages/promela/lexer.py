"""Preprocessed tokens -> the tokens of Promela, with SPIN's implied semicolons.

SPIN reads characters, not C tokens, so `1..N`, which C takes for one number, is cut again here, and
`!` `!` without a blank between them become `!!`.  Newlines matter too: since version 6.3 a newline
separates statements.  `Stream` follows SPIN 6.5 in where it adds a `;` and where it drops one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING

from coset.source.diagnostics import Diagnostics, register
from coset.source.records import dataclass
from coset.source.text import Source, Span
from coset.source.tokens import Kind, PreprocessingToken

if TYPE_CHECKING:
    from coset.languages.promela.inline import Inline

BAD_CHARACTER = register("L001", "A character cannot be used in Promela.")
UNCLOSED_QUOTE = register("L002", "A string or a character constant is not closed on its line.")
BAD_CHARACTER_CONSTANT = register("L003", "A character constant must hold one character.")
BAD_NUMBER = register(
    "L004", "A number is not written in decimal digits.", "Promela has decimal numbers only: write 16 for 0x10."
)
BIG_NUMBER = register("L005", "A number does not fit into 32 bits and wraps around.")
LEADING_ZERO = register("L006", "A number with leading zeros is decimal in Promela, not octal as in C.")
UNCLOSED_LTL = register("L007", "The formula of an `ltl` block is not enclosed in braces.")

NAME, CONSTANT, STRING, END = "name", "constant", "string", "end of file"
TYPE_NAME, PROCTYPE_NAME, INLINE_NAME = "name of a typedef", "name of a proctype", "name of an inline"

TYPES = frozenset({"bit", "bool", "byte", "short", "int", "unsigned", "pid", "chan", "mtype"})
KEYWORDS = TYPES | {
    "active", "assert", "atomic", "break", "c_code", "c_decl", "c_expr", "c_state", "c_track", "D_proctype", "d_step",
    "do", "else", "empty", "enabled", "eval", "fi", "for", "full", "get_priority", "goto", "hidden", "if", "init",
    "inline", "len", "local", "ltl", "nempty", "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "printf",
    "printm", "priority", "proctype", "provided", "return", "run", "select", "set_priority", "show", "timeout",
    "trace", "typedef", "unless", "xr", "xs",
}  # fmt: skip
CONSTANTS = {"true": 1, "false": 0, "skip": 1}
LTL_NAMES = {
    "U": "U", "V": "V", "W": "W", "X": "X", "always": "[]", "eventually": "<>", "until": "U", "stronguntil": "U",
    "weakuntil": "W", "release": "V", "next": "X", "implies": "implies", "equivalent": "<->",
    "strongrelease": "M", "leadsto": "~>",
    "->": "implies", "<->": "<->", "[]": "[]", "<>": "<>",
}  # fmt: skip
LONG_ARROW = "-->"
"""SPIN's lexer reads it as `->`, in statements and conditional expressions; its formulas have no such operator."""
_PUNCTUATION = re.compile(r"::|-->|->|--|\+\+|<<|<=|>>|>=|==|!=|!!|\?\?|&&|\|\||\.\.|[0-9]+|[A-Za-z_]\w*|.")
_LTL_PUNCTUATION = re.compile(r"<->|\[\]|<>|" + _PUNCTUATION.pattern.replace(f"{LONG_ARROW}|", ""))
_ALONE = frozenset("(){}],;^~@*/%")  # these never join with their neighbours
_DIRECT = frozenset("!?:.[<>-+&|=") | {"->", "++", "--", "==", "!=", "<=", ">=", "<<", ">>", "&&", "||"}
_PAIRS = frozenset({"::", "!!", "??", ".."})
_ESCAPES = {"n": 10, "r": 13, "t": 9, "f": 12}
_CHARACTER = re.compile(r"'(\\.|[^\\])'", re.DOTALL)


class Token:
    """One token of Promela.  `kind` is the token itself for keywords and operators, and `NAME`,
    `CONSTANT`, `STRING` or `END` otherwise.  `value` is that of a constant, None for an mtype name.
    `parameter` is the parameter of an inline that it was put in for."""

    __slots__ = (  # noqa: RUF023, in the order of the constructor
        "kind", "text", "value", "source", "start", "end", "newline_before", "space_before", "definition", "via",
        "parameter",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        text: str,
        value: int | None,
        source: Source,
        start: int,
        end: int,
        newline_before: bool = False,
        space_before: bool = False,
        definition: Span | None = None,
        via: Span | None = None,
        parameter: Span | None = None,
    ) -> None:
        self.kind = kind
        self.text = text
        self.value = value
        self.source = source
        self.start = start
        self.end = end
        self.newline_before = newline_before
        self.space_before = space_before
        self.definition = definition
        self.via = via
        self.parameter = parameter

    @property
    def span(self) -> Span:
        return Span(self.source, self.start, self.end, self.via, self.definition)

    def span_via(self, place: Span) -> Span:
        """The span of a token in the body of an inline that is called at a place."""
        return Span(self.source, self.start, self.end, place, self.definition)

    def copy(self, newline_before: bool, space_before: bool, via: Span | None) -> Token:
        return Token(
            self.kind, self.text, self.value, self.source, self.start, self.end,
            newline_before, space_before, self.definition, via,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r})"


@dataclass
class Names:
    """What SPIN's lexer knows of names: it decides whether a name is one of a type, a proctype..."""

    typedefs: set[str] = field(default_factory=set)
    proctypes: set[str] = field(default_factory=set)
    mtypes: set[str] = field(default_factory=set)
    inlines: dict[str, Inline] = field(default_factory=dict)

    def kind(self, name: str) -> str:
        if name in self.mtypes:
            return CONSTANT
        if name in self.typedefs:
            return TYPE_NAME
        if name in self.proctypes:
            return PROCTYPE_NAME
        return INLINE_NAME if name in self.inlines else NAME


# --- preprocessing tokens -> tokens -------------------------------------------------------------------------------


def tokenise(raw_tokens: list[PreprocessingToken], diagnostics: Diagnostics) -> tuple[list[Token], list[list[Token]]]:
    """The tokens of the program, and of each `ltl` block: SPIN removes these from the text wherever
    they are, and reads them last, so that they may refer to everything."""
    program: list[PreprocessingToken] = []
    blocks: list[list[PreprocessingToken]] = []
    position, count = 0, len(raw_tokens)
    while position < count:
        raw_token = raw_tokens[position]
        if raw_token.text != "ltl" or raw_token.kind is not Kind.NAME:
            program.append(raw_token)
            position += 1
            continue
        start, depth = position, 0
        while position < count:
            text = raw_tokens[position].text
            position += 1
            if text == "{":
                depth += 1
            elif text == "}":
                depth -= 1
                if depth == 0:
                    break
        else:
            diagnostics.error(
                UNCLOSED_LTL, "this `ltl` block has no end", raw_token.span, "write `ltl name { formula }`"
            )
            position = start + 1
            continue
        blocks.append(raw_tokens[start:position])
    return list(_cut(program, False, diagnostics)), [_cut_block(block, diagnostics) for block in blocks]


def _cut_block(block: list[PreprocessingToken], diagnostics: Diagnostics) -> list[Token]:
    """An `ltl` block: its name may be `U`, but in the formula that is an operator."""
    start = next(index for index, raw_token in enumerate(block) if raw_token.text == "{")
    return [*_cut(block[:start], False, diagnostics), *_cut(block[start:], True, diagnostics)]


def _cut(raw_tokens: list[PreprocessingToken], ltl: bool, diagnostics: Diagnostics) -> Iterator[Token]:
    position, count = 0, len(raw_tokens)
    ltl_names = LTL_NAMES if ltl else {}
    while position < count:
        raw_token = raw_tokens[position]
        position += 1
        kind, text = raw_token.kind, raw_token.text
        if kind is Kind.NAME:
            value = None
            if text in ltl_names:
                token_kind = ltl_names[text]
            elif text in KEYWORDS:
                token_kind = text
            elif text in CONSTANTS:
                token_kind, value = CONSTANT, CONSTANTS[text]
            else:
                token_kind = NAME
                if "$" in text:
                    diagnostics.error(BAD_CHARACTER, "`$` cannot be used in a name", raw_token.span)
            yield _token(token_kind, text, value, raw_token)
        elif kind is Kind.PUNCTUATOR or (kind is Kind.NUMBER and not text.isdigit()):
            if text in _ALONE:
                yield _token(text, text, None, raw_token)
                continue
            run = [raw_token]
            if kind is Kind.PUNCTUATOR:
                while position < count and _joins(raw_tokens[position]):
                    run.append(raw_tokens[position])
                    position += 1
            if len(run) == 1 and text in _DIRECT:
                yield _token(ltl_names.get(text, text), text, None, raw_token)
            elif len(run) == 2 and text + run[1].text in _PAIRS and run[1].end - raw_token.start == 2:
                token = _token(text + text, text + text, None, raw_token)
                token.end = run[1].end
                yield token
            else:
                yield from _recut(run, ltl_names, diagnostics)
        elif kind is Kind.NUMBER:
            yield _token(CONSTANT, text, _number(raw_token, text, diagnostics), raw_token)
        elif kind is Kind.STRING:
            yield _token(STRING, text, None, raw_token)
        elif kind is Kind.CHARACTER:
            yield _token(CONSTANT, text, _character(raw_token, diagnostics), raw_token)
        else:
            _refuse(raw_token, diagnostics)


def _joins(raw_token: PreprocessingToken) -> bool:
    """Whether a preprocessing token can be part of the operator that the one before it began."""
    if raw_token.space_before or raw_token.newline_before:
        return False
    if raw_token.kind is Kind.PUNCTUATOR:
        return raw_token.text not in _ALONE or raw_token.text == "]"
    return raw_token.kind is Kind.NUMBER and raw_token.text[0] == "."


def _token(kind: str, text: str, value: int | None, raw_token: PreprocessingToken) -> Token:
    return Token(
        kind, text, value, raw_token.source, raw_token.start, raw_token.end,
        raw_token.newline_before, raw_token.space_before, raw_token.definition,
    )  # fmt: skip


def _recut(run: list[PreprocessingToken], ltl_names: dict[str, str], diagnostics: Diagnostics) -> Iterator[Token]:
    """Split a run of preprocessing tokens without spaces between them again, as SPIN's lexer would."""
    text = "".join(raw_token.text for raw_token in run)
    owners = [raw_token for raw_token in run for _ in raw_token.text]
    offsets = [offset for raw_token in run for offset in range(len(raw_token.text))]
    previous_digits = False
    for match in (_LTL_PUNCTUATION if ltl_names else _PUNCTUATION).finditer(text):
        piece = match.group()
        first, last = owners[match.start()], owners[match.end() - 1]
        literal = first.end - first.start == len(first.text) and last.end - last.start == len(last.text)
        start = first.start + offsets[match.start()] if literal else first.start
        end = last.start + offsets[match.end() - 1] + 1 if literal else last.end
        begins = offsets[match.start()] == 0
        token = Token(
            piece, piece, None, first.source, start, end,
            first.newline_before and begins, first.space_before and begins, first.definition,
        )  # fmt: skip
        if piece.isdigit():
            token.kind, token.value = CONSTANT, _number(first, piece, diagnostics)
        elif piece[0].isalpha() or piece[0] == "_":
            if previous_digits:
                hint = "Promela has decimal numbers only"
                diagnostics.error(BAD_NUMBER, f"`{first.text}` is not a number of Promela", first.span, hint)
                return
            token.kind = piece if piece in KEYWORDS else CONSTANT if piece in CONSTANTS else NAME
            token.value = CONSTANTS.get(piece)
        elif piece in ltl_names:
            token.kind = ltl_names[piece]
        elif piece == LONG_ARROW:
            token.kind = "->"
        elif piece == "#":
            _refuse(first, diagnostics)
            continue
        elif previous_digits and piece == "." and text[match.end() : match.end() + 1].isdigit():
            diagnostics.error(BAD_NUMBER, f"`{first.text}` is not a number of Promela", first.span, "use whole numbers")
            return
        previous_digits = piece.isdigit()
        yield token


def _number(raw_token: PreprocessingToken, digits: str, diagnostics: Diagnostics) -> int:
    """SPIN reads a long and keeps its lower 32 bits."""
    value = min(int(digits[:40]), 2**63 - 1)
    wrapped = (value + 2**31) % 2**32 - 2**31
    if wrapped != value:
        message = f"`{digits[:40]}` does not fit into 32 bits; it is read as {wrapped}"
        diagnostics.warning(BIG_NUMBER, message, raw_token.span)
    elif digits[0] == "0" and value > 7:
        diagnostics.warning(LEADING_ZERO, f"`{digits[:40]}` is the decimal number {value} here", raw_token.span)
    return wrapped


def _character(raw_token: PreprocessingToken, diagnostics: Diagnostics) -> int:
    match = _CHARACTER.fullmatch(raw_token.text)
    if match is None or not match.group(1).isascii():
        diagnostics.error(BAD_CHARACTER_CONSTANT, f"{raw_token.text} is not one character", raw_token.span)
        return 0
    inner = match.group(1)
    return _ESCAPES.get(inner[1], ord(inner[1])) if len(inner) == 2 else ord(inner)


def _refuse(raw_token: PreprocessingToken, diagnostics: Diagnostics) -> None:
    first = raw_token.text[0]
    if first in "\"'":
        what = "string" if first == '"' else "character constant"
        hint = f"add a {first} before the line ends"
        diagnostics.error(UNCLOSED_QUOTE, f"this {what} is not closed", raw_token.span, hint)
    else:
        shown = first if first.isprintable() else f"U+{ord(first):04X}"
        diagnostics.error(BAD_CHARACTER, f"unexpected character `{shown}`", raw_token.span)


# --- implied semicolons ----------------------------------------------------------------------------

_MAY_END_STATEMENT = frozenset({"}", ")", "]", "od", "fi", "else", "break", NAME, CONSTANT, "++", "--"})
_AFTER_BRACE = frozenset({"proctype", "init", "never", "::", "fi", "od", "}", "unless", ";", "->", END})
_DROPS_SEMICOLON = frozenset({"}", "->", ";"})


@dataclass
class _Frame:
    """Tokens to be read: the program, or the body of an inline that is being expanded."""

    tokens: list[Token]
    inline: Inline | None = None
    position: int = 0


class Stream:
    """The tokens of a program one by one, as SPIN's parser sees them.

    The parser tells it, in `in_sequence`, whether a newline may separate statements here.  It must
    not look further ahead than one token, since what it declares changes how the next is read."""

    def __init__(self, program: list[Token], names: Names, end: Token) -> None:
        self.names = names
        self.in_sequence = False
        self.parentheses = 0
        self.frames = [_Frame(program)]
        self._end = end
        self._last_read = ""
        self._last_given = ""
        self._held: Token | None = None
        self._timeout: list[Token] = []  # what is left of `(timeout)`

    def next(self) -> Token:
        """The next token, with a `;` put in after `}` and `else`, and left out before `}`, `->`, `;`."""
        token = self._held
        if token is not None:
            self._held = None
            self._last_read = token.kind
        else:
            token = self._read()
            kind, last = token.kind, self._last_given
            if (last == "else" and kind not in (";", "->", "fi")) or (last == "}" and kind not in _AFTER_BRACE):
                self._held = token
                self._last_given = ""
                self._last_read = ";"
                return self._semicolon(token)
            if kind == ";" or kind == "->":
                following = self._read()
                if following.kind in _DROPS_SEMICOLON:
                    token = following
                else:
                    self._held = following
        kind = token.kind
        self._last_given = kind
        if kind == "(":
            self.parentheses += 1
        elif kind == ")":
            self.parentheses -= 1
        return token

    def _read(self) -> Token:
        """The next token, or a `;` for a newline."""
        if self._timeout:
            token = self._timeout.pop()
            self._last_read = token.kind
            return token
        frame = self.frames[-1]
        while frame.position >= len(frame.tokens):
            if len(self.frames) == 1:
                self._last_read = END
                return self._end
            self.frames.pop()
            frame = self.frames[-1]
        token = frame.tokens[frame.position]
        last = self._last_read
        if (
            token.newline_before
            and self.in_sequence
            and last in _MAY_END_STATEMENT
            and self.parentheses <= 0
            and not (last == "}" and token.text[0] == "u")
        ):
            self._last_read = ";"
            return self._semicolon(token)
        frame.position += 1
        kind = token.kind
        if kind == NAME:
            kind = token.kind = self.names.kind(token.text)
        elif kind == "timeout" and last != "(" and len(self.frames) == 1:
            # SPIN writes `(timeout)` for `timeout`, so that a newline after it separates
            opening, closing = self._semicolon(token), self._semicolon(token)
            opening.kind = opening.text = "("
            closing.kind = closing.text = ")"
            closing.start = closing.end = token.end
            self._timeout = [closing, token]
            self._last_read = "("
            return opening
        self._last_read = kind
        return token

    def _semicolon(self, before: Token) -> Token:
        """A token that is not in the text, at the place where the one after it begins."""
        return Token(";", "", None, before.source, before.start, before.start, False, False, None, before.via)

    # --- what the parser needs besides ------------------------------------------------------------

    def enter(self, body: list[Token], inline: Inline) -> None:
        """Read the expansion of an inline next."""
        self.frames.append(_Frame(body, inline))
        self._last_read = ";"

    def raw(self) -> Token:
        """The next token as it is in the text: for the bodies of inline definitions."""
        frame = self.frames[-1]
        if frame.position >= len(frame.tokens):
            return self._end
        frame.position += 1
        return frame.tokens[frame.position - 1]

    def upcoming(self, count: int) -> list[Token]:
        """The next tokens of the text, without reading them."""
        frame = self.frames[-1]
        return frame.tokens[frame.position : frame.position + count]
