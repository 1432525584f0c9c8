"""Whether a model with loops or choices as single steps has the observable states and steps of the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator

import coset
from coset.model import model as m
from coset.model.interpreter import Interpreter, is_fault
from coset.model.state import State
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.passes import merged_for_symmetry
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared, states_of


def outcomes(interpreter: Interpreter, state: State) -> Counter[Hashable]:
    return Counter(
        (
            None if is_fault(step.moves[-1]) else step.state,
            tuple(sorted(kind for move in step.moves for kind, _ in move.errors)),
        )
        for step in interpreter.steps(state)
    )


def same_steps(model: m.Model, read_as: Callable[[m.Model], m.Model] = summarised) -> bool:
    """By definition, on all states; whether there was anything to compare."""
    summary = read_as(model)
    if summary is model:
        return False
    written, read = Interpreter(model), Interpreter(summary)
    states = states_of(written)
    assert states_of(read) == states
    for state in states:
        assert outcomes(written, state) == outcomes(read, state), state
        assert written.valid_end(state) == read.valid_end(state)
    return True


def orders(
    generate: Callable[[int], str], seeds: Iterable[int], read_as: Callable[[m.Model], m.Model] = summarised
) -> Iterator[tuple[bool, int]]:
    """Random programs, plain and merged, by brute force on all states: the steps are the same, and so is what a search of the
    quotient finds.  For each: whether it was read otherwise than it is written, and the order of its group."""
    for seed in seeds:
        plain = coset.parse_text(generate(seed))
        for model in (plain, merged_for_symmetry(plain, marks=False)):
            try:
                yield same_steps(model, read_as), compared(model, counts=False).used.group.order
            except TooLarge:
                continue
