"""Where in the text of a formula are the operators, and where the conditions on states?

Temporal formulas on command lines hold conditions in the language of the model, which this package does not know.  So
the text is cut into tokens, and an *atom* is a longest run of tokens without an operator of the logic outside of
brackets: in `[] (x > 3 && len(q) == 0)` these are `x > 3` and `len(q) == 0`.  A run that is one pair of parentheses
is a formula in parentheses; any other run is handed, as text and with its offset, to a function that knows the
language.

This is what the parsers of linear (`ltl_parser.py`) and of branching time (`ctl_parser.py`) share: binary operators
with precedences, all grouping to the left, atoms, and errors with offsets.
"""

from __future__ import annotations

import difflib
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple

from coset.properties.formula import A, Atom, Constant, Formula, Logic, Not

DEPTH = 200
"""How deep formulas may be nested."""

LOGIC = {
    "->": (1, "->"), "implies": (1, "->"), "<->": (1, "<->"), "equivalent": (1, "<->"), "||": (2, "||"),
    "&&": (3, "&&"),
}  # fmt: skip
"""The operators that both logics have: precedence (higher binds more tightly) and name."""

_TOKEN = re.compile(
    r"\[\]|<->|<>|->|&&|\|\||==|!=|<=|>=|<<|>>|\?\?"
    r"|(?P<name>[^\W\d][\w$]*)|\d\w*"
    r"""|'(?:\\.|[^'\\])'|"(?:\\.|[^"\\])*"|\S""",
    re.DOTALL,
)
_INFIX = frozenset({"==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_FOREIGN = {
    "G": "[]", "F": "<>", "R": "V", "globally": "[]", "finally": "<>", "not": "!", "and": "&&", "or": "||",
}  # fmt: skip


class FormulaSyntaxError(ValueError):
    """The text is not a formula.  `offset` is where in the text, `hint` a way out, if there is one."""

    def __init__(self, message: str, offset: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} (at offset {self.offset})" + (f"; {self.hint}" if self.hint else "")


class Token(NamedTuple):
    text: str
    start: int
    is_name: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class FormulaText(Generic[A]):
    """A parser at work.  A logic adds its operators: `infix` (precedence and name) and `prefix`."""

    error: type[FormulaSyntaxError] = FormulaSyntaxError
    infix: Mapping[str, tuple[int, str]] = LOGIC
    prefixes: frozenset[str] = frozenset()
    foreign: Mapping[str, str] = _FOREIGN

    def __init__(self, text: str, atom: Callable[[str, int], A]) -> None:
        self.text = text
        self.atom = atom
        self.tokens = [Token(m.group(), m.start(), m.lastgroup == "name") for m in _TOKEN.finditer(text)]
        self.partner = self._brackets()
        self.at = 0
        self.depth = 0

    @abstractmethod
    def prefix(self, token: Token) -> Formula[A]:
        """The formula that begins with a token of `prefixes`, which has been read."""

    def join(self, operator: str, left: Formula[A], right: Formula[A]) -> Formula[A]:
        return Logic(operator, left, right)

    def begins(self) -> bool:
        """Whether a prefix operator is next."""
        return self.peek() in self.prefixes

    def whole(self) -> Formula[A]:
        """The formula that is the whole text."""
        if not self.tokens:
            raise self.error("there is no formula", 0)
        formula = self.formula(1)
        if self.at < len(self.tokens):
            raise self.unexpected()
        return formula

    def formula(self, level: int) -> Formula[A]:
        """A formula whose binary operators, outside of brackets, have at least this precedence."""
        depth = self.depth
        self.deeper()
        left = self.operand()
        while (found := self.infix.get(self.peek())) is not None and found[0] >= level:
            self.at += 1
            self.deeper()
            left = self.join(found[1], left, self.formula(found[0] + 1))
        self.depth = depth
        return left

    def operand(self) -> Formula[A]:
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        if token is not None and self.begins():
            depth = self.depth
            self.deeper()
            self.at += 1
            formula: Formula[A] = self.negation() if token.text == "!" else self.prefix(token)
            self.depth = depth
            return formula
        first, last = self.at, self.run()
        if last == first:
            raise self.missing()
        if self.tokens[first].text == "(" and self.partner[first] == last - 1:
            self.at = first + 1
            inner = self.formula(1)
            if self.at != last - 1:
                raise self.unexpected()
            self.at = last
            return inner
        self.check(first, last)
        self.at = last
        text = self.text[self.tokens[first].start : self.tokens[last - 1].end]
        return (
            Constant(text == "true") if text in ("true", "false") else Atom(self.atom(text, self.tokens[first].start))
        )

    def negation(self) -> Formula[A]:
        """What follows a `!`, which languages let bind more tightly than a comparison: `!x > 3` is refused."""
        first, last = self.at, self.at if self.begins() else self.run()
        position = first
        while position < last:
            token = self.tokens[position]
            if token.text in _INFIX and position > first:
                expression = self.text[self.tokens[first].start : self.tokens[last - 1].end]
                raise self.error(
                    f"`!` before `{expression}` can be read in two ways", self.tokens[first - 1].start,
                    f"write `!({expression})`",
                )  # fmt: skip
            position = self.partner.get(position, position) + 1
        return Not(self.operand())

    def run(self) -> int:
        """Where the atom that begins here ends: before the next operator or closing bracket."""
        position = self.at
        while position < len(self.tokens):
            token = self.tokens[position]
            if self.ends(position) or token.text in _CLOSING.values():
                break
            position = self.partner.get(position, position) + 1
        return position

    def ends(self, position: int) -> bool:
        """Whether the token here is an operator that ends an atom."""
        return self.tokens[position].text in self.infix

    def check(self, first: int, last: int) -> None:
        """Refuse an atom that holds an operator of the logic, or two tokens with none between."""
        for position in range(first, last):
            token = self.tokens[position]
            before = self.tokens[position - 1] if position > first else None
            if self.temporal(position):
                if before is not None and self.temporal_here(first, position):
                    raise self.error(f"an operator is missing before `{token.text}`", token.start)
                raise self.error(
                    f"`{token.text}` is an operator of the logic and cannot be inside of an expression", token.start,
                    "it can only be combined with `!`, `&&`, `||`, `->` and `<->`",
                )  # fmt: skip
            if before is None:
                continue
            if before.text == ")" and (token.is_name or token.text == "("):
                raise self.error(f"an operator is missing before `{token.text}`", token.start)
            if before.is_name and (token.is_name or token.text in ("(", "!")):
                self.check_foreign(before)
                if token.is_name:
                    self.check_foreign(token)

    def check_foreign(self, token: Token) -> None:
        """Refuse a token that means an operator elsewhere, or nearly is one of ours."""
        if token.text in self.foreign:
            raise self.error(
                f"`{token.text}` is not an operator here", token.start, f"write `{self.foreign[token.text]}`"
            )
        known = [name for name in {*self.prefixes, *self.infix} if len(name) > 3]
        for name in difflib.get_close_matches(token.text, known, 1, 0.75):
            raise self.error(f"`{token.text}` is not an operator", token.start, f"did you mean `{name}`?")

    def temporal(self, position: int) -> bool:
        """Whether the token is an operator of the logic that no expression can hold."""
        text = self.tokens[position].text
        return text != "!" and (text in self.prefixes or (text in self.infix and text not in ("&&", "||", "->")))

    def temporal_here(self, first: int, position: int) -> bool:
        """Whether no bracket of the run is around the position."""
        return not any(first <= start < position < end for start, end in self.partner.items())

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            offset = self.tokens[min(self.at, len(self.tokens) - 1)].start
            raise self.error(f"the formula is nested more than {DEPTH} deep", offset)

    def missing(self) -> FormulaSyntaxError:
        if self.at == len(self.tokens):
            last = self.tokens[-1]
            return self.error(f"an operand is missing after `{last.text}`", last.end)
        token = self.tokens[self.at]
        return self.error(f"an operand is missing before `{token.text}`", token.start)

    def unexpected(self) -> FormulaSyntaxError:
        token = self.tokens[self.at]
        return self.error(f"`{token.text}` is not expected here", token.start)

    def _brackets(self) -> dict[int, int]:
        """From the index of every opening bracket to that of its closing one."""
        partner: dict[int, int] = {}
        opened: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.text in _CLOSING:
                opened.append(index)
            elif token.text in _CLOSING.values():
                if not opened or _CLOSING[self.tokens[opened[-1]].text] != token.text:
                    raise self.error(f"`{token.text}` closes nothing", token.start)
                partner[opened.pop()] = index
        if opened:
            token = self.tokens[opened[-1]]
            raise self.error(f"`{token.text}` is not closed", token.start, f"add a `{_CLOSING[token.text]}`")
        return partner
