"""The grammar of expressions in `.seq` files: C's, with `all`, `some` and `sum` over a range, which are written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from coset.model import expression as e
from coset.model.domain import BIT, BOOL, BYTE, Domain
from coset.model.model import Variable
from coset.model.printer import PRECEDENCE
from coset.model.sequential.fold import fold, joined, substituted
from coset.model.sequential.words import KEYWORDS, NAME, SYNTAX, TYPE, Word, words
from coset.source.budget import current_budget
from coset.source.diagnostics import Diagnostics, InputError, suggest
from coset.source.text import Source, Span

QUANTIFIERS = {"all": "&&", "some": "||", "sum": "+"}
NAMED = {"bit": BIT, "bool": BOOL, "byte": BYTE}
LARGEST = 1 << 31
DEEPEST = 200


class ExpressionParser:
    """Reads words from left to right.  The first thing that is wrong ends the parse by `InputError`."""

    def __init__(self, source: Source, defines: Mapping[str, str]) -> None:
        self.diagnostics = Diagnostics()
        self.words = words(source, self.diagnostics)
        self.diagnostics.check()
        self.defines = defines
        self.position = self.depth = 0
        self.constants: dict[str, int] = {"true": 1, "false": 0}
        self.types: dict[str, Domain] = dict(NAMED)
        self.scope: dict[str, Variable] = {}

    # --- words -----------------------------------------------------------------------------------

    @property
    def word(self) -> Word:
        return self.words[self.position]

    @property
    def following(self) -> Word:
        return self.words[min(self.position + 1, len(self.words) - 1)]

    def fail(self, code: str, message: str, span: Span, hint: str | None = None) -> InputError:
        self.diagnostics.error(code, message, span, hint)
        return InputError(self.diagnostics)

    def take(self) -> Word:
        current_budget().check()
        word = self.word
        self.position += word.what != "end"
        return word

    def accept(self, text: str) -> bool:
        if self.word.text != text:
            return False
        self.take()
        return True

    def expect(self, text: str) -> Word:
        if self.word.text != text:
            raise self.fail(SYNTAX, f"expected `{text}` before {self.shown()}", self.word.span)
        return self.take()

    def shown(self) -> str:
        return f"`{self.word.text}`" if self.word.text else "the end of the file"

    def name(self) -> Word:
        """A name that is to be given a meaning."""
        if self.word.what != "name" or self.word.text in KEYWORDS:
            raise self.fail(SYNTAX, f"expected a name, found {self.shown()}", self.word.span)
        return self.take()

    def fresh(self) -> Word:
        """A name that has no meaning yet."""
        word = self.name()
        if word.text in self.scope or word.text in self.constants or word.text in self.types:
            raise self.fail(NAME, f"`{word.text}` is declared already", word.span)
        return word

    @contextmanager
    def nested(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail(SYNTAX, "the text is nested too deeply", self.word.span)
        yield
        self.depth -= 1

    # --- expressions -----------------------------------------------------------------------------

    def constant(self) -> int:
        """An expression whose value is known."""
        span, value = self.word.span, self.binary(3)
        if not isinstance(value, e.Const):
            raise self.fail(TYPE, "a constant is needed here", span)
        return value.value

    def domain(self) -> Domain:
        """A type by name, or a range."""
        if self.word.text in self.types:
            return self.types[self.take().text]
        span, low = self.word.span, self.constant()
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
        while (level := PRECEDENCE.get(self.word.text, 0)) >= lowest:
            operator = self.take().text
            left = fold(e.Binary(operator, left, self.binary(level + 1)))
        return left

    def unary(self) -> e.Expr:
        with self.nested():
            if self.word.text in ("!", "-", "~"):
                return fold(e.Unary(self.take().text, self.unary()))
            return self.primary()

    def primary(self) -> e.Expr:
        word = self.word
        if word.what == "number":
            self.take()
            if int(word.text) >= LARGEST:
                raise self.fail(TYPE, f"{word.text} does not fit into 32 bits", word.span)
            return e.Const(int(word.text))
        if self.accept("("):
            inner = self.expression()
            self.expect(")")
            return inner
        if word.text in QUANTIFIERS:
            return self.quantified()
        if word.what != "name" or (word.text in KEYWORDS and word.text not in self.constants):
            raise self.fail(SYNTAX, f"expected an expression, found {self.shown()}", word.span)
        self.take()
        if word.text in self.constants:
            return e.Const(self.constants[word.text])
        variable = self.known(word)
        return e.Get(variable, self.indices(variable, word.span))

    def known(self, word: Word) -> Variable:
        if word.text not in self.scope:
            near = suggest(word.text, (*self.scope, *self.constants))
            raise self.fail(
                NAME, f"`{word.text}` is not declared", word.span, f"did you mean `{near}`?" if near else None
            )
        return self.scope[word.text]

    def indices(self, variable: Variable, span: Span) -> tuple[e.Expr, ...]:
        found: list[e.Expr] = []
        while self.accept("["):
            at, index = self.word.span, self.expression()
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
        operator, word = QUANTIFIERS[self.take().text], self.fresh()
        self.expect(":")
        domain = self.domain()
        bound = Variable(word.text, domain)
        self.scope[word.text] = bound
        self.expect("(")
        body = self.expression()
        self.expect(")")
        del self.scope[word.text]
        return joined(
            operator, (substituted(body, {bound: e.Const(value)}) for value in range(domain.low, domain.high + 1))
        )
