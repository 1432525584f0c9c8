"""A second opinion on symmetries of a sequential model, by its meaning: permute, then step, is step, then permute.

They are tried on the first states and on states of random runs; where the whole space is small, on all of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from coset.model.sequential.interpreter import SequentialInterpreter
from coset.model.sequential_model import SequentialModel
from coset.symmetry.literal_action import LiteralAction, State

MOST_STATES = 2000
LONGEST_RUN = 40
SEED = 2013


class UncertifiedError(Exception):
    """A generator that does not keep what it must: an internal error, and a symmetry that must not be used."""


def certify(model: SequentialModel, actions: Sequence[LiteralAction], moves: int) -> int:
    """Try the generators on reachable states for about so many tried steps, on one state at least; the number of states is
    returned.  Raises `UncertifiedError`."""
    if not actions:
        return 0
    interpreter = SequentialInterpreter(model)
    made, tried = 0, 0
    for state in sampled(interpreter, random.Random(SEED)):
        for action in actions:
            made += 1 + check(interpreter, action, state)
        tried += 1
        if tried >= MOST_STATES or made > moves:
            break
    return tried


def check(interpreter: SequentialInterpreter, action: LiteralAction, state: State) -> int:
    """That the action keeps the steps from one state, what goes wrong in it, and what can be asked of it; how many steps
    were tried, possible or not."""
    image = action.on_state(state)
    steps = Counter((event, action.on_state(successor)) for event, successor in interpreter.steps(state))
    if steps != Counter(interpreter.steps(image)):
        raise UncertifiedError(f"the steps from {state} are not those from its image {image}")
    if interpreter.faults(state) != interpreter.faults(image):
        raise UncertifiedError(f"not the same goes wrong in {state} and in its image {image}")
    if [bool(x([*state])) for x in interpreter.conditions] != [bool(x([*image])) for x in interpreter.conditions]:
        raise UncertifiedError(f"a condition tells {state} from its image {image}")
    if interpreter.observable(state) != interpreter.observable(image):
        raise UncertifiedError(f"only one of {state} and its image {image} can be observed")
    if is_start(interpreter.model, state) != is_start(interpreter.model, image):
        raise UncertifiedError(f"only one of {state} and its image {image} is a first state")
    return interpreter.trials(state) + interpreter.trials(image)


def is_start(model: SequentialModel, state: State) -> bool:
    return any(all(a is None or a == b for a, b in zip(start, state, strict=True)) for start in model.starts)


def sampled(interpreter: SequentialInterpreter, rng: random.Random) -> Iterator[State]:
    """Reachable states, each once, from random first states on random ways; no more if nothing new is found for long."""
    model, ways = interpreter.model, dict[State, list[State]]()
    domains = [range(variable.domain.low, variable.domain.high + 1) for variable, _ in model.elements]
    idle = 0
    while idle < LONGEST_RUN:
        start = rng.choice(model.starts)
        state = tuple(rng.choice(domain) if x is None else x for x, domain in zip(start, domains, strict=True))
        idle += 1
        for _ in range(LONGEST_RUN):
            if state not in ways:
                ways[state] = [successor for _, successor in interpreter.steps(state)]
                idle = 0
                yield state
            if not ways[state]:
                break
            state = rng.choice(ways[state])
