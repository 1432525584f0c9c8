"""Models with errors, and naive ways to find runs that show them.

Each model under `cases/errors` and `cases/lassos` says in its first line what is wrong with it:

    /* error: assertion line 7 */     /* error: deadlock */     /* error: ltl p1 */
"""

from __future__ import annotations

import functools
import random
import re
from dataclasses import dataclass
from pathlib import Path

import coset
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Move, Step, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.trace import ReplayError, Run, Trace, from_moves, options, replay, shortest_safety_trace
from tests.support.paths import CASES

ERRORS = sorted((CASES / "errors").glob("*.pml"))
LASSOS = sorted((CASES / "lassos").glob("*.pml"))
DEEPEST = 8


@dataclass(frozen=True)
class Expected:
    """What the first line of a model says."""

    kind: str
    line: int | None
    name: str | None


def expected(path: Path) -> Expected:
    found = re.match(r"/\* error: (\w+)(?: line (\d+)| (\w+))? \*/\n", path.read_text())
    assert found is not None, f"{path}: no expectation in the first line"
    return Expected(found[1], int(found[2]) if found[2] else None, found[3])


@functools.lru_cache
def run_of(path: Path) -> Run:
    """The run that shows the error of a model."""
    wanted, model = expected(path), coset.load(path)
    if wanted.name is None:
        trace = shortest_safety_trace(model, wanted.kind)
    else:
        trace = shortest_lasso(model, wanted.kind, wanted.name)
    assert trace is not None, f"{path}: no error was found"
    return replay(model, trace)


def shortest_lasso(model: Model, kind: str, name: str) -> Trace | None:
    """A run that violates a property, by trying all runs up to some length; `replay` is the judge."""
    interpreter = Interpreter(model)
    for depth in range(DEEPEST):
        found = attempts(interpreter, kind, name, [interpreter.initial()], [], depth)
        if found is not None:
            return found
    return None


def attempts(
    interpreter: Interpreter, kind: str, name: str, path: list[State], steps: list[Step], depth: int
) -> Trace | None:
    model = interpreter.model
    moves = [move for step in steps for move in step.moves]

    def attempt(moves: list[Move], loop_start: int | None) -> Trace | None:
        trace = from_moves(model, moves, kind, name, loop_start)
        try:
            replay(model, trace)
        except ReplayError:
            return None
        return trace

    found = attempt(moves, None)
    nothing = True
    for step in interpreter.steps(path[-1]):
        nothing = False
        if found is not None:
            break
        if step.state in path:
            start = sum(len(earlier.moves) for earlier in steps[: path.index(step.state)])
            found = attempt([*moves, *step.moves], start)
        elif depth > 0:
            found = attempts(interpreter, kind, name, [*path, step.state], [*steps, step], depth - 1)
    return attempt(moves, len(moves)) if nothing and found is None else found


def random_run(model: Model, seed: str, length: int) -> Run:
    """A run that shows nothing in particular; it ends before the first fault."""
    interpreter, chance = Interpreter(model), random.Random(seed)
    state, holder = interpreter.initial(), None
    moves: list[Move] = []
    while len(moves) < length:
        try:
            possible = [move for move in options(interpreter, state, holder) if not is_fault(move)]
        except Fault:
            break
        if not possible:
            break
        moves.append(chance.choice(possible))
        state, holder = moves[-1].state, moves[-1].holder
    return replay(model, from_moves(model, moves, "run"))
