"""The parser of Murphi's statements."""

from __future__ import annotations

from coset.languages.murphi import tree as t
from coset.languages.murphi.cursor import Cursor
from coset.languages.tokens import END, NAME, TEXT, Failure, Token

CATEGORIES = {"assert": "assert", "invariant": "assert", "assume": "assume", "cover": "cover", "liveness": "liveness"}
"""Keywords of properties, by what they mean."""
STOPS = ("end", "else", "elsif", "case")
"""With `endif` and the like, what ends a list of statements."""
RULES = ("rule", "ruleset", "startstate", "function", "procedure", "choose")
"""What can only begin outside of statements."""


class StatementParser(Cursor):
    def text(self) -> str:
        """The contents of a text, without quotes and escapes."""
        found = self.take().text[1:-1]
        return found.replace('\\"', '"').replace("\\\\", "\\")

    def at_stop(self) -> bool:
        kind = self.peek().kind
        return kind in STOPS or kind == END or kind in RULES or (kind.startswith("end") and kind != "end")

    def statements(self) -> tuple[t.Statement, ...]:
        """Statements with `;` between them.  After an error parsing goes on at the next one."""
        found: list[t.Statement] = []
        while True:
            while self.accept(";"):
                pass
            if self.at_stop():
                return tuple(found)
            position, depth = self.position, self.depth
            try:
                found.append(self.statement())
                if not self.at_stop() and not self.at(";"):
                    raise self.failure(f"expected `;` before {self.shown()}", "statements are separated by `;`")
            except Failure:
                self.depth = depth
                self.recover(position)

    def recover(self, position: int) -> None:
        """Go to the next `;` or to the end of the list."""
        if self.position == position:
            self.take()
        while not (self.at(";") or self.at_stop()):
            self.take()

    def statement(self) -> t.Statement:
        self.nest()
        found = self.any_statement()
        self.depth -= 1
        return found

    def any_statement(self) -> t.Statement:
        start = self.peek()
        if start.kind in CATEGORIES:
            return self.property_statement()
        parse = getattr(self, f"{start.kind}_statement", None) if start.kind != "name" else None
        if parse is not None:
            self.take()
            found: t.Statement = parse(start)
            return found
        name = self.expect(NAME, "for a statement")
        if self.at("("):
            arguments = self.arguments()
            call = t.Call(name.text, arguments, span=self.since(name))
            return t.CallStatement(call, span=call.span)
        target = self.postfix(t.Name(name.text, span=name.span))
        self.expect(":=", "after the variable")
        value = self.expression()
        return t.Assign(target, value, span=self.since(start))

    # --- one function for each keyword ---------------------------------------------------------------

    def property_statement(self) -> t.Statement:
        start = self.take()
        message = self.text() if self.at(TEXT) else ""
        condition = self.expression()
        if not message and self.at(TEXT):
            message = self.text()
        return t.PropertyStatement(CATEGORIES[start.kind], message, condition, span=self.since(start))

    def alias_statement(self, start: Token) -> t.Statement:
        aliases = self.aliases()
        self.expect("do", "after the aliases")
        body = self.statements()
        self.end("endalias")
        return t.AliasStatement(aliases, body, span=self.since(start))

    def aliases(self) -> tuple[t.AliasDecl, ...]:
        found: list[t.AliasDecl] = []
        while self.at(NAME):
            names = self.names()
            self.expect(":", "before what it is an alias of")
            value = self.expression()
            found += [t.AliasDecl(name.text, value, span=name.span) for name in names]
            while self.accept(";"):
                pass
        return tuple(found)

    def error_statement(self, start: Token) -> t.Statement:
        if not self.at(TEXT):
            raise self.failure(f"expected a text after `error`, not {self.shown()}")
        return t.ErrorStatement(self.text(), span=self.since(start))

    def clear_statement(self, start: Token) -> t.Statement:
        return t.Clear(self.designator(), span=self.since(start))

    def undefine_statement(self, start: Token) -> t.Statement:
        return t.Undefine(self.designator(), span=self.since(start))

    def for_statement(self, start: Token) -> t.Statement:
        quantifier = self.quantifier()
        self.expect("do", "before the statements of the loop")
        body = self.statements()
        self.end("endfor")
        return t.For(quantifier, body, span=self.since(start))

    def while_statement(self, start: Token) -> t.Statement:
        condition = self.expression()
        self.expect("do", "before the statements of the loop")
        body = self.statements()
        self.end("endwhile")
        return t.While(condition, body, span=self.since(start))

    def if_statement(self, start: Token) -> t.Statement:
        condition = self.expression()
        self.expect("then", "after the condition")
        clauses: list[tuple[t.Expression | None, tuple[t.Statement, ...]]] = [(condition, self.statements())]
        while self.accept("elsif"):
            condition = self.expression()
            self.expect("then", "after the condition")
            clauses.append((condition, self.statements()))
        if self.accept("else"):
            clauses.append((None, self.statements()))
        self.end("endif")
        return t.If(tuple(clauses), span=self.since(start))

    def switch_statement(self, start: Token) -> t.Statement:
        of = self.expression()
        cases: list[t.Case] = []
        while self.at("case"):
            first = self.take()
            values = [self.expression()]
            while self.accept(","):
                if self.at(":"):
                    break
                values.append(self.expression())
            self.expect(":", "after the values of the case")
            cases.append(t.Case(tuple(values), self.statements(), span=self.since(first)))
        if self.at("else"):
            first = self.take()
            cases.append(t.Case((), self.statements(), span=self.since(first)))
        self.end("endswitch")
        return t.Switch(of, tuple(cases), span=self.since(start))

    def put_statement(self, start: Token) -> t.Statement:
        if self.at(TEXT):
            self.text()
            return t.Put(None, span=self.since(start))
        return t.Put(self.expression(), span=self.since(start))

    def return_statement(self, start: Token) -> t.Statement:
        value = None if self.at(";") or self.at_stop() else self.expression()
        return t.Return(value, span=self.since(start))

    def multisetadd_statement(self, start: Token) -> t.Statement:
        self.expect("(", "after `MultisetAdd`")
        value = self.expression()
        self.expect(",", "before the multiset")
        multiset = self.designator()
        self.expect(")", "after the multiset")
        return t.MultisetAdd(value, multiset, span=self.since(start))

    def multisetremove_statement(self, start: Token) -> t.Statement:
        self.expect("(", "after `MultisetRemove`")
        name = self.expect(NAME, "of a chosen element").text
        self.expect(",", "before the multiset")
        multiset = self.designator()
        self.expect(")", "after the multiset")
        return t.MultisetRemove(name, multiset, None, span=self.since(start))

    def multisetremovepred_statement(self, start: Token) -> t.Statement:
        self.expect("(", "after `MultisetRemovePred`")
        name = self.expect(NAME, "for the element").text
        self.expect(":", "before the multiset")
        multiset = self.designator()
        self.expect(",", "before the condition")
        condition = self.expression()
        self.expect(")", "after the condition")
        return t.MultisetRemove(name, multiset, condition, span=self.since(start))
