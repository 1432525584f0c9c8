"""Decision diagrams beside a search that is very long."""

from __future__ import annotations

import pytest

import coset
from coset.engines import choose
from coset.engines.explicit import engine
from coset.results.verdict import Verdict

GRID = """
byte a, b, c;
active proctype P() {{
  do :: a < 19 -> a++ :: b < 19 -> b++ :: c < 19 -> c++ :: else -> break od;
  assert(a + b + c {});
}}
"""
"""30,803 states, and the assertion is in the last one."""


@pytest.fixture(autouse=True)
def optimised_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_QUICK", "off")
    monkeypatch.setattr(engine, "LONG_SEARCH", 5_000)


@pytest.mark.parametrize(("claim", "verdict"), [("== 57", Verdict.HOLDS), ("< 57", Verdict.VIOLATED)])
def test_diagrams_answer(claim: str, verdict: Verdict) -> None:
    model = coset.parse_text(GRID.format(claim))
    found = coset.check(model)
    assert found.engine == "symbolic" and found.verdict is verdict
    assert found.exploration.states == coset.explore(model, engine="explicit").represents
    assert found.exploration.steps == "plain" and found.exploration.symmetry.representative is None
    assert (found.properties[0].trace is not None) == (verdict is Verdict.VIOLATED)


@pytest.mark.parametrize(("claim", "verdict"), [("== 57", Verdict.HOLDS), ("< 57", Verdict.VIOLATED)])
def test_the_search_goes_on_if_diagrams_are_too_large(
    claim: str, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = coset.parse_text(GRID.format(claim))
    expected = coset.check(model, engine="explicit")
    monkeypatch.setattr(choose, "MOST_NODES", 10)
    found = coset.check(model)
    assert found.engine == "explicit" and found.verdict is expected.verdict is verdict
    assert found.exploration.states == expected.exploration.states


def test_a_limit_of_states_is_for_the_search() -> None:
    found = coset.check(coset.parse_text(GRID.format("== 57")), max_states=8_000, symmetry="off")
    assert found.engine == "explicit" and found.verdict is Verdict.UNKNOWN


def test_an_engine_that_is_asked_for_by_name_has_no_alternative() -> None:
    assert coset.check(coset.parse_text(GRID.format("== 57")), engine="explicit").engine == "explicit"
