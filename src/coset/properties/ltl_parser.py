"""From text to a formula of linear temporal logic, in the notation of SPIN.

    [] always   <> eventually   X next   ! not
    U until stronguntil   W weakuntil   V release
    && ||   -> implies   <-> equivalent   true false   ( )

Prefixes bind most tightly, then `U W V`, `&&`, `||`, and last `->` and `<->`; all group to the left.  That is how
SPIN reads `ltl` blocks; its command line (`spin -f`) gives `&& || -> <->` one precedence, so formulas for both need
parentheses.  `U V W X` and the tokens above cannot be names of variables.

    >>> print(parse_ltl("[] (x > 3 -> <> len(q) == 0)", lambda text, offset: text))
    [] ((x > 3) -> <> (len(q) == 0))
    >>> parse_ltl("p U", lambda text, offset: text)
    Traceback (most recent call last):
    ...
    coset.properties.ltl_parser.LtlSyntaxError: an operand is missing after `U` (at offset 3)
"""

from __future__ import annotations

from collections.abc import Callable

from coset.properties.formula import A, Formula, Logic, Modal, Until
from coset.properties.formula_text import LOGIC, FormulaSyntaxError, FormulaText, Token

_PREFIX = {"[]": "[]", "always": "[]", "<>": "<>", "eventually": "<>", "X": "X", "next": "X"}
_UNTIL = {"U": "U", "until": "U", "stronguntil": "U", "W": "W", "weakuntil": "W", "V": "V", "release": "V"}


class LtlSyntaxError(FormulaSyntaxError):
    """The text is not a formula of linear temporal logic."""


def parse_ltl(text: str, atom: Callable[[str, int], A]) -> Formula[A]:
    """The formula in a text.  `atom` is given the text of every condition on states and its offset, and makes an atom
    of it; what it raises is not caught."""
    return _LtlText(text, atom).whole()


class _LtlText(FormulaText[A]):
    error = LtlSyntaxError
    infix = {**LOGIC, **{token: (4, name) for token, name in _UNTIL.items()}}
    prefixes = frozenset({"!", *_PREFIX})

    def prefix(self, token: Token) -> Formula[A]:
        return Modal(_PREFIX[token.text], self.operand())

    def join(self, operator: str, left: Formula[A], right: Formula[A]) -> Formula[A]:
        return Until(operator, left, right) if operator in _UNTIL else Logic(operator, left, right)
