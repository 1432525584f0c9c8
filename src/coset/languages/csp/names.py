"""Every name of a file gets its meaning: constants are put in, and what is not declared is reported.

What comes out has no names of constants any more; an input says which names it binds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from coset.languages.csp import codes, terms
from coset.languages.csp import tree as t
from coset.source.diagnostics import Diagnostics, suggest


def resolve(program: t.Program, diagnostics: Diagnostics) -> t.Program:
    """The program without names of constants; `diagnostics` has the errors."""
    return Names(program, diagnostics).program()


class Names:
    def __init__(self, program: t.Program, diagnostics: Diagnostics) -> None:
        self.source = program
        self.diagnostics = diagnostics
        self.constants: dict[str, t.Expression] = {}
        self.fields: dict[str, int] = {}

    def program(self) -> t.Program:
        source = self.source
        for name, value in source.constants.items():
            self.constants[name] = self.closed(value, frozenset())
        variables = {name: self.variable(variable) for name, variable in source.variables.items()}
        channels = {
            name: replace(
                channel,
                shape=None if channel.shape is None else self.constant(channel.shape),
                capacity=self.constant(channel.capacity),
            )
            for name, channel in source.channels.items()
        }
        self.channels = channels
        definitions = {
            name: replace(each, body=self.process(each.body, frozenset(each.parameters)))
            for name, each in source.definitions.items()
        }
        alphabets = {name: self.alphabet(each) for name, each in source.alphabets.items()}
        assertions = tuple(self.assertion(each) for each in source.assertions)
        return t.Program(self.constants, variables, channels, definitions, alphabets, assertions, span=source.span)

    def error(self, code: str, message: str, node: t.Node, hint: str | None = None) -> None:
        self.diagnostics.error(code, message, node.span, hint)

    # --- declarations ------------------------------------------------------------------------------

    def variable(self, x: t.Variable) -> t.Variable:
        bounds = x.bounds
        if bounds is not None:
            low, high = bounds
            bounds = low and self.constant(low), high and self.constant(high)
        pieces = tuple((self.constant(a), self.constant(b), self.constant(n)) for a, b, n in x.initial)
        return replace(x, shape=tuple(map(self.constant, x.shape)), bounds=bounds, initial=pieces)

    def constant(self, x: t.Expression) -> t.Expression:
        value = self.closed(x, frozenset())
        if not isinstance(value, t.Number):
            self.error(codes.NOT_CONSTANT, "a constant is needed here", x)
            return t.Number(1, span=x.span)
        return value

    def alphabet(self, x: t.Alphabet) -> t.Alphabet:
        definition = self.source.definitions.get(x.name)
        if definition is None:
            self.error(codes.NO_PROCESS, f"there is no process `{x.name}`", x)
            return x
        return replace(x, events=tuple(self.event(e, frozenset(definition.parameters)) for e in x.events))

    def assertion(self, x: t.Assertion) -> t.Assertion:
        condition = None if x.condition is None else self.closed(x.condition, frozenset())
        return replace(x, process=self.process(x.process, frozenset()), condition=condition)

    # --- expressions -------------------------------------------------------------------------------

    def closed(self, x: t.Expression, own: frozenset[str]) -> t.Expression:
        """The expression with constants put in; `own` are the names of parameters and the like."""
        self.check(x, own)
        return terms.expression(x, terms.without(self.constants, *own))

    def check(self, x: t.Expression, own: frozenset[str]) -> None:
        match x:
            case t.Name(name):
                variable = self.source.variables.get(name)
                if name in own or name in self.source.constants:
                    if name not in own and name not in self.constants:
                        self.error(codes.NOT_CONSTANT, f"`{name}` is defined by itself, or further below", x)
                elif variable is None:
                    self.undeclared(name, x, [*own, *self.source.constants, *self.source.variables])
                elif variable.shape:
                    self.error(codes.BAD_INDEX, f"`{name}` is an array and needs an index", x)
            case t.Element(name, indices):
                variable = self.source.variables.get(name)
                if name in own or variable is None:
                    self.undeclared(name, x, self.source.variables)
                elif len(indices) != len(variable.shape):
                    message = f"`{name}` has {len(variable.shape)} dimensions, not {len(indices)}"
                    self.error(codes.BAD_INDEX, message, x)
                for index in indices:
                    self.check(index, own)
            case t.Unary(_, operand):
                self.check(operand, own)
            case t.Binary(_, left, right):
                self.check(left, own)
                self.check(right, own)
            case t.Query(_, channel, index):
                self.channel(channel, index, x, own)

    def undeclared(self, name: str, node: t.Node, known: Iterable[str]) -> None:
        close = suggest(name, known)
        self.error(codes.UNDECLARED, f"`{name}` is not declared", node, f"did you mean `{close}`?" if close else None)

    def event(self, x: t.Event, own: frozenset[str]) -> t.Event:
        return replace(x, arguments=tuple(self.closed(a, own) for a in x.arguments))

    def channel(self, name: str, index: t.Expression | None, node: t.Node, own: frozenset[str]) -> t.Expression | None:
        channel = self.source.channels.get(name)
        if channel is None:
            close = suggest(name, self.source.channels)
            hint = f"did you mean `{close}`?" if close else f"declare it: `channel {name} 1;`"
            self.error(codes.NOT_CHANNEL, f"there is no channel `{name}`", node, hint)
        elif (channel.shape is None) != (index is None):
            needs = "needs an index" if index is None else "is no array"
            self.error(codes.BAD_INDEX, f"channel `{name}` {needs}", node)
        return None if index is None else self.closed(index, own)

    def message(self, name: str, count: int, node: t.Node) -> None:
        if self.fields.setdefault(name, count) != count:
            text = f"messages of `{name}` have {self.fields[name]} fields elsewhere, not {count}"
            self.error(codes.MESSAGE_ARITY, text, node)

    # --- data operations ---------------------------------------------------------------------------

    def operation(self, statements: t.Operation, own: frozenset[str], locals_: frozenset[str]) -> t.Operation:
        found: list[t.Statement] = []
        for x in statements:
            scope = own | locals_
            match x:
                case t.Local(name, value):
                    found.append(replace(x, value=self.closed(value, scope)))
                    if name in own or name in self.source.variables or name in self.source.constants:
                        self.error(
                            codes.REDECLARED, f"`{name}` is declared already; a local needs a name of its own", x
                        )
                    locals_ |= {name}
                case t.Assignment(name, indices, value):
                    self.assigned(x, own, locals_)
                    there = tuple(self.closed(i, scope) for i in indices)
                    found.append(replace(x, indices=there, value=self.closed(value, scope)))
                case t.Branch(condition, yes, no):
                    branches = self.operation(yes, own, locals_), self.operation(no, own, locals_)
                    found.append(t.Branch(self.closed(condition, scope), *branches, span=x.span))
                case t.While(condition, body):
                    inside = self.operation(body, own, locals_)
                    found.append(t.While(self.closed(condition, scope), inside, span=x.span))
        return tuple(found)

    def assigned(self, x: t.Assignment, own: frozenset[str], locals_: frozenset[str]) -> None:
        variable = self.source.variables.get(x.name)
        if x.name in locals_:
            if x.indices:
                self.error(codes.BAD_INDEX, f"`{x.name}` is no array", x)
        elif x.name in own or variable is None:
            if x.name in own or x.name in self.source.constants:
                self.error(codes.NOT_ASSIGNABLE, f"`{x.name}` is no variable", x)
            else:
                self.undeclared(x.name, x, [*locals_, *self.source.variables])
        elif len(x.indices) != len(variable.shape):
            message = f"`{x.name}` has {len(variable.shape)} dimensions, not {len(x.indices)}"
            self.error(codes.BAD_INDEX, message, x)

    # --- processes ---------------------------------------------------------------------------------

    def process(self, x: t.Process, own: frozenset[str]) -> t.Process:
        def inner(part: t.Process) -> t.Process:
            return self.process(part, own)

        match x:
            case t.Prefix(event, statements, plain, rest):
                done = self.operation(statements, own, frozenset())
                return t.Prefix(self.event(event, own), done, plain, inner(rest), span=x.span)
            case t.Output(name, index, values, statements, rest):
                self.message(name, len(values), x)
                index = self.channel(name, index, x, own)
                self.quiet(name, statements, x)
                done = self.operation(statements, own, frozenset())
                sent = tuple(self.closed(v, own) for v in values)
                return t.Output(name, index, sent, done, inner(rest), span=x.span)
            case t.Input():
                return self.input(x, own)
            case t.Choice(operator, parts):
                return t.Choice(operator, tuple(map(inner, parts)), span=x.span)
            case t.Guard(condition, body):
                return t.Guard(self.closed(condition, own), inner(body), span=x.span)
            case t.If(keyword, condition, yes, no):
                return t.If(keyword, self.closed(condition, own), inner(yes), inner(no), span=x.span)
            case t.Case(branches, default):
                done_branches = tuple((self.closed(c, own), inner(body)) for c, body in branches)
                return t.Case(done_branches, inner(default), span=x.span)
            case t.Parallel(parts):
                return t.Parallel(tuple(map(inner, parts)), span=x.span)
            case t.Interleave(parts):
                return t.Interleave(tuple(map(inner, parts)), span=x.span)
            case t.Counted(count, body):
                return t.Counted(self.closed(count, own), inner(body), span=x.span)
            case t.Indexed(operator, ranges, body):
                done_ranges = []
                for range_ in ranges:
                    bounds = tuple((self.closed(a, own), self.closed(b, own)) for a, b in range_.bounds)
                    done_ranges.append(t.Range(range_.name, bounds, span=range_.span))
                    own |= {range_.name}
                return t.Indexed(operator, tuple(done_ranges), self.process(body, own), span=x.span)
            case t.Sequence(first, second):
                return t.Sequence(inner(first), inner(second), span=x.span)
            case t.Interrupt(body, handler):
                return t.Interrupt(inner(body), inner(handler), span=x.span)
            case t.Hide(body, events):
                return t.Hide(inner(body), tuple(self.event(e, own) for e in events), span=x.span)
            case t.Atomic(body):
                return t.Atomic(inner(body), span=x.span)
            case t.Call(name, arguments):
                return self.call(x, name, arguments, own)
        return x

    def call(self, x: t.Call, name: str, arguments: tuple[t.Expression, ...], own: frozenset[str]) -> t.Process:
        definition = self.source.definitions.get(name)
        if definition is None:
            close = suggest(name, [*self.source.definitions, "Skip", "Stop"])
            hint = f"did you mean `{close}`?" if close else f"an event needs a continuation: `{name} -> Skip`"
            self.error(codes.NO_PROCESS, f"there is no process `{name}`", x, hint)
        elif len(definition.parameters) != len(arguments):
            count = len(definition.parameters)
            self.error(codes.ARITY, f"`{name}` takes {count} argument{'s' * (count != 1)}, not {len(arguments)}", x)
        return t.Call(name, tuple(self.closed(a, own) for a in arguments), span=x.span)

    def input(self, x: t.Input, own: frozenset[str]) -> t.Process:
        """A name that nothing declares is bound by the message."""
        self.message(x.channel, len(x.patterns), x)
        index = self.channel(x.channel, x.index, x, own)
        known = own | set(self.source.variables) | set(self.source.constants)
        patterns: list[t.Expression] = []
        bound: set[str] = set()
        for pattern in x.patterns:
            if isinstance(pattern, t.Name) and pattern.name not in known:
                if pattern.name in bound:
                    self.error(codes.REDECLARED, f"`{pattern.name}` is bound twice in one input", pattern)
                bound.add(pattern.name)
                patterns.append(t.Binder(pattern.name, span=pattern.span))
            else:
                patterns.append(self.closed(pattern, own))
        own |= bound
        guard = None if x.guard is None else self.closed(x.guard, own)
        done = self.operation(x.operation, own, frozenset())
        return t.Input(x.channel, index, tuple(patterns), guard, done, self.process(x.rest, own), span=x.span)

    def quiet(self, name: str, statements: t.Operation, node: t.Node) -> None:
        """The receiver of a handshake looks at the state before it, so the sender must not change it."""
        channel = self.channels.get(name)
        if statements and channel is not None and channel.capacity == t.Number(0, span=node.span):
            text = f"a data operation of the sender on `{name}`, a channel of capacity 0, is not supported"
            self.error(codes.UNSUPPORTED, text, node, "put it on the receiver, or on an event before or after")
