"""Copies of a process in CSP#: `|||{n}@P` is n interchangeable processes, and counting them, as PAT does, gives their orbits."""

from __future__ import annotations

import pytest

from coset.languages.csp.load import load_suite
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.model.suite import Suite
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from tests.support import csp_copies_random
from tests.support.csp_random import few_locations, labelled_model, merged
from tests.support.quotient import explored
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared, states_of

QUEUE = "S = |||{4}@(a -> b -> Stop);\n#assert S deadlockfree;"
SHARED = """
var n = 0;
P() = [n < 3] a{n = n + 1;} -> b -> c{n = n - 1;} -> d -> P();
S() = |||{5}@P();
#assert S() deadlockfree;
"""


def suite_of(text: str) -> Suite | None:
    with few_locations():
        return load_suite(Source("m.csp", text), {}, Diagnostics())


def model_of(text: str) -> Model:
    suite = suite_of(text)
    assert suite is not None
    return suite.models[0]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (QUEUE, 24),
        (SHARED, 120),
        (SHARED.replace("|||{5}", "|||i:{0..4}"), 120),
        (QUEUE.replace("Stop", "Skip"), 24),
        (QUEUE.replace("S =", "P(i) = e.i -> P(i); S = (|||i:{0..1}@(|||{2}@P(i))) ||| "), 8 * 24),
        ("channel c 0; S = (|||{3}@(c!1 -> Stop)) ||| |||{2}@(c?x -> Stop);\n#assert S deadlockfree;", 12),
    ],
)
def test_orders(text: str, order: int) -> None:
    assert detect(model_of(text)).order == order


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_the_quotient_is_what_pat_counts(engine: str) -> None:
    """PAT has 40 states of five copies: it counts how many are where."""
    found = explored(model_of(SHARED), engine)
    assert (found.states, found.represents) == (40, 832)


def test_many_copies_are_one_automaton() -> None:
    model = model_of(QUEUE.replace("{4}", "{33}").replace("b -> ", ""))
    assert len(model.processes) == 1 and len(model.kinds[0].locations) == 34


def test_graphs_without_symmetry_count_copies() -> None:
    """`deterministic` is decided on the whole graph."""
    suite = suite_of("S = |||{4}@(a -> b -> Stop);\n#assert S deadlockfree;\n#assert S deterministic;")
    assert suite is not None
    processes, counted = suite.models
    assert (len(processes.processes), len(counted.processes)) == (4, 1)
    assert len(counted.kinds[0].locations) == 15  # 4 copies in 3 places


def counted(model: Model, state: State) -> object:
    """The state with equal processes counted."""
    state = merged(model, state)
    return state._replace(processes=tuple(sorted(state.processes)))


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(100, 2100), marks=pytest.mark.long)], ids=str)
def test_random_copies(seeds: range) -> None:
    """By brute force on all states, and against an automaton that counts copies: it has one state for each orbit."""
    reduced = compared_counts = 0
    for seed in seeds:
        text = csp_copies_random.generate(seed)
        suite = suite_of(text)
        if suite is None:
            continue
        model = suite.models[0]
        try:
            for counts in (True, False):
                found = compared(model, counts)
            states = states_of(Interpreter(model))
        except TooLarge:
            continue
        reduced += found.symmetry is not None
        if "System = |||{" in text and text.count("|||") == 1 and "ended" not in {v.name for v in model.variables}:
            by_count = labelled_model(text)
            compared_counts += 1
            assert len({counted(model, state) for state in states}) == len(states_of(Interpreter(by_count))), text
    assert reduced > len(seeds) // 3 and compared_counts > len(seeds) // 10
