"""A run as the compiled engine has it: states as bytes.

To decode every state, and to search for a step from each to the next, takes a hundred microseconds for each of them.  The
compiled model knows which steps a run takes (`run_steps.h`): the process that begins a step, and the number of the step among
those of that process.  The interpreter then repeats them.  Both produce the steps of a process in the same order; that
they did is checked at the end of the run, and if they did not, the states decide.
"""

from __future__ import annotations

import ctypes
from itertools import islice

from coset.engines.explicit.compile import Compiled
from coset.model.interpreter import Interpreter, Step, is_fault
from coset.model.state import State
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class EncodedRun:
    """The states of a run under the layout of a program."""

    compiled: Compiled
    room: ctypes.Array[ctypes.c_char]
    length: int

    def states(self) -> list[State]:
        layout, data = self.compiled.layout, self.room.raw
        return list(layout.decode_run(data[k * layout.size : (k + 1) * layout.size] for k in range(self.length)))

    def steps(self, interpreter: Interpreter) -> list[Step] | None:
        """The interpreter's steps through these states from its initial state; None if it has to compare states, as where
        a step needs a timeout."""
        layout = self.compiled.layout
        choices = (ctypes.c_uint64 * (2 * self.length))()
        if self.compiled.library.run_steps(self.room, self.length, choices) + 1 != self.length:
            return None
        state, steps = interpreter.initial(), list[Step]()
        for pid, number in zip(choices[: 2 * self.length - 2 : 2], choices[1 : 2 * self.length - 2 : 2]):
            step = numbered_step(interpreter, state, pid, number)
            if step is None:
                return None
            steps.append(step)
            state = step.state
        last = self.room.raw[(self.length - 1) * layout.size : self.length * layout.size]
        return steps if state == layout.decode(last) else None


def numbered_step(interpreter: Interpreter, state: State, pid: int, number: int) -> Step | None:
    """The step with a number among those that a process begins."""
    if pid >= len(state.processes):
        return None
    moves = list(interpreter.moves_of(state, pid, timeout=False))
    if all(move.holder is None for move in moves):  # each is a step
        moves = [move for move in moves if not is_fault(move)]
        return Step((moves[number],), moves[number].state, 0) if number < len(moves) else None
    steps = (step for step in interpreter.steps(state, (pid,)) if not is_fault(step.moves[-1]))
    return next(islice(steps, number, None), None)
