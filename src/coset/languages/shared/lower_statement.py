"""Statements as actions: a guard, and effects that happen in order, as one step.

Simultaneous assignments are put into an order in which nothing is read after it was written; where there is a
circle, as in `x := y, y := x`, a value is kept in a scratch variable, which is reset in the same step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from coset.languages.shared import codes
from coset.languages.shared import tree as t
from coset.languages.shared.flow import Test
from coset.languages.shared.lower_expression import Expressions
from coset.languages.shared.refusal import Placed, Refused
from coset.languages.shared.symbols import TRUTH, WHOLE, Value, binary, negation
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.model.rewrite import rebuild_value, rewrite
from coset.source.records import dataclass

MOST_ACTIONS = 10_000


@dataclass(frozen=True, slots=True)
class Action:
    """One way in which a statement can happen."""

    guard: e.Expr = e.TRUE
    effects: tuple[m.Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """One of several assignments that happen together.  `checked`: whether the value may be out of range; None if it
    is a kept one."""

    place: e.Place
    value: e.Expr
    checked: bool | None = True

    @property
    def variable(self) -> m.Variable:
        assert self.place.variable is not None
        return self.place.variable


class Statements:
    """Statements in the program of one class.  `ranges`: leaving the range of a variable is asserted not to happen."""

    def __init__(self, expressions: Expressions, owner: str, ranges: bool) -> None:
        self.expressions, self.owner, self.ranges = expressions, owner, ranges
        self.scratch: dict[tuple[int, Domain], m.Variable] = {}

    def actions(self, x: t.Statement | Test | None) -> list[Action]:
        """The ways in which a step can happen, each an edge."""
        match x:
            case None | t.Skip():
                return [Action()]
            case Test(condition, holds):
                guard = self.expressions.truth(condition)
                return [Action(guard if holds else negation(guard))]
            case t.Assign(condition, assignments):
                guard = e.TRUE if condition is None else self.expressions.truth(condition)
                return [Action(guard, effects) for effects in self.assignments(assignments, x)]
            case t.Transition(condition, assignments):
                guard = self.expressions.truth(condition)
                return [Action(guard, effects) for effects in self.assignments(assignments, x)]
            case t.Semaphore(keyword, place, amount):
                return [self.semaphore(keyword, place, amount)]
            case t.Block(body, True):
                return self.sequence(body)
        raise TypeError(f"unknown statement {type(x).__name__}")

    # --- assignments -----------------------------------------------------------------------------------

    def place(self, x: t.Expression) -> tuple[e.Place, Value]:
        """What is assigned to, and its present value."""
        if isinstance(x, t.Local) and not isinstance(x.process, t.Itself):
            raise Refused(codes.NOT_ASSIGNABLE, "a process cannot assign to the variables of another", x)
        if not isinstance(x, t.Name | t.Element | t.Local):
            raise Refused(codes.NOT_ASSIGNABLE, "only a variable can be assigned to", x)
        value = self.expressions.value(x)
        if not isinstance(value.expr, e.Get) or (
            isinstance(x, t.Name) and x.name in self.expressions.symbols.parameters
        ):
            raise Refused(codes.NOT_ASSIGNABLE, "only a variable can be assigned to", x)
        return e.Place(value.expr.variable, value.expr.indices), value

    def assignments(self, together: tuple[t.Assignment, ...], x: t.Statement) -> Iterator[tuple[m.Effect, ...]]:
        """The effects of assignments that happen together, for each choice of their values."""
        options = []
        for each in together:
            place, old = self.place(each.place)
            options.append([Target(place, self.expressions.of_type(x, old.type)) for x in each.values])
        for one, other in ((a, b) for k, a in enumerate(options) for b in options[:k]):
            if one[0].place == other[0].place:
                text = f"`{one[0].place}` is assigned to twice in one step"
                raise Refused(codes.NOT_ASSIGNABLE, text, x)
        for targets in product(*options):
            yield self.simultaneous(targets, x)

    def semaphore(self, keyword: str, x: t.Expression, amount: t.Expression | None) -> Action:
        place, old = self.place(x)
        if old.type.what != "number":
            raise Refused(codes.WRONG_TYPE, f"`{keyword}` needs a semaphore, and this is {old.type}", x)
        taken = e.Const(1) if amount is None else self.expressions.of_type(amount, WHOLE)
        if keyword == "request":
            effects = self.simultaneous([Target(place, binary("-", old.expr, taken), checked=False)], x)
            return Action(binary(">=", old.expr, taken), effects)
        return Action(e.TRUE, self.simultaneous([Target(place, binary("+", old.expr, taken))], x))

    def simultaneous(self, targets: Sequence[Target], node: Placed) -> tuple[m.Effect, ...]:
        """Assignments in an order in which none reads what another has written already."""
        checks = [m.Assert(check) for each in targets if each.checked and (check := self.in_range(each)) is not None]
        kept: list[m.Effect] = []
        done: list[m.Effect] = []
        resets: list[m.Effect] = []
        waiting = list(targets)
        while waiting:
            free = next((k for k in range(len(waiting)) if not must_wait(k, waiting)), None)
            if free is not None:
                target = waiting.pop(free)
                done.append(m.Assign(target.place, target.value))
                continue
            circle = next((k for k, each in enumerate(waiting) if each.checked is not None), None)
            if circle is None:
                raise Refused(codes.UNSUPPORTED, "indices and what they select change in a circle", node)
            scratch = self.scratch_variable(len(kept), waiting[circle].variable.domain)
            kept.append(m.Assign(e.Place(scratch), waiting[circle].value))
            resets.append(m.Assign(e.Place(scratch), initial_value(scratch)))
            waiting[circle] = Target(waiting[circle].place, e.Get(scratch), None)
        return (*checks, *kept, *done, *resets)

    def scratch_variable(self, number: int, domain: Domain) -> m.Variable:
        key = number, domain
        if key not in self.scratch:
            name = f"kept{len(self.scratch)}"
            while self.owner in (classes := self.expressions.symbols.classes) and name in classes[self.owner].variables:
                name += "'"
            start = e.Const(max(domain.low, 0))
            self.scratch[key] = m.Variable(name, domain, owner=self.owner, initial=(start,))
        return self.scratch[key]

    def in_range(self, target: Target) -> e.Expr | None:
        """The condition that the value fits the variable; None if that is certain, or not checked."""
        domain = target.variable.domain
        low, high = interval(target.value)
        if not self.ranges or domain.refers.value != "nothing" or domain.labels:
            return None
        parts = []
        if low < domain.low:
            parts.append(binary(">=", target.value, e.Const(domain.low)))
        if high > domain.high and domain.high < WHOLE.domain.high:
            parts.append(binary("<=", target.value, e.Const(domain.high)))
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else binary("&&", parts[0], parts[1])

    # --- atomic sequences --------------------------------------------------------------------------------

    def sequence(self, body: Sequence[t.Statement]) -> list[Action]:
        """A sequence as one step: it can happen only if all of it can."""
        ways = [Action()]
        for statement in body:
            if statement.label is not None:
                raise Refused(
                    codes.UNSUPPORTED, "no process can stop inside `atomic`, so it cannot have labels", statement
                )
            ways = [then(before, after) for before in ways for after in self.parts(statement)]
            if len(ways) > MOST_ACTIONS:
                raise Refused(codes.TOO_LARGE, f"`atomic` has more than {MOST_ACTIONS} ways to happen", statement)
        return ways

    def parts(self, x: t.Statement) -> list[Action]:
        match x:
            case t.Assign() | t.Semaphore() | t.Skip():
                return self.actions(x)
            case t.Block(body):
                return self.sequence(body)
            case t.If(condition, yes, no):
                return [
                    then(test, action)
                    for holds, branch in ((True, yes), (False, no))
                    for test in self.actions(Test(condition, holds))
                    for action in self.sequence(branch)
                ]
            case t.Choose(options):
                return [action for option in options for action in self.sequence(option)]
        keyword = {t.While: "while", t.Loop: "loop forever", t.Goto: "goto", t.Halt: "halt"}.get(type(x), "this")
        raise Refused(codes.UNSUPPORTED, f"`{keyword}` cannot be inside of `atomic`", x)


def then(first: Action, second: Action) -> Action:
    """One action after the other, as one."""
    seen = tuple(own_values(effect, first.effects) for effect in second.effects)
    return Action(binary("&&", first.guard, before(second.guard, first.effects)), first.effects + seen)


def before(x: e.Expr, effects: Sequence[m.Effect]) -> e.Expr:
    """The condition that must hold before the effects, so that `x` holds after them (the weakest precondition).

    >>> v = m.Variable("v", WHOLE.domain)
    >>> str(before(e.Binary("<", e.Get(v), e.Const(3)), [m.Assign(e.Place(v), e.Binary("+", e.Get(v), e.Const(1)))]))
    'v + 1 < 3'
    """
    for effect in reversed(effects):
        if isinstance(effect, m.Assign):
            x = substituted(x, effect.place, effect.value)
    return x


def substituted(x: e.Expr, place: e.Place, value: e.Expr) -> e.Expr:
    def change(part: e.Expr) -> e.Expr:
        match part:
            case e.Get(variable, indices) if variable is place.variable:
                same: e.Expr = e.TRUE
                for one, other in zip(indices, place.indices, strict=True):
                    same = binary("&&", same, binary("==", one, other))
                return chosen(same, value, part)
            case e.Remote(_, process, variable) if variable is place.variable and process is not None:
                return chosen(binary("==", process, e.Self()), value, part)
            case e.Binary(operator, left, right):
                return binary(operator, left, right)
            case e.Unary("!", operand):
                return negation(operand)
        return part

    return rewrite(x, change)


def chosen(condition: e.Expr, yes: e.Expr, no: e.Expr) -> e.Expr:
    if isinstance(condition, e.Const):
        return yes if condition.value else no
    return e.Conditional(condition, yes, no)


def own_values(effect: m.Effect, earlier: Sequence[m.Effect]) -> m.Effect:
    """The effect, with the current values of the process's own variables where it reads those of all processes."""
    changed = {each.place.variable for each in earlier if isinstance(each, m.Assign)}

    def change(part: e.Expr) -> e.Expr:
        if isinstance(part, e.Remote) and part.process is not None and part.variable in changed:
            own = binary("==", part.process, e.Self())
            return chosen(own, e.Get(part.variable, part.indices), part)
        return part

    done: m.Effect = rebuild_value(effect, change)
    return done


