"""All errors in single states, each different one with a run to it.

Two errors are the same if they are of one kind at one line of the text; assertions must be the same, too.  All deadlocks
are one error: there are as many ways to be stuck as there are states without successors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from coset.engines.contract import confirmed, reservation_about, safety_result
from coset.model.evaluate import Fault
from coset.model.interpreter import FAULTS, Interpreter, Move, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.properties.kinds import violated_by
from coset.results.exploration import Exploration
from coset.results.trace import from_moves, stuck
from coset.results.verdict import FoundError, PropertyResult, Verdict
from coset.source.budget import Limits, OutOfBudget
from coset.source.text import Span

Key = tuple[str, str, str]
"""Kind, name of the fault or text of the assertion, and place: what makes two errors different."""


class Shown(NamedTuple):
    """An error that is met in a state, and the moves from there that show it."""

    key: Key
    message: str
    span: Span | None
    moves: tuple[Move, ...]


def errors_in(interpreter: Interpreter, state: State) -> Iterator[Shown]:
    """Everything that goes wrong in the steps from a state."""
    nothing = True
    for step in interpreter.steps(state):
        nothing = nothing and interpreter.is_idle(state, step.moves[-1:])
        for number, move in enumerate(step.moves, 1):
            for name, message in move.errors:
                kind = "fault" if name in FAULTS else name
                span = move.edge.span
                place = "" if span is None else f"{span.file}:{span.line}"
                yield Shown((kind, name if kind == "fault" else message, place), message, span, step.moves[:number])
    if nothing and interpreter.is_idle(state, ()) and stuck(interpreter, state):
        yield Shown(("deadlock", "", ""), "invalid end state", None, ())


class Collection:
    """The different errors that have been met so far, each with its shortest run."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.found: dict[Key, tuple[Shown, list[Move]]] = {}

    def add(self, shown: Shown, before: list[Move]) -> None:
        moves = [*before, *shown.moves]
        if shown.key not in self.found or len(moves) < len(self.found[shown.key][1]):
            self.found[shown.key] = (shown, moves)

    def errors(self) -> list[FoundError]:
        """The errors, the shortest run first."""
        model = self.interpreter.model
        found = sorted(self.found.items(), key=lambda item: (len(item[1][1]), item[0]))
        return [
            FoundError(key[0], shown.message, shown.span, from_moves(model, moves, key[0]))
            for key, (shown, moves) in found
        ]


def all_errors(model: Model, limits: Limits) -> list[FoundError]:
    """All different errors, by the interpreter: breadth first, with what led to each state."""
    interpreter = Interpreter(model)
    collection = Collection(interpreter)
    initial = interpreter.initial()
    parents: dict[State, tuple[State, tuple[Move, ...]] | None] = {interpreter.key(initial): None}
    queue = [initial]
    for number, state in enumerate(queue):
        try:
            known = set(collection.found)
            for shown in errors_in(interpreter, state):
                if shown.key not in known:
                    collection.add(shown, path(interpreter, parents, state))
            for step in interpreter.steps(state):
                key = interpreter.key(step.state)
                if not is_fault(step.moves[-1]) and key not in parents:
                    parents[key] = (state, step.moves)
                    queue.append(step.state)
        except Fault as fault:
            collection.add(Shown(("fault", fault.kind, ""), fault.message, None, ()), path(interpreter, parents, state))
        except OutOfBudget:
            break
        if number % 256 == 0 and limits.exceeded(len(parents)) is not None:
            break
    return collection.errors()


def path(
    interpreter: Interpreter, parents: dict[State, tuple[State, tuple[Move, ...]] | None], state: State
) -> list[Move]:
    """The moves that led to a state first."""
    parts: list[tuple[Move, ...]] = []
    link = parents[interpreter.key(state)]
    while link is not None:
        state, moves = link
        parts.append(moves)
        link = parents[interpreter.key(state)]
    return [move for part in reversed(parts) for move in part]


def result(model: Model, name: str, exploration: Exploration, found: Sequence[FoundError]) -> PropertyResult:
    """The verdict on one of the properties that every model has, with all errors that violate it."""
    shown = tuple(each for each in found if violated_by(each.kind) == name)
    for each in shown:
        confirmed(model, each.trace)
    if shown:
        reason = None if exploration.complete else f"there may be more: {exploration.stopped}"
        decided = safety_result(name, Verdict.VIOLATED, exploration, shown[0].trace, reason)
    else:
        verdict = Verdict.HOLDS if exploration.complete else Verdict.UNKNOWN
        decided = safety_result(name, verdict, exploration, reason=reservation_about(exploration))
    return replace(decided, errors=shown)
