"""Basic statements of Promela: what each does in one step, without its place in the control flow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coset.languages.promela import codes, flow, tree
from coset.languages.promela.lower_expression import Expressions, plural
from coset.languages.promela.spelling import one_line
from coset.languages.promela.symbols import Scope
from coset.languages.promela.type_checks import check_arguments, check_assignment
from coset.model import domain as d
from coset.model import expression as e
from coset.model import model as m

if TYPE_CHECKING:
    from coset.languages.promela.lower import Lowering


class Actions(Expressions):
    """`events`: sends and receives are not performed but observed, as in a trace assertion."""

    def __init__(
        self, lowering: Lowering, scope: Scope, owner: str | None, claim: bool = False, events: bool = False
    ) -> None:
        super().__init__(lowering, scope, owner, claim)
        self.events = events
        self.variables: list[m.Variable] = []
        self.own_number: m.Variable | None = None

    def action(self, statement: tree.Statement) -> flow.Action:
        """What a basic statement does."""
        text = one_line(statement.span)
        match statement:
            case tree.Guard(_, tree.Run() as run):
                return flow.Action(effects=(self.run(run),), text=text)
            case tree.Guard(_, condition):
                literal = condition.value if isinstance(condition, tree.Number) else None
                guard = e.TRUE if literal == 1 else self.value(condition)
                return flow.Action(
                    guard, text=text, is_skip=literal == 1, is_false=literal == 0, uses_channel=probes(guard)
                )
            case tree.Else():
                return flow.Action(e.Otherwise(), text="else", is_else=True)
            case tree.Assign(_, tree.Reference(_, "_priority", None, None), value) if not self.scope.find("_priority"):
                self.lowering.prioritised = True
                return flow.Action(effects=(m.SetPriority(e.Self(), self.value(value)),), text=text)
            case tree.Assign(_, target, value):
                return flow.Action(effects=self.assignment(self.place(target), value), text=text)
            case tree.Send():
                return self.send(statement, text)
            case tree.Receive():
                return self.receive(statement, text)
            case tree.Assert(_, condition):
                return flow.Action(effects=(m.Assert(self.value(condition)),), text=text)
            case tree.Print(_, format_, arguments):
                values = tuple(self.value(argument) for argument in arguments)
                return flow.Action(effects=(m.Print("%e" if format_ is None else format_, values),), text=text)
            case tree.SetPriority(_, process, value):
                self.lowering.prioritised = True
                return flow.Action(effects=(m.SetPriority(self.value(process), self.value(value)),), text=text)
        raise TypeError(f"unknown statement {type(statement).__name__}")

    def assignment(self, place: e.Place, value: tree.Expression) -> tuple[m.Effect, ...]:
        """An assignment; a process that the value runs is created first."""
        self.runs = []
        expression, runs, self.runs = self.value(value), self.runs, None
        check_assignment(self.diagnostics, place.variable, expression, value)
        return (*(self.run(run) for run in runs), m.Assign(place, expression))

    def run(self, run: tree.Run) -> m.Run:
        arguments = self.messages(run.arguments)
        priority = 1
        if run.priority is not None:
            self.lowering.prioritised = True
            priority = self.constant(run.priority, "a priority") or 1
        if run.proctype == "init" or not self.proctype_known(run.proctype, run.span):
            return m.Run(run.proctype, arguments, priority)
        expected = self.lowering.parameter_count(run.proctype)
        if len(arguments) != expected:
            self.diagnostics.error(
                codes.ARITY_RUN,
                f"'{run.proctype}' takes {plural(expected, 'argument')}, but {len(arguments)} "
                f"{'was' if len(arguments) == 1 else 'were'} given",
                run.span,
                notes=[("declared here", self.lowering.proctypes[run.proctype].span)],
            )
        check_arguments(self.diagnostics, run, self.lowering.parameters(run.proctype), arguments)
        return m.Run(run.proctype, arguments, priority)

    def send(self, statement: tree.Send, text: str) -> flow.Action:
        channel = self.channel(statement.channel)
        if self.events:
            return self.event(True, channel, self.event_patterns(statement.arguments), text)
        values = self.messages(statement.arguments)
        self.check_arity(statement.channel, len(values), statement.span)
        return flow.Action(effects=(m.Send(channel, values, statement.sorted),), text=text, uses_channel=True)

    def receive(self, statement: tree.Receive, text: str) -> flow.Action:
        channel = self.channel(statement.channel)
        if self.events:
            return self.event(False, channel, self.patterns(statement.arguments), text)
        number = self.received_number(statement)
        patterns = self.patterns(statement.arguments, number)
        self.check_arity(statement.channel, len(patterns), statement.span)
        seen: set[m.Variable] = set()
        for pattern in patterns:
            variable = pattern.place.variable if pattern.place is not None else None
            if variable is not None and not variable.shape:
                if variable in seen:
                    self.diagnostics.error(
                        codes.TWICE_RECEIVED, f"'{variable.name}' is given twice in one receive", statement.span
                    )
                seen.add(variable)
        receive = m.Receive(channel, patterns, statement.random, statement.peek)
        follows: tuple[m.Effect, ...] = ()
        if number is not None:
            is_own = e.Binary("==", e.Get(number), e.Self())
            follows = m.Assert(is_own), m.Assign(e.Place(number), e.Self())
        return flow.Action(effects=(receive, *follows), text=text, uses_channel=True)

    def received_number(self, statement: tree.Receive) -> m.Variable | None:
        """The variable that a receive into `_pid` writes; None for other receives.

        SPIN accepts `c?_pid`.  Its verifier overwrites the number of the process; its simulator reports an illegal
        assignment and goes on with the old number.  Both agree if the value is the old number.  So the value is received
        into a variable that is `_pid` in every state, and any other value violates an assertion in the same step.
        """
        for argument in statement.arguments:
            if not isinstance(argument, tree.Bind) or argument.target.name != "_pid" or self.scope.find("_pid"):
                continue
            self.diagnostics.warning(
                codes.BAD_ASSIGNMENT, "a receive into '_pid': it is an error if the value is not the process's number",
                argument.target.span, "to receive only messages with this value write eval(_pid)",
            )  # fmt: skip
            if self.own_number is None:
                self.own_number = m.Variable("_pid#received", d.BYTE, (), self.owner, (e.Self(),), span=statement.span)
                self.variables.append(self.own_number)
            return self.own_number
        return None

    def event(self, sends: bool, channel: e.Expr, patterns: tuple[e.Pattern, ...], text: str) -> flow.Action:
        return flow.Action(effects=(m.Event(sends, channel, patterns),), text=text)

    def event_patterns(self, arguments: tuple[tree.Expression, ...]) -> tuple[e.Pattern, ...]:
        """The fields of a send in a trace: constants are asked for, variables stand for anything."""
        patterns = []
        for argument in arguments:
            known = isinstance(argument, tree.Number) or (
                isinstance(argument, tree.Reference) and argument.name in self.lowering.types.constants
            )
            patterns.append(e.Pattern(self.value(argument), None) if known else e.Pattern(None, e.Place(None)))
        return tuple(patterns)


def probes(guard: e.Expr) -> bool:
    """Whether a guard asks whether a channel is full or empty (SPIN objects to `else` beside it)."""
    return any(isinstance(x, e.Full) for x in guard.walk())
