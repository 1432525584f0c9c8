"""A run of a model, one move after another, for `coset simulate`.

This module is independent of terminals: a caller takes one of the `options`, or undoes a move.
"""

from __future__ import annotations

from typing import NamedTuple

from coset.model.evaluate import Fault
from coset.model.interpreter import FAULTS, Interpreter, Move
from coset.model.model import Model
from coset.model.state import State
from coset.source.records import dataclass

FAILURES = frozenset({"assertion", "trace", "fault"})


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a run ended: a keyword for programs and a sentence for people."""

    kind: str
    message: str

    @property
    def failed(self) -> bool:
        return self.kind in FAILURES


class Moment(NamedTuple):
    """A state of the run, and the process that keeps control in it, if any."""

    state: State
    holder: int | None


class Walk:
    """A run that is built move by move.

    >>> from coset.tasks.load import parse_text
    >>> walk = Walk(parse_text("byte x; active proctype P() { x = 1; assert(x == 2) }"))
    >>> while walk.ending is None:
    ...     walk.take(walk.options[0])
    >>> len(walk), walk.ending.message
    (2, 'assert(x == 2) is violated')
    """

    def __init__(self, model: Model) -> None:
        self.interpreter = Interpreter(model)
        self.moments = [Moment(self.interpreter.initial(), None)]
        self.options: list[Move] = []
        self.ending: Ending | None = None
        self.look()

    def __len__(self) -> int:
        return len(self.moments) - 1

    @property
    def state(self) -> State:
        return self.moments[-1].state

    def look(self) -> None:
        """Compute the possible moves.  A process that holds control moves first; others may move only if it is blocked."""
        state, holder = self.moments[-1]
        self.options, self.ending = [], None
        try:
            if holder is not None:
                self.options = list(self.interpreter.moves(state, holder))
            if not self.options:
                self.options = list(self.interpreter.moves(state))
        except Fault as fault:
            self.ending = Ending("fault", fault.message)
            return
        if not self.options:
            self.ending = self.rest(state)

    def rest(self, state: State) -> Ending:
        """How a run ends in a state in which nothing can happen."""
        if not state.processes:
            return Ending("ended", "all processes ended")
        if self.interpreter.valid_end(state):
            return Ending("valid_end", "no move is enabled: every process is at a valid end")
        return Ending("deadlock", "deadlock: an invalid end state")

    def take(self, move: Move) -> None:
        """Take one of the options.  As in SPIN, the first error ends the run."""
        self.moments.append(Moment(move.state, move.holder))
        if move.errors:
            kind, message = move.errors[0]
            self.options = []
            self.ending = Ending("fault" if kind in FAULTS else kind, message)
        else:
            self.look()

    def undo(self) -> bool:
        """Undo one move; returns False at the start."""
        if len(self.moments) == 1:
            return False
        self.moments.pop()
        self.look()
        return True
