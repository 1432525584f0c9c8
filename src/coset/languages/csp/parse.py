"""From the tokens of a CSP# file to its tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from coset.languages.csp import codes
from coset.languages.csp.lexer import tokenise
from coset.languages.csp.parse_formula import FormulaParser
from coset.languages.csp.tree import (
    Alphabet,
    Assertion,
    Binary,
    Call,
    Channel,
    Definition,
    Expression,
    Number,
    Process,
    Program,
    Variable,
)
from coset.languages.tokens import END, NAME, Failure, Token
from coset.source.diagnostics import Diagnostics, suggest
from coset.source.text import Source, Span

PLAIN_ASSERTIONS = ("deadlockfree", "nonterminating", "divergencefree", "deterministic")
Piece = tuple[Expression, Expression, Expression]
"""`from..to(count)` in a list of initial values."""
ASSERTIONS = (*PLAIN_ASSERTIONS, "reaches", "|=")


def parse(source: Source, defines: Mapping[str, str], diagnostics: Diagnostics) -> Program:
    """The tree of a file.  `defines` replaces the values of `#define`d constants."""
    return Parser(tokenise(source, diagnostics), diagnostics).program(source, defines)


class Parser(FormulaParser):
    def __init__(self, found: list[Token], diagnostics: Diagnostics) -> None:
        super().__init__(found, diagnostics)
        self.constants: dict[str, Expression] = {}
        self.variables: dict[str, Variable] = {}
        self.channels: dict[str, Channel] = {}
        self.definitions: dict[str, Definition] = {}
        self.alphabets: dict[str, Alphabet] = {}
        self.assertions: list[Assertion] = []
        self.declared: dict[str, Span] = {}

    def program(self, source: Source, defines: Mapping[str, str]) -> Program:
        while not self.at(END):
            try:
                self.declaration()
            except Failure:
                self.recover()
        for name, text in defines.items():
            self.redefine(name, text)
        return Program(
            self.constants, self.variables, self.channels, self.definitions, self.alphabets, tuple(self.assertions),
            span=Span(source, 0, len(source.text)),
        )  # fmt: skip

    def redefine(self, name: str, text: str) -> None:
        if name not in self.constants:
            known = suggest(name, self.constants)
            hint = f"did you mean `{known}`?" if known else f"write `#define {name} {text};` in the file"
            self.diagnostics.error(codes.UNNAMED_DEFINE, f"-D {name}={text}: the file defines no `{name}`", None, hint)
            return
        source = Source(f"-D {name}", text)
        value = Parser(tokenise(source, self.diagnostics), self.diagnostics)
        try:
            self.constants[name] = value.expression()
            value.expect(END, "after the value")
        except Failure:
            pass

    def recover(self) -> None:
        """Skip to behind the next `;` after which a declaration can begin."""
        self.counts = False
        while not self.at(END, "#"):
            if self.at(";") and self.declaration_follows() and self.peek(1).kind not in (")", "}", "]"):
                break
            self.take()
        self.accept(";")

    def declaration(self) -> None:
        match self.peek().kind:
            case ";":
                self.take()
            case "#":
                self.directive()
            case "var" | "hvar":
                self.variable()
            case "channel":
                self.channel()
            case "enum":
                self.enumeration()
            case _ if self.at(NAME):
                self.definition()
            case _:
                raise self.failure(f"expected a declaration, not {self.shown()}")

    def declare(self, name: Token) -> str:
        """Note a new name of the file."""
        before = self.declared.setdefault(name.text, name.span)
        if before is not name.span:
            self.diagnostics.error(
                codes.REDECLARED, f"`{name.text}` is declared twice", name.span, notes=[("the first is here", before)]
            )
        return name.text

    def definition(self) -> None:
        name = self.take()
        parameters = []
        if self.accept("("):
            while not self.at(")"):
                parameters.append(self.expect(NAME, "for a parameter").text)
                if not self.accept(","):
                    break
            self.expect(")", "after the parameters")
        self.expect("=", "before the process")
        body = self.process()
        self.expect(";", "after the process")
        self.definitions[self.declare(name)] = Definition(name.text, tuple(parameters), body, span=self.since(name))

    def variable(self) -> None:
        start = self.take()
        if self.at("<"):
            raise self.failure("a variable of a C# type is not supported", code=codes.IMPORTS)
        if start.kind == "hvar":
            raise self.failure("`hvar` is not supported", "use `var`", codes.UNSUPPORTED)
        name = self.expect(NAME, "for a variable")
        shape = self.indices()
        bounds = None
        if self.accept(":"):
            self.expect("{", "before the range")
            low = None if self.at("..") else self.expression()
            self.expect("..", "between the bounds")
            bounds = low, None if self.at("}") else self.expression()
            self.expect("}", "after the range")
        boolean = False
        initial: tuple[Piece, ...] = ()
        if self.accept("="):
            boolean = self.at("true", "false") or (self.at("[") and self.peek(1).kind in ("true", "false"))
            listed = self.at("[")
            initial = self.array() if listed else (self.once(self.expression()),)
            if listed and not shape:
                shape = (length(initial),)
        self.expect(";", "after the declaration")
        self.variables[self.declare(name)] = Variable(
            name.text, shape, bounds, initial, boolean, span=self.since(start)
        )

    def once(self, value: Expression) -> Piece:
        return value, value, Number(1, span=value.span)

    def array(self) -> tuple[Piece, ...]:
        """`[1(3), 4..6, 0]`"""
        self.expect("[", "before the initial values")
        found: list[Piece] = []
        self.counts = True
        while not found or not self.at("]"):
            low = self.expression()
            high = self.expression() if self.accept("..") else low
            count: Expression = Number(1, span=low.span)
            if self.accept("("):
                count = self.expression()
                self.expect(")", "after the count")
            found.append((low, high, count))
            if not self.accept(","):
                break
        self.counts = False
        self.expect("]", "after the initial values")
        return tuple(found)

    def channel(self) -> None:
        start = self.take()
        name = self.expect(NAME, "for a channel")
        shape = self.indices()
        if len(shape) > 1:
            raise self.failure("an array of channels has one dimension", code=codes.UNSUPPORTED)
        capacity = self.expression() if not self.at(";") else Number(1, span=name.span)
        self.expect(";", "after the declaration")
        self.channels[self.declare(name)] = Channel(
            name.text, shape[0] if shape else None, capacity, span=self.since(start)
        )

    def enumeration(self) -> None:
        self.take()
        self.expect("{", "after `enum`")
        number = 0
        while not self.at("}"):
            name = self.expect(NAME, "for a constant")
            self.constants[self.declare(name)] = Number(number, span=name.span)
            number += 1
            if not self.accept(","):
                break
        self.expect("}", "after the constants")
        self.expect(";", "after the enumeration")

    # --- directives --------------------------------------------------------------------------------

    def directive(self) -> None:
        start = self.take()
        match self.peek().text:
            case "define":
                self.take()
                name = self.expect(NAME, "for a constant or condition")
                self.constants[self.declare(name)] = self.expression()
            case "alphabet":
                self.take()
                name = self.expect(NAME, "for a process")
                self.alphabets[name.text] = Alphabet(name.text, self.event_set(), span=self.since(start))
            case "assert":
                self.take()
                self.assertion(start)
            case "import" | "include":
                token = self.peek().text
                self.diagnostics.error(codes.IMPORTS, f"`#{token}` is not supported", self.peek().span)
                while not self.at(";", END):
                    self.take()
            case other:
                close = suggest(other, ("define", "alphabet", "assert"))
                hint = f"did you mean `#{close}`?" if close else None
                raise self.failure(f"`#{other}` is not known", hint)
        self.expect(";", "at the end of the directive")

    def assertion(self, start: Token) -> None:
        process = self.asserted()
        token = self.peek()
        condition, formula = None, None
        if token.text in PLAIN_ASSERTIONS or token.text in ("reaches", "|="):
            self.take()
            if token.text == "reaches":
                condition = self.expression()
                if self.peek().text == "with":
                    raise self.failure("`with` is not supported", code=codes.UNSUPPORTED)
            elif token.text == "|=":
                formula = self.formula()
        elif token.text == "refines":
            raise self.failure("`refines` is not supported", code=codes.UNSUPPORTED)
        else:
            raise self.failure(f"expected {', '.join(ASSERTIONS)}, not {self.shown()}")
        span = self.since(start)
        text = " ".join(span.text.removeprefix("#assert").split())
        self.assertions.append(Assertion(process, token.text, condition, formula, text, span=span))

    def asserted(self) -> Process:
        """The process of an assertion: a call."""
        name = self.expect(NAME, "for the asserted process")
        arguments = self.arguments() if self.at("(") else ()
        return Call(name.text, arguments, span=self.since(name))


def length(pieces: tuple[Piece, ...]) -> Expression:
    """How many values there are in a list of pieces `from..to(count)`, upwards or downwards."""

    def binary(operator: str, left: Expression, right: Expression) -> Expression:
        return Binary(operator, left, right, span=left.span)

    def number(value: int, like: Expression) -> Expression:
        return Number(value, span=like.span)

    found: list[Expression] = []
    for low, high, count in pieces:
        if low is high:
            found.append(count)
            continue
        up = binary(">=", high, low)
        sign = binary("-", binary("*", number(2, low), up), number(1, low))
        steps = binary("*", binary("-", high, low), sign)
        found.append(binary("*", binary("+", steps, number(1, low)), count))
    return reduce(lambda a, b: binary("+", a, b), found)
