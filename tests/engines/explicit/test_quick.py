"""The quick tier: its programs count and decide as the interpreter does, and a search that takes long leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.engines.contract import SKIPPED
from coset.engines.explicit import quick, safety
from coset.engines.explicit.compile import compile_model
from coset.engines.explicit.engine import Engine
from coset.engines.reference.engine import explore
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.explicit_cases import CHANNELS, MIXED, WIDE, figures, wide_figures
from tests.support.paths import MODELS

PROGRAMS = sorted(path for path in MODELS.iterdir() if path.suffix in (".pml", ".spl", ".seq"))
FEW = 1500
LONG_WAY = """
byte x, y;
active [3] proctype P() { do :: x < 250 -> x++ :: y < 250 -> y++ :: x > 0 -> x-- od }
active proctype Q() { do :: x == 77 && y == 9 -> assert(false) :: else -> skip od }
"""
"""An error that is found at once depth first, and more states than the quick tier is for."""


@pytest.fixture(autouse=True)
def optimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other than in this folder: both tiers."""
    monkeypatch.delenv("COSET_QUICK", raising=False)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_every_model_is_compiled_and_counted(path: Path) -> None:
    model = coset.load(path)
    engine = Engine(model, begin_quick=True)
    assert engine.quick and engine.compiled().quick, "TinyCC does not compile the program"
    expected = explore(model, Limits(FEW))
    if expected.complete:
        found, _ = safety.search_states(engine, stop_at=0)
        assert figures(found) == figures(expected)


@pytest.mark.parametrize("text", [MIXED, CHANNELS])
def test_both_tiers_count_the_same(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = coset.parse_text(text)
    one = safety.explore(model)
    monkeypatch.setenv("COSET_QUICK", "off")
    assert figures(safety.explore(model)) == figures(one)


def test_a_long_search_leaves_the_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(1000, 5000))
    engine = Engine(coset.parse_text(WIDE), begin_quick=True)
    found, _ = safety.search_states(engine, stop_at=0)
    assert (found.states, found.transitions) == wide_figures(240)
    assert engine.is_long and not engine.quick


def test_without_another_compiler_the_tier_serves_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(1000, 5000))
    found = safety.explore(coset.parse_text(WIDE))
    assert (found.states, found.transitions) == wide_figures(240)


def test_sums_of_orbits() -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "6"})
    symmetry = plan(detect(model))
    assert symmetry is not None
    engine = Engine(model, symmetry=symmetry, begin_quick=True)
    found, _ = safety.search_states(engine, stop_at=0)
    assert engine.quick and found.represents == explore(model).states > found.states


def test_a_group_whose_sums_are_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "3"})
    monkeypatch.setattr(quick, "WIDEST_SUM", 1)
    assert not Engine(model, symmetry=plan(detect(model)), begin_quick=True).quick


@pytest.mark.parametrize("settings", [Settings(storage="states"), Settings(storage="bits")])
def test_what_the_tier_does_not_do(settings: Settings) -> None:
    assert not Engine(coset.parse_text(MIXED), settings=settings, begin_quick=True).quick


def test_a_compiler_that_fails_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coset.engines.explicit.compile.quick_library", lambda *_: None)
    interpreter = Interpreter(coset.parse_text(MIXED))
    engine = Engine(interpreter.model)
    assert not compile_model(interpreter, engine.plan, estimate=engine.estimate, quick=True).quick


def test_what_takes_long_is_left_open_after_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(4000, 40_000))
    model = coset.parse_text(LONG_WAY)
    result = coset.check(model, engine="explicit", symmetry="off")
    assert result["assertions"].verdict is Verdict.VIOLATED
    assert result["end states"].verdict is Verdict.UNKNOWN and result["end states"].reason == SKIPPED
    decided = coset.check(model, engine="explicit", symmetry="off", keep_going=True)
    assert decided["end states"].verdict is Verdict.HOLDS


def test_a_violation_is_kept_while_other_questions_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(4000, 40_000))
    model = coset.parse_text(LONG_WAY + "ltl low { [] (x <= 252) }")
    result = coset.check(model, engine="explicit", symmetry="off")
    assert result["assertions"].verdict is Verdict.VIOLATED
    assert result["end states"].verdict is result["low"].verdict is Verdict.UNKNOWN


def test_runs_are_shortest_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(4000, 40_000))
    model = coset.parse_text(LONG_WAY)
    some, shortest = (
        coset.check(model, properties=["assertions"], engine="explicit", settings=Settings(shortest=wanted))[
            "assertions"
        ].trace
        for wanted in (False, True)
    )
    assert some is not None and shortest is not None
    assert replay(model, some).shows_violation
    assert len(shortest) <= len(some)
