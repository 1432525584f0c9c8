"""A depth-first search beside a long breadth-first search for errors."""

from __future__ import annotations

import threading

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.engines.explicit import deep_search, properties, quick
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.trace import replay
from coset.results.verdict import Check, Verdict
from coset.source.budget import Budget, OutOfBudget, installed

DEEP = """
short n; byte noise[4];
active [4] proctype N() {{ do :: noise[_pid] = (noise[_pid] + 1) % 5 od }}
active proctype P() {{ do :: n < 900 -> n++ :: else -> break od; assert({claim}) }}
"""
"""A counter that ends at a depth of 900, with 625 states for each step on the way: 563,750 states."""
SUM = " + ".join(f"noise[{number}]" for number in range(4))
WRONG, RIGHT = DEEP.format(claim=f"{SUM} != 16"), DEEP.format(claim=f"{SUM} < 17")


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimised program takes over after 500 states, and its companion is made after 5,000."""
    monkeypatch.delenv("COSET_QUICK", raising=False)
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(500, 5000))
    monkeypatch.setattr(quick, "PATIENCE", 1)
    monkeypatch.setattr(quick, "EXTENDED", 1)
    monkeypatch.setattr(deep_search, "MADE_AFTER", 5_000)
    monkeypatch.setattr(deep_search, "FIRST_QUESTION", 20_000)
    monkeypatch.setattr(properties, "usable_cores", lambda: 2)


def checked(model: Model) -> Check:
    return coset.check(
        model, properties=["assertions"], engine="explicit", symmetry="off", settings=Settings(reduction="none")
    )


def test_an_error_is_found_depth_first() -> None:
    model = coset.parse_text(WRONG)
    result = checked(model)
    assert result.verdict is Verdict.VIOLATED
    trace = result["assertions"].trace
    assert trace is not None and len(trace) > 900 and replay(model, trace).last
    assert result.exploration.states < 100_000, "the breadth-first search found it"


def test_the_counts_of_a_search_without_errors_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with_companion = checked(coset.parse_text(RIGHT))
    monkeypatch.setattr(properties, "usable_cores", lambda: 1)
    alone = checked(coset.parse_text(RIGHT))
    assert with_companion.verdict is alone.verdict is Verdict.HOLDS
    assert with_companion.exploration.states == alone.exploration.states > 500_000
    assert with_companion.exploration.transitions == alone.exploration.transitions


def test_a_companion_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*unused: object) -> object:
        raise Unsupported("no such instruction")

    monkeypatch.setattr(deep_search, "compile_model", fails)
    with pytest.raises(Unsupported, match="no such instruction"):
        checked(coset.parse_text(RIGHT))


def test_it_ends_with_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the other search, no thread is left."""
    before = threading.active_count()
    made = threading.Event()

    def waits(*unused: object) -> object:
        made.set()
        budget.cancel()
        raise OutOfBudget

    budget = Budget()
    monkeypatch.setattr(deep_search, "compile_model", waits)
    with installed(budget):
        result = checked(coset.parse_text(RIGHT))
    assert made.is_set() and result.verdict is Verdict.UNKNOWN
    assert threading.active_count() == before
