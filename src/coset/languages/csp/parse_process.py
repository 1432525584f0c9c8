"""Processes and data operations.

From weak to strong: `|||`, `||`, `[]`, `<>`, `[*]`, `interrupt`, hiding, `;`, guards and `->`.
"""

from __future__ import annotations

from coset.languages.csp import codes
from coset.languages.csp.cursor import ADDITIVE, Cursor
from coset.languages.csp.tree import (
    Assignment,
    Atomic,
    Binary,
    Branch,
    Call,
    Case,
    Choice,
    Counted,
    Element,
    Event,
    Expression,
    Guard,
    Hide,
    If,
    Indexed,
    Input,
    Interleave,
    Interrupt,
    Local,
    Name,
    Number,
    Operation,
    Output,
    Parallel,
    Prefix,
    Process,
    Range,
    Sequence,
    Skip,
    Statement,
    Stop,
    While,
)
from coset.languages.tokens import END, NAME, Token

LEVELS = ("|||", "||", "[]", "<>", "[*]")
DECLARATIONS = frozenset({"#", "var", "hvar", "channel", "enum", END})


class ProcessParser(Cursor):
    # --- operators ---------------------------------------------------------------------------------

    def process(self, level: int = 0) -> Process:
        if level == len(LEVELS):
            return self.interruptible()
        start, operator = self.peek(), LEVELS[level]
        parts = [self.process(level + 1)]
        while self.accept(operator):
            parts.append(self.process(level + 1))
        if len(parts) == 1:
            return parts[0]
        span = self.since(start)
        match operator:
            case "|||":
                return Interleave(tuple(parts), span=span)
            case "||":
                return Parallel(tuple(parts), span=span)
        return Choice(operator, tuple(parts), span=span)

    def interruptible(self) -> Process:
        start = self.peek()
        body = self.hidden()
        while self.accept("interrupt"):
            body = Interrupt(body, self.hidden(), span=self.since(start))
        return body

    def hidden(self) -> Process:
        start = self.peek()
        body = self.sequence()
        while self.accept("\\"):
            body = Hide(body, self.event_set(), span=self.since(start))
        return body

    def sequence(self) -> Process:
        start = self.peek()
        parts = [self.guarded()]
        while self.at(";") and not self.declaration_follows():
            self.take()
            parts.append(self.guarded())
        result = parts[-1]
        for part in reversed(parts[:-1]):
            result = Sequence(part, result, span=self.since(start))
        return result

    def declaration_follows(self) -> bool:
        """Whether the `;` here ends a definition: `Name =` or `Name(...) =` comes next, or another declaration."""
        following = self.peek(1)
        if following.kind in DECLARATIONS:
            return True
        if following.kind == ";":
            return self.peek(3).kind != ":"  # else it is the indexed `; i:{0..n}@P(i)`
        if following.kind != NAME:
            return following.kind in (")", "}", "]")
        kept = self.position
        self.position += 2
        ahead = self.closing() + 1 if self.at("(") else 0
        defines = self.peek(ahead).kind == "="
        self.position = kept
        return defines

    def guarded(self) -> Process:
        start = self.peek()
        if not self.accept("["):
            return self.primary()
        condition = self.expression()
        self.expect("]", "after the guard")
        return Guard(condition, self.guarded(), span=self.since(start))

    # --- simple processes --------------------------------------------------------------------------

    def primary(self) -> Process:
        start = self.peek()
        match start.kind:
            case "Skip" | "Stop":
                self.take()
                if self.accept("("):
                    self.expect(")", f"after `{start.kind}(`")
                return Skip(span=start.span) if start.kind == "Skip" else Stop(span=start.span)
            case "if" | "ifa" | "ifb":
                return self.conditional()
            case "case":
                return self.case()
            case "atomic":
                self.take()
                return Atomic(self.block("atomic"), span=self.since(start))
            case "(":
                self.take()
                inner = self.process()
                self.expect(")", "after the process")
                return inner
            case "|||" | "||" | "[]" | "<>" | "[*]" | ";":
                return self.indexed()
            case "{" | "tau":
                return self.silent()
            case _ if start.kind == NAME:
                return self.named()
        raise self.failure(f"expected a process, not {self.shown()}")

    def named(self) -> Process:
        """What begins with a name: a call, an event, or a message."""
        start = self.take()
        if self.at("["):
            indices = self.indices()
            if len(indices) != 1 or not self.at("!", "?"):
                raise self.failure(f"expected `!` or `?` after the channel, not {self.shown()}")
            return self.message(start, indices[0])
        if self.at("!", "?"):
            return self.message(start, None)
        if self.at("("):
            return Call(start.text, self.arguments(), span=self.since(start))
        if not self.at(".", "{", "->"):
            return Call(start.text, (), span=start.span)
        event = Event(start.text, self.fields(), span=self.since(start))
        return self.prefixed(start, event)

    def prefixed(self, start: Token, event: Event) -> Process:
        plain = not self.at("{")
        operation = () if plain else self.operation()
        self.expect("->", "after the event")
        return Prefix(event, operation, plain, self.guarded(), span=self.since(start))

    def silent(self) -> Process:
        start = self.peek()
        self.accept("tau")
        return self.prefixed(start, Event("tau", span=start.span))

    def fields(self) -> tuple[Expression, ...]:
        """`.i.j`, maybe nothing."""
        found = []
        while self.accept("."):
            found.append(self.expression(ADDITIVE))
        return tuple(found)

    def message(self, start: Token, index: Expression | None) -> Process:
        sends = self.take().kind == "!"
        guard = None
        if not sends and self.accept("["):
            guard = self.expression()
            self.expect("]", "after the guard of the input")
        values = (self.expression(ADDITIVE), *self.fields())
        operation = self.operation() if self.at("{") else ()
        self.expect("->", "after the message")
        rest = self.guarded()
        span = self.since(start)
        if sends:
            return Output(start.text, index, values, operation, rest, span=span)
        return Input(start.text, index, values, guard, operation, rest, span=span)

    def arguments(self) -> tuple[Expression, ...]:
        self.expect("(", "before the arguments")
        found = []
        while not self.at(")"):
            found.append(self.expression())
            if not self.accept(","):
                break
        self.expect(")", "after the arguments")
        return tuple(found)

    def block(self, where: str) -> Process:
        self.expect("{", f"after `{where}`")
        body = self.process()
        self.expect("}", f"at the end of `{where}`")
        return body

    def conditional(self) -> Process:
        start = self.take()
        self.expect("(", f"after `{start.kind}`")
        condition = self.expression()
        self.expect(")", "after the condition")
        yes = self.block(start.kind)
        no: Process = Skip(span=start.span)
        if start.kind != "ifb" and self.accept("else"):
            no = self.conditional() if self.at("if", "ifa") else self.block("else")
        return If(start.kind, condition, yes, no, span=self.since(start))

    def case(self) -> Process:
        start = self.take()
        self.expect("{", "after `case`")
        branches = []
        while not self.at("default", "}", END):
            condition = self.expression()
            self.expect(":", "after the condition of a case")
            branches.append((condition, self.process()))
        if not self.accept("default"):
            raise self.failure(
                "a `case` without `default` is not supported",
                "add `default: Skip`, or whatever is meant",
                codes.UNSUPPORTED,
            )
        self.expect(":", "after `default`")
        default = self.process()
        self.expect("}", "at the end of `case`")
        return Case(tuple(branches), default, span=self.since(start))

    def indexed(self) -> Process:
        """`|||i:{0..n}; j:{1,2} @ P(i, j)` or `|||{n} @ P`."""
        start = self.take()
        if self.at("{"):
            if start.kind != "|||":
                raise self.failure(f"only `|||` has copies that are counted, not `{start.kind}`")
            self.take()
            count = self.expression()
            self.expect("}", "after the number of copies")
            self.expect("@", "before the process")
            return Counted(count, self.process(), span=self.since(start))
        ranges = [self.range()]
        while self.accept(";"):
            ranges.append(self.range())
        self.expect("@", "before the process")
        return Indexed(start.kind, tuple(ranges), self.process(), span=self.since(start))

    def range(self) -> Range:
        start = self.expect(NAME, "for the index")
        self.expect(":", "after the index")
        self.expect("{", "before the values of the index")
        bounds = []
        while not self.at("}"):
            low = self.expression()
            bounds.append((low, self.expression() if self.accept("..") else low))
            if not self.accept(","):
                break
        self.expect("}", "after the values of the index")
        return Range(start.text, tuple(bounds), span=self.since(start))

    def event_set(self) -> tuple[Event, ...]:
        self.expect("{", "before the events")
        found = []
        while not self.at("}"):
            name = self.expect(NAME, "for an event")
            found.append(Event(name.text, self.fields(), span=self.since(name)))
            if not self.accept(","):
                break
        self.expect("}", "after the events")
        return tuple(found)

    # --- data operations ---------------------------------------------------------------------------

    def operation(self) -> Operation:
        """`{ x = 1; if (c) { ... } }`"""
        self.expect("{", "before the data operation")
        found: list[Statement] = []
        while not self.at("}", END):
            if self.accept(";"):
                continue
            found.append(self.statement())
        self.expect("}", "after the data operation")
        return tuple(found)

    def statement(self) -> Statement:
        start = self.peek()
        if self.at("if", "while"):
            self.take()
            self.expect("(", f"after `{start.kind}`")
            condition = self.expression()
            self.expect(")", "after the condition")
            body = self.body()
            if start.kind == "while":
                return While(condition, body, span=self.since(start))
            no = self.body() if self.accept("else") else ()
            return Branch(condition, body, no, span=self.since(start))
        if self.accept("var"):
            name = self.expect(NAME, "for a local variable")
            if self.at("[", ":"):
                raise self.failure("a local variable of a data operation is a number", code=codes.UNSUPPORTED)
            value = self.expression() if self.accept("=") else Number(0, span=name.span)
            return self.finished(Local(name.text, value, span=self.since(start)))
        if self.at("call"):
            raise self.failure("`call` of code of the user is not supported", code=codes.IMPORTS)
        return self.finished(self.assignment())

    def body(self) -> Operation:
        return self.operation() if self.at("{") else (self.statement(),)

    def finished(self, statement: Statement) -> Statement:
        if not self.at("}"):
            self.expect(";", "after the statement")
        return statement

    def assignment(self) -> Statement:
        start = self.expect(NAME, "for the variable that is assigned")
        indices = self.indices()
        span = self.since(start)
        read: Expression = Element(start.text, indices, span=span) if indices else Name(start.text, span=span)
        if self.at("++", "--"):
            value: Expression = Binary(self.take().kind[0], read, Number(1, span=span), span=span)
        elif self.at("+=", "-="):
            value = Binary(self.take().kind[0], read, self.expression(), span=span)
        elif self.at("("):
            raise self.failure("functions are not supported: they would be code of the user", code=codes.IMPORTS)
        else:
            self.expect("=", "after the variable")
            value = self.expression()
        return Assignment(start.text, indices, value, span=self.since(start))
