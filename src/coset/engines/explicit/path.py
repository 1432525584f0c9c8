"""From states to moves: what the compiled engine found, told by the interpreter.

The engine hands over a chain of states.  The interpreter looks for a step from each one to the next; if there is
none, the two engines disagree about the model, which is our fault and is said loudly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from coset.model.interpreter import Interpreter, Move, Step, is_fault
from coset.model.state import State


class Disagreement(Exception):
    """The compiled engine took a step that the interpreter does not know: an internal error."""


def step_between(interpreter: Interpreter, before: State, after: State) -> Step:
    """A step from one state to another."""
    for step in interpreter.steps(before):
        if step.state == after and not is_fault(step.moves[-1]):
            return step
    raise Disagreement(f"no step leads from {before} to {after}")


def moves_along(interpreter: Interpreter, states: Sequence[State]) -> list[Move]:
    """The moves of a run through these states."""
    moves: list[Move] = []
    for before, after in pairwise(states):
        moves.extend(step_between(interpreter, before, after).moves)
    return moves


def moves_to_error(interpreter: Interpreter, state: State, kind: str) -> list[Move]:
    """The shortest moves of one step from a state that show an error of a kind, up to the move that shows it."""
    best: list[Move] | None = None
    for step in interpreter.steps(state):
        for number, move in enumerate(step.moves, 1):
            shown = is_fault(move) if kind == "fault" else any(each == kind for each, _ in move.errors)
            if shown and (best is None or number < len(best)):
                best = list(step.moves[:number])
    if best is None:
        raise Disagreement(f"no step from {state} shows an error of the kind {kind}")
    return best
