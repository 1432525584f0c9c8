"""Statements and sequences of them, and recovery from errors between them."""

from __future__ import annotations

from dataclasses import dataclass

from coset.languages.promela.cursor import UNIT_WORDS, Failure
from coset.languages.promela.inline import CYCLIC_INLINE, DEEP_INLINE, MAXIMAL_DEPTH, expand
from coset.languages.promela.lexer import (
    CONSTANT,
    END,
    INLINE_NAME,
    KEYWORDS,
    NAME,
    STRING,
    TYPES,
    Word,
)
from coset.languages.promela.parse_declaration import DeclarationParser
from coset.languages.promela.parse_expression import ASSIGNMENT_IN_EXPRESSION, EMBEDDED_C_WORDS
from coset.languages.promela.tree import (
    Assert,
    Assign,
    Binary,
    Block,
    Break,
    ChannelAccess,
    ChannelInitial,
    Declaration,
    DeclarationStatement,
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
    Unless,
)
from coset.source.diagnostics import register

MISSING_SEPARATOR = register("S003", "Two statements are not separated.", "Separate them by `;`, `->` or a new line.")
UNCLOSED = register("S004", "`if`, `do` or `{` is not closed by `fi`, `od` or `}`.")
UNOPENED = register("S005", "`fi`, `od`, `::` or `}` closes something that was not opened.")
EMPTY_SEQUENCE = register("S006", "A sequence of statements is empty.", "Write `skip` for doing nothing.")
FOREIGN = register("S007", "A construct of C or another language is not part of Promela.")
MISPLACED_LABEL = register(
    "S030",
    "A label cannot be at the first statement of a block.",
    "Put it before the block: `L: atomic { ... }`.",
)
LABEL_BEFORE_DECLARATION = register("S031", "A label can only be put before a statement.")
LABEL_IN_OPTION = register("S032", "A label at the first statement of an option cannot be jumped to as one may expect.")
MISPLACED_RETURN = register("S033", "`return` is only allowed in an inline that is called as `x = name(...)`.")
LATE_CHANNEL = register("S034", "A channel can only be initialised at the start of a proctype.")
NOT_AN_EVENT = register("S035", "A trace may only consist of sends, receives and control flow.")
MISPLACED_BREAK = register("S036", "`break` is only allowed inside of a loop.")
BAD_RANGE = register("S037", "The range of a `select` is empty.")
LONELY_ACCESS = register("S038", "A sequence must have at least one statement besides declarations of access.")

_CLOSERS = frozenset({"}", "fi", "od", "::", END})
_CLOSES = {"if": "fi", "do": "od", "{": "}", "::": ""}
_FOREIGN = {
    "while": "write `do :: condition -> ... :: else -> break od`",
    "switch": "write `if :: x == 1 -> ... :: x == 2 -> ... :: else -> ... fi`",
    "continue": "write `goto` with a label before the loop",
    "case": "write `:: x == 1 -> ...` inside `if ... fi`",
    "elif": "write `:: else -> if ... fi`",
    "then": "write `->`",
    "endif": "close an `if` with `fi`",
}
_COMPOUND = frozenset("+ - * / % & | ^ << >> && ||".split())
_QUICK_STATEMENTS = frozenset("if do atomic d_step goto break printf printm assert select for skip".split())


@dataclass
class _Call:
    """An expansion that is being parsed: where a `return` goes."""

    name: str
    target: Reference | None


