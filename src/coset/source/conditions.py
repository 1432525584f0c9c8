"""The constant expressions of `#if` (C99 6.10.1): 64-bit integers, signed or not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coset.source.tokens import Kind, PreprocessingToken

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?[lL]{0,2}|[lL]{1,2}[uU])")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11, "a": 7, "b": 8, "e": 27}
_LEVELS: dict[str, int] = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip


class ConditionError(Exception):
    """The expression is malformed; `token` is where, None for its end."""

    def __init__(self, message: str, token: PreprocessingToken | None) -> None:
        super().__init__(message)
        self.token = token


class Value:
    """A number of 64 bits and whether it is unsigned."""

    __slots__ = ("number", "unsigned")

    def __init__(self, number: int, unsigned: bool = False) -> None:
        number &= 2**64 - 1
        self.number = number if unsigned or number < 2**63 else number - 2**64
        self.unsigned = unsigned


def evaluate(tokens: Sequence[PreprocessingToken]) -> bool:
    """Whether the condition holds.  Macros are expanded already; names that remain are 0.

    Raises `ConditionError`."""
    reader = _Reader(tokens)
    value = reader.conditional(True)
    if reader.token is not None:
        raise ConditionError(f"unexpected `{reader.token.text}`", reader.token)
    return value.number != 0


class _Reader:
    """Precedence climbing.  `live` is False in the part that `&&`, `||` or `?:` skips: there a
    division by zero is harmless."""

    def __init__(self, tokens: Sequence[PreprocessingToken]) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0

    @property
    def token(self) -> PreprocessingToken | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    @property
    def text(self) -> str:
        token = self.token
        return token.text if token is not None and token.kind is Kind.PUNCTUATOR else ""

    def expect(self, text: str) -> None:
        if self.text != text:
            raise ConditionError(f"expected `{text}`", self.token)
        self.position += 1

    def conditional(self, live: bool) -> Value:
        condition = self.binary(1, live)
        if self.text != "?":
            return condition
        self.position += 1
        holds = condition.number != 0
        yes = self.conditional(live and holds)
        self.expect(":")
        no = self.conditional(live and not holds)
        unsigned = yes.unsigned or no.unsigned
        return Value((yes if holds else no).number, unsigned)

    def binary(self, level: int, live: bool) -> Value:
        left = self.unary(live)
        while _LEVELS.get(self.text, 0) >= level:
            operator = self.tokens[self.position]
            self.position += 1
            inner = live
            if operator.text == "&&":
                inner = live and left.number != 0
            elif operator.text == "||":
                inner = live and left.number == 0
            right = self.binary(_LEVELS[operator.text] + 1, inner)
            left = _apply(operator, left, right, live)
        return left

    def unary(self, live: bool) -> Value:
        token = self.token
        if token is None:
            raise ConditionError("the expression is incomplete", None)
        self.position += 1
        self.depth += 1
        if self.depth > 100:
            raise ConditionError("the expression is nested too deeply", token)
        try:
            return self._unary(token, live)
        finally:
            self.depth -= 1

    def _unary(self, token: PreprocessingToken, live: bool) -> Value:
        text = token.text
        if token.kind is Kind.PUNCTUATOR:
            if text == "(":
                value = self.conditional(live)
                self.expect(")")
                return value
            if text in ("-", "+", "~", "!"):
                value = self.unary(live)
                if text == "!":
                    return Value(int(value.number == 0))
                number = {"-": -value.number, "+": value.number, "~": ~value.number}[text]
                return Value(number, value.unsigned)
        if token.kind is Kind.NAME:
            return Value(0)
        if token.kind is Kind.NUMBER:
            return _number(token)
        if token.kind is Kind.CHARACTER:
            inner = text[1:-1]
            return Value(_ESCAPES.get(inner[1], ord(inner[1])) if inner[0] == "\\" else ord(inner[0]))
        raise ConditionError(f"`{text}` cannot be used in a condition", token)


def _number(token: PreprocessingToken) -> Value:
    match = _NUMBER.fullmatch(token.text)
    if match is None:
        raise ConditionError(f"`{token.text}` is not an integer", token)
    digits, suffix = match.groups()
    if digits[:2] in ("0x", "0X", "0b", "0B"):
        number = int(digits, 0)
    else:
        number = int(digits, 8 if digits[0] == "0" else 10)
    return Value(number, "u" in suffix.lower() or number >= 2**63)


def _apply(operator: PreprocessingToken, left: Value, right: Value, live: bool) -> Value:
    unsigned = left.unsigned or right.unsigned
    a, b = left.number, right.number
    text = operator.text
    if text == "&&":
        return Value(int(a != 0 and b != 0))
    if text == "||":
        return Value(int(a != 0 or b != 0))
    if text in ("<<", ">>"):
        shift = b if text == "<<" else -b
        if abs(shift) > 64:
            shift = 65 if shift > 0 else -65
        return Value(a << shift if shift >= 0 else a >> -shift, left.unsigned)
    if unsigned:
        a, b = a & (2**64 - 1), b & (2**64 - 1)
    if text in ("/", "%"):
        if b == 0:
            if live:
                raise ConditionError("division by zero", operator)
            return Value(0, unsigned)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return Value(quotient if text == "/" else a - b * quotient, unsigned)
    if text in ("==", "!=", "<", ">", "<=", ">="):
        holds = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[text]
        return Value(int(holds))
    number = {"|": a | b, "^": a ^ b, "&": a & b, "+": a + b, "-": a - b, "*": a * b}[text]
    return Value(number, unsigned)
