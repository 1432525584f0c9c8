"""Variables of several processes of one kind that hold interchangeable channels are exchanged together with these."""

from __future__ import annotations

import pytest

from coset.model.interpreter import is_fault
from coset.symmetry.certify import Behaviour, check
from coset.symmetry.methods.program.detect import detect
from coset.tasks.load import parse_text
from tests.support.references_random import generate, problems_of

DISPATCH = """
chan q0 = [1] of { pid }; chan q1 = [1] of { pid };
proctype D(chan a, b) { do :: a!_pid :: b!_pid od }
proctype W(chan in) { pid who; do :: in?who -> who = 0 od }
init { atomic { run D(FIRST); run D(SECOND); run W(q0); run W(q1) } }
"""


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (DISPATCH.replace("FIRST", "q0, q1").replace("SECOND", "q0, q1"), 4),
        (DISPATCH.replace("FIRST", "q0, q1").replace("SECOND", "q1, q0"), 4),
        (DISPATCH.replace("FIRST", "q0, q1").replace("SECOND", "q0, q0"), 1),
        (
            DISPATCH.replace("FIRST", "q0, q1")
            .replace("SECOND", "q0, q1")
            .replace(":: b!_pid", ":: empty(a) -> b!_pid"),
            2,
        ),
        (DISPATCH.replace("FIRST", "q0, q1").replace("SECOND", "q0, q1").replace(":: b!_pid", ":: b!_pid :: a = b"), 2),
        (
            DISPATCH.replace("FIRST", "q0, q1")
            .replace("SECOND", "q0, q1")
            .replace(":: b!_pid", ":: b!_pid :: q0!_pid"),
            2,
        ),
    ],
)
def test_orders(text: str, order: int) -> None:
    model = parse_text(text)
    assert detect(model).order == order
    assert problems_of(model)[1] == []


@pytest.mark.parametrize("seed", [*range(10), *(pytest.param(k, marks=pytest.mark.long) for k in range(10, 400))])
def test_random_programs(seed: int) -> None:
    model = parse_text(generate(seed))
    _, wrong = problems_of(model)
    assert wrong == []


@pytest.mark.parametrize("seed", range(40, 60))
def test_generators_commute_with_the_moves_of_every_state(seed: int) -> None:
    """By brute force, on all reachable states of small programs."""
    found = detect(parse_text(generate(seed)))
    assert found.points is not None
    interpreter = found.points.interpreter
    reached = dict.fromkeys(found.points.started.states)
    pending = list(reached)
    for state in pending:
        for step in interpreter.steps(state):
            if not is_fault(step.moves[-1]) and step.state not in reached:
                reached[step.state] = None
                pending.append(step.state)
        if len(pending) > 400:
            break
    behaviour = Behaviour(interpreter)
    for state in pending[:400]:
        for action in found.actions:
            check(behaviour, action, (state, None))
