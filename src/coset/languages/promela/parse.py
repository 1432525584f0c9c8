"""The units of a Promela program, and the entry: text -> syntax tree.

Written by hand from what SPIN 6.5.2 accepts and refuses; `tests/test_promela_parse.py` compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.languages.promela.cursor import UNIT_WORDS, Failure
from coset.languages.promela.inline import Inline
from coset.languages.promela.lexer import CONSTANT, END, NAME, TYPES, Names, Stream, Word, words
from coset.languages.promela.parse_declaration import VISIBILITY
from coset.languages.promela.parse_expression import EMBEDDED_C_WORDS
from coset.languages.promela.parse_statement import UNCLOSED, UNOPENED, StatementParser
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
from coset.source.diagnostics import Diagnostics, register
from coset.source.preprocess import preprocess
from coset.source.text import Source

INITIALISED_PARAMETER = register("S040", "A parameter of a proctype cannot be initialised.")
NO_UNIT = register("S041", "A proctype, a declaration or another unit of a program is needed.")
BAD_INLINE = register("S042", "An inline must be written as `inline name(parameters) { ... }`.")
TOO_DEEP = register("S043", "The text is nested too deeply.")
TOO_MANY = register("S044", "At most 255 processes can be active.")


def parse(
    source: Source, defines: Mapping[str, str] | None, include_dirs: Sequence[str], diagnostics: Diagnostics
) -> Program:
    """The syntax tree of a program.  Never raises on bad input: whatever is wrong is added to
    `diagnostics`, and the tree is what could be understood."""
    tokens, _ = preprocess(source, defines or {}, include_dirs, diagnostics)
    program, formulas = words(tokens, diagnostics)
    names = Names()
    length = len(source.text)
    end = Word(END, "", None, source, length, length)
    parser = Parser(Stream(program, names, end), names, diagnostics)
    units: list[Unit] = []
    try:
        units = parser.units()
        for number, formula in enumerate(formulas):
            last = formula[-1] if formula else end
            inner = Parser(Stream(formula, names, Word(END, "", None, last.source, last.end, last.end)), names, diagnostics)
            if (unit := inner.ltl(number)) is not None:
                units.append(unit)
    except RecursionError:
        place = parser.last.span if parser.last is not None else None
        diagnostics.error(TOO_DEEP, "blocks or parentheses are nested too deeply", place)
    return Program(tuple(units))


class Parser(StatementParser):
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        super().__init__(stream, names, diagnostics)
        self.openers = []
        self.calls = []
        self.claims = 0

    def units(self) -> list[Unit]:
        found: list[Unit] = []
        while not self.at(END):
            try:
                unit = self.unit()
                if unit is not None:
                    found.append(unit)
            except Failure:
                self.next_unit()
        return found

    def next_unit(self) -> None:
        """After an error outside of sequences: skip to the next unit."""
        self.stream.in_sequence = False
        self.stream.parentheses = 0
        self.recording = None
        self.openers.clear()
        self.calls.clear()
        self.loops = 0
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
        word = self.peek()
        kind = word.kind
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
            self.inline()
            return None
        if kind in EMBEDDED_C_WORDS:
            self.embedded_c()
            return None
        if kind in ("}", "fi", "od", "::"):
            self.fail(f"{self.describe()} closes nothing", code=UNOPENED)
        hint = self.misspelt(word, [*UNIT_WORDS, *TYPES, *VISIBILITY, *self.names.typedefs, "ltl", "mtype"])
        if hint is None and kind == NAME:
            hint = "statements belong into a proctype or `init`"
        self.take()
        self.fail(f"expected a declaration or a proctype, not {self.describe(word)}", word, hint, NO_UNIT)

    # --- processes -----------------------------------------------------------------------------------

    def proctype(self) -> Proctype:
        start = self.peek()
        active = self.active() if start.kind == "active" else None
        word = self.peek()
        if word.kind not in ("proctype", "D_proctype"):
            self.fail(f"expected `proctype`, not {self.describe()}", hint=self.misspelt(word, ["proctype"]))
        self.take()
        name = self.expect_name("the name of the proctype")
        self.names.proctypes.add(name.text)
        opening = self.expect("(", f"after the name of proctype `{name.text}`")
        parameters = self.parameters()
        self.close(opening)
        priority = self.priority()
        provided: Expression | None = None
        if self.accept("provided"):
            bracket = self.expect("(", "after `provided`")
            provided = self.full_expression()
            self.close(bracket)
        body = self.body(f"proctype `{name.text}`")
        span = self.span_from(start)
        return Proctype(span, name.text, active, parameters, body, priority, provided, word.kind == "D_proctype")

    def active(self) -> Expression:
        word = self.take()
        if not self.accept("["):
            return Number(word.span, 1)
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
                self.fail(f"expected the declaration of a parameter, not {self.describe()}", hint=hint)
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
        body = self.sequence(brace, owner)
        while not self.at("}"):
            word = self.peek()
            if word.kind == END or word.kind in UNIT_WORDS:
                note = (f"the body of {owner} begins here", brace.span)
                self.fail(f"expected `}}` before {self.describe()}", code=UNCLOSED, notes=[note])
            self.diagnostics.error(UNOPENED, f"{self.describe()} closes nothing", word.span)
            self.take()
            if self.separator():
                body = (*body, *self.sequence(brace, owner))
        self.take()
        self.stream.in_sequence = False
        return body

    def init(self) -> Proctype:
        word = self.take()
        if self.at("("):
            self.fail("`init` has no parameters", hint="write `init { ... }`")
        priority = self.priority()
        body = self.body("`init`")
        return Proctype(self.span_from(word), "init", Number(word.span, 1), (), body, priority)

    def never(self) -> Never:
        word = self.take()
        name = self.take().text if self.at(NAME) else f"never_{self.claims}"
        self.claims += 1
        body = self.body(f"claim `{name}`")
        return Never(self.span_from(word), name, body)

    def trace(self) -> Trace:
        word = self.take()
        self.in_trace = True
        body = self.body(f"`{word.kind}`")
        self.in_trace = False
        return Trace(self.span_from(word), body, word.kind == "notrace")

    def ltl(self, number: int) -> Ltl | None:
        """A whole `ltl` block; unnamed ones are counted among themselves."""
        try:
            word = self.take()
            name = self.take().text if self.at(NAME) else f"ltl_{number}"
            opening = self.expect("{", "before the formula")
            formula = self.full_expression()
            if self.at(";") or self.at("->"):
                self.take()
            self.expect("}", "after the formula", opening)
            return Ltl(self.span_from(word), name, formula)
        except Failure:
            return None

    # --- inlines -------------------------------------------------------------------------------------

    def inline(self) -> None:
        self.take()
        name = self.peek()
        if name.kind != "name of an inline":
            self.expect_name("the name of the inline")
        else:
            self.take()
            self.diagnostics.error(
                BAD_INLINE,
                f"inline `{name.text}` is defined twice",
                name.span,
                None,
                [("the first definition", self.names.inlines[name.text].span)],
            )
        opening = self.expect("(", f"after the name of inline `{name.text}`")
        parameters: list[str] = []
        while not self.at(")"):
            word = self.peek()
            if word.kind == CONSTANT and word.value is None:
                self.take()  # the name of an mtype constant: never replaced
            elif word.kind in TYPES:
                hint = "the parameters of an inline have no types: they are replaced as text"
                self.fail("expected the name of a parameter, not a type", hint=hint, code=BAD_INLINE)
            else:
                word = self.expect_name("the name of a parameter")
            parameters.append(word.text)
            if not self.accept(","):
                break
        self.close(opening)
        body = [self.stream.raw()]
        if body[0].text != "{":
            self.fail(f"expected `{{` before the body of inline `{name.text}`", body[0], code=BAD_INLINE)
        depth = 1
        while depth:
            inner = self.stream.raw()
            if inner.kind == END:
                self.fail(f"the body of inline `{name.text}` is not closed", body[0], "add the missing `}`", UNCLOSED)
            body.append(inner)
            depth += (inner.text == "{") - (inner.text == "}")
        self.names.inlines[name.text] = Inline(name.text, tuple(parameters), body, name.span)
