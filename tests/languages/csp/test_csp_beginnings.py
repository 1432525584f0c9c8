"""What is done before the sides of `|||` exist: started sides are bisimilar to one automaton, and symmetric from then on."""

from __future__ import annotations

import pytest

from coset.languages.csp import beginning
from coset.languages.csp.load import load_suite
from coset.model import model as m
from coset.model.suite import Suite
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from tests.support import csp_beginnings_random
from tests.support.bisimulation import Graph, bisimilar, graph
from tests.support.csp_random import few_locations
from tests.support.quotient import explored
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

INIT = """
#define N 8;
var x[N]; var n = 0;
A(i) = [x[i] == 0] a.i{x[i] = 1; n = n + 1;} -> b.i{x[i] = 0; n = n - 1;} -> c.i -> d.i -> A(i);
I() = start -> Skip;
S() = I(); (||| i:{0..N-1} @ A(i));
#assert S() deadlockfree;
"""
LIMIT = 3000


def suite_of(text: str, most_joined: int, patch: pytest.MonkeyPatch) -> Suite | None:
    patch.setattr(beginning, "MOST_JOINED", most_joined)
    with few_locations():
        return load_suite(Source("m.csp", text), {}, Diagnostics())


def observed(model: m.Model) -> Graph | None:
    """The graph of all states, with the values of variables and the contents of channels."""
    found = graph(model, {variable.name for variable in model.variables if variable.name != "ended"}, LIMIT)
    if found is not None:
        found.labels = [(label[0], label[1]) for label in found.labels]  # type: ignore[index]
    return found


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (INIT, 40320),
        (INIT.replace("I(); (|||", "start -> (|||"), 40320),
        (INIT.replace("I() = start -> Skip", "I() = []k:{0..1}@(start{n = k;} -> Skip)"), 40320),
        (INIT.replace("I() = start -> Skip", "I() = start{x[0] = 1;} -> Skip"), 5040),
        (INIT.replace("I() = start -> Skip", "I() = []k:{0..7}@(start{x[k] = 1;} -> Skip)"), 40320),
        (INIT.replace("I() = start -> Skip", "I() = ;k:{0..7}@(start.k{x[k] = 1;} -> Skip)"), 40320),
    ],
    ids=["sequence", "prefix", "choice", "one is different", "any one is different", "one after the other"],
)
def test_sides_are_started(text: str, order: int) -> None:
    """One automaton of eight sides would be too large."""
    suite = load_suite(Source("m.csp", text), {}, Diagnostics())
    assert suite is not None and len(suite.models[0].processes) == 1 and len(suite.models[0].kinds) == 2
    assert detect(suite.models[0]).order == order


def test_sums_are_exact() -> None:
    suite = load_suite(Source("m.csp", INIT), {"N": "6"}, Diagnostics())
    assert suite is not None
    plain, reduced = (explored(suite.models[0], symmetry=each) for each in ("off", "program"))
    assert reduced.represents == plain.states == 1 + 4**6


def test_small_systems_are_one_automaton() -> None:
    suite = load_suite(Source("m.csp", INIT), {"N": "3"}, Diagnostics())
    assert suite is not None and len(suite.models[0].kinds) == 1


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(100, 2100), marks=pytest.mark.long)], ids=str)
def test_random_beginnings(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strongly bisimilar, with variables, channels and the last event observed; and by brute force with symmetry."""
    started = 0
    for seed in seeds:
        text = csp_beginnings_random.generate(seed)
        sides, whole = suite_of(text, 0, monkeypatch), suite_of(text, 1 << 62, monkeypatch)
        if sides is None or whole is None or not any(model.kinds[1:] for model in sides.models):
            assert sides is not None or whole is None, text
            continue
        for one, other in zip(sides.models, whole.models, strict=True):
            left, right = observed(one), observed(other)
            if left is None or right is None:
                continue
            assert bisimilar(left, right, stuttering=False), text
            assert left.errors == right.errors, text
            started += 1
        try:
            compared(sides.models[0])
        except TooLarge:
            continue
    assert started > len(seeds) // 3
