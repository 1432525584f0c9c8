"""Formulas of linear temporal logic in PAT's notation.

    [] G always   <> F eventually   X next   U until   R V release   ! && || -> <->

An operand is the name of a condition (`#define`), or an event: `eat.0`, or in quotes what is no name: `"c!3"`.
Prefixes bind most tightly, then `U R V`, `&&`, `||`, and last `->` and `<->`, which group to the right.
"""

from __future__ import annotations

import re

from coset.languages.csp.cursor import ADDITIVE
from coset.languages.csp.parse_process import ProcessParser
from coset.languages.csp.tree import Event, Number
from coset.languages.tokens import NAME, TEXT
from coset.properties.formula import Atom, Constant, Formula, Logic, Modal, Not, Until

PREFIXES = {"[]": "[]", "G": "[]", "<>": "<>", "F": "<>", "X": "X"}
UNTIL = {"U": "U", "R": "V", "V": "V", "W": "W"}
LOGIC = {"<->": 1, "->": 1, "||": 2, "&&": 3}
_MESSAGE = re.compile(r"([A-Za-z_]\w*)([!?.])(-?\d+(?:\.-?\d+)*)$")


class FormulaParser(ProcessParser):
    def formula(self, level: int = 1) -> Formula[Event]:
        left = self.until() if level == 4 else self.formula(level + 1)
        while LOGIC.get(self.peek().kind) == level:
            operator = self.take().kind
            right = self.formula(level if level == 1 else level + 1)
            left = Logic(operator, left, right)
        return left

    def until(self) -> Formula[Event]:
        left = self.temporal()
        if self.peek().text in UNTIL:
            return Until(UNTIL[self.take().text], left, self.until())
        return left

    def temporal(self) -> Formula[Event]:
        token = self.peek()
        if token.text in PREFIXES:
            self.take()
            return Modal(PREFIXES[token.text], self.temporal())
        if self.accept("!"):
            return Not(self.temporal())
        if self.accept("("):
            inner = self.formula()
            self.expect(")", "after the formula")
            return inner
        if self.at("true", "false"):
            return Constant(self.take().kind == "true")
        if self.at(TEXT):
            return Atom(self.quoted())
        if self.at("tau"):
            self.take()
            return Atom(Event("tau", span=token.span))
        name = self.expect(NAME, "for an event or a condition")
        fields = []
        while self.accept("."):
            fields.append(self.expression(ADDITIVE))
        return Atom(Event(name.text, tuple(fields), span=self.since(name)))

    def quoted(self) -> Event:
        """`"c!3.4"`, `"c?3"`, `"c.3"`, or any event."""
        token = self.peek()
        text = token.text[1:-1].replace(" ", "")
        found = _MESSAGE.match(text)
        if found is None and re.fullmatch(r"[A-Za-z_]\w*", text) is None:
            raise self.failure(f"{token.text} is no event", 'an event is written as "eat.0", "c!1" or "c?1"')
        self.take()
        if found is None:
            return Event(text, span=token.span)
        name = found[1] + found[2].replace(".", "")
        return Event(name, tuple(Number(int(value), span=token.span) for value in found[3].split(".")), span=token.span)
