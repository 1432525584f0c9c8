"""Lassos: a way to a cycle, and once around it, as states of a run of the model."""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.evidence import fair_moves_around, moves_along, shortened
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.results.trace import ReplayError, Trace, executed, from_moves
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Lasso:
    """A run that repeats a cycle forever."""

    way: list[State]
    """The states up to the first one of the cycle."""
    loop: list[State]
    """The states of the cycle; the last one is the first one again.  It is one state if nothing can happen there."""

    def __len__(self) -> int:
        """How many steps there are.

        >>> len(Lasso(["a", "b"], ["b", "c", "b"]))
        3
        """
        return len(self.way) + len(self.loop) - 2

    def is_stuck(self, interpreter: Interpreter) -> bool:
        return is_stuck(interpreter, self.loop)

    def entry(self, count: int) -> State:
        """The state after so many states of the run."""
        return self.way[count - 1]

    def continued(self, count: int, other: Lasso) -> Lasso:
        """The first states of this run, and from there the other one."""
        return Lasso([*self.way[:count], *other.way[1:]], other.loop)

    def with_shortcuts(self, interpreter: Interpreter) -> Lasso:
        """The same cycle, and a way to it that takes shortcuts where some are near."""
        return Lasso(shortened(interpreter, self.way), self.loop)

    def short_trace(self, interpreter: Interpreter, property_: m.Claim | m.LtlProperty, fair: bool) -> Trace:
        """The run as moves of the model, with shortcuts unless they leave out what violates the property."""
        short = self.with_shortcuts(interpreter)
        if len(short) < len(self):
            trace = short.trace(interpreter, property_, fair)
            try:
                executed(interpreter.model, trace)
            except ReplayError:
                pass
            else:
                return trace
        return self.trace(interpreter, property_, fair)

    def trace(self, interpreter: Interpreter, property_: m.Claim | m.LtlProperty, fair: bool) -> Trace:
        """The run as moves of the model."""
        moves = before = moves_along(interpreter, self.way)
        if not self.is_stuck(interpreter):
            moves = before + (fair_moves_around if fair else moves_along)(interpreter, self.loop)
        return from_moves(interpreter.model, moves, property_.kind, property_.name, len(before))


def is_stuck(interpreter: Interpreter, loop: Sequence[State]) -> bool:
    """Whether a cycle is the repetition of a state in which nothing can happen."""
    return all(state == loop[0] for state in loop) and not any(True for _ in interpreter.steps(loop[0]))
