"""From text to a formula of computation tree logic.

    AX EX AF EF AG EG p      also A X p, and A[] p, E<> p for AG p, EF p
    A[p U q]  E[p U q]       also with W (weak until) and R or V (release), and with parentheses: A(p U q)
    !  &&  ||  -> implies  <-> equivalent  true false  ( )

Prefixes bind most tightly, then `&&`, `||`, and last `->` and `<->`; all group to the left.  Directly inside
of `A[...]` the path operator is weaker than all others: `A[p && q U r]` is `A[(p && q) U r]`.  `AX` and its like
cannot be names of variables; `A`, `E`, `U` and so on can, where they cannot be an operator: `A[1] == U` is an atom.

    >>> print(parse_ctl("AG (x > 3 -> A[len(q) == 0 U p@end])", lambda text, offset: text))
    AG ((x > 3) -> A[(len(q) == 0) U (p@end)])
    >>> parse_ctl("[] p", lambda text, offset: text)
    Traceback (most recent call last):
    ...
    coset.properties.ctl_parser.CtlSyntaxError: `[]` has no path quantifier (at offset 0); write `AG` or `EG`
"""

from __future__ import annotations

from collections.abc import Callable

from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import A, Formula
from coset.properties.formula_text import FormulaSyntaxError, FormulaText, Token

_MODAL = {"X": "X", "F": "F", "G": "G", "[]": "G", "<>": "F"}
_UNTIL = {"U": "U", "until": "U", "W": "W", "weakuntil": "W", "R": "R", "V": "R", "release": "R"}
_WORDS = {"[]": "G", "<>": "F", "always": "G", "eventually": "F", "next": "X"}


class CtlSyntaxError(FormulaSyntaxError):
    """The text is not a formula of computation tree logic."""


def parse_ctl(text: str, atom: Callable[[str, int], A]) -> Formula[A]:
    """The formula in a text.  `atom` is given the text of every condition on states and its offset, and makes an atom
    of it; what it raises is not caught."""
    return _CtlText(text, atom).whole()


class _CtlText(FormulaText[A]):
    error = CtlSyntaxError
    prefixes = frozenset({"!", "AX", "EX", "AF", "EF", "AG", "EG"})
    foreign = {"not": "!", "and": "&&", "or": "||"}

    def begins(self) -> bool:
        token = self.peek()
        if token in self.prefixes:
            return True
        if token not in ("A", "E") or self.at + 1 == len(self.tokens):
            return False
        following = self.tokens[self.at + 1]
        if following.text in ("[", "("):
            return self.until_in(self.at + 1) is not None
        return following.text in _MODAL

    def prefix(self, token: Token) -> Formula[A]:
        if len(token.text) == 2:
            return Branching(token.text[0], token.text[1], self.operand())
        if self.peek() in _MODAL:
            operator = _MODAL[self.peek()]
            self.at += 1
            return Branching(token.text, operator, self.operand())
        opening = self.at
        closing = self.partner[opening]
        self.at += 1
        left = self.formula(1)
        if not self.is_until(self.at):
            raise self.unexpected()
        operator = _UNTIL[self.peek()]
        self.at += 1
        right = self.formula(1)
        if self.at != closing:
            if self.is_until(self.at):
                raise self.error(
                    f"`{self.peek()}` has no path quantifier", self.tokens[self.at].start,
                    "one path formula in `A[...]` or `E[...]` has one such operator",
                )  # fmt: skip
            raise self.unexpected()
        self.at = closing + 1
        return BranchingUntil(token.text, operator, left, right)

    def ends(self, position: int) -> bool:
        return super().ends(position) or self.is_until(position)

    def is_until(self, position: int) -> bool:
        """Whether the token here is the operator of a path formula: there may be an operand on either side."""
        if not (0 < position < len(self.tokens) - 1) or self.tokens[position].text not in _UNTIL:
            return False
        before, after = self.tokens[position - 1], self.tokens[position + 1]
        left = before.text in (")", "]", "}") or before.text[0].isalnum() or before.text[0] in "_'\""
        right = after.text in ("(", "!", "-", "~") or after.text[0].isalnum() or after.text[0] in "_'\""
        return left and right and not (before.text in _UNTIL and self.is_until(position - 1))

    def until_in(self, opening: int) -> int | None:
        """The place of the first such operator directly inside of a pair of brackets."""
        position = opening + 1
        while position < self.partner[opening]:
            if self.is_until(position):
                return position
            position = self.partner.get(position, position) + 1
        return None

    def unexpected(self) -> FormulaSyntaxError:
        token = self.tokens[self.at]
        if self.is_until(self.at):
            operator = _UNTIL[token.text]
            return self.error(
                f"`{token.text}` has no path quantifier",
                token.start,
                f"write `A[p {operator} q]` or `E[p {operator} q]`",
            )
        return super().unexpected()

    def check(self, first: int, last: int) -> None:
        for position in range(first, last):
            token = self.tokens[position]
            modal = _WORDS.get(token.text)
            if modal is None and token.text in "XFG" and position + 1 < last:
                following = self.tokens[position + 1]
                modal = token.text if following.is_name or following.text in ("(", "!") else None
            if modal is not None:
                raise self.error(
                    f"`{token.text}` has no path quantifier", token.start, f"write `A{modal}` or `E{modal}`"
                )  # fmt: skip
        super().check(first, last)
