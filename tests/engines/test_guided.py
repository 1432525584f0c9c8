"""Runs of the plain model along runs of the merged one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import coset
from coset.engines import guided
from coset.engines.explicit import properties, safety
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.results.trace import replay
from coset.results.verdict import Verdict
from tests.support import promela_random

SEEDS = range(100, 130)

HANDSHAKE = """
chan c = [0] of { byte };
active proctype P() { byte i; i = 1; i = i + 1; c!i; assert(i == 3) }
active proctype Q() { byte j; do :: c?j -> j = j + 1; j = 0 od }
"""
TIMEOUT = """
byte x;
active proctype P() { byte i; i = 2; timeout -> x = i; assert(x == 0) }
active proctype Q() { byte j; j = 1; x == 1; j = 0 }
"""
CHOICE = """
byte x;
active [2] proctype P() { byte i; if :: i = 1 :: i = 2 :: i = 3 fi; i = i + 1; x = x + i; x == 8 -> assert(false) }
"""
"""Only one choice of each process leads to the error."""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[State] | None]:
    """The guided runs that a check finds, as every error is shown by one."""
    found: list[Sequence[State] | None] = []

    def noted(plain: Interpreter, merged: Interpreter, guide: Sequence[State], kind: str) -> Sequence[State] | None:
        found.append(guided.guided_run(plain, merged, guide, kind))
        return found[-1]

    monkeypatch.setattr(properties, "guided_run", noted)
    monkeypatch.setattr(safety, "SHORT_GUIDE", 1e-6)
    monkeypatch.setattr(properties.ExplicitProperties, "quick_run", lambda engine, name: None)
    return found


@pytest.mark.parametrize("text", [HANDSHAKE, TIMEOUT, CHOICE])
@pytest.mark.parametrize("symmetry", ["off", "auto"])
def test_merged_steps_are_followed(text: str, symmetry: str, runs: list[Sequence[State] | None]) -> None:
    model = coset.parse_text(text)
    result = coset.check(model, engine="explicit", symmetry=symmetry, properties=["assertions"])
    (decided,) = result.properties
    assert decided.verdict is Verdict.VIOLATED and runs and all(runs)
    assert decided.trace is not None and replay(model, decided.trace).trace is decided.trace


def test_random_programs(runs: list[Sequence[State] | None]) -> None:
    """Every error of these programs is shown without a search of the plain model, and the interpreter executes each run."""
    for seed in SEEDS:
        coset.check(coset.parse_text(promela_random.generate(seed)), engine="explicit", max_states=20_000)
    assert len(runs) > 20 and all(runs)


def test_a_guide_that_leads_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the budget is not enough, another search shows the error."""
    monkeypatch.setattr(guided, "MOST_STEPS", 1)
    monkeypatch.setattr(safety, "SHORT_GUIDE", 1e-6)
    monkeypatch.setattr(properties.ExplicitProperties, "quick_run", lambda engine, name: None)
    result = coset.check(coset.parse_text(CHOICE), engine="explicit", properties=["assertions"])
    assert result.verdict is Verdict.VIOLATED and result.properties[0].trace is not None
