"""The parser's place in the text, and its expressions.

From weak to strong: `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / %`, and the prefixes `! -`.
"""

from __future__ import annotations

from coset.languages.csp import codes
from coset.languages.csp.tree import Binary, Element, Expression, Name, Number, Query, Unary
from coset.languages.tokens import END, NAME, NUMBER, Reader, Token
from coset.source.diagnostics import Diagnostics

PRECEDENCE = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
ADDITIVE = 5
QUESTIONS = ("cfull", "cempty", "ccount")


class Cursor(Reader):
    unexpected = codes.UNEXPECTED

    def __init__(self, tokens: list[Token], diagnostics: Diagnostics) -> None:
        super().__init__(tokens, diagnostics)
        self.counts = False  # in `[v(n)]` a parenthesis is a count

    def closing(self) -> int:
        """How many tokens ahead the bracket that opens here is closed; where the file ends if it is not."""
        pairs = {"(": ")", "[": "]", "{": "}"}
        depth, ahead = 0, 0
        while self.peek(ahead).kind != END:
            kind = self.peek(ahead).kind
            depth += (kind in pairs) - (kind in pairs.values())
            if depth == 0:
                break
            ahead += 1
        return ahead

    # --- expressions -------------------------------------------------------------------------------

    def expression(self, level: int = 1) -> Expression:
        start = self.peek()
        left = self.operand()
        while PRECEDENCE.get(self.peek().kind, 0) >= level:
            operator = self.take().kind
            right = self.expression(PRECEDENCE[operator] + 1)
            left = Binary(operator, left, right, span=self.since(start))
        return left

    def operand(self) -> Expression:
        start = self.peek()
        if self.at("!", "-"):
            operator = self.take().kind
            return Unary(operator, self.operand(), span=self.since(start))
        if self.accept("("):
            inner = self.expression()
            self.expect(")", "after the expression")
            return inner
        if self.at(NUMBER):
            return Number(int(self.take().text), span=start.span)
        if self.at("true", "false"):
            return Number(int(self.take().kind == "true"), span=start.span)
        if self.at("call"):
            return self.query()
        name = self.expect(NAME, "for a value")
        if self.at("["):
            return Element(name.text, self.indices(), span=self.since(start))
        if self.at("(") and not self.counts:
            raise self.failure("functions are not supported: they would be code of the user", code=codes.IMPORTS)
        return Name(name.text, span=start.span)

    def indices(self) -> tuple[Expression, ...]:
        """`[i][j]`, maybe nothing."""
        found = []
        while self.accept("["):
            found.append(self.expression())
            self.expect("]", "after the index")
        return tuple(found)

    def query(self) -> Expression:
        """`call(cfull, c)`; any other call is code of the user."""
        start = self.take()
        self.expect("(", "after `call`")
        if self.peek().text not in QUESTIONS:
            known = ", ".join(QUESTIONS)
            raise self.failure(
                f"`call({self.peek().text}, ...)` is code of the user, which is not supported",
                f"only {known} can be called", codes.IMPORTS,
            )  # fmt: skip
        question = self.take().text
        self.expect(",", "after the question")
        channel = self.expect(NAME, "for the channel").text
        indices = self.indices()
        self.expect(")", "after the channel")
        return Query(question, channel, indices[0] if indices else None, span=self.since(start))
