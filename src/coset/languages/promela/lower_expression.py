"""Expressions of Promela as expressions of the model: names are resolved, types are checked."""

from __future__ import annotations

from coset.languages.promela import codes, tree
from coset.languages.promela.lower_formula import TEMPORAL
from coset.languages.promela.lower_reference import References
from coset.languages.promela.symbols import Record
from coset.model import domain as d
from coset.model import expression as e
from coset.model.model import ChannelType, NewChannel, Variable
from coset.source.budget import current_budget
from coset.source.diagnostics import suggest
from coset.source.text import Span

ARITHMETIC = frozenset(["+", "-", "*", "/", "%", "&", "^", "|", "<<", ">>", "<", ">", "<=", ">="])


class Expressions(References):
    """Lowers expressions inside one proctype, claim or global declaration."""

    def value(self, x: tree.Expression) -> e.Expr:
        """The expression of the model; something harmless after a diagnostic."""
        current_budget().check()
        match x:
            case tree.Number(_, value):
                return e.Const(value)
            case tree.Reference():
                return self.read(x)
            case tree.Unary(_, operator, operand):
                if operator in TEMPORAL:
                    return self.misplaced_temporal(operator, x.span)
                inner = self.value(operand)
                if operator == "-" and isinstance(inner, e.Const):
                    return e.Const(-inner.value)
                return e.Unary(operator, inner)
            case tree.Binary(_, operator):
                if operator in TEMPORAL:
                    return self.misplaced_temporal(operator, x.span)
                return self.binary(x)
            case tree.Conditional(_, condition, yes, no):
                return e.Conditional(self.value(condition), self.value(yes), self.value(no))
            case tree.Run() if self.runs is not None and not self.runs:
                self.runs.append(x)
                return e.Started()
            case tree.Run():
                self.diagnostics.error(
                    codes.RUN_IN_EXPRESSION, "`run` cannot be part of a larger expression", x.span,
                    "run the process in a statement of its own, `p = run name(...)`",
                )  # fmt: skip
                return e.Const(1)
            case tree.ChannelQuery(_, operator, channel):
                return self.channel_query(operator, channel)
            case tree.Poll(_, channel, arguments, random):
                reference = self.channel(channel)
                patterns = self.patterns(arguments)
                self.check_arity(channel, len(patterns), x.span)
                return e.Poll(reference, patterns, random and any(p.value is not None for p in patterns))
            case tree.Builtin(_, operator, operand):
                return self.builtin(operator, operand)
            case tree.Timeout():
                return e.Timeout()
            case tree.NonProgress():
                return e.NonProgress()
            case tree.RemoteLabel():
                return self.remote_label(x)
            case tree.RemoteVariable():
                return self.remote_variable(x)
        raise TypeError(f"unknown expression {type(x).__name__}")

    def misplaced_temporal(self, operator: str, span: Span) -> e.Expr:
        self.diagnostics.error(codes.MISPLACED, f"'{operator}' is an operator of ltl formulas only", span)
        return e.TRUE

    def read(self, reference: tree.Reference) -> e.Expr:
        if self.scope.find(reference.name) is None and reference.rest is None:
            special = self.predefined(reference)
            if special is not None:
                return special
        found = self.variable(reference)
        return e.Const(0) if found is None else e.Get(*found)

    def predefined(self, reference: tree.Reference) -> e.Expr | None:
        name = reference.name
        constants = self.lowering.types.constants
        if name in constants:
            number, subset = constants[name]
            return e.Const(number, self.lowering.types.mtype(subset))
        match name:
            case "_pid":
                return e.Self()
            case "_nr_pr":
                return e.ProcessCount()
            case "_last":
                self.lowering.remembers_mover = True
                return e.LastMover()
            case "np_":
                return e.NonProgress()
            case "_priority":
                self.lowering.prioritised = True
                return e.PriorityOf(e.Self())
            case "_":
                self.diagnostics.error(codes.WRONG_NAME, "'_' can only be written to", reference.span)
                return e.Const(0)
        return None

    def binary(self, x: tree.Binary) -> e.Expr:
        left, right = self.value(x.left), self.value(x.right)
        if x.operator in ARITHMETIC:
            for side, node in ((left, x.left), (right, x.right)):
                if isinstance(side, e.Get) and side.variable.domain.refers is d.Refers.CHANNEL:
                    self.diagnostics.warning(
                        codes.ARITHMETIC_ON_CHANNEL, f"'{x.operator}' on the channel '{node.span.text}'", node.span
                    )
        return e.Binary(x.operator, left, right)

    def builtin(self, operator: str, operand: tree.Expression) -> e.Expr:
        process = self.value(operand)
        match operator:
            case "enabled":
                return e.Enabled(process)
            case "pc_value":
                return e.Position(process)
            case _:
                self.lowering.prioritised = True
                return e.PriorityOf(process)

    # --- channels --------------------------------------------------------------------------------

    def channel(self, reference: tree.Reference) -> e.Expr:
        """A reference to a channel."""
        value = self.read(reference)
        domain = value.variable.domain if isinstance(value, e.Get) else None
        if domain is None or domain.refers is not d.Refers.CHANNEL:
            # SPIN lets any variable hold a channel; what is no variable at all cannot be one.
            if domain is None and not self.diagnostics.errors:
                self.diagnostics.error(codes.NOT_CHANNEL, f"'{reference.span.text}' is not a channel", reference.span)
            elif domain is not None:
                self.diagnostics.warning(
                    codes.NOT_CHANNEL, f"'{reference.span.text}' is used as a channel but declared as {domain}",
                    reference.span, f"declare it as `chan {reference.name}`",
                )  # fmt: skip
        return value

    def static_type(self, reference: tree.Reference) -> ChannelType | None:
        """The type of a channel that is created where it is declared."""
        symbol = self.scope.find(reference.name)
        if symbol is None or reference.rest is not None:
            return None
        initial = symbol.initial
        return initial.type if isinstance(initial, NewChannel) else None

    def check_arity(self, channel: tree.Reference, count: int, span: Span) -> None:
        kind = self.static_type(channel)
        if kind is not None and len(kind.fields) != count:
            symbol = self.scope.find(channel.name)
            self.diagnostics.warning(
                codes.ARITY_MESSAGE,
                f"a message of '{channel.name}' has {plural(len(kind.fields), 'field')}, this one has {count}",
                span,
                f"its fields are {', '.join(map(str, kind.fields))}",
                [("declared here", symbol.span)] if symbol is not None else [],
            )

    def channel_query(self, operator: str, reference: tree.Reference) -> e.Expr:
        channel = self.channel(reference)
        match operator:
            case "len":
                return e.Length(channel)
            case "empty":
                return e.Binary("==", e.Length(channel), e.Const(0))
            case "nempty":
                return e.Binary(">", e.Length(channel), e.Const(0))
            case "full":
                return e.Full(channel)
            case _:
                return e.Unary("!", e.Full(channel))

    def messages(self, arguments: tuple[tree.Expression, ...]) -> tuple[e.Expr, ...]:
        """The values of a message or of a process's arguments: records are written out."""
        values: list[e.Expr] = []
        for argument in arguments:
            symbol = self.scope.find(argument.name) if isinstance(argument, tree.Reference) else None
            if isinstance(argument, tree.Reference) and symbol is not None:
                values.extend(e.Get(*leaf) for leaf in self.expanded(argument))
            else:
                values.append(self.value(argument))
        return tuple(values)

    def patterns(
        self, arguments: tuple[tree.ReceiveArgument, ...], own_number: Variable | None = None
    ) -> tuple[e.Pattern, ...]:
        """The fields of a receive, a poll or an event.  `own_number` is what `_pid` stands for: anything, unless it is bound."""
        result: list[e.Pattern] = []
        for argument in arguments:
            if isinstance(argument, tree.Match):
                result.append(e.Pattern(self.value(argument.value), None))
                continue
            assert isinstance(argument, tree.Bind)
            reference = argument.target
            if self.scope.find(reference.name) is not None:
                result.extend(e.Pattern(None, e.Place(*leaf)) for leaf in self.expanded(reference))
            elif reference.name in self.lowering.types.constants:
                result.append(e.Pattern(self.value(reference), None))
            elif reference.name == "_pid" and self.owner is not None:
                result.append(e.Pattern(None, e.Place(own_number)))
            elif reference.name in ("_pid", "_nr_pr", "_last"):
                self.diagnostics.error(
                    codes.BAD_ASSIGNMENT, f"'{reference.name}' cannot be received into", reference.span,
                    f"to receive only messages with this value write eval({reference.name})",
                )  # fmt: skip
            else:
                result.append(e.Pattern(None, self.place(reference)))
        return tuple(result)

    # --- other processes -------------------------------------------------------------------------

    def proctype_known(self, name: str, span: Span) -> bool:
        if name in self.lowering.proctypes:
            return True
        close = suggest(name, self.lowering.proctypes)
        hint = f"did you mean '{close}'?" if close else None
        self.diagnostics.error(codes.NO_PROCTYPE, f"there is no proctype '{name}'", span, hint)
        return False

    def remote_label(self, x: tree.RemoteLabel) -> e.Expr:
        process = None if x.pid is None else self.value(x.pid)
        if not self.proctype_known(x.proctype, x.span):
            return e.Const(0)
        return self.lowering.remote_label(x, process)

    def remote_variable(self, x: tree.RemoteVariable) -> e.Expr:
        process = None if x.pid is None else self.value(x.pid)
        if not self.proctype_known(x.proctype, x.span):
            return e.Const(0)
        symbol = self.lowering.local_symbol(x.proctype, x.variable.name)
        if symbol is None:
            names = self.lowering.local_names(x.proctype)
            close = suggest(x.variable.name, names)
            self.diagnostics.error(
                codes.UNDECLARED, f"proctype '{x.proctype}' has no variable '{x.variable.name}'", x.variable.span,
                f"did you mean '{close}'?" if close else None,
            )  # fmt: skip
            return e.Const(0)
        target = self.follow(x.variable, symbol, symbol)
        if target is None or isinstance(target.type, Record):
            return e.Const(0)
        return e.Remote(x.proctype, process, symbol.leaves[target.path], target.indices)

    # --- constants -------------------------------------------------------------------------------

    def constant(self, x: tree.Expression, what: str) -> int | None:
        """The value of a constant expression."""
        value = fold(self.value(x))
        if isinstance(value, e.Const):
            return value.value
        if isinstance(x, tree.Reference):
            symbol = self.scope.find(x.name)
            if symbol is not None and symbol.constant is not None:
                return symbol.constant
        self.diagnostics.error(codes.NOT_CONSTANT, f"{what} must be a constant", x.span)
        return None


def fold(x: e.Expr) -> e.Expr:
    """The value of an expression of constants.

    >>> fold(e.Binary("+", e.Const(1), e.Const(2)))
    Const(value=3, domain=None)
    """
    from coset.model.evaluate import OPERATORS, Fault

    match x:
        case e.Binary(operator, left, right) if operator in OPERATORS:
            a, b = fold(left), fold(right)
            if isinstance(a, e.Const) and isinstance(b, e.Const):
                try:
                    return e.Const(int(OPERATORS[operator](a.value, b.value)))
                except Fault:
                    return x
        case e.Unary("-", operand):
            inner = fold(operand)
            if isinstance(inner, e.Const):
                return e.Const(-inner.value)
    return x


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
