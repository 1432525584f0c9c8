"""Which conditions can always be evaluated: only those may change places in `a && b`.

The right operand is evaluated only if the left one does not decide, so that `i < N && a[i] > 0` is safe and
`a[i] > 0 && i < N` is not.  Where neither can fail, the order does not matter, and a symmetry may change it.
"""

from __future__ import annotations

from coset.model import expression as e
from coset.model import model as m
from coset.model.analysis.occurrences import assigned
from coset.model.analysis.ranges import find_ranges
from coset.model.domain import Refers
from coset.model.interpreter import Interpreter
from coset.model.state import State, offsets
from coset.symmetry.startup import StartedStates

LARGEST = 600
"""Of an expression with more parts, only the ranges of variables are asked."""


class Faults:
    """Knows the ranges of variables, and which variables always hold a channel."""

    def __init__(self, interpreter: Interpreter, started: StartedStates) -> None:
        self.ranges = find_ranges(interpreter.model)
        self.interpreter = interpreter
        model = interpreter.model
        doubtful = set(assigned(model))
        for state in started.states:
            doubtful |= self.without_channel(state, model.variables, state.values)
            for process in state.processes:
                doubtful |= self.without_channel(state, model.kinds[process.kind].variables, process.values)
        self.doubtful = doubtful
        self.known: dict[e.Expr, bool] = {}

    def without_channel(
        self, state: State, variables: tuple[m.Variable, ...], values: tuple[int, ...]
    ) -> set[m.Variable]:
        """The variables that hold no channel, or one of capacity 0, whose contents cannot be read."""

        def is_usable(number: int) -> bool:
            if not 1 <= number <= len(state.channels):
                return False
            return self.interpreter.channel_types[state.channels[number - 1].type].capacity > 0

        return {
            variable
            for variable, start in offsets(variables).items()
            if variable.domain.refers is Refers.CHANNEL
            and not all(map(is_usable, values[start : start + variable.size]))
        }

    def may_fail(self, x: e.Expr) -> bool:
        if x not in self.known:
            parts = list(x.walk())
            self.known[x] = any(map(self.fails_at, parts)) and (
                len(parts) > LARGEST or self.fails_under(x, frozenset())
            )
        return self.known[x]

    def fails_under(self, x: e.Expr, holds: frozenset[e.Expr]) -> bool:
        """Whether an expression may fail where some conditions hold: `x != 3 && a[x]` asks for `a[x]` only where `x` is not 3."""
        match x:
            case e.Binary("&&" | "||" as operator, left, right):
                asked = implied(left, operator == "&&")
                return self.fails_under(left, holds) or self.fails_under(right, holds | asked)
            case e.Conditional(condition, yes, no):
                return (
                    self.fails_under(condition, holds)
                    or self.fails_under(yes, holds | implied(condition, True))
                    or self.fails_under(no, holds | implied(condition, False))
                )
        for child in x.children():
            if self.fails_under(child, holds):
                return True
        match x:
            case e.Get(variable, indices) if variable.shape:
                bounds = [self.bounds(index, holds) for index in indices]
                return any(
                    low < 0 or high >= length for (low, high), length in zip(bounds, variable.shape, strict=True)
                )
            case e.Checked(operand, least, most):
                low, high = self.bounds(operand, holds)
                return low < least or high > most
        return self.fails_at(x)

    def bounds(self, x: e.Expr, holds: frozenset[e.Expr]) -> tuple[int, int]:
        """The least and the greatest value of an expression where some conditions hold."""
        low, high = self.ranges.interval(x)
        value = x.operand if isinstance(x, e.Checked) else x
        excluded = {
            each.right.value
            for each in holds
            if isinstance(each, e.Binary) and each.left == value and isinstance(each.right, e.Const)
        }
        return low + (low in excluded), high - (high in excluded)

    def fails_at(self, x: e.Expr) -> bool:
        match x:
            case e.Length(channel) | e.Full(channel) | e.Poll(channel):
                return not isinstance(channel, e.Get) or channel.variable in self.doubtful
        return self.ranges.fault_at(x)


def implied(x: e.Expr, truth: bool) -> frozenset[e.Expr]:
    """Inequalities `y != c` that hold where a condition is true, or where it is not.

    >>> x, y = e.Self(), e.Youngest()
    >>> some = e.Binary("||", e.Binary("==", x, e.Const(3)), e.Binary("!=", y, e.Const(2)))
    >>> [str(each) for each in implied(some, False)], implied(some, True)
    (['_pid != 3'], frozenset())
    """
    match x:
        case e.Unary("!", operand):
            return implied(operand, not truth)
        case e.Binary("&&" | "||" as operator, left, right) if (operator == "&&") == truth:
            return implied(left, truth) | implied(right, truth)
        case e.Binary("!=", left, e.Const(value)) if truth:
            return frozenset({e.Binary("!=", left, e.Const(value))})
        case e.Binary("==", left, e.Const(value)) if not truth:
            return frozenset({e.Binary("!=", left, e.Const(value))})
    return frozenset()
