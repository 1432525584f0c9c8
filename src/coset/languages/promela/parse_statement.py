"""Statements."""

from __future__ import annotations

from coset.languages.promela.cursor import UNEXPECTED, UNIT_WORDS
from coset.languages.promela.lexer import CONSTANT, INLINE_NAME, KEYWORDS, NAME, STRING, Names, Stream, Token
from coset.languages.promela.parse_expression import BINARY_OPERATORS
from coset.languages.promela.parse_inline import InlineParser
from coset.languages.promela.parse_sequence import CLOSERS, EMPTY_SEQUENCE, SEPARATORS
from coset.languages.promela.tree import (
    Assert,
    Assign,
    Binary,
    Block,
    Break,
    Do,
    Else,
    Expression,
    ForIn,
    ForRange,
    Goto,
    Guard,
    If,
    Labelled,
    Number,
    Print,
    Receive,
    Reference,
    Select,
    Send,
    SetPriority,
    Statement,
)
from coset.source.diagnostics import Diagnostics, register, suggest

FOREIGN = register("S007", "A construct of C or another language is not part of Promela.")
NO_OPTION = register("S008", "`if` and `do` consist of options, each after `::`.")
LABEL_BEFORE_DECLARATION = register("S031", "A label can only be put before a statement.")
NOT_AN_EVENT = register("S035", "A trace may only consist of sends, receives and control flow.")
MISPLACED_BREAK = register("S036", "`break` is only allowed inside of a loop.")
BAD_RANGE = register("S037", "The range of a `select` is empty.")

_FOREIGN = {
    "while": "write `do :: condition -> ... :: else -> break od`",
    "switch": "write `if :: x == 1 -> ... :: x == 2 -> ... :: else -> ... fi`",
    "continue": "write `goto` with a label before the loop",
    "case": "write `:: x == 1 -> ...` inside `if ... fi`",
    "elif": "write `:: else -> if ... fi`",
    "then": "write `->`",
    "endif": "close an `if` with `fi`",
}
_CANNOT_FOLLOW = KEYWORDS - {"unless", "fi", "od"}  # the tokens that never come after an expression
_COMPOUND = frozenset("+-*/%&|^") | {"<<", ">>", "&&", "||"}


def is_event(statement: Statement) -> bool:
    """Whether SPIN allows the statement in a trace."""
    match statement:
        case Send():
            return not statement.sorted
        case Receive():
            return not statement.random and not statement.peek
        case If() | Do() | ForIn() | ForRange() | Select() | Break() | Goto() | Labelled():
            return True
    return False


