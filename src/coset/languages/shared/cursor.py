"""The parser's place in the text, and its expressions and formulas.

From weak to strong: `<-> ->`, `|` (or `||`), `&` (or `&&`), the `U W V` of linear time, `= != < <= > >=`, `+ -`,
`* / %`, prefixes `! -`, and last `[i]`, `.x`, `@label`.  A temporal prefix reaches over a comparison: `AG x = 1` is
`AG (x = 1)`.
"""

from __future__ import annotations

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.lexer import KEYWORDS
from coset.languages.tokens import END, NAME, NUMBER, Reader, Token
from coset.source.diagnostics import Diagnostics

PRECEDENCE = {
    "<->": 1, "->": 1, "|": 2, "||": 2, "&": 3, "=": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5,
    "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip
IMPLIES, OR, UNTIL, COMPARISON, ADDITIVE = 1, 2, 4, 5, 6
BRANCHING = frozenset({"AX", "EX", "AF", "EF", "AG", "EG"})
PATH_UNTIL = {"U": "U", "W": "W", "R": "R", "V": "R"}
LINEAR = {"[]": "[]", "G": "[]", "<>": "<>", "F": "<>", "X": "X"}
LINEAR_UNTIL = {"U": "U", "W": "W", "V": "V", "R": "V"}
DEEPEST = 200


class Cursor(Reader):
    unexpected = codes.UNEXPECTED

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        super().__init__(tokens, diagnostics)
        self.logic = ""
        self.depth = 0
        self.weakest = 1  # in the guard of a transition `->` is no operator

    def advice(self, kind: str) -> str | None:
        is_taken = kind == NAME and self.peek().kind in KEYWORDS
        return f"`{self.peek().text}` is a keyword and cannot be a name" if is_taken else None

    def label(self, where: str) -> str:
        """A label is a name or a number."""
        return self.take().text if self.at(NUMBER) else self.expect(NAME, where).text

    # --- expressions -------------------------------------------------------------------------------

    def formula(self, logic: str) -> t.Expression:
        """An expression with the operators of a logic: "ctl", "ltl", or none of them."""
        self.logic = logic
        try:
            return self.expression()
        finally:
            self.logic = ""

    def expression(self, level: int = 1) -> t.Expression:
        start = self.peek()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.failure(f"the expression is nested more than {DEEPEST} deep")
        left = self.operand()
        while (found := self.infix()) >= level:
            token = self.take()
            if found == UNTIL:
                left = t.Until(LINEAR_UNTIL[token.text], left, self.expression(UNTIL), span=self.since(start))
                continue
            right = self.expression(found if found == IMPLIES else found + 1)
            operator = "|" if token.kind == "||" else token.kind
            left = t.Binary(operator, left, right, span=self.since(start))
        self.depth -= 1
        return left

    def infix(self) -> int:
        """How strongly the next token binds, 0 if it is no operator here."""
        token = self.peek()
        if token.kind == ">" and self.peek(1).kind in (";", END):
            return 0  # the end of `< await b; v := e >`
        if token.kind == "||" and self.assignment_at(1):
            return 0  # the next of several assignments
        if self.logic == "ltl" and token.kind == NAME and token.text in LINEAR_UNTIL:
            return UNTIL
        return PRECEDENCE.get(token.kind, 0)

    def assignment_at(self, ahead: int) -> bool:
        """Whether an assignment begins so many tokens ahead."""
        if self.peek(ahead).kind != NAME:
            return False
        ahead, depth = ahead + 1, 0
        while depth or self.peek(ahead).kind in ("[", "."):
            kind = self.peek(ahead).kind
            if kind in (END, ";"):
                return False
            depth += (kind == "[") - (kind == "]")
            ahead += 2 if kind == "." else 1
        return self.peek(ahead).kind == ":="

    def operand(self) -> t.Expression:
        start = self.peek()
        if start.kind in ("!", "-"):
            self.take()
            return t.Unary(start.kind, self.nested_operand(), span=self.since(start))
        if start.kind in ("forall", "exists", "count"):
            return self.quantified()
        if self.logic and (temporal := self.temporal()) is not None:
            return temporal
        return self.postfix(self.primary())

    def nested_operand(self) -> t.Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.failure(f"the expression is nested more than {DEEPEST} deep")
        found = self.operand()
        self.depth -= 1
        return found

    def primary(self) -> t.Expression:
        start = self.peek()
        if self.accept("("):
            outside, self.weakest = self.weakest, 1
            inner = self.expression()
            self.weakest = outside
            self.expect(")", "after the expression")
            return inner
        if self.accept(NUMBER):
            return t.Number(int(start.text), span=start.span)
        if start.kind in ("true", "false"):
            self.take()
            return t.Truth(start.kind == "true", span=start.span)
        if self.accept("self"):
            return t.Itself(span=start.span)
        if self.accept("none"):
            return t.Nobody(span=start.span)
        if self.accept("deadlock"):
            return t.Deadlock(span=start.span)
        name = self.expect(NAME, "for a value")
        if name.text == "number" and self.accept("("):
            inner = self.expression()
            self.expect(")", "after the process")
            return t.NumberOf(inner, span=self.since(start))
        if self.at("["):
            return t.Element(name.text, self.indices(), span=self.since(start))
        return t.Name(name.text, span=name.span)

    def postfix(self, x: t.Expression) -> t.Expression:
        start = Token("", "", x.span)
        while self.at(".", "@"):
            if self.accept("@"):
                # What follows can only be a label, so it may be a token of the language.
                label = self.take().text if self.peek().kind in KEYWORDS else self.label("for a label")
                x = t.At(x, label, span=self.since(start))
            else:
                self.take()
                name = self.expect(NAME, "for a variable of the process").text
                x = t.Local(x, name, self.indices(), span=self.since(start))
        return x

    def indices(self) -> tuple[t.Expression, ...]:
        """`[i][j]`, or `[i, j]`, maybe nothing."""
        found = []
        while self.accept("["):
            found.append(self.expression())
            while self.accept(","):
                found.append(self.expression())
            self.expect("]", "after the index")
        return tuple(found)

    # --- quantifiers and temporal operators ----------------------------------------------------------

    def quantified(self) -> t.Expression:
        """`forall i, j in P, k in Q, condition : body`; the body reaches as far as it can."""
        start = self.take()
        bound = [self.bound()]
        condition = None
        while self.accept(","):
            if self.at(NAME) and self.peek(1).kind in ("in", ","):
                bound.append(self.bound())
            else:
                condition = self.expression(self.weakest)
                break
        self.expect(":", "before what is said of the processes")
        body = self.expression(self.weakest)
        return t.Quantified(start.kind, tuple(bound), condition, body, span=self.since(start))

    def bound(self) -> t.Bound:
        """`i, j in P`; also `i != j in P`, as variables of one class are different in any case."""
        start = self.peek()
        names = [self.expect(NAME, "for a process").text]
        while self.at(",", "!=") and self.peek(1).kind == NAME and self.peek(2).kind in (",", "!=", "in", ":"):
            self.take()
            names.append(self.take().text)
        of = self.expect(NAME, "for a class").text if self.accept("in") else None
        return t.Bound(tuple(names), of, span=self.since(start))

    def temporal(self) -> t.Expression | None:
        """A formula that begins with an operator of the logic, if there is one here."""
        start = self.peek()
        if self.logic == "ctl" and start.text in BRANCHING:
            self.take()
            operand = self.expression(COMPARISON)
            return t.Path(start.text[0], start.text[1], operand, span=self.since(start))
        if self.logic == "ctl" and start.text in ("A", "E") and self.peek(1).kind == "[":
            self.take()
            self.take()
            left = self.expression()
            if self.peek().text not in PATH_UNTIL:
                raise self.failure(f"expected U, W or R in `{start.text}[...]`, not {self.shown()}")
            operator = PATH_UNTIL[self.take().text]
            right = self.expression()
            self.expect("]", f"after the formula of `{start.text}[`")
            return t.PathUntil(start.text, operator, left, right, span=self.since(start))
        if self.logic == "ltl" and start.text in LINEAR:
            self.take()
            operand = self.expression(COMPARISON)
            return t.Modal(LINEAR[start.text], operand, span=self.since(start))
        if self.logic == "ctl" and start.kind in ("[]", "<>"):
            operator = "G" if start.kind == "[]" else "F"
            raise self.failure(f"`{start.kind}` has no path quantifier", f"write `A{operator}` or `E{operator}`")
        if self.logic == "ltl" and start.text in BRANCHING:
            raise self.failure(f"`{start.text}` is of branching time", "state it as `property NAME: ...;`")
        return None
