"""Text -> syntax tree of Murphi.  All syntax errors of a file are found in one go."""

from __future__ import annotations

from coset.languages.murphi import tree as t
from coset.languages.murphi.lexer import tokenise
from coset.languages.murphi.parse_statement import CATEGORIES, StatementParser
from coset.languages.tokens import END, NAME, NUMBER, TEXT, Failure
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source, Span

DECLARATIONS = ("const", "type", "var")
TOP = (*DECLARATIONS, "function", "procedure", "rule", "ruleset", "startstate", "alias", "choose", *CATEGORIES)
"""What begins a declaration or a rule; after an error parsing goes on at the next one."""


def parse(source: Source, diagnostics: Diagnostics) -> t.Program:
    """The tree of a text; what is wrong is left out.

    >>> found = Diagnostics()
    >>> program = parse(Source("m.m", "var x: 0..3; startstate x := 0 end; rule x < 3 ==> x := x + 1; end"), found)
    >>> [type(part).__name__ for part in program.parts], len(found)
    (['VarDecl', 'StartState', 'Rule'], 0)
    """
    parser = Parser(tokenise(source, diagnostics), diagnostics)
    return t.Program(parser.parts(), span=Span(source, 0, len(source.text)))


class Parser(StatementParser):
    def parts(self) -> tuple[t.Declaration | t.AnyRule, ...]:
        found: list[t.Declaration | t.AnyRule] = []
        while not self.at(END):
            if self.accept(";"):
                continue
            position = self.position
            try:
                found += self.part()
            except Failure:
                self.depth = 0
                if self.position == position:
                    self.take()
                while not self.at(END, *TOP) or (self.at(*CATEGORIES, "alias") and not self.begins_line()):
                    self.take()
        return tuple(found)

    def begins_line(self) -> bool:
        """Whether the next token is the first in its line: `assert` may be a statement, too."""
        span = self.peek().span
        return not span.source.line_text(span.line)[: span.column - 1].strip()

    def part(self) -> list[t.Declaration | t.AnyRule]:
        if self.at(*DECLARATIONS):
            return list(self.declaration())
        if self.at("function", "procedure"):
            return [self.function()]
        return [self.rule()]

    # --- declarations ------------------------------------------------------------------------------

    def declaration(self) -> tuple[t.Declaration, ...]:
        if self.accept("var"):
            return self.variables()
        what = self.take().kind
        found: list[t.Declaration] = []
        while self.at(NAME):
            names = self.names()
            self.expect(":", "before the value" if what == "const" else "before the type")
            if what == "const":
                value = self.expression()
                found += [t.ConstDecl(name.text, value, span=name.span) for name in names]
            else:
                type_ = self.type()
                found += [t.TypeDecl(name.text, type_, span=name.span) for name in names]
            while self.accept(";"):
                pass
        return tuple(found)

    def declarations(self) -> tuple[t.Declaration, ...]:
        found: list[t.Declaration] = []
        while self.at(*DECLARATIONS):
            found += self.declaration()
        return tuple(found)

    def function(self) -> t.Function:
        start = self.take()
        name = self.expect(NAME, "for the function")
        self.expect("(", "before the parameters")
        parameters: list[t.Parameter] = []
        while not self.at(")", END):
            by_reference = self.accept("var") is not None
            names = self.names()
            self.expect(":", "before the type")
            type_ = self.type()
            parameters += [t.Parameter(each.text, type_, by_reference, span=each.span) for each in names]
            while self.accept(";") or self.accept(","):
                pass
        self.expect(")", "after the parameters")
        result = self.type() if self.accept(":") else None
        while self.accept(";"):
            pass
        declarations = self.declarations()
        self.accept("begin")
        body = self.statements()
        self.end(f"end{start.kind}", "endfunction", "endprocedure")
        return t.Function(name.text, tuple(parameters), result, declarations, body, span=name.span)

    # --- rules -------------------------------------------------------------------------------------

    def rules(self) -> tuple[t.AnyRule, ...]:
        found: list[t.AnyRule] = []
        while True:
            while self.accept(";"):
                pass
            if self.at("end", "endruleset", "endalias", "endchoose", END):
                return tuple(found)
            found.append(self.rule())

    def rule(self) -> t.AnyRule:
        start = self.peek()
        self.nest()
        found = self.any_rule()
        self.depth -= 1
        assert found.span.start >= start.span.start
        return found

    def any_rule(self) -> t.AnyRule:
        start = self.peek()
        if self.at(*CATEGORIES):
            return self.property()
        if self.accept("rule"):
            priority = self.priority()
            name = self.text() if self.at(TEXT) else None
            guard = None
            if not self.at(*DECLARATIONS, "begin") and self.is_guarded():
                guard = self.expression()
                self.expect("==>", "after the guard")
            head = self.since(start)
            declarations, body = self.header()
            self.end("endrule")
            return t.Rule(name, guard, declarations, body, priority, span=head)
        if self.accept("startstate"):
            name = self.text() if self.at(TEXT) else None
            head = self.since(start)
            declarations, body = self.header()
            self.end("endstartstate")
            return t.StartState(name, declarations, body, span=head)
        if self.accept("ruleset"):
            quantifiers = [self.quantifier()]
            while self.accept(";"):
                while self.accept(";"):
                    pass
                if self.at("do"):
                    break
                quantifiers.append(self.quantifier())
            self.expect("do", "before the rules")
            rules = self.rules()
            self.end("endruleset")
            return t.Ruleset(tuple(quantifiers), rules, span=self.since(start))
        if self.accept("alias"):
            aliases = self.aliases()
            self.expect("do", "before the rules")
            rules = self.rules()
            self.end("endalias")
            return t.AliasRule(aliases, rules, span=self.since(start))
        if self.accept("choose"):
            name = self.expect(NAME, "for the element").text
            self.expect(":", "before the multiset")
            multiset = self.designator()
            self.expect("do", "before the rules")
            rules = self.rules()
            self.end("endchoose")
            return t.Choose(name, multiset, rules, span=self.since(start))
        raise self.failure(f"expected a declaration or a rule, not {self.shown()}", self.advice("rule"))

    def priority(self) -> int:
        """`rule 20 "name"`: of the rules that may fire, only those with the least number do (CMurphi)."""
        if self.at(NUMBER) and self.peek(1).kind == TEXT:
            return int(self.take().text, 0)
        return 0

    def is_guarded(self) -> bool:
        """Whether `==>` comes before the next rule, so that what follows is a guard."""
        for token in self.tokens[self.position :]:
            if token.kind == "==>":
                return True
            if token.kind in (":=", ";", "begin", "rule", "ruleset", "startstate", "endrule", "then", END):
                # `forall i := 1 to 3 do` has `:=`, too
                if token.kind == ":=" and self.in_quantifier(token):
                    continue
                return False
        return False

    def in_quantifier(self, token: object) -> bool:
        position = next(k for k, each in enumerate(self.tokens) if each is token)
        return self.tokens[position - 2].kind in ("forall", "exists")

    def header(self) -> tuple[tuple[t.Declaration, ...], tuple[t.Statement, ...]]:
        """Declarations and statements of a rule."""
        declarations = self.declarations()
        self.accept("begin")
        return declarations, self.statements()

    def property(self) -> t.Property:
        start = self.take()
        name = self.text() if self.at(TEXT) else ""
        condition = self.expression()
        if not name and self.at(TEXT):
            name = self.text()
        return t.Property(CATEGORIES[start.kind], name, condition, span=self.since(start))