class StatementParser(InlineParser):
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        super().__init__(stream, names, diagnostics)
        self.in_trace = False
        self.loops = 0

    def statement(self) -> Statement:
        """SPIN's `stmnt`: it ends the leading declarations."""
        token = self.peek()
        method = _STATEMENTS.get(token.kind)
        if method is not None:
            found: Statement = method(self, token)
        elif token.kind == NAME:
            found = self.named(token)
        else:
            found = self.guard(token)
        self.leading = False
        if self.in_trace and not is_event(found):
            self.diagnostics.error(NOT_AN_EVENT, "only sends and receives are allowed in a trace", token.span)
        return found

    def guard(self, token: Token) -> Statement:
        if token.kind in UNIT_WORDS:
            self.unit_begins()
        if token.kind in SEPARATORS:
            raise self.failure(f"expected a statement, not {self.describe()}", code=EMPTY_SEQUENCE)
        if token.kind in CLOSERS:
            raise self.failure(f"expected a statement before {self.describe()}", code=EMPTY_SEQUENCE)
        condition = self.full_expression()
        return Guard(self.statement_span(token), condition)

    def named(self, token: Token) -> Statement:
        """A statement that begins with a name: a label, an assignment, a send, a receive, a guard."""
        target = self.reference()
        following = self.peek()
        kind = following.kind
        if kind == ":" and target.index is None and target.rest is None:
            return self.labelled(token)
        if kind == "=":
            return self.assignment(token, target)
        if kind in ("++", "--"):
            self.take()
            span = self.statement_span(token)
            one = Number(following.span, 1)
            return Assign(span, target, Binary(span, kind[0], target, one))
        if kind in ("!", "!!"):
            return self.send(token, target)
        if kind in ("?", "??"):
            self.take()
            if not self.at("["):
                return self.receive(token, target, kind)
            left: Expression = self.poll(target, kind == "??")
        else:
            left = target
        if kind in _COMPOUND:
            self.compound_assignment(token, target, following)
        elif left is target and (corrected := self.foreign(token, target)) is not None:
            return corrected
        condition = self.binary(1, left, token)
        return Guard(self.statement_span(token), condition)

    def foreign(self, token: Token, target: Reference) -> Statement | None:
        """Tokens of other languages look like names, and misspelt ones too: `while (x)`, `prinft("x")`.
        If it is clear what was meant, read on with that."""
        following = self.peek()
        if target.index is not None or target.rest is not None:
            return None
        starts = following.kind in (NAME, CONSTANT, "{", "(") or following.kind in _CANNOT_FOLLOW
        if starts and token.text in _FOREIGN:
            raise self.failure(f"`{token.text}` is not part of Promela", token, _FOREIGN[token.text], FOREIGN)
        if starts:
            close = suggest(token.text, [*KEYWORDS, *self.names.inlines, *self.names.typedefs])
            hint = f"did you mean `{close}`?" if close else None
            if following.kind == "(":
                message = f"`{token.text}` is not the name of an inline"
            else:
                message = f"unexpected {self.describe()} after `{token.text}`"
            if close is not None:
                self.diagnostics.error(UNEXPECTED, message, token.span, hint)
                self.put_back(token, close if close in KEYWORDS else self.names.kind(close))
                token.text = close
                return self.step()
            if following.kind == "(":
                raise self.failure(message, token)
        return None

    def compound_assignment(self, token: Token, target: Reference, operator: Token) -> None:
        """`x += 1` of C."""
        following = self.stream.upcoming(1)
        if following and following[0].kind == "=" and not following[0].space_before:
            text = target.span.text
            raise self.failure(
                f"`{operator.text}=` is not part of Promela",
                operator,
                f"write `{text} = {text} {operator.text} ...`",
                FOREIGN,
            )

    def labelled(self, token: Token) -> Statement:
        self.take()
        following = self.peek()
        kind = following.kind
        if self.at_declaration():
            self.diagnostics.error(
                LABEL_BEFORE_DECLARATION,
                f"label `{token.text}` is before a declaration",
                token.span,
                "put the label before the first statement after it",
            )
            return self.local_declaration()
        if kind in ("xr", "xs"):
            raise self.failure(f"label `{token.text}` is before `{kind}`", token, code=LABEL_BEFORE_DECLARATION)
        if kind in CLOSERS or kind in SEPARATORS or kind in ("unless", ")", ","):
            span = self.span_from(token)
            return Labelled(span, token.text, Guard(span, Number(span, 1)))
        inner = self.statement()
        return Labelled(self.statement_span(token), token.text, inner)

    def assignment(self, token: Token, target: Reference) -> Statement:
        self.take()
        if self.at(INLINE_NAME):
            return self.inline_call(self.peek(), target)
        value = self.full_expression()
        if self.at("="):
            raise self.failure("Promela has no chained assignment", hint="write two assignments", code=FOREIGN)
        return Assign(self.statement_span(token), target, value)

    def send(self, token: Token, channel: Reference) -> Statement:
        operator = self.take()
        first = self.expression()
        arguments = [first]
        if opening := self.accept("("):
            arguments.extend(self.arguments(""))
            self.close(opening)
        else:
            while self.accept(","):
                arguments.append(self.expression())
            if self.at("("):
                raise self.failure("only the first value of a message can have the others in parentheses")
        return Send(self.statement_span(token), channel, tuple(arguments), operator.kind == "!!")

    def receive(self, token: Token, channel: Reference, operator: str) -> Statement:
        peek = self.accept("<")
        arguments = self.receive_arguments()
        if peek:
            self.expect(">", "after the arguments of the receive", peek)
        elif self.peek().kind in BINARY_OPERATORS:
            raise self.failure("an expression cannot be received", hint="write `eval(...)` to compare with its value")
        return Receive(self.statement_span(token), channel, arguments, operator == "??", peek is not None)

    # --- compound statements -------------------------------------------------------------------------

    def options(self, token: Token, closer: str) -> tuple[tuple[Statement, ...], ...]:
        if not self.at("::"):
            hint = f"write `{token.kind} :: condition -> ... {closer}`"
            if token.kind == "if" and self.at("("):
                hint = "write `if :: condition -> ... :: else -> ... fi`"
            self.orphans[closer] += 1
            raise self.failure(f"expected `::` after `{token.kind}`, not {self.describe()}", hint=hint, code=NO_OPTION)
        options: list[tuple[Statement, ...]] = []
        self.openers.append(token)
        try:
            while separator := self.accept("::"):
                self.leading = False
                option = self.sequence(separator, "this option")
                self.check_first(option, None)
                options.append(option)
        finally:
            self.openers.pop()
        self.close_with(closer, token)
        return tuple(options)

    def if_statement(self, token: Token) -> Statement:
        self.take()
        options = self.options(token, "fi")
        return If(self.span_from(token), options)

    def do_statement(self, token: Token) -> Statement:
        self.take()
        self.loops += 1
        try:
            options = self.options(token, "od")
        finally:
            self.loops -= 1
        return Do(self.span_from(token), options)

    def braces(self, token: Token) -> Statement:
        control = self.take().kind if token.kind != "{" else None
        body = self.block(f"this {control or 'block'}", token)
        self.check_first(body, token.kind)
        return Block(self.span_from(token), body, control)

    def for_statement(self, token: Token) -> Statement:
        self.take()
        opening = self.expect("(", "after `for`")
        variable = self.reference()
        first: Expression | None = None
        if self.peek().kind == NAME and self.peek().text == "in":
            self.take()
            collection = self.reference()
        else:
            if self.at("="):
                raise self.failure("this is not the `for` of C", hint="write `for (i : 1 .. n) { ... }`", code=FOREIGN)
            self.expect(":", "after the variable: `for (i : 1 .. n) { ... }`")
            first = self.expression()
            self.expect("..", "between the bounds: `for (i : 1 .. n) { ... }`")
            last = self.expression()
        self.close(opening)
        header = self.statement_span(token)
        self.accept(";")
        self.loops += 1
        try:
            body = self.block("this loop", token)
        finally:
            self.loops -= 1
        span = self.span_from(token)
        if first is None:
            return ForIn(span, variable, collection, body, header)
        return ForRange(span, variable, first, last, body, header)

    def select_statement(self, token: Token) -> Statement:
        literal = self.literal_range(token)
        self.take()
        opening = self.expect("(", "after `select`")
        variable = self.reference()
        self.expect(":", "after the variable: `select (i : 1 .. n)`")
        first = self.expression()
        self.expect("..", "between the bounds: `select (i : 1 .. n)`")
        last = self.expression()
        self.close(opening)
        return Select(self.statement_span(token), variable, first, last, literal)

    def literal_range(self, token: Token) -> bool:
        """Whether SPIN's lexer would write the `select` out as an `if` (see `Select`)."""
        ahead = self.stream.upcoming(7)
        if len(self.stream.frames) > 1 or len(ahead) < 7:
            return False
        name, first, last = ahead[1], ahead[3], ahead[5]
        if [each.text for each in (ahead[0], ahead[2], ahead[4], ahead[6])] != ["(", ":", "..", ")"]:
            return False
        if any(each.newline_before for each in ahead[1:]) or not (first.text.isdigit() and last.text.isdigit()):
            return False
        if not name.text.isalnum() or not name.text.isascii():
            return False
        low, high = first.value or 0, last.value or 0
        if low > high:
            self.diagnostics.error(BAD_RANGE, f"the range {low} .. {high} is empty", token.span)
        return high - low <= 32

    # --- basic statements ----------------------------------------------------------------------------

    def else_statement(self, token: Token) -> Statement:
        self.take()
        return Else(token.span)

    def break_statement(self, token: Token) -> Statement:
        self.take()
        if not self.loops:
            self.diagnostics.error(MISPLACED_BREAK, "`break` outside of a loop", token.span)
        return Break(token.span)

    def goto_statement(self, token: Token) -> Statement:
        self.take()
        label = self.expect_name("a label after `goto`")
        return Goto(self.span_from(token), label.text)

    def assert_statement(self, token: Token) -> Statement:
        self.take()
        condition = self.full_expression()
        return Assert(self.statement_span(token), condition)

    def printf_statement(self, token: Token) -> Statement:
        self.take()
        opening = self.expect("(", "after `printf`")
        text = self.expect(STRING, "as the first argument of `printf`").text
        arguments: tuple[Expression, ...] = ()
        if self.accept(","):
            arguments = self.arguments("")
        self.close(opening)
        return Print(self.statement_span(token), text[1:-1], arguments)

    def printm_statement(self, token: Token) -> Statement:
        self.take()
        opening = self.expect("(", "after `printm`")
        value = self.constant(self.take()) if self.at(CONSTANT) else self.reference()
        self.close(opening)
        return Print(self.statement_span(token), None, (value,))

    def set_priority_statement(self, token: Token) -> Statement:
        self.take()
        opening = self.expect("(", "after `set_priority`")
        process = self.expression()
        self.expect(",", "between the process and its priority")
        value = self.expression()
        self.close(opening)
        return SetPriority(self.statement_span(token), process, value)

    def c_statement(self, token: Token) -> Statement:
        self.embedded_c()
        return Guard(token.span, Number(token.span, 1))


_STATEMENTS = {
    "if": StatementParser.if_statement,
    "do": StatementParser.do_statement,
    "for": StatementParser.for_statement,
    "select": StatementParser.select_statement,
    "atomic": StatementParser.braces,
    "d_step": StatementParser.braces,
    "{": StatementParser.braces,
    "else": StatementParser.else_statement,
    "break": StatementParser.break_statement,
    "goto": StatementParser.goto_statement,
    "assert": StatementParser.assert_statement,
    "printf": StatementParser.printf_statement,
    "printm": StatementParser.printm_statement,
    "set_priority": StatementParser.set_priority_statement,
    "return": StatementParser.return_statement,
    "c_code": StatementParser.c_statement,
    "c_decl": StatementParser.c_statement,
    INLINE_NAME: StatementParser.inline_call,
}
