"""Where in the text of a formula are the operators, and where the conditions on states?

Temporal formulas on command lines hold conditions in the language of the model, which this package does not know.  So
the text is cut into words, and an *atom* is a longest run of words without an operator of the logic outside of
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

_WORD = re.compile(
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


class Word(NamedTuple):
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
        self.words = [Word(m.group(), m.start(), m.lastgroup == "name") for m in _WORD.finditer(text)]
        self.partner = self._brackets()
        self.at = 0
        self.depth = 0

    @abstractmethod
    def prefix(self, word: Word) -> Formula[A]:
        """The formula that begins with a word of `prefixes`, which has been read."""

    def join(self, operator: str, left: Formula[A], right: Formula[A]) -> Formula[A]:
        return Logic(operator, left, right)

    def begins(self) -> bool:
        """Whether a prefix operator is next."""
        return self.peek() in self.prefixes

    def whole(self) -> Formula[A]:
        """The formula that is the whole text."""
        if not self.words:
            raise self.error("there is no formula", 0)
        formula = self.formula(1)
        if self.at < len(self.words):
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
        word = self.words[self.at] if self.at < len(self.words) else None
        if word is not None and self.begins():
            depth = self.depth
            self.deeper()
            self.at += 1
            formula: Formula[A] = self.negation() if word.text == "!" else self.prefix(word)
            self.depth = depth
            return formula
        first, last = self.at, self.run()
        if last == first:
            raise self.missing()
        if self.words[first].text == "(" and self.partner[first] == last - 1:
            self.at = first + 1
            inner = self.formula(1)
            if self.at != last - 1:
                raise self.unexpected()
            self.at = last
            return inner
        self.check(first, last)
        self.at = last
        text = self.text[self.words[first].start : self.words[last - 1].end]
        return Constant(text == "true") if text in ("true", "false") else Atom(self.atom(text, self.words[first].start))

    def negation(self) -> Formula[A]:
        """What follows a `!`, which languages let bind more tightly than a comparison: `!x > 3` is refused."""
        first, last = self.at, self.at if self.begins() else self.run()
        position = first
        while position < last:
            word = self.words[position]
            if word.text in _INFIX and position > first:
                expression = self.text[self.words[first].start : self.words[last - 1].end]
                raise self.error(
                    f"`!` before `{expression}` can be read in two ways", self.words[first - 1].start,
                    f"write `!({expression})`",
                )  # fmt: skip
            position = self.partner.get(position, position) + 1
        return Not(self.operand())

    def run(self) -> int:
        """Where the atom that begins here ends: before the next operator or closing bracket."""
        position = self.at
        while position < len(self.words):
            word = self.words[position]
            if self.ends(position) or word.text in _CLOSING.values():
                break
            position = self.partner.get(position, position) + 1
        return position

    def ends(self, position: int) -> bool:
        """Whether the word here is an operator that ends an atom."""
        return self.words[position].text in self.infix

    def check(self, first: int, last: int) -> None:
        """Refuse an atom that holds an operator of the logic, or two words with none between."""
        for position in range(first, last):
            word = self.words[position]
            before = self.words[position - 1] if position > first else None
            if self.temporal(position):
                if before is not None and self.temporal_here(first, position):
                    raise self.error(f"an operator is missing before `{word.text}`", word.start)
                raise self.error(
                    f"`{word.text}` is an operator of the logic and cannot be inside of an expression", word.start,
                    "it can only be combined with `!`, `&&`, `||`, `->` and `<->`",
                )  # fmt: skip
            if before is None:
                continue
            if before.text == ")" and (word.is_name or word.text == "("):
                raise self.error(f"an operator is missing before `{word.text}`", word.start)
            if before.is_name and (word.is_name or word.text in ("(", "!")):
                self.check_foreign(before)
                if word.is_name:
                    self.check_foreign(word)

    def check_foreign(self, word: Word) -> None:
        """Refuse a word that means an operator elsewhere, or nearly is one of ours."""
        if word.text in self.foreign:
            raise self.error(f"`{word.text}` is not an operator here", word.start, f"write `{self.foreign[word.text]}`")
        known = [name for name in {*self.prefixes, *self.infix} if len(name) > 3]
        for name in difflib.get_close_matches(word.text, known, 1, 0.75):
            raise self.error(f"`{word.text}` is not an operator", word.start, f"did you mean `{name}`?")

    def temporal(self, position: int) -> bool:
        """Whether the word is an operator of the logic that no expression can hold."""
        text = self.words[position].text
        return text != "!" and (text in self.prefixes or (text in self.infix and text not in ("&&", "||", "->")))

    def temporal_here(self, first: int, position: int) -> bool:
        """Whether no bracket of the run is around the position."""
        return not any(first <= start < position < end for start, end in self.partner.items())

    def peek(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) else ""

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            offset = self.words[min(self.at, len(self.words) - 1)].start
            raise self.error(f"the formula is nested more than {DEPTH} deep", offset)

    def missing(self) -> FormulaSyntaxError:
        if self.at == len(self.words):
            last = self.words[-1]
            return self.error(f"an operand is missing after `{last.text}`", last.end)
        word = self.words[self.at]
        return self.error(f"an operand is missing before `{word.text}`", word.start)

    def unexpected(self) -> FormulaSyntaxError:
        word = self.words[self.at]
        return self.error(f"`{word.text}` is not expected here", word.start)

    def _brackets(self) -> dict[int, int]:
        """From the index of every opening bracket to that of its closing one."""
        partner: dict[int, int] = {}
        opened: list[int] = []
        for index, word in enumerate(self.words):
            if word.text in _CLOSING:
                opened.append(index)
            elif word.text in _CLOSING.values():
                if not opened or _CLOSING[self.words[opened[-1]].text] != word.text:
                    raise self.error(f"`{word.text}` closes nothing", word.start)
                partner[opened.pop()] = index
        if opened:
            word = self.words[opened[-1]]
            raise self.error(f"`{word.text}` is not closed", word.start, f"add a `{_CLOSING[word.text]}`")
        return partner
