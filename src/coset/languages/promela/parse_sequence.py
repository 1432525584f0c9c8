"""Sequences of statements, and recovery from errors between them.

An error in a statement costs that statement only: the rest of it is skipped and the sequence goes
on.  A closing token that does not fit is either a slip (`od` for `fi`), or it closes something
further out, in which case what is still open is reported and given up.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import replace
from typing import NoReturn

from coset.languages.promela.cursor import UNIT_WORDS, Failure
from coset.languages.promela.lexer import CONSTANT, END, INLINE_NAME, KEYWORDS, NAME, Names, Stream, Token
from coset.languages.promela.parse_declaration import DeclarationParser
from coset.languages.promela.parse_expression import ASSIGNMENT_IN_EXPRESSION
from coset.languages.promela.tree import (
    Assign,
    Block,
    ChannelAccess,
    ChannelInitial,
    Declaration,
    DeclarationStatement,
    Do,
    ForIn,
    ForRange,
    Labelled,
    Select,
    Statement,
    Unless,
)
from coset.source.diagnostics import Diagnostics, register
from coset.source.text import Span

MISSING_SEPARATOR = register("S003", "Two statements are not separated.", "Separate them by `;`, `->` or a new line.")
UNCLOSED = register("S004", "`if`, `do` or `{` is not closed by `fi`, `od` or `}`.")
UNOPENED = register("S005", "`fi`, `od`, `::` or `}` closes something that was not opened.")
EMPTY_SEQUENCE = register("S006", "A statement is missing.", "Write `skip` for the empty statement.")
MISPLACED_LABEL = register(
    "S030", "A label cannot be at the first statement of a block.", "Put it before the block: `L: atomic { ... }`."
)
ASSIGNMENT_AS_GUARD = register("S039", "An option begins with an assignment and `->`, as if it were a condition.")
LABEL_IN_OPTION = register("S032", "A label at the first statement of an option cannot be jumped to as one may expect.")
LATE_CHANNEL = register("S034", "A channel can only be initialised at the start of a proctype.")
LONELY_ACCESS = register("S038", "A block must have at least one statement besides `xr` and `xs`.")

CLOSERS = frozenset({"}", "fi", "od", "::", END})
SEPARATORS = frozenset({";", "->"})
_CLOSES = {"if": "fi", "do": "od", "{": "}"}


def label_span(labelled: Labelled) -> Span:
    """The label alone."""
    span = labelled.span
    return replace(span, end=min(span.end, span.start + len(labelled.label)))


def indentation(token: Token) -> int:
    """How far the line of a token is indented."""
    line = token.source.line_text(token.span.line)
    return len(line) - len(line.lstrip())


class UnitBegins(Failure):
    """A unit begins, or the file ends, inside of a body: all that is open is given up."""


class SequenceParser(DeclarationParser):
    def __init__(self, stream: Stream, names: Names, diagnostics: Diagnostics) -> None:
        super().__init__(stream, names, diagnostics)
        self.leading = False  # declarations here belong to the start of the process
        self.openers: list[Token] = []  # the `if`, `do`, `{` and `::` around the place
        self.orphans: Counter[str] = Counter()  # closing tokens whose opening was given up
        self.closed: list[tuple[Token, Token]] = []  # the braces of this unit that found each other

    @abstractmethod
    def statement(self) -> Statement:
        """SPIN's `stmnt`."""

    # --- sequences ---------------------------------------------------------------------------------

    def sequence(self, opener: Token, owner: str, is_body: bool = False) -> tuple[Statement, ...]:
        """Statements up to a token that closes something; `owner` names what they are part of."""
        steps: list[Statement] = []
        self.openers.append(opener)
        try:
            kind = self.peek().kind
            if kind in CLOSERS and kind != END:
                message = f"{owner} has no statement"
                self.diagnostics.error(EMPTY_SEQUENCE, message, opener.span, "write `skip` for the empty statement")
                return ()
            while True:
                step = self.recovering_step()
                if step is not None:
                    steps.append(step)
                    if isinstance(step, Assign) and len(steps) == 1 and opener.kind == "::" and self.at("->"):
                        self.assignment_as_guard(step)
                if not self.separator():
                    break
        finally:
            self.openers.pop()
        if steps and not is_body and all(isinstance(step, ChannelAccess) for step in steps):
            self.diagnostics.error(LONELY_ACCESS, f"{owner} needs a statement besides `xr` and `xs`", opener.span)
        return tuple(steps)

    def separator(self, opener: Token | None = None) -> bool:
        """After a step: take separators; False at the end of the sequence, which is that of `opener` if it is given."""
        count = 0
        while True:
            token = self.peek()
            if token.kind in SEPARATORS:
                count += 1
            elif self.orphans[token.kind] > 0:
                self.orphans[token.kind] -= 1
            else:
                break
            self.take()
        if token.kind in UNIT_WORDS:
            self.unit_begins(opener)
        if token.kind not in CLOSERS:
            return True
        if count > 1:
            message = f"there is no statement between the last `;` and {self.describe()}"
            self.diagnostics.error(EMPTY_SEQUENCE, message, token.span, "remove a `;`")
        return False

    def block(self, owner: str, after: Token) -> tuple[Statement, ...]:
        """`{ sequence }`"""
        brace = self.expect("{", f"after `{after.text}`")
        self.leading = False
        body = self.sequence(brace, owner)
        self.close_with("}", brace)
        return body

    def assignment_as_guard(self, step: Assign) -> None:
        """`:: x = 1 -> ...` is allowed, but seldom meant."""
        target, value = step.target.span.text, step.value.span.text
        self.diagnostics.warning(
            ASSIGNMENT_AS_GUARD,
            "this assignment is always executable, so it is not a guard",
            step.span,
            f"did you mean `{target} == {value}`?  Otherwise write `;` after it",
        )

    def close_with(self, closer: str, opener: Token) -> None:
        """Take the token that closes a construct, or report that it is missing."""
        while not self.at(closer):
            token = self.peek()
            if token.kind == END or token.kind in UNIT_WORDS:
                self.unit_begins(opener)
            notes = [(f"the `{opener.text}` is here", opener.span)]
            if self.closes_outer(token.kind):
                raise self.failure(f"expected `{closer}` before {self.describe()}", code=UNCLOSED, notes=notes)
            if token.kind == "::":
                message = "`::` is only allowed in `if` and `do`"
            else:
                message = f"{self.describe()} does not close `{opener.text}`; expected `{closer}`"
            self.diagnostics.error(UNOPENED, message, token.span, None, notes)
            self.take()
            if token.kind != "::" and closer != "}":
                return
            if self.separator(opener):
                self.sequence(opener, "this sequence")
        self.closed.append((opener, self.take()))

    def closes_outer(self, kind: str) -> bool:
        """Whether a closing token fits to something around the innermost construct."""
        if kind == "::":
            return any(opener.kind in ("if", "do") for opener in self.openers)
        return any(_CLOSES.get(opener.kind) == kind for opener in self.openers)

    def unit_begins(self, opener: Token | None = None) -> NoReturn:
        """The next token belongs outside of all blocks, but one is open."""
        opener = opener or self.openers[-1]
        if opener.kind == "::" and len(self.openers) > 1:
            opener = self.openers[-2]
        notes = [("it is opened here", opener.span)]
        for inner, closer in self.closed:
            if closer.newline_before and indentation(closer) < indentation(inner):
                notes.append((f"or this `{inner.text}` is not closed: the `{closer.text}` is further left", inner.span))
                break
        self.diagnostics.error(
            UNCLOSED,
            f"`{opener.text}` is not closed before {self.describe()}",
            self.peek().span,
            f"add the missing `{_CLOSES.get(opener.kind, '}')}`",
            notes,
        )
        raise UnitBegins

    # --- recovery ----------------------------------------------------------------------------------

    def recovering_step(self) -> Statement | None:
        """One step.  After an error, skip to the end of the statement."""
        depth = self.stream.parentheses
        try:
            step = self.step()
            kind = self.peek().kind
            if kind not in SEPARATORS and kind not in CLOSERS and kind not in UNIT_WORDS:
                self.not_separated()
            return step
        except UnitBegins:
            raise
        except Failure:
            unclosed = self.stream.parentheses - depth
            self.stream.parentheses = depth
            self.recording = None
            self.synchronise(unclosed)
            return None

    def not_separated(self) -> None:
        """Report that a statement is followed by something else than a separator."""
        token, last = self.peek(), self.last
        assert last is not None
        if self.follows_bad_word(token.span):
            raise Failure
        if last.kind == CONSTANT and last.value is None and token.kind in (":", "="):
            what = "a label" if token.kind == ":" else "assigned to"
            raise self.failure(f"`{last.text}` is an mtype constant and cannot be {what}", last)
        if token.kind == "=":
            raise self.failure(
                "`=` cannot be used in an expression", hint="compare with `==`", code=ASSIGNMENT_IN_EXPRESSION
            )
        if token.kind in ("++", "--"):
            hint = f"write `x{token.kind}` as a statement of its own"
            raise self.failure(f"`{token.kind}` cannot be used in an expression", hint=hint)
        if token.kind in (")", "]"):
            raise self.failure(f"{self.describe()} closes nothing", code=UNOPENED)
        if token.kind not in (NAME, CONSTANT, INLINE_NAME, "{", "(") and token.kind not in KEYWORDS:
            raise self.failure(f"unexpected {self.describe()} after the statement")
        hint = "statements are separated by `;`, `->` or a new line"
        if last.kind == NAME and token.kind == NAME:
            hint = f"separate statements by `;`, `->` or a new line; if `{last.text}` is a type, it is not declared"
        message = f"expected `;` or `->` before {self.describe()}"
        self.diagnostics.error(MISSING_SEPARATOR, message, token.span, hint)

    def synchronise(self, unclosed: int) -> None:
        """Skip to where the next statement may begin, or the sequence may end.  `unclosed` is the
        number of open parentheses: a `;` inside of them, as in C's `for`, ends nothing."""
        nesting: list[str] = []
        awaited: Counter[str] = Counter()  # what is in `nesting`, which may be long
        while True:
            kind = self.peek().kind
            if kind == END or kind in UNIT_WORDS:
                return
            if not nesting and kind in CLOSERS:
                return
            if not nesting and kind in SEPARATORS and not (unclosed > 0 and self.parenthesis_follows()):
                return
            unclosed += (kind == "(") - (kind == ")")
            if kind in _CLOSES:
                nesting.append(_CLOSES[kind])
                awaited[nesting[-1]] += 1
            elif awaited[kind]:
                closed = ""
                while closed != kind:
                    closed = nesting.pop()
                    awaited[closed] -= 1
            elif kind in ("fi", "od", "}") and self.closes_outer(kind):
                return
            self.take()

    def parenthesis_follows(self) -> bool:
        """Whether an open parenthesis is closed on the same line."""
        depth = 1
        for token in self.stream.upcoming(40):
            depth += (token.kind == "(") - (token.kind == ")")
            if token.newline_before or depth == 0:
                break
        return depth == 0

    # --- steps -------------------------------------------------------------------------------------

    def step(self) -> Statement:
        """A declaration or a statement, with its escape."""
        token = self.peek()
        if self.at_declaration():
            return self.local_declaration()
        if token.kind in ("xr", "xs"):
            self.take()
            channels = [self.reference()]
            while self.accept(","):
                channels.append(self.reference())
            return ChannelAccess(self.span_from(token), token.kind, tuple(channels))
        main = self.statement()
        if not self.accept("unless"):
            return main
        escape = self.statement()
        return self.unless(token, main, escape)

    def unless(self, start: Token, main: Statement, escape: Statement) -> Statement:
        """SPIN does not want labels at the parts, but lifts one from a block."""
        span = self.span_from(start)
        if isinstance(escape, Labelled) and not loops(escape.statement):
            message = f"label `{escape.label}` cannot be at the escape of an `unless`"
            self.diagnostics.error(MISPLACED_LABEL, message, label_span(escape))
        if isinstance(main, Labelled) and not loops(main.statement):
            if isinstance(main.statement, Block):
                return Labelled(span, main.label, Unless(span, main.statement, escape))
            message = f"label `{main.label}` cannot be at the first part of an `unless`"
            hint = f"write `{main.label}: {{ ... unless ... }}`"
            self.diagnostics.error(MISPLACED_LABEL, message, label_span(main), hint)
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

    def check_first(self, body: tuple[Statement, ...], control: str | None) -> None:
        """A label at the first statement: SPIN refuses it in a block, and warns in an option
        (`control` is None)."""
        first = next((each for each in body if not isinstance(each, ChannelAccess)), None)
        if not isinstance(first, Labelled) or loops(first.statement):
            return
        if control is None:
            message = f"label `{first.label}` is at the first statement of an option"
            self.diagnostics.warning(LABEL_IN_OPTION, message, label_span(first), "put it before the `if` or `do`")
        else:
            message = f"label `{first.label}` cannot be at the first statement of a block"
            hint = f"write `{first.label}: {control + ' ' if control != '{' else ''}{{ ... }}`"
            self.diagnostics.error(MISPLACED_LABEL, message, label_span(first), hint)


def loops(statement: Statement) -> bool:
    """Whether a statement begins with something that carries no label, as the joint before a `do` does; SPIN
    then takes a label where it refuses one elsewhere."""
    if isinstance(statement, Labelled):
        return loops(statement.statement)
    return isinstance(statement, Do | ForRange | ForIn) or (isinstance(statement, Select) and not statement.literal)
