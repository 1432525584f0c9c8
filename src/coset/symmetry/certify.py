"""A second opinion on every symmetry, by a road of its own: the meaning of the model.

Whatever found a symmetry g, it must map the started states to themselves (dead values apart), and in every reachable state s
permute-then-move must be move-then-permute: the moves from g(s) are the images of the moves from s, with the same errors, and
the conditions of the property hold in both or in neither.  This is tried move by move, also where a process holds
control, on the first states of a breadth-first search and on those of random runs.  In a state of many processes only some are
looked at, those first that the symmetry moves.  A symmetry that fails is an error of Coset, reported and never used.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice

from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.symmetry.action import Action

BREADTH, RUNS, LENGTH, MOST_MOVES = 60, 4, 25, 400
ALL, SOME = 12, 6
"""So many processes are all looked at; of more, so many that the symmetry moves, and so many others."""

MOVES = 20_000
"""Moves that are compared before it is enough: about half a second."""

Situation = tuple[State, int | None]
"""A state, and the process that holds control."""
Outcomes = dict[tuple[State, int | None, tuple[str, ...]], int]
"""Where moves lead, who holds control then, and the kinds of their errors: how many moves there are of each."""
Mover = tuple[str, int | None]
"""Who moves: a process with its number, or the holder of control, which may be none."""


class NotASymmetry(Exception):
    """A permutation that is no symmetry of the model, with a state that shows it."""


def certify(actions: Sequence[Action], conditions: Sequence[e.Expr] = (), moves: int = MOVES) -> int:
    """Try symmetries on reachable states; on how many all of them were tried, one at least.  It ends after so many moves, so
    that it tries the same states on every machine.  Raises `NotASymmetry`."""
    if not actions:
        return 0
    points = actions[0].points
    interpreter, started = points.interpreter, points.started
    for action in actions:
        if not started.is_kept_by(interpreter.model, action):
            raise NotASymmetry(f"{action} does not keep the state in which all processes have been started")
    truth = [interpreter.evaluation.expression(condition) for condition in conditions]
    behaviour = Behaviour(interpreter)
    made, tried = 0, 0
    for situation in sample(interpreter, started.states):
        for action in actions:
            made += 1 + check(behaviour, action, situation)
            for evaluator, condition in zip(truth, conditions, strict=True):
                state = situation[0]
                if value(interpreter, evaluator, state) != value(interpreter, evaluator, action(state)):
                    raise NotASymmetry(f"{action} changes the truth of '{condition}'")
            if tried and made > moves:
                return tried
        tried += 1
        if made > moves:
            break
    return tried


def certify_steps(actions: Sequence[Action], moves: int = MOVES) -> None:
    """The same for whole steps between observable states: for symmetries that single moves inside of an atomic sequence do not
    show, as they were found on a summary of it (`loop_summaries`).  Raises `NotASymmetry`."""
    made = 0
    for state, holder in sample(actions[0].points.interpreter, actions[0].points.started.states) if actions else ():
        if holder is not None:
            continue
        for action in actions:
            interpreter = action.points.interpreter
            found = step_outcomes(interpreter, state, action)
            if found != step_outcomes(interpreter, action(state), None):
                raise NotASymmetry(f"{action} does not commute with the steps from a reachable state")
            made += 1 + 2 * found.total()
        if made > moves:
            break


def step_outcomes(interpreter: Interpreter, state: State, action: Callable[[State], State] | None) -> Counter[Hashable]:
    """Where steps lead, with the kinds of their errors; as they are, or as a symmetry makes them."""
    found: Counter[Hashable] = Counter()
    for step in islice(interpreter.steps(state), MOST_MOVES):
        kinds = tuple(sorted(kind for move in step.moves for kind, _ in move.errors))
        target = None if is_fault(step.moves[-1]) else step.state if action is None else action(step.state)
        found[target, kinds] += 1
    return found if found.total() < MOST_MOVES else Counter()


class Behaviour:
    """The outcomes of moves.  They are kept, as each symmetry is tried on the same states, and many images are among these."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.known: dict[State, dict[Mover, Outcomes]] = {}

    def at(self, state: State, movers: Sequence[Mover]) -> list[Outcomes]:
        """Of each of some movers in a state."""
        known = self.known.setdefault(state, {})
        for mover in movers:
            if mover not in known:
                known[mover] = outcomes(self.moves(state, *mover))
        return [known[mover] for mover in movers]

    def moves(self, state: State, what: str, number: int | None) -> Iterator[Move]:
        if what == "process":
            assert number is not None
            return self.interpreter.moves_of(state, number, timeout=False)
        return self.interpreter.moves(state, number)


