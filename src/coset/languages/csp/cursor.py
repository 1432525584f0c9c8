"""The parser's place in the text, and its expressions.

From weak to strong: `||`, `&&`, `== !=`, `< <= > >=`, `+ -`, `* / %`, and the prefixes `! -`.
"""

from __future__ import annotations

from coset.languages.csp import codes
from coset.languages.csp.lexer import END, NAME, NUMBER, Word
from coset.languages.csp.tree import Binary, Element, Expression, Name, Number, Query, Unary
from coset.source.diagnostics import Diagnostics
from coset.source.text import Span

PRECEDENCE = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6,
}  # fmt: skip
ADDITIVE = 5
QUESTIONS = ("cfull", "cempty", "ccount")


class Failure(Exception):
    """A syntax error that has been reported: unwind to where parsing can go on."""


class Cursor:
    def __init__(self, words: list[Word], diagnostics: Diagnostics) -> None:
        self.words = words
        self.diagnostics = diagnostics
        self.position = 0
        self.counts = False  # in `[v(n)]` a parenthesis is a count

    # --- words -------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Word:
        return self.words[min(self.position + ahead, len(self.words) - 1)]

    def take(self) -> Word:
        word = self.peek()
        self.position += 1
        return word

    def at(self, *kinds: str) -> bool:
        return self.peek().kind in kinds

    def accept(self, kind: str) -> Word | None:
        return self.take() if self.at(kind) else None

    def expect(self, kind: str, where: str) -> Word:
        """Take a word of this kind; `where` completes the message "expected `x` ..."."""
        if self.at(kind):
            return self.take()
        what = f"a {kind}" if kind in (NAME, NUMBER) else f"`{kind}`"
        raise self.failure(f"expected {what} {where}, not {self.shown()}")

    def shown(self) -> str:
        return END if self.at(END) else f"`{self.peek().text}`"

    def failure(self, message: str, hint: str | None = None, code: str = codes.UNEXPECTED) -> Failure:
        """Report an error at the next word; to be raised."""
        self.diagnostics.error(code, message, self.peek().span, hint)
        return Failure()

    def since(self, start: Word) -> Span:
        """From a word to the last one taken."""
        last = self.words[max(self.position - 1, 0)]
        return start.span.join(last.span)

    def closing(self) -> int:
        """How many words ahead the bracket that opens here is closed; where the file ends if it is not."""
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
