"""Runs of the plain model along runs of the merged one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset.engines import guided
from coset.engines.explicit import cycles, properties, safety
from coset.engines.explicit.seam import Result
from coset.engines.lasso import Lasso
from coset.model.interpreter import Interpreter
from coset.model.model import LtlProperty
from coset.model.state import State
from coset.results.trace import replay
from coset.results.verdict import Verdict
from tests.support import products_random, promela_random

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


@pytest.fixture
def lassos(monkeypatch: pytest.MonkeyPatch) -> list[Lasso | None]:
    """The guided lassos that a check finds, where no short one is looked for."""
    found: list[Lasso | None] = []

    def noted(plain: Interpreter, merged: Interpreter, guide: Lasso) -> Lasso | None:
        found.append(guided.guided_lasso(plain, merged, guide))
        return found[-1]

    monkeypatch.setattr(properties, "guided_lasso", noted)
    monkeypatch.setattr(cycles, "SHORT_LASSO", 0)
    monkeypatch.setattr(cycles.Evidence, "shortest", lambda *_: (Result(), None))
    return found


COUNTS = """
byte x, y;
active proctype P() { byte i, n; do :: n < 3 -> i = n; n = n + 1; x = 1 - x :: n == 3 -> n = 0; y = (y + 1) % 2 od }
active proctype Q() { byte j; do :: x == 1 -> j = j + 1; j = 0 od }
ltl never_again { <> [] (y == 0) }
ltl stops { <> [] (x == 0 && y == 1) }
"""
ENDS = "byte x; active [2] proctype P() { byte i; i = 1; i = i + 1; x = x + i; i = 0 } ltl grows { [] <> (x != 4) }"


@pytest.mark.parametrize("text", [COUNTS, ENDS])
@pytest.mark.parametrize("symmetry", ["off", "auto"])
def test_cycles_are_followed(text: str, symmetry: str, lassos: list[Lasso | None]) -> None:
    model = coset.parse_text(text)
    names = [each.name for each in model.properties]
    result = coset.check(model, engine="explicit", symmetry=symmetry, properties=names, keep_going=True)
    assert all(each.verdict is Verdict.VIOLATED for each in result.properties)
    assert len(lassos) == len(names) and all(lassos)
    for each in result.properties:
        assert each.trace is not None and replay(model, each.trace).message.endswith("is violated")


def test_cycles_of_random_programs(lassos: list[Lasso | None], tmp_path: Path) -> None:
    """Those that are found are executed; nearly all are."""
    for seed in range(200, 230):
        model = products_random.program(seed, tmp_path)
        names = [each.name for each in model.properties if isinstance(each, LtlProperty)] if model is not None else []
        if model is None or not names:
            continue
        result = coset.check(model, engine="explicit", properties=names, keep_going=True)
        expected = coset.check(model, engine="reference", properties=names, keep_going=True)
        assert [each.verdict for each in result.properties] == [each.verdict for each in expected.properties]
    assert len(lassos) > 10 and sum(each is not None for each in lassos) > 0.9 * len(lassos)