def check(behaviour: Behaviour, action: Action, situation: Situation) -> int:
    """Whether the moves from the image are the images of the moves; how many of them were compared."""
    state, holder = situation
    made = 0
    image = action(state)
    movers: list[Mover] = [("holder", holder)]
    if holder is None and len(state.processes) > ALL:
        movers = [("process", number) for number in some_processes(action, state)]
    theirs = behaviour.at(image, [(what, moved(action, number)) for what, number in movers])
    for mine, other in zip(behaviour.at(state, movers), theirs, strict=True):
        if images(mine, action) != other:
            raise NotASymmetry(f"{action} does not commute with the moves from a reachable state")
        made += 2 * sum(mine.values())
    if behaviour.interpreter.valid_end(image) != behaviour.interpreter.valid_end(state):
        raise NotASymmetry(f"{action} maps a valid end state to an invalid one, or the other way round")
    return made


def moved(action: Action, holder: int | None) -> int | None:
    return None if holder is None else action.process.get(holder, holder)


def some_processes(action: Action, state: State) -> list[int]:
    """Some that the symmetry moves, and some that it does not."""
    everyone = range(len(state.processes))
    moving = [number for number in everyone if action.process.get(number, number) != number]
    resting = [number for number in everyone if action.process.get(number, number) == number]
    return [*moving[:SOME], *random.Random(1).sample(resting, min(SOME, len(resting)))]


def outcomes(moves: Iterable[Move]) -> Outcomes:
    """What follows from some moves; nothing if there are too many."""
    found: Outcomes = {}
    for move in islice(moves, MOST_MOVES):
        outcome = move.state, move.holder, tuple(sorted(kind for kind, _ in move.errors)) if move.errors else ()
        found[outcome] = found.get(outcome, 0) + 1
    return found if sum(found.values()) < MOST_MOVES else {}


def images(found: Outcomes, action: Action) -> Outcomes:
    """Outcomes as a symmetry makes them."""
    return {(action(state), moved(action, holder), kinds): count for (state, holder, kinds), count in found.items()}


def value(interpreter: Interpreter, evaluator: object, state: State) -> object:
    """The truth of a condition of a property, or that it has none."""
    now = interpreter.moment(state, -1)
    now.own = ()
    try:
        return bool(evaluator(now))  # type: ignore[operator]
    except Fault as fault:
        return fault.kind


def sample(interpreter: Interpreter, states: Iterable[State]) -> Iterator[Situation]:
    """Some situations that can be reached from the started ones: the nearest, and those of a few random runs."""
    queue: list[Situation] = [(state, None) for state in dict.fromkeys(states)]
    seen = set(queue)
    for situation in queue:
        yield situation
        if len(queue) < BREADTH:
            for following in islice(after(interpreter, situation), BREADTH):
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
    rng = random.Random(1)
    for _ in range(RUNS):
        situation = queue[0]
        for _ in range(LENGTH):
            options = list(islice(after(interpreter, situation), MOST_MOVES))
            if not options:
                break
            situation = rng.choice(options)
            if situation not in seen:
                seen.add(situation)
                yield situation


def after(interpreter: Interpreter, situation: Situation) -> Iterator[Situation]:
    """Where one move leads; who holds control and is stuck loses it."""
    state, holder = situation
    has_moved = False
    for move in interpreter.moves(state, holder):
        has_moved = True
        if not is_fault(move):
            yield move.state, move.holder
    if not has_moved and holder is not None:
        yield state, None