# --- what an assignment reads ----------------------------------------------------------------------


def must_wait(number: int, targets: Sequence[Target]) -> bool:
    """Whether another assignment has to come first: one that reads the place, or an earlier one that may be to the same
    element."""
    place = targets[number].place
    return any(
        (k < number and each.place.variable is place.variable and not differ(each.place.indices, place.indices))
        or any(reads(x, place) for x in (each.value, *each.place.indices))
        for k, each in enumerate(targets)
        if k != number
    )


def reads(x: e.Expr, place: e.Place) -> bool:
    return any(
        isinstance(part, e.Get | e.Remote)
        and part.variable is place.variable
        and not differ(part.indices, place.indices)
        for part in x.walk()
    )


def differ(one: Sequence[e.Expr], other: Sequence[e.Expr]) -> bool:
    """Whether two elements of an array are certainly not the same.

    >>> differ([e.Const(1)], [e.Const(2)]), differ([e.Const(1)], [e.Self()])
    (True, False)
    """
    return any(
        isinstance(a, e.Const) and isinstance(b, e.Const) and a.value != b.value
        for a, b in zip(one, other, strict=True)
    )


def initial_value(variable: m.Variable) -> e.Expr:
    assert isinstance(variable.initial, tuple)
    return variable.initial[0]


def interval(x: e.Expr) -> tuple[int, int]:
    """Values that an expression certainly lies between.

    >>> interval(e.Binary("+", e.Get(m.Variable("v", Domain("0..3", 0, 3))), e.Const(1)))
    (1, 4)
    """
    match x:
        case e.Const(value):
            return value, value
        case e.Get(variable) | e.Remote(variable=variable):
            return variable.domain.low, variable.domain.high
        case e.Conditional(_, yes, no):
            (a, b), (c, d) = interval(yes), interval(no)
            return min(a, c), max(b, d)
        case e.Binary("+", left, right):
            (a, b), (c, d) = interval(left), interval(right)
            return a + c, b + d
        case e.Binary("-", left, right):
            (a, b), (c, d) = interval(left), interval(right)
            return a - d, b - c
        case e.Binary("%", left, e.Const(value)) if value > 0 and interval(left)[0] >= 0:
            return 0, min(value - 1, interval(left)[1])
        case e.Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||") | e.Unary("!") | e.AtLocation():
            return TRUTH.domain.low, TRUTH.domain.high
    return WHOLE.domain.low, WHOLE.domain.high
