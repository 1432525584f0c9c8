"""The units of a Promela program, and the entry: text -> syntax tree.

Written by hand from what SPIN 6.5.2 accepts and refuses; `tests/languages/promela/test_promela_parse.py` compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.languages.promela.cursor import UNIT_WORDS, Failure
from coset.languages.promela.lexer import (
    END,
    KEYWORDS,
    NAME,
    PROCTYPE_NAME,
    TYPE_NAME,
    TYPES,
    Names,
    Stream,
    Token,
    tokenise,
)
from coset.languages.promela.parse_declaration import VISIBILITY, has_run
from coset.languages.promela.parse_expression import EMBEDDED_C_WORDS
from coset.languages.promela.parse_sequence import UNOPENED
from coset.languages.promela.parse_statement import StatementParser
from coset.languages.promela.tree import (
    Declaration,
    Expression,
    Ltl,
    Never,
    Number,
    Proctype,
    Program,
    Statement,
    Trace,
    Unit,
)
from coset.source.diagnostics import Diagnostics, register, suggest
from coset.source.preprocess import preprocess
from coset.source.text import Source, Span

INITIALISED_PARAMETER = register("S040", "A parameter of a proctype cannot be initialised.")
NO_UNIT = register("S041", "A proctype, a declaration or another unit of a program is needed.")
TOO_DEEP = register("S043", "The text is nested too deeply.")
TOO_MANY = register("S044", "At most 255 processes can be active.")
RUN_IN_FORMULA = register("S046", "`run` starts a process and cannot be used in a formula.")
TWICE = register("S045", "A claim, a formula or a trace is defined twice.")


def parse(
    source: Source, defines: Mapping[str, str] | None, include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Program:
    """The syntax tree of a program.  Never raises on bad input: whatever is wrong is added to
    `diagnostics`, and the tree is what could be understood."""
    units: list[Unit] = []
    try:
        tokens, _ = preprocess(source, defines or {}, include_dirs, diagnostics)
        program, formulas = tokenise(tokens, diagnostics)
        bad = {(each.span.source, each.span.line) for each in diagnostics.errors if each.span is not None}
        names = Names()
        parser = Parser(Stream(program, names, _end(source, len(source.text))), names, diagnostics)
        parser.bad_lines = bad
        parser.units(units)
        unnamed = 0
        for formula in formulas:
            end = _end(formula[-1].source, formula[-1].end)
            inner = Parser(Stream(formula, names, end), names, diagnostics)
            inner.claims, inner.bad_lines = parser.claims, bad
            if (unit := inner.ltl(unnamed)) is not None:
                unnamed += unit.name == f"ltl_{unnamed}"
                units.append(unit)
    except RecursionError:
        place = units[-1].span if units else Span(source, 0, 0)
        diagnostics.error(TOO_DEEP, "blocks or parentheses are nested too deeply after this", place)
    return Program(tuple(units))


def _end(source: Source, offset: int) -> Token:
    return Token(END, "", None, source, offset, offset)


class Parser(StatementParser):
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        super().__init__(stream, names, diagnostics)
        self.claims: dict[str, Token] = {}
        self.traces: list[Token] = []

    def units(self, found: list[Unit]) -> None:
        """Add all units of the program to `found`: what is there counts, should the rest fail."""
        if self.at(END):
            self.diagnostics.error(NO_UNIT, "the program is empty", self.peek().span)
        while not self.at(END):
            try:
                unit = self.unit()
                if unit is not None:
                    found.append(unit)
            except Failure:
                self.next_unit()

    def next_unit(self) -> None:
        """After an error outside of sequences: skip to the next unit."""
        self.stream.in_sequence = False
        self.stream.parentheses = 0
        self.recording = None
        self.openers.clear()
        self.orphans.clear()
        self.closed.clear()
        self.calls.clear()
        self.loops = 0
        del self.stream.frames[1:]
        self.in_trace = False
        depth = 0
        while True:
            kind = self.peek().kind
            if kind == END or kind in UNIT_WORDS:
                return
            if depth <= 0 and (kind == ";" or ((kind in TYPES or kind in VISIBILITY) and self.peek().newline_before)):
                return
            depth += (kind == "{") - (kind == "}")
            self.take()

    def unit(self) -> Unit | None:
        token = self.peek()
        kind = token.kind
        if kind in (";", "->"):
            self.take()
            return None
        if self.at_declaration():
            return self.declaration(False)
        if kind in ("active", "proctype", "D_proctype"):
            return self.proctype()
        if kind == "init":
            return self.init()
        if kind == "never":
            return self.never()
        if kind in ("trace", "notrace"):
            return self.trace()
        if kind == "typedef":
            return self.typedef()
        if kind == "inline":
            self.inline_definition()
            return None
        if kind in EMBEDDED_C_WORDS:
            self.embedded_c()
            return None
        if kind in ("}", "fi", "od", "::"):
            raise self.failure(f"{self.describe()} closes nothing", code=UNOPENED)
        self.take()
        message = f"expected a declaration or a proctype, not {self.describe(token)}"
        if kind == NAME:
            if self.at("{"):
                candidates = frozenset({"init", "never", "trace", "notrace"})
            else:
                candidates = UNIT_WORDS | TYPES | VISIBILITY | self.names.typedefs
            if self.peek().kind in (NAME, PROCTYPE_NAME, "{") and (close := suggest(token.text, candidates)):
                self.diagnostics.error(NO_UNIT, message, token.span, f"did you mean `{close}`?")
                self.put_back(token, close if close in KEYWORDS else TYPE_NAME)
                token.text = close
                return self.unit()
            raise self.failure(message, token, "statements belong into a proctype or `init`", NO_UNIT)
        raise self.failure(message, token, None, NO_UNIT)

    # --- processes -----------------------------------------------------------------------------------

    def proctype(self) -> Proctype:
        start = self.peek()
        active = self.active() if start.kind == "active" else None
        token = self.peek()
        self.take()
        if token.kind not in ("proctype", "D_proctype"):
            hint = self.misspelt(token, ["proctype"])
            error = self.failure(f"expected `proctype`, not {self.describe(token)}", token, hint)
            if hint is None:
                raise error
        name = self.expect_name("the name of the proctype")
        self.names.proctypes.add(name.text)
        parameters: tuple[Declaration, ...] = ()
        priority = provided = None
        try:
            opening = self.expect("(", f"after the name of proctype `{name.text}`")
            parameters = self.parameters()
            self.close(opening)
            priority = self.priority()
            provided = self.provided()
        except Failure:
            self.skip_to_body()
        body = self.body(f"proctype `{name.text}`")
        span = self.span_from(start)
        return Proctype(span, name.text, active, parameters, body, priority, provided, token.kind == "D_proctype")

    def provided(self) -> Expression | None:
        """`provided (condition)`, if it is there."""
        if not self.accept("provided"):
            return None
        opening = self.expect("(", "after `provided`")
        condition = self.full_expression()
        self.close(opening)
        return condition

    def skip_to_body(self) -> None:
        """After an error in the head of a proctype: its body can still be read."""
        self.stream.parentheses = 0
        self.recording = None
        while not self.at("{"):
            if self.at(END) or self.peek().kind in UNIT_WORDS:
                raise Failure
            self.take()

    def active(self) -> Expression:
        token = self.take()
        if not self.accept("["):
            return Number(token.span, 1)
        count = self.constant_expression("the number of active processes", True)
        self.expect("]", "after the number of processes")
        if isinstance(count, Number) and count.value > 255:
            self.diagnostics.error(TOO_MANY, "at most 255 processes can be active", count.span)
        return count

    def parameters(self) -> tuple[Declaration, ...]:
        found: list[Declaration] = []
        if self.at(")"):
            return ()
        while True:
            if not self.at_declaration():
                hint = self.misspelt(self.peek(), TYPES | self.names.typedefs)
                if hint is None and self.peek().kind == NAME:
                    hint = "every parameter needs a type: `(byte a; byte b)`"
                raise self.failure(f"expected the declaration of a parameter, not {self.describe()}", hint=hint)
            declaration = self.declaration(True)
            if isinstance(declaration, Declaration):
                found.append(declaration)
                for item in declaration.items:
                    if item.initial is not None:
                        message = f"parameter `{item.name}` cannot be initialised"
                        self.diagnostics.error(INITIALISED_PARAMETER, message, item.span)
            if not self.accept(";"):
                return tuple(found)

    def body(self, owner: str) -> tuple[Statement, ...]:
        """The body of a process, a claim or a trace."""
        brace = self.expect("{", f"before the body of {owner}")
        self.stream.in_sequence = True
        self.leading = True
        self.loops = 0
        self.closed.clear()
        body = self.sequence(brace, owner, True)
        self.close_with("}", brace)
        self.stream.in_sequence = False
        return body

    def init(self) -> Proctype:
        token = self.take()
        priority = None
        try:
            if self.at("("):
                raise self.failure("`init` has no parameters", hint="write `init { ... }`")
            priority = self.priority()
        except Failure:
            self.skip_to_body()
        body = self.body("`init`")
        return Proctype(self.span_from(token), "init", Number(token.span, 1), (), body, priority)

    def never(self) -> Never:
        token = self.take()
        name = self.take().text if self.at(NAME) else f"never_{len(self.claims)}"
        self.once(name, token)
        body = self.body(f"claim `{name}`")
        return Never(self.span_from(token), name, body)

    def once(self, name: str, token: Token) -> None:
        """Claims and formulas have different names."""
        if name in self.claims:
            notes = [("the first one", self.claims[name].span)]
            self.diagnostics.error(TWICE, f"there is already a claim `{name}`", token.span, None, notes)
        self.claims[name] = token

    def trace(self) -> Trace:
        token = self.take()
        if self.traces:
            notes = [("the first one", self.traces[0].span)]
            self.diagnostics.error(TWICE, "there can only be one `trace` or `notrace`", token.span, None, notes)
        self.traces.append(token)
        self.in_trace = True
        body = self.body(f"`{token.kind}`")
        self.in_trace = False
        return Trace(self.span_from(token), body, token.kind == "notrace")

    def ltl(self, number: int) -> Ltl | None:
        """A whole `ltl` block; unnamed ones are counted among themselves."""
        try:
            token = self.take()
            name = self.take().text if self.at(NAME) else f"ltl_{number}"
            self.once(name, token)
            opening = self.expect("{", "before the formula")
            formula = self.expression()  # SPIN negates it, so there can be no probe
            if has_run(formula):
                self.diagnostics.error(RUN_IN_FORMULA, "a formula cannot `run` a process", formula.span)
            if self.at(";") or self.at("->"):
                self.take()
            self.expect("}", "after the formula", opening)
            return Ltl(self.span_from(token), name, formula)
        except Failure:
            return None
