"""Inlines in the grammar: their definition, their calls, `return`."""

from __future__ import annotations

from coset.languages.promela.inline import (
    CYCLIC_INLINE,
    DEEP_INLINE,
    LARGE_INLINE,
    MAXIMAL_DEPTH,
    MAXIMAL_SIZE,
    Inline,
    expand,
)
from coset.languages.promela.lexer import END, INLINE_NAME, TYPES, Names, Stream, Token
from coset.languages.promela.parse_sequence import CLOSERS, UNCLOSED, SequenceParser
from coset.languages.promela.tree import Assign, Block, Expression, Guard, Number, Reference, Statement
from coset.source.diagnostics import Diagnostics, register
from coset.source.records import dataclass

MISPLACED_RETURN = register("S033", "`return` is only allowed in an inline that is called as `x = name(...)`.")
BAD_INLINE = register("S042", "An inline must be written as `inline name(parameters) { ... }`.")
BAD_INLINE_ARGUMENT = register(
    "S054",
    "An argument of an inline cannot contain `run` or a comma.",
    "SPIN concatenates the tokens of an argument and splits it at every comma.",
)


@dataclass
class _Call:
    """An expansion that is being parsed: `target` is the x of `x = name(...)`."""

    name: str
    target: Reference | None


class InlineParser(SequenceParser):
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        super().__init__(stream, names, diagnostics)
        self.calls: list[_Call] = []
        self.expanded = 0  # tokens out of inlines

    def inline_definition(self) -> None:
        """`inline name(parameters) { body }`: the body is kept as tokens."""
        self.take()
        name = self.peek()
        if name.kind == INLINE_NAME:
            self.take()
            notes = [("the first definition", self.names.inlines[name.text].span)]
            self.diagnostics.error(BAD_INLINE, f"inline `{name.text}` is defined twice", name.span, None, notes)
        else:
            self.expect_name("the name of the inline")
        opening = self.expect("(", f"after the name of inline `{name.text}`")
        parameters: list[str] = []
        while not self.at(")"):
            if self.peek().kind in TYPES:
                hint = "the parameters of an inline have no types: they are replaced as text"
                raise self.failure("expected the name of a parameter, not a type", hint=hint, code=BAD_INLINE)
            parameters.append(self.expect_name("the name of a parameter").text)
            if not self.accept(","):
                break
        self.close(opening)
        body = [self.stream.raw()]
        if body[0].text != "{":
            raise self.failure(f"expected `{{` before the body of inline `{name.text}`", body[0], code=BAD_INLINE)
        depth = 1
        while depth:
            inner = self.stream.raw()
            if inner.kind == END:
                raise self.failure(
                    f"the body of inline `{name.text}` is not closed", body[0], "add the missing `}`", UNCLOSED
                )
            body.append(inner)
            depth += (inner.kind == "{") - (inner.kind == "}")
        self.names.inlines[name.text] = Inline(name.text, tuple(parameters), body, name.span)

    def inline_call(self, token: Token, target: Reference | None = None) -> Statement:
        """`name(arguments)`, or `x = name(arguments)`: the body is read next."""
        self.leading = False
        self.take()
        arguments = self.inline_arguments(token)
        inline = self.names.inlines[token.text]
        if any(frame.inline is inline for frame in self.stream.frames):
            raise self.failure(f"inline `{token.text}` calls itself", token, code=CYCLIC_INLINE)
        if len(self.stream.frames) > MAXIMAL_DEPTH:
            raise self.failure(f"inlines are nested more than {MAXIMAL_DEPTH} deep", token, code=DEEP_INLINE)
        body = expand(inline, arguments, token, self.names, self.diagnostics)
        if body is None:
            return Guard(token.span, Number(token.span, 1))
        self.expanded += len(body)
        if self.expanded > MAXIMAL_SIZE:
            raise self.failure("too much text is inlined", token, code=LARGE_INLINE)
        self.stream.enter(body, inline)
        self.calls.append(_Call(token.text, target))
        try:
            statements = self.block(f"inline `{token.text}`", token)
        finally:
            self.calls.pop()
        self.check_first(statements, "{")
        return Block(token.span, statements, None, token.text)

    def inline_arguments(self, token: Token) -> list[list[Token]]:
        """The tokens of each argument.  They are parsed too, since SPIN wants expressions."""
        opening = self.expect("(", f"after the name of inline `{token.text}`")
        arguments: list[list[Token]] = []
        while not self.at(")") or arguments:
            self.recording = []
            self.expression()
            arguments.append(self.recording)
            self.recording = None
            for part in arguments[-1]:
                if part.kind in ("run", ","):
                    message = f"`{part.text}` cannot be used in an argument of an inline"
                    self.diagnostics.error(BAD_INLINE_ARGUMENT, message, part.span)
            if not self.accept(","):
                break
        self.close(opening)
        return arguments

    def return_statement(self, token: Token) -> Statement:
        """It is an assignment to the x of `x = name(...)`; what follows it is still done."""
        self.take()
        target = self.calls[-1].target if self.calls else None
        value: Expression = Number(token.span, 0)
        if target is None:
            message = "`return` is only allowed in an inline that is called as `x = name(...)`"
            hint = None if self.calls else "a process ends at the end of its body: `goto` a label there"
            self.diagnostics.error(MISPLACED_RETURN, message, token.span, hint)
        if self.peek().kind not in CLOSERS and not self.at(";"):
            value = self.full_expression()
        elif target is not None:
            self.diagnostics.error(MISPLACED_RETURN, "`return` needs a value", token.span)
        return Guard(token.span, value) if target is None else Assign(self.statement_span(token), target, value)
