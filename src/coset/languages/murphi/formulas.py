"""Temporal formulas of the command line, whose conditions are expressions of Murphi.

    --ltl '[] (s[1] = trying -> <> s[1] = critical)'       --ctl 'AG EF forall p: Proc do s[p] = idle end'

Prefixes (`[] <> G F X !`, in branching time `AG EF A[p U q]` and so on) bind most tightly, then `U W V`, `&`, `|`, and last `->`,
which groups to the right, as in Murphi.  Comparisons and arithmetic belong to the conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from coset.languages.murphi import codes
from coset.languages.murphi import tree as t
from coset.languages.murphi.cursor import COMPARISON, Cursor
from coset.languages.murphi.lexer import tokenise
from coset.languages.tokens import END, NAME, Failure
from coset.model.fairness import NotAConstraint, constraints_of
from coset.properties.ctl_formula import Branching, BranchingUntil
from coset.properties.formula import Atom, Formula, Logic, Modal, Not, Until
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source, Span

LINEAR = {"G": "[]", "F": "<>", "X": "X"}
BRANCHING = tuple(quantifier + operator for quantifier in "AE" for operator in "XFG")
UNTIL = {"U": "U", "W": "W", "V": "V", "R": "V"}
GOES_ON = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "<<", ">>", "?", "^", ".", "[")
"""What follows the closing parenthesis of an expression that is a part of another one."""

Condition = Formula[t.Expression]


def parse_formulas(
    ltl: Sequence[str],
    ctl: Sequence[str],
    invariants: Sequence[str],
    constraints: Sequence[str],
    diagnostics: Diagnostics,
) -> list[t.FormulaProperty]:
    """The formulas as properties of a program, fairness constraints last."""
    asked = [("invariant", "--invariant", text) for text in invariants]
    asked += [("ltl", "--ltl", text) for text in ltl] + [("ctl", "--ctl", text) for text in ctl]
    asked += [("fairness", "--fair", text) for text in constraints]
    stems = {"invariant": "invariant", "ltl": "command_line", "ctl": "ctl", "fairness": "fairness"}
    numbers = dict.fromkeys(stems, 0)
    found = []
    for category, origin, text in asked:
        numbers[category] += 1
        source = Source(origin, text)
        span = Span(source, 0, len(text))
        try:
            formula = FormulaParser(source, category, diagnostics).whole()
            if category == "fairness":
                list(constraints_of(cast("Formula[Any]", formula)))  # it asks for the form only
        except NotAConstraint as error:
            diagnostics.error(codes.NO_CONSTRAINT, str(error), span)
            continue
        except Failure:
            continue
        name = f"{stems[category]}_{numbers[category]}"
        found.append(t.FormulaProperty(category, name, formula, span=span))
    return found


class FormulaParser(Cursor):
    """Reads one formula.

    >>> def shown(category, text):
    ...     formula = FormulaParser(Source("", text), category, Diagnostics()).whole()
    ...     return str(formula.operand).count("Atom"), type(formula).__name__, formula.operator
    >>> shown("ltl", "[] (x < 3 & p -> <> (x + 1) = y)"), shown("ctl", "AG EF x = 1")
    ((0, 'Modal', '[]'), (0, 'Branching', 'G'))
    """

    def __init__(self, source: Source, category: str, diagnostics: Diagnostics) -> None:
        super().__init__(tokenise(source, diagnostics), diagnostics)
        self.category = category

    def whole(self) -> Condition:
        if self.category == "invariant":
            formula: Condition = Modal("[]", Atom(self.expression()))
        else:
            formula = self.implication()
        if not self.at(END):
            raise self.failure(f"expected an operator or the end of the formula, not {self.shown()}")
        return formula

    def implication(self) -> Condition:
        self.nest()
        left = self.junction("|", "||")
        if self.accept("->"):
            left = Logic("->", left, self.implication())
        self.depth -= 1
        return left

    def junction(self, *operators: str) -> Condition:
        def operand() -> Condition:
            return self.junction("&", "&&") if "|" in operators else self.until()

        left = operand()
        while self.at(*operators):
            self.take()
            left = Logic(operators[1], left, operand())
        return left

    def until(self) -> Condition:
        left = self.prefixed()
        while self.category != "ctl" and self.at(NAME) and self.peek().text in UNTIL:
            operator = UNTIL[self.take().text]
            left = Until(operator, left, self.prefixed())
        return left

    def prefixed(self) -> Condition:
        self.nest()
        try:
            return self.temporal()
        finally:
            self.depth -= 1

    def temporal(self) -> Condition:
        token, after = self.peek(), self.peek(1)
        if token.kind == "!":
            self.take()
            return Not(self.prefixed())
        if (token.kind, after.kind) in (("[", "]"), ("<", ">")):
            if self.category == "ctl":
                raise self.failure("a temporal operator needs a path quantifier here", "write `AG`, `EF` and the like")
            self.position += 2
            return Modal("[]" if token.kind == "[" else "<>", self.prefixed())
        begins_operand = after.kind not in (*GOES_ON, "->", "|", "||", "&", "&&", ")", END) or (
            (after.kind, self.peek(2).kind) in (("[", "]"), ("<", ">"))
        )
        if token.kind == NAME and begins_operand:
            if self.category != "ctl" and token.text in LINEAR:
                self.take()
                return Modal(LINEAR[token.text], self.prefixed())
            if self.category == "ctl" and token.text in BRANCHING:
                self.take()
                return Branching(token.text[0], token.text[1], self.prefixed())
        if self.category == "ctl" and token.kind == NAME and token.text in ("A", "E") and after.kind == "[":
            return self.branching_until()
        if token.kind == "(" and self.after_parenthesis() not in GOES_ON:
            self.take()
            inner = self.implication()
            self.expect(")", "after the formula")
            return inner
        return Atom(self.binary(COMPARISON))

    def branching_until(self) -> Condition:
        quantifier = self.take().text
        self.expect("[", "after the path quantifier")
        left = self.implication()
        operator = self.expect(NAME, "(`U` or `W`)")
        if operator.text not in UNTIL:
            self.position -= 1
            raise self.failure(f"expected `U`, `W` or `R`, not {self.shown()}")
        right = self.implication()
        self.expect("]", "after the formula")
        return BranchingUntil(quantifier, UNTIL[operator.text], left, right)

    def after_parenthesis(self) -> str:
        """The token after the parenthesis that closes the one here."""
        depth = 0
        for place in range(self.position, len(self.tokens)):
            depth += (self.tokens[place].kind == "(") - (self.tokens[place].kind == ")")
            if depth == 0:
                return self.tokens[place + 1].kind if place + 1 < len(self.tokens) else END
        return END
