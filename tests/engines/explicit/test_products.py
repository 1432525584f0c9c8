"""Products with automata and graphs for computation tree logic, on packed states by several threads (`runtime/liveness/`)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset.engines.claim import claim_of
from coset.engines.explicit import branching, cycles
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Stop
from coset.engines.settings import Settings
from coset.model.model import Claim, CtlProperty, LtlProperty, Model
from coset.results.events import Event, Warned
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.tasks.checker import check
from tests.support.ctl_random import load
from tests.support.paths import MODELS
from tests.support.products_random import compare_seed

SEEDS = [1, 2, 5, 9]
"""Programs of both generators, in groups by elements and by columns."""
GRID = """
byte a, b, c;
active proctype P() { do :: a < 40 -> a++ :: b < 40 -> b++ :: c < 40 -> c++ :: a + b + c == 120 -> a = 0 od }
"""
"""41^3 states, and 3 41^2 40 + 1 between a test and an assignment.  All variables grow to 40, and then `a` begins again."""
PROPERTIES = {
    "weak": ("[] <> (a == 0)", False),
    "violated": ("[] (c < 40)", True),
    "marked": ("! ([] <> (a == 3) && [] <> (a == 7))", True),
    "marked, holds": ("! ([] <> (b == 3) && [] <> (a == 7))", False),
    "valid": ("(a == 1) || ! (a == 1)", False),
    "with next": ("[] (a == 3 -> X (a >= 3))", False),
}


def grid(formula: str) -> tuple[Model, LtlProperty]:
    model = coset.parse_text(f"{GRID}ltl p {{ {formula} }}")
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    return model, property_


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs(seed: int) -> None:
    counted, different = compare_seed(seed)
    assert different == [] and counted["same"] == 1


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("flags", ["", "-DMOST_SWEEPS=0 -DFIRST_LOOK=1"], ids=["usual", "no sweeps, many looks"])
def test_threads_and_sweeps_change_nothing(name: str, flags: str, monkeypatch: pytest.MonkeyPatch) -> None:
    formula, is_violated = PROPERTIES[name]
    model, property_ = grid(formula)
    monkeypatch.setenv("COSET_CFLAGS", f"{os.environ['COSET_CFLAGS']} {flags}")
    found = []
    for threads in (1, 2):
        result, trace = cycles.check_property(Engine(model, settings=Settings(threads=threads)), property_)
        assert cycles.violated(result) == is_violated
        if trace is not None:
            assert replay(model, trace).message.endswith("p is violated")
        found.append((result.states, result.transitions))
    assert is_violated or found[0] == found[1]


@pytest.mark.parametrize("flags", ["", "-DMOST_SWEEPS=0"], ids=["sweeps", "predecessors"])
def test_fixpoints_by_sweeps_and_by_predecessors(flags: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    formulas = [
        "AG EF (a == 0)",
        "AF (b == 40)",
        "EG (c < 40)",
        "EX (a == 0)",
        "E[(a < 9) U (b == 9)]",
        "AG EF (b == 0)",
    ]
    model = load(GRID, formulas, tmp_path)
    properties = [each for each in model.properties if isinstance(each, CtlProperty)]
    monkeypatch.setenv("COSET_CFLAGS", f"{os.environ['COSET_CFLAGS']} {flags}")
    for threads in (1, 2):
        decisions = branching.check_properties(Engine(model, settings=Settings(threads=threads)), properties)
        assert [each.holds for each in decisions] == [True, True, False, True, True, False]
        assert {each.states for each in decisions} == {270_642}


def test_a_cycle_that_is_near_ends_a_long_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph is looked at when it has become some times larger."""
    monkeypatch.setenv("COSET_CFLAGS", f"{os.environ['COSET_CFLAGS']} -DFIRST_LOOK=100")
    model = coset.parse_text(GRID.replace("od }", ":: c == 0 -> a = 0 od }") + "ltl p { <> (c == 40) }")
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    result, trace = cycles.check_property(Engine(model), property_)
    assert trace is not None and result.states < 10_000


def test_a_limit_of_states_does_not_hide_a_cycle() -> None:
    model = coset.parse_text(GRID.replace("od }", ":: c == 0 -> a = 0 od }") + "ltl p { <> (c == 40) }")
    assert check(model, engine="explicit", properties=["p"], limits=Limits(5_000)).verdict is Verdict.VIOLATED
    holding, _ = grid("[] <> (a == 0)")
    assert check(holding, engine="explicit", properties=["p"], limits=Limits(5_000)).verdict is Verdict.UNKNOWN


NEVER = """
byte x; active proctype P() { do :: x = (x + 1) % 7 :: x == 3 -> skip od }
never { do :: true :: x == 3 -> goto accept od; accept: do :: x == 3 od }
"""


def test_never_claims_and_progress() -> None:
    model = coset.parse_text(NEVER)
    (claim,) = model.properties
    assert isinstance(claim, Claim)
    for threads in (1, 2):
        result, trace = cycles.check_property(Engine(model, settings=Settings(threads=threads)), claim)
        assert trace is not None and result.stopped == Stop.ERROR
        labelled = coset.parse_text(
            "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> progress: x = 0 od }"
        )
        assert check(labelled, engine="explicit", threads=threads).verdict is Verdict.HOLDS


def test_fairness_searches_depth_first() -> None:
    model = coset.parse_text(
        "bool a; active proctype P() { a = true } active proctype Q() { do :: skip od } ltl p { <> a }"
    )
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    settings = Settings(threads=2)
    assert cycles.violated(cycles.check_property(Engine(model, settings=settings), property_)[0])
    assert not cycles.violated(cycles.check_property(Engine(model, settings=settings), property_, fair=True)[0])


def test_components_of_the_automaton() -> None:
    _, weak = grid("[] <> (a == 0)")
    _, marked = grid("! ([] <> (a == 3) && [] <> (a == 7))")
    assert claim_of(weak).is_weak() and not claim_of(marked).is_weak()
    assert sorted(claim_of(weak).accepting_groups()) == [0, 1]
    assert replace(claim_of(weak), required=2).accepting_groups() == [0, 0]


def told_by(settings: Settings) -> list[str]:
    """The warnings of a check of a property that holds."""
    told: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Warned):
            told.append(event.message)

    model = coset.load(MODELS / "peterson.pml")
    result = check(model, engine="explicit", settings=settings, properties=["someone_enters"], listener=listen)
    assert result.verdict is Verdict.HOLDS
    return told


@pytest.mark.parametrize("storage", ["bits", "fingerprints"])
def test_storages_that_may_omit_states_are_for_errors_only(storage: str) -> None:
    (told,) = told_by(Settings(storage=storage))
    assert "always decided exactly" in told


def test_settings_that_temporal_properties_have() -> None:
    (told,) = told_by(Settings(storage="disk"))
    assert "in memory" in told and told_by(Settings()) == []
