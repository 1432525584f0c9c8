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
            self.known[x] = any(self.fails_at(part) for part in x.walk())
        return self.known[x]

    def fails_at(self, x: e.Expr) -> bool:
        match x:
            case e.Length(channel) | e.Full(channel) | e.Poll(channel):
                return not isinstance(channel, e.Get) or channel.variable in self.doubtful
        return self.ranges.fault_at(x)
