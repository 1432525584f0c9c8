"""An automaton of terms as a kind of process of the model.

A step is one edge.  Its guards and the arguments of its event are read before its data operation changes anything.
A data operation with branches or loops goes on through transient locations, which are invisible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coset.languages.csp import codes
from coset.languages.csp import tree as t
from coset.languages.csp.alphabet import Label
from coset.languages.csp.automaton import Automaton, Component
from coset.languages.csp.expression_text import expression_text
from coset.languages.csp.lower_expression import Declarations, Expressions, number
from coset.languages.csp.normalise import Normaliser
from coset.languages.csp.steps import RECEIVE, SEND, TAU, TICK, Action, Step
from coset.languages.csp.terms import Refused
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import BYTE, INT, Domain
from coset.source.records import dataclass

URGENT, NORMAL = 2, 1
"""The priorities of what is inside of `atomic`, and of everything else."""


@dataclass(frozen=True, slots=True)
class Watching:
    """What is to be known about events: a variable that holds the number of the last one that is watched (0 for any
    other), or texts of all."""

    last: m.Variable | None = None
    events: tuple[Label, ...] = ()
    printed: bool = False


class KindLowering:
    """Makes one kind of process."""

    def __init__(
        self,
        component: Component,
        automaton: Automaton,
        declarations: Declarations,
        normaliser: Normaliser,
        watching: Watching,
        ends_alone: bool,
    ) -> None:
        self.component, self.automaton = component, automaton
        self.declarations, self.normaliser, self.watching, self.ends_alone = (
            declarations,
            normaliser,
            watching,
            ends_alone,
        )
        columns = zip(*component.instances, strict=True)
        bounds = {name: (min(column), max(column)) for name, column in zip(component.parameters, columns, strict=False)}
        self.own: dict[str, m.Variable] = {
            name: m.Variable(name, roomy(*interval), owner=component.name) for name, interval in bounds.items()
        }
        self.expressions = Expressions(declarations, self.own, bounds)
        self.locations: list[m.Location] = []
        self.priorities = [self.priority(term) for term in automaton.terms]
        self.tickable: dict[int, Step] = {}

    def kind(self, closed: e.Expr = e.TRUE) -> m.Kind:
        """The kind; `closed` must hold for everything else that could happen where the process may end."""
        for number_, row in enumerate(self.automaton.edges):
            for step, _ in row:
                if step.action.kind == TICK:
                    self.tickable[number_] = step
        self.locations = [m.Location(()) for _ in self.automaton.terms]
        for number_, (term, row) in enumerate(zip(self.automaton.terms, self.automaton.edges, strict=True)):
            edges = [self.edge(number_, step, target) for step, target in row if self.is_edge(step)]
            if not self.ends_alone and number_ in self.tickable:
                edges = [replace(edge, guard=e.conjunction(closed, edge.guard)) for edge in edges]
            end = isinstance(term, t.Ended) or (not self.ends_alone and number_ in self.tickable)
            self.locations[number_] = m.Location(tuple(edges), end=end, span=term.span, number=number_)
        variables = tuple(self.own.values())
        return m.Kind(
            self.component.name, variables, len(self.component.parameters), tuple(self.locations), 0,
            span=self.component.term.span,
        )  # fmt: skip

    def is_edge(self, step: Step) -> bool:
        return self.ends_alone or step.action.kind != TICK

    def urgent(self) -> bool:
        return URGENT in self.priorities

    # --- edges -------------------------------------------------------------------------------------

    def edge(self, source: int, step: Step, target: int) -> m.Edge:
        action = step.action
        effects: list[m.Effect] = []
        if action.kind in (SEND, RECEIVE):
            effects.append(self.message(action))
        effects += self.watched(action)
        if self.priorities[source] != self.priorities[target]:
            effects.append(m.SetPriority(e.Self(), e.Const(self.priorities[target])))
        done, target = self.sequence(action.operation, target)
        return m.Edge(
            target, self.expressions.condition(step.guards), (*effects, *done),
            text=shown(action), span=step.origin.span,
        )  # fmt: skip

    def message(self, action: Action) -> m.Effect:
        index = None if action.index is None else self.expressions.lower(action.index)
        channel = self.declarations.channel(action.name, index)
        values = tuple(map(self.expressions.lower, action.arguments))
        if action.kind == SEND:
            return m.Send(channel, values)
        return m.Receive(channel, tuple(e.Pattern(value, None) for value in values))

    def watched(self, action: Action) -> list[m.Effect]:
        """What tells others which event this is.  A handshake is told by the sender."""
        name = self.event_name(action)
        if name is None:
            return []
        arguments = tuple(map(self.expressions.lower, action.arguments)) if action.kind != TAU else ()
        if self.watching.printed:
            return [m.Print(name + ".%d" * len(arguments), arguments)]
        if self.watching.last is None:
            return []
        code: e.Expr = e.Const(0)
        for place, (other, values) in reversed([*enumerate(self.watching.events, 1)]):
            if other == name and len(values) == len(arguments):
                same = e.TRUE
                for argument, value in zip(arguments, values, strict=True):
                    if isinstance(argument, e.Const):
                        same = same if argument.value == value else e.FALSE
                    else:
                        same = e.conjunction(same, e.Binary("==", argument, e.Const(value)))
                if same == e.TRUE:
                    code = e.Const(place)
                elif same != e.FALSE:
                    code = e.Conditional(same, e.Const(place), code)
        return [m.Assign(e.Place(self.watching.last), code)]

    def event_name(self, action: Action) -> str | None:
        """The name of the event of an action in formulas; None if another tells."""
        match action.kind:
            case "send" | "receive":
                synchronous = number(self.declarations.program.channels[action.name].capacity) == 0
                if synchronous:
                    return action.name if action.kind == SEND else None
                return action.name + ("!" if action.kind == SEND else "?")
            case "event":
                return action.name
        return action.kind

    # --- data operations ---------------------------------------------------------------------------

    def sequence(self, statements: Sequence[t.Statement], target: int) -> tuple[list[m.Effect], int]:
        """The effects that come first, and the location where the rest of the operation begins."""
        locals_ = {s.name for s in every(statements) if isinstance(s, t.Local)}
        for name in locals_:
            self.own.setdefault(name, m.Variable(name, INT, owner=self.component.name))
        effects, target = self.block(statements, target, tuple(self.reset(name) for name in sorted(locals_)))
        return effects, target

    def reset(self, name: str) -> m.Effect:
        """A local variable is no part of the state once its operation is over."""
        return m.Assign(e.Place(self.own[name]), e.Const(0))

    def block(
        self, statements: Sequence[t.Statement], target: int, last: tuple[m.Effect, ...] = ()
    ) -> tuple[list[m.Effect], int]:
        effects: list[m.Effect] = []
        for place, statement in enumerate(statements):
            match statement:
                case t.Assignment(name, indices, value):
                    effects += self.assignment(statement, name, indices, value)
                case t.Local(name, value):
                    effects.append(m.Assign(e.Place(self.own[name]), self.expressions.lower(value)))
                case t.Branch(condition, yes, no):
                    join = self.joint(*self.block(statements[place + 1 :], target, last))
                    guard = self.expressions.lower(condition)
                    edges = [self.inner(guard, yes, join), self.inner(e.TRUE, no, join)]
                    return effects, self.transient(edges)
                case t.While(condition, body):
                    join = self.joint(*self.block(statements[place + 1 :], target, last))
                    loop = self.transient([])
                    again = self.inner(self.expressions.lower(condition), body, loop)
                    edges = [again, m.Edge(join, e.TRUE, (), text="end of the loop", span=statement.span)]
                    self.locations[loop] = replace(self.locations[loop], edges=tuple(edges))
                    return effects, loop
        return [*effects, *last], target

    def inner(self, guard: e.Expr, statements: Sequence[t.Statement], target: int) -> m.Edge:
        effects, target = self.block(statements, target)
        return m.Edge(target, guard, tuple(effects), text="data operation")

    def joint(self, effects: list[m.Effect], target: int) -> int:
        return self.transient([m.Edge(target, e.TRUE, tuple(effects), text="data operation")]) if effects else target

    def transient(self, edges: list[m.Edge]) -> int:
        self.locations.append(m.Location(tuple(edges), transient=True, number=len(self.locations)))
        return len(self.locations) - 1

    def assignment(
        self, x: t.Assignment, name: str, indices: tuple[t.Expression, ...], value: t.Expression
    ) -> list[m.Effect]:
        """An assignment; it is an error if the value is not in the range that was declared."""
        variable = self.own[name] if name in self.own else self.declarations.variable(name)
        result = self.expressions.lower(value)
        effects: list[m.Effect] = []
        low, high = self.expressions.interval(value)
        domain = variable.domain
        within = e.TRUE
        if low < domain.low:
            within = e.Binary(">=", result, e.Const(domain.low))
        if high > domain.high:
            within = e.conjunction(within, e.Binary("<=", result, e.Const(domain.high)))
        if within != e.TRUE:
            effects.append(m.Assert(within))
        return [*effects, m.Assign(e.Place(variable, tuple(map(self.expressions.lower, indices))), result)]

    # --- atomic ------------------------------------------------------------------------------------

    def priority(self, term: t.Process) -> int:
        """The priority of a process with this term left to do."""
        normalised = self.normaliser.normalised
        match term:
            case t.Atomic():
                return URGENT
            case t.Sequence(t.Skip(), second):
                return self.priority(normalised(second))
            case t.Sequence(body, _) | t.Guard(_, body) | t.Hide(body, _):
                return self.priority(body)
            case t.Call(name, arguments):
                values = (each for _, each in self.normaliser.possible(arguments))
                options = [normalised(t.Call(name, each, span=term.span)) for each in values]
            case t.Choice("[]" | "[*]", parts):
                options = list(parts)
            case t.If("ifa", _, yes, no) | t.Interrupt(yes, no):
                options = [yes, no]
            case t.Interleave(parts) | t.Parallel(parts):
                options = [*parts, t.Stop(span=term.span)]  # to end together is not urgent
            case t.Bag(members):
                options = [*(member for member, _ in members), t.Stop(span=term.span)]
            case _:
                return NORMAL
        found = set(map(self.priority, options))
        if len(found) > 1:
            raise Refused(
                codes.UNSUPPORTED, "`atomic` beside other possibilities of the same component is not supported", term,
                "a side of the outermost `|||` can be atomic as a whole, or in all of its possibilities",
            )  # fmt: skip
        return found.pop()


def roomy(low: int, high: int) -> Domain:
    """A domain for a parameter.  It has room for more than the values of the instances, as symmetry needs where a
    variable can hold a value of a parameter or one that is none."""
    return BYTE if low >= 0 and high < BYTE.high else INT


def every(statements: Sequence[t.Statement]) -> list[t.Statement]:
    """All statements of an operation, those inside of others, too."""
    found: list[t.Statement] = []
    for statement in statements:
        found.append(statement)
        match statement:
            case t.Branch(_, yes, no):
                found += [*every(yes), *every(no)]
            case t.While(_, body):
                found += every(body)
    return found


def shown(action: Action) -> str:
    """An action as the user knows it."""
    fields = ".".join(map(expression_text, action.arguments))
    name = action.name if action.index is None else f"{action.name}[{expression_text(action.index)}]"
    match action.kind:
        case "send" | "receive":
            return f"{name}{'!' if action.kind == SEND else '?'}{fields}"
        case "event":
            return f"{name}.{fields}" if fields else name
    return action.kind
