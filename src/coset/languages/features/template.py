"""Parsing a template: the body of a proctype in Promela, with template options and `lookup`."""

from __future__ import annotations

from coset.languages.features import codes
from coset.languages.features.tree import Lookup, Template, TemplateOption
from coset.languages.promela.cursor import Failure
from coset.languages.promela.lexer import END, NAME, PROCTYPE_NAME, Names, Stream, Token, tokenise
from coset.languages.promela.parse import TOO_DEEP
from coset.languages.promela.parse_sequence import UNOPENED
from coset.languages.promela.parse_statement import StatementParser
from coset.languages.promela.tree import Do, If, Statement
from coset.source.diagnostics import Diagnostics
from coset.source.preprocess import Preprocessor
from coset.source.text import Source, Span


def parse_template(
    name: str, source: Source, names: Names, preprocessor: Preprocessor, diagnostics: Diagnostics
) -> Template:
    """The template of a proctype.  `names` are those of globals.def and of the proctypes."""
    tokens = preprocessor.run(source)
    program, formulas = tokenise(tokens, diagnostics)
    for formula in formulas:
        message = "a template has no formulas"
        diagnostics.error(codes.FORBIDDEN, message, formula[0].span, "they belong into properties.def")
    end = Token(END, "", None, source, len(source.text), len(source.text))
    parser = TemplateParser(Stream(program, names, end), names, diagnostics)
    body: tuple[Statement, ...] = ()
    try:
        body = parser.whole(source)
    except Failure:
        pass
    except RecursionError:
        diagnostics.error(TOO_DEEP, "the template is nested too deeply", Span(source, 0, 0))
    return Template(name, body, source)


class TemplateParser(StatementParser):
    def whole(self, source: Source) -> tuple[Statement, ...]:
        """The template up to its end."""
        self.stream.in_sequence = True
        self.leading = True
        start = Token("{", "template", None, source, 0, 0)
        if self.at(END):
            self.diagnostics.error(codes.BAD_OPTION, "the template is empty", start.span, "write `skip`")
            return ()
        body = self.sequence(start, "the template", True)
        if not self.at(END):
            raise self.failure(f"{self.describe()} closes nothing", code=UNOPENED)
        return body

    def statement(self) -> Statement:
        token = self.peek()
        if token.kind == "for":
            return self.template_option(self.take())
        if token.kind == NAME and token.text == "lookup":
            return self.lookup(self.take())
        return super().statement()

    def options(self, token: Token, closer: str) -> tuple[tuple[Statement, ...], ...]:
        found = super().options(token, closer)
        for option in found:
            for step in option[1:]:
                self.not_first(step)
        return found

    def block(self, owner: str, after: Token) -> tuple[Statement, ...]:
        body = super().block(owner, after)
        for step in body if owner != "a template option" else ():
            self.not_first(step)
        return body

    def not_first(self, step: Statement) -> None:
        if isinstance(step, TemplateOption):
            message = "a template option begins an option of `if` or `do`"
            self.diagnostics.error(codes.BAD_OPTION, message, step.span, "write `if :: for i in client { ... } fi`")

    def template_option(self, token: Token) -> Statement:
        """`for i in client { ... }`"""
        self.leading = False
        if self.at("("):
            hint = "templates have `:: for i in client { ... }`"
            raise self.failure("templates have no loops over numbers", token, hint, codes.FORBIDDEN)
        variable = self.expect_name("a name for the component")
        if not (self.at(NAME) and self.peek().text == "in"):
            raise self.failure(f"expected `in` after `for {variable.text}`", code=codes.BAD_OPTION)
        self.take()
        proctype = self.take()
        if proctype.kind != PROCTYPE_NAME:
            known = ", ".join(sorted(self.names.proctypes))
            message = f"`{proctype.text}` is not one of the proctypes {known}"
            raise self.failure(message, proctype, code=codes.BAD_OPTION)
        body = self.block("a template option", token)
        for step in body[1:]:
            self.not_first(step)
        return TemplateOption(self.span_from(token), variable.text, proctype.text, body)

    def lookup(self, token: Token) -> Statement:
        """`lookup(id, channel)`"""
        self.leading = False
        opening = self.expect("(", "after `lookup`")
        component = self.expression()
        self.expect(",", "between the component and the channel")
        channel = self.reference()
        self.close(opening)
        return Lookup(self.span_from(token), component, channel)


def stray_options(body: tuple[Statement, ...]) -> list[TemplateOption]:
    """Template options at the outermost level, where there is nothing to choose from."""
    return [step for step in body if isinstance(step, TemplateOption)]


def options_of(step: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The options of a choice; none for other statements."""
    return step.options if isinstance(step, If | Do) else ()
