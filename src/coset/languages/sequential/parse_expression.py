"""The grammar of expressions in `.seq` files: C's, with `all`, `some` and `sum` over a range, which are written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from coset.model import expression as e
from coset.model.domain import BIT, BOOL, BYTE, Domain
from coset.model.model import Variable
from coset.model.printer import PRECEDENCE
from coset.model.sequential.fold import fold, joined, substituted
from coset.model.sequential.tokens import KEYWORDS, NAME, SYNTAX, TYPE, Token, tokenise
from coset.source.budget import current_budget
from coset.source.diagnostics import Diagnostics, InputError, suggest
from coset.source.text import Source, Span

QUANTIFIERS = {"all": "&&", "some": "||", "sum": "+"}
NAMED = {"bit": BIT, "bool": BOOL, "byte": BYTE}
LARGEST = 1 << 31
DEEPEST = 200


class ExpressionParser:
    """Reads tokens from left to right.  The first thing that is wrong ends the parse by `InputError`."""

    def __init__(self, source: Source, defines: Mapping[str, str]) -> None:
        self.diagnostics = Diagnostics()
        self.tokens = tokenise(source, self.diagnostics)
        self.diagnostics.check()
        self.defines = defines
        self.position = self.depth = 0
        self.constants: dict[str, int] = {"true": 1, "false": 0}
        self.types: dict[str, Domain] = dict(NAMED)
        self.scope: dict[str, Variable] = {}

    # --- tokens -----------------------------------------------------------------------------------

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def following(self) -> Token:
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def fail(self, code: str, message: str, span: Span, hint: str | None = None) -> InputError:
        self.diagnostics.error(code, message, span, hint)
        return InputError(self.diagnostics)

    def take(self) -> Token:
        current_budget().check()
        token = self.token
        self.position += token.what != "end"
        return token

    def accept(self, text: str) -> bool:
        if self.token.text != text:
            return False
        self.take()
        return True

    def expect(self, text: str) -> Token:
        if self.token.text != text:
            raise self.fail(SYNTAX, f"expected `{text}` before {self.shown()}", self.token.span)
        return self.take()

    def shown(self) -> str:
        return f"`{self.token.text}`" if self.token.text else "the end of the file"

    def name(self) -> Token:
        """A name that is to be given a meaning."""
        if self.token.what != "name" or self.token.text in KEYWORDS:
            raise self.fail(SYNTAX, f"expected a name, found {self.shown()}", self.token.span)
        return self.take()

    def fresh(self) -> Token:
        """A name that has no meaning yet."""
        token = self.name()
        if token.text in self.scope or token.text in self.constants or token.text in self.types:
            raise self.fail(NAME, f"`{token.text}` is declared already", token.span)
        return token

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail(SYNTAX, "the text is nested too deeply", self.token.span)
        yield
        self.depth -= 1

    # --- expressions -----------------------------------------------------------------------------

    def constant(self) -> int:
        """An expression whose value is known."""
        span, value = self.token.span, self.binary(3)
        if not isinstance(value, e.Const):
            raise self.fail(TYPE, "a constant is needed here", span)
        return value.value

    def domain(self) -> Domain:
        """A type by name, or a range."""
        if self.token.text in self.types:
            return self.types[self.take().text]
        span, low = self.token.span, self.constant()
        self.expect("..")
        high = self.constant()
        if high < low:
            raise self.fail(TYPE, f"the range {low}..{high} is empty", span)
        return Domain(f"{low}..{high}", low, high)

    def expression(self) -> e.Expr:
        with self.nested():
            condition = self.binary(1)
            if not self.accept("?"):
                return condition
            yes = self.expression()
            self.expect(":")
            return fold(e.Conditional(condition, yes, self.expression()))

    def binary(self, lowest: int) -> e.Expr:
        left = self.unary()
        while (level := PRECEDENCE.get(self.token.text, 0)) >= lowest:
            operator = self.take().text
            left = fold(e.Binary(operator, left, self.binary(level + 1)))
        return left

    def unary(self) -> e.Expr:
        with self.nested():
            if self.token.text in ("!", "-", "~"):
                return fold(e.Unary(self.take().text, self.unary()))
            return self.primary()

    def primary(self) -> e.Expr:
        token = self.token
        if token.what == "number":
            self.take()
            if int(token.text) >= LARGEST:
                raise self.fail(TYPE, f"{token.text} does not fit into 32 bits", token.span)
            return e.Const(int(token.text))
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if token.text in QUANTIFIERS:
            return self.quantified()
        if token.what != "name" or (token.text in KEYWORDS and token.text not in self.constants):
            raise self.fail(SYNTAX, f"expected an expression, found {self.shown()}", token.span)
        self.take()
        if token.text in self.constants:
            return e.Const(self.constants[token.text])
        variable = self.known(token)
        return e.Get(variable, self.indices(variable, token.span))

    def known(self, token: Token) -> Variable:
        if token.text not in self.scope:
            near = suggest(token.text, (*self.scope, *self.constants))
            raise self.fail(
                NAME, f"`{token.text}` is not declared", token.span, f"did you mean `{near}`?" if near else None
            )
        return self.scope[token.text]

    def indices(self, variable: Variable, span: Span) -> tuple[e.Expr, ...]:
        found: list[e.Expr] = []
        while self.accept("["):
            at, index = self.token.span, self.expression()
            self.expect("]")
            if len(found) < len(variable.shape) and isinstance(index, e.Const):
                length = variable.shape[len(found)]
                if not 0 <= index.value < length:
                    message = f"index {index.value} of `{variable.name}` is not in 0..{length - 1}"
                    raise self.fail(TYPE, message, at)
            found.append(index)
        if len(found) != len(variable.shape):
            message = f"`{variable.name}` has {len(variable.shape)} dimensions and is used with {len(found)} indices"
            raise self.fail(TYPE, message, span)
        return tuple(found)

    def quantified(self) -> e.Expr:
        """`all j : Agent (condition)`, written out for every value."""
        operator, token = QUANTIFIERS[self.take().text], self.fresh()
        self.expect(":")
        domain = self.domain()
        bound = Variable(token.text, domain)
        self.scope[token.text] = bound
        self.expect("(")
        body = self.expression()
        self.expect(")")
        del self.scope[token.text]
        return joined(
            operator, (substituted(body, {bound: e.Const(value)}) for value in range(domain.low, domain.high + 1))
        )