class StatementParser(DeclarationParser):
    leading = False  # SPIN's initialization_ok
    in_trace = False
    openers: list[Word]
    calls: list[_Call]
    loops = 0

    # --- sequences ---------------------------------------------------------------------------------

    def sequence(self, opener: Word, owner: str) -> tuple[Statement, ...]:
        """Statements up to a word that closes something; `owner` names what they are part of."""
        steps: list[Statement] = []
        self.openers.append(opener)
        elements = False
        try:
            if self.peek().kind in _CLOSERS and self.peek().kind != END:
                self.diagnostics.error(
                    EMPTY_SEQUENCE, f"{owner} has no statement", opener.span, "write `skip` for doing nothing"
                )
                return ()
            while True:
                step = self.recovering_step()
                if step is not None:
                    steps.append(step)
                    elements = elements or not isinstance(step, ChannelAccess)
                if not self.separator():
                    break
        finally:
            self.openers.pop()
        if steps and not elements:
            self.diagnostics.error(LONELY_ACCESS, f"{owner} needs a statement besides `xr` and `xs`", opener.span)
        return tuple(steps)

    def separator(self) -> bool:
        """After a step: take separators; False at the end of the sequence."""
        count = 0
        while self.peek().kind in (";", "->"):
            self.take()
            count += 1
        word = self.peek()
        if word.kind in UNIT_WORDS:
            self.missing_end(word)
        if word.kind in _CLOSERS:
            if count > 1:
                self.diagnostics.error(EMPTY_SEQUENCE, f"empty statement before `{word.text}`", word.span, "remove a `;`")
            return False
        return True

    def missing_end(self, word: Word) -> None:
        """A unit begins although blocks are open."""
        opener = self.openers[-1]
        self.fail(
            f"`{opener.text}` is not closed before `{word.text}`",
            word,
            f"add the missing `{_CLOSES.get(opener.kind) or '}'}`",
            UNCLOSED,
            [("opened here", opener.span)],
        )

    def recovering_step(self) -> Statement | None:
        """One step.  After an error, skip to the end of the statement."""
        depth = self.stream.parentheses
        try:
            step = self.step()
            kind = self.peek().kind
            if kind not in (";", "->") and kind not in _CLOSERS and kind not in UNIT_WORDS:
                self.not_separated()
            return step
        except Failure:
            self.stream.parentheses = depth
            self.recording = None
            self.synchronise()
            return None

    def not_separated(self) -> None:
        """What follows a complete statement does not separate it from the next."""
        word = self.peek()
        last = self.last
        assert last is not None
        if word.kind == "=":
            self.fail("`=` cannot be used in an expression", hint="compare with `==`", code=ASSIGNMENT_IN_EXPRESSION)
        if last.kind == NAME and (close := self.misspelt(last, KEYWORDS)):
            self.fail(f"unexpected {self.describe()} after `{last.text}`", last, close)
        if last.text in _FOREIGN:
            self.fail(f"`{last.text}` is not part of Promela", last, _FOREIGN[last.text], FOREIGN)
        if word.kind in (")", "]"):
            self.fail(f"{self.describe()} closes nothing", code=UNOPENED)
        starts = word.kind in (NAME, CONSTANT, INLINE_NAME, "{", "(") or word.kind in KEYWORDS
        if starts:
            self.fail(
                f"expected `;` or `->` before {self.describe()}",
                hint="statements are separated by `;`, `->` or a new line",
                code=MISSING_SEPARATOR,
            )
        self.fail(f"unexpected {self.describe()} after the statement")

    def synchronise(self) -> None:
        """Skip to where the next statement may begin, or the sequence may end."""
        nesting: list[str] = []
        while True:
            kind = self.peek().kind
            if kind == END or kind in UNIT_WORDS:
                return
            if not nesting and (kind in (";", "->") or kind in _CLOSERS):
                return
            if kind in ("if", "do", "{"):
                nesting.append(_CLOSES[kind])
            elif nesting and kind == nesting[-1]:
                nesting.pop()
            elif kind in ("fi", "od", "}") and kind in nesting:
                while nesting.pop() != kind:
                    pass
            elif kind in ("fi", "od", "}") and any(_CLOSES.get(opener.kind) == kind for opener in self.openers):
                return
            self.take()

    def close_with(self, closer: str, opener: Word) -> None:
        """Take the word that closes a construct.  If another one is there, say so; leave it if it
        closes something further out, otherwise drop it and what follows up to the right one."""
        while not self.at(closer):
            word = self.peek()
            outer = {_CLOSES.get(each.kind) for each in self.openers}
            if word.kind == END or word.kind in UNIT_WORDS or word.kind in outer:
                self.fail(
                    f"expected `{closer}` before {self.describe()}",
                    code=UNCLOSED,
                    notes=[(f"the `{opener.text}` is here", opener.span)],
                )
            message = f"{self.describe()} does not close the `{opener.text}`; expected `{closer}`"
            self.diagnostics.error(UNOPENED, message, word.span, None, [(f"the `{opener.text}` is here", opener.span)])
            self.take()
            if word.kind == "::" and self.peek().kind not in _CLOSERS:
                self.sequence(word, "this option")
            elif self.separator():
                self.sequence(opener, "this sequence")
        self.take()

    def block(self, owner: str, opener: Word | None = None) -> tuple[Statement, ...]:
        """`{ sequence }`"""
        brace = self.expect("{", f"after `{opener.text}`" if opener else "")
        self.leading = False
        body = self.sequence(brace, owner)
        self.close_with("}", brace)
        return body

    # --- steps -------------------------------------------------------------------------------------

    def step(self) -> Statement:
        """A declaration or a statement, with its escape."""
        word = self.peek()
        if self.at_declaration():
            return self.local_declaration()
        if word.kind in ("xr", "xs"):
            self.take()
            channels = [self.reference()]
            while self.accept(","):
                channels.append(self.reference())
            return ChannelAccess(self.span_from(word), word.kind, tuple(channels))
        main = self.statement()
        if not self.at("unless"):
            return main
        self.take()
        escape = self.statement()
        return self.unless(word, main, escape)

    def unless(self, start: Word, main: Statement, escape: Statement) -> Statement:
        """SPIN does not want labels at the parts, but lifts one from a block."""
        span = self.span_from(start)
        if isinstance(escape, Labelled):
            message = f"label `{escape.label}` cannot be at the escape of an `unless`"
            self.diagnostics.error(MISPLACED_LABEL, message, escape.span)
        if isinstance(main, Labelled):
            if isinstance(main.statement, Block):
                return Labelled(span, main.label, Unless(span, main.statement, escape))
            hint = f"write `{main.label}: {{ ... unless ... }}`"
            message = f"label `{main.label}` cannot be at the first part of an `unless`"
            self.diagnostics.error(MISPLACED_LABEL, message, main.span, hint)
        return Unless(span, main, escape)

    def local_declaration(self) -> Statement:
        leading = self.leading
        declaration = self.declaration(True)
        if isinstance(declaration, Declaration) and not leading:
            for item in declaration.items:
                if isinstance(item.initial, ChannelInitial):
                    self.diagnostics.error(
                        LATE_CHANNEL,
                        f"channel `{item.name}` can only be initialised at the start of the proctype",
                        item.span,
                        "move the declaration before the first statement, out of inner blocks",
                    )
        return DeclarationStatement(declaration.span, declaration, leading)

    def statement(self) -> Statement:
        """SPIN's `stmnt`: it ends the leading declarations."""
        word = self.peek()
        method = _STATEMENTS.get(word.kind)
        if method is not None:
            found: Statement = method(self, word)
        elif word.kind == NAME:
            found = self.named(word)
        else:
            found = self.guard(word)
        self.leading = False
        return found

    def event_only(self, word: Word) -> None:
        """Called for the statements that SPIN refuses in a trace."""
        if self.in_trace:
            self.diagnostics.error(NOT_AN_EVENT, "only sends and receives are allowed in a trace", word.span)

    def guard(self, word: Word) -> Statement:
        if word.kind in UNIT_WORDS:
            self.missing_end(word)
        if word.kind in (";", "->"):
            self.fail(f"expected a statement, not {self.describe()}", code=EMPTY_SEQUENCE)
        if word.kind in _CLOSERS:
            self.fail(f"expected a statement before {self.describe()}", code=EMPTY_SEQUENCE)
        self.event_only(word)
        condition = self.full_expression()
        return Guard(self.span_from(word), condition)

    def named(self, word: Word) -> Statement:
        """A statement that begins with a name: a label, an assignment, a send, a receive, a guard."""
        target = self.reference()
        following = self.peek()
        kind = following.kind
        if kind == ":" and target.index is None and target.rest is None:
            return self.labelled(word)
        if kind == "=":
            return self.assignment(word, target)
        if kind in ("++", "--"):
            self.event_only(word)
            self.take()
            span = self.span_from(word)
            one = Number(following.span, 1)
            return Assign(span, target, Binary(span, kind[0], target, one))
        if kind in ("!", "!!"):
            return self.send(word, target)
        if kind in ("?", "??"):
            self.take()
            if not self.at("["):
                return self.receive(word, target, kind)
            left: Expression = self.poll(target, kind == "??")
        else:
            left = target
        if kind in _COMPOUND:
            self.compound_assignment(word, target, following)
        self.foreign(word, target)
        self.event_only(word)
        condition = self.binary(1, left, word)
        return Guard(self.span_from(word), condition)

    def foreign(self, word: Word, target: Reference) -> None:
        """Words of other languages look like names: `while (x)`, `proctpye P()`."""
        following = self.peek()
        if target.index is not None or target.rest is not None:
            return
        starts = following.kind in (NAME, CONSTANT, "{", "(") or following.kind in KEYWORDS - {"unless"}
        if starts and word.text in _FOREIGN:
            self.fail(f"`{word.text}` is not part of Promela", word, _FOREIGN[word.text], FOREIGN)
        if following.kind == "(" or (starts and following.kind not in _QUICK_STATEMENTS):
            candidates = [*KEYWORDS, *self.names.inlines, *self.names.typedefs]
            hint = self.misspelt(word, candidates)
            if following.kind == "(":
                self.fail(f"`{word.text}` is not the name of an inline", word, hint)
            if hint:
                self.fail(f"unexpected {self.describe()} after `{word.text}`", word, hint)

    def compound_assignment(self, word: Word, target: Reference, operator: Word) -> None:
        """`x += 1` of C."""
        following = self.stream.upcoming(1)
        if following and following[0].kind == "=" and not following[0].space_before:
            text = target.span.text
            self.fail(
                f"`{operator.text}=` is not part of Promela",
                operator,
                f"write `{text} = {text} {operator.text} ...`",
                FOREIGN,
            )

    def labelled(self, word: Word) -> Statement:
        self.take()
        following = self.peek()
        kind = following.kind
        if self.at_declaration():
            self.diagnostics.error(
                LABEL_BEFORE_DECLARATION,
                f"label `{word.text}` is before a declaration",
                word.span,
                "put the label before the first statement after it",
            )
            return self.local_declaration()
        if kind in ("xr", "xs"):
            self.fail(f"label `{word.text}` is before `{kind}`", word, code=LABEL_BEFORE_DECLARATION)
        if kind in _CLOSERS or kind in (";", "->", "unless", ")", ","):
            span = self.span_from(word)
            return Labelled(span, word.text, Guard(span, Number(span, 1)))
        inner = self.statement()
        return Labelled(self.span_from(word), word.text, inner)

    def assignment(self, word: Word, target: Reference) -> Statement:
        self.event_only(word)
        self.take()
        if self.at(INLINE_NAME):
            return self.inline_call(self.peek(), target)
        value = self.full_expression()
        if self.at("="):
            self.fail("Promela has no chained assignment", hint="write two assignments", code=FOREIGN)
        return Assign(self.span_from(word), target, value)

    def send(self, word: Word, channel: Reference) -> Statement:
        operator = self.take()
        if operator.kind == "!!":
            self.event_only(word)
        first = self.expression()
        arguments = [first]
        if opening := self.accept("("):
            arguments.extend(self.arguments(""))
            self.close(opening)
        else:
            while self.accept(","):
                arguments.append(self.expression())
        return Send(self.span_from(word), channel, tuple(arguments), operator.kind == "!!")

    def receive(self, word: Word, channel: Reference, operator: str) -> Statement:
        peek = self.accept("<")
        if peek or operator == "??":
            self.event_only(word)
        arguments = self.receive_arguments()
        if peek:
            self.expect(">", "after the arguments of the receive", peek)
        return Receive(self.span_from(word), channel, arguments, operator == "??", peek is not None)

    # --- compound statements -------------------------------------------------------------------------

    def options(self, word: Word, closer: str) -> tuple[tuple[Statement, ...], ...]:
        if not self.at("::"):
            hint = f"write `{word.kind} :: condition -> ... {closer}`"
            if word.kind == "if" and self.at("("):
                hint = "write `if :: condition -> ... :: else -> ... fi`"
            self.fail(f"expected `::` after `{word.kind}`, not {self.describe()}", hint=hint, code=UNEXPECTED_OPTION)
        options: list[tuple[Statement, ...]] = []
        self.openers.append(word)
        try:
            while separator := self.accept("::"):
                self.leading = False
                option = self.sequence(separator, "this option")
                self.check_first(option, None)
                options.append(option)
        finally:
            self.openers.pop()
        self.close_with(closer, word)
        return tuple(options)

    def check_first(self, body: tuple[Statement, ...], control: str | None) -> None:
        """A label at the first statement: SPIN refuses it in a block, and warns in an option."""
        first = next((each for each in body if not isinstance(each, ChannelAccess)), None)
        if not isinstance(first, Labelled):
            return
        if control is None:
            message = f"label `{first.label}` is at the first statement of an option"
            self.diagnostics.warning(LABEL_IN_OPTION, message, first.span, "put it before the `if` or `do`")
        else:
            message = f"label `{first.label}` cannot be at the first statement of a block"
            hint = f"write `{first.label}: {control + ' ' if control != '{' else ''}{{ ... }}`"
            self.diagnostics.error(MISPLACED_LABEL, message, first.span, hint)

    def if_statement(self, word: Word) -> Statement:
        self.take()
        options = self.options(word, "fi")
        return If(self.span_from(word), options)

    def do_statement(self, word: Word) -> Statement:
        self.take()
        self.loops += 1
        try:
            options = self.options(word, "od")
        finally:
            self.loops -= 1
        return Do(self.span_from(word), options)

    def braces(self, word: Word) -> Statement:
        self.event_only(word)
        control = self.take().kind if word.kind != "{" else None
        body = self.block(f"this {control or 'block'}", word if control else None)
        self.check_first(body, word.kind)
        return Block(self.span_from(word), body, control)

    def for_statement(self, word: Word) -> Statement:
        self.take()
        opening = self.expect("(", "after `for`")
        variable = self.reference()
        first: Expression | None = None
        if self.peek().kind == NAME and self.peek().text == "in":
            self.take()
            collection = self.reference()
        else:
            self.expect(":", "after the variable: `for (i : 1 .. n) { ... }`")
            first = self.expression()
            self.expect("..", "between the bounds: `for (i : 1 .. n) { ... }`")
            last = self.expression()
        self.close(opening)
        self.accept(";")
        self.loops += 1
        try:
            body = self.block("this loop", word)
        finally:
            self.loops -= 1
        span = self.span_from(word)
        return ForIn(span, variable, collection, body) if first is None else ForRange(span, variable, first, last, body)

    def select_statement(self, word: Word) -> Statement:
        literal = self.literal_range(word)
        self.take()
        opening = self.expect("(", "after `select`")
        variable = self.reference()
        self.expect(":", "after the variable: `select (i : 1 .. n)`")
        first = self.expression()
        self.expect("..", "between the bounds: `select (i : 1 .. n)`")
        last = self.expression()
        self.close(opening)
        return Select(self.span_from(word), variable, first, last, literal)

    def literal_range(self, word: Word) -> bool:
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
            self.diagnostics.error(BAD_RANGE, f"the range {low} .. {high} is empty", word.span)
        return high - low <= 32

    # --- inlines -----------------------------------------------------------------------------------

    def inline_call(self, word: Word, target: Reference | None = None) -> Statement:
        """`name(arguments)`, or `x = name(arguments)`: the body is read next."""
        self.event_only(word)
        self.leading = False
        self.take()
        opening = self.expect("(", f"after the name of inline `{word.text}`")
        arguments: list[list[Word]] = []
        outer, recorded = self.recording, self.recording
        if not self.at(")"):
            while True:
                self.recording = recorded = []
                self.expression()
                self.recording = outer
                arguments.append(recorded)
                if not self.accept(","):
                    break
        self.close(opening)
        inline = self.names.inlines[word.text]
        if any(frame.inline is inline for frame in self.stream.frames):
            self.fail(f"inline `{word.text}` calls itself", word, code=CYCLIC_INLINE)
        if len(self.stream.frames) > MAXIMAL_DEPTH:
            self.fail(f"inlines are nested more than {MAXIMAL_DEPTH} deep", word, code=DEEP_INLINE)
        body = expand(inline, arguments, word, self.names, self.diagnostics)
        if body is None:
            return Guard(word.span, Number(word.span, 1))
        self.stream.enter(body, inline)
        self.calls.append(_Call(word.text, target))
        try:
            statements = self.block(f"inline `{word.text}`")
        finally:
            self.calls.pop()
        self.check_first(statements, "{")
        return Block(word.span, statements, None, word.text)

    def return_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        target = self.calls[-1].target if self.calls else None
        if self.peek().kind in _CLOSERS or self.at(";"):
            value: Expression = Number(word.span, 0)
            self.diagnostics.error(MISPLACED_RETURN, "`return` needs a value", word.span)
        else:
            value = self.full_expression()
            if target is None:
                self.diagnostics.error(
                    MISPLACED_RETURN,
                    "`return` is only allowed in an inline that is called as `x = name(...)`",
                    word.span,
                    "end a process with a `goto` to a label at its end" if not self.calls else None,
                )
        if target is None:
            return Guard(word.span, value)
        return Assign(self.span_from(word), target, value)

    # --- basic statements ----------------------------------------------------------------------------

    def else_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        return Else(word.span)

    def break_statement(self, word: Word) -> Statement:
        self.take()
        if not self.loops:
            self.diagnostics.error(MISPLACED_BREAK, "`break` outside of a loop", word.span)
        return Break(word.span)

    def goto_statement(self, word: Word) -> Statement:
        self.take()
        label = self.expect_name("a label after `goto`")
        return Goto(self.span_from(word), label.text)

    def assert_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        condition = self.full_expression()
        return Assert(self.span_from(word), condition)

    def printf_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        opening = self.expect("(", "after `printf`")
        text = self.expect(STRING, "as the first argument of `printf`").text
        arguments: tuple[Expression, ...] = ()
        if self.accept(","):
            arguments = self.arguments("")
        self.close(opening)
        return Print(self.span_from(word), text[1:-1], arguments)

    def printm_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        opening = self.expect("(", "after `printm`")
        value = self.constant(self.take()) if self.at(CONSTANT) else self.reference()
        self.close(opening)
        return Print(self.span_from(word), None, (value,))

    def set_priority_statement(self, word: Word) -> Statement:
        self.event_only(word)
        self.take()
        opening = self.expect("(", "after `set_priority`")
        process = self.expression()
        self.expect(",", "between the process and its priority")
        value = self.expression()
        self.close(opening)
        return SetPriority(self.span_from(word), process, value)

    def c_statement(self, word: Word) -> Statement:
        self.embedded_c()
        return Guard(word.span, Number(word.span, 1))


UNEXPECTED_OPTION = register("S008", "`if` and `do` consist of options, each after `::`.")
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
