"""Witnesses: an existential property that holds shows its run, which the interpreter executes; goals end a search."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.model.model import CtlProperty, Model
from coset.properties.goals import is_existential
from coset.results.trace import replay
from coset.results.verdict import PropertyResult, Verdict
from tests.support.ctl_random import load, meaning
from tests.support.promela_random import generate
from tests.support.random_formulas import conditions
from tests.support.spin_claims import plain

COUNTERS = """
byte x, y;
active [2] proctype P() { do :: x < 6 -> x++ :: x > 2 -> x-- :: y < 200 -> y++ :: y > 0 -> y-- od }
"""
SHAPES = ("EF {}", "E[{} U {}]", "!AG {}", "EX {}", "EG {}", "EF EG {}", "E[{} W {}]", "E[{} R {}]", "EF ({} && EX {})")


def found(model: Model, name: str, **options: object) -> PropertyResult:
    return coset.check(model, properties=[name], **options)[name]  # type: ignore[arg-type]


def assert_shown(model: Model, result: PropertyResult) -> None:
    """A witness is a run of the model that shows that the property holds."""
    assert (result.witness is None) or (result.verdict is Verdict.HOLDS and result.trace is None)
    if result.witness is not None:
        run = replay(model, result.witness)
        assert run.trace.kind == "witness" and run.message.endswith(f"{result.name} holds")


@pytest.mark.parametrize("engine", ["auto", "reference", "explicit", "symbolic"])
def test_every_engine_shows_witnesses(engine: str, tmp_path: Path) -> None:
    text = COUNTERS.replace("200", "3")
    formulas = ["EF (x == 4)", "EF (x == 8)", "E[y == 0 U x == 3]", "EX (y == 1)", "EG x < 3", "AG EF x == 0"]
    model = load(text, formulas, tmp_path)
    results = coset.check(model, engine=engine, properties=[f"ctl_{k}" for k in range(1, 7)]).properties
    lengths = [None if each.witness is None else len(each.witness) for each in results]
    assert [each.verdict.value for each in results] == ["holds", "violated", "holds", "violated", "holds", "violated"]
    assert lengths[0] == 8 and lengths[2] == 6 and lengths[1] is lengths[3] is lengths[5] is None
    assert results[4].witness is not None and results[4].witness.loop_start is not None
    for each in results:
        assert_shown(model, each)


def test_a_goal_search_stops_when_it_finds_one(tmp_path: Path) -> None:
    model = load(COUNTERS, ["EF (x == 4)", "E[y == 0 U x == 3]"], tmp_path)
    everything = coset.explore(model).states
    for name in ("ctl_1", "ctl_2"):
        assert found(model, name, engine="explicit").states * 10 < everything


def test_the_image_of_a_witness_is_one(tmp_path: Path) -> None:
    text = "bool at[3]; active [3] proctype P() { do :: at[_pid] = true; at[_pid] = false od }"
    model = load(text, [f"EF at[{k}]" for k in range(3)], tmp_path)
    results = coset.check(model).properties
    assert any(each.by_symmetry is not None for each in results)
    for each in results[-3:]:
        assert each.witness is not None
        assert_shown(model, each)


@pytest.mark.parametrize("engine", ["auto", "reference", "explicit"])
def test_a_goal_before_a_runtime_error_is_reached(engine: str, tmp_path: Path) -> None:
    """In branching time the state before a fault counts, although no run goes on from it."""
    text = "byte x, y; active proctype P() { x = 1; y = 1 / (x - 1) }"
    model = load(text, ["EF (x == 1)", "EF (y == 1)"], tmp_path)
    first, second = (found(model, name, engine=engine) for name in ("ctl_1", "ctl_2"))
    assert first.verdict is Verdict.HOLDS and first.witness is not None and len(first.witness) == 1
    assert second.verdict is Verdict.VIOLATED
    assert_shown(model, first)


def compare(seed: int, folder: Path) -> int:
    """Random existential formulas on a random program: verdicts as defined, and every witness is executed."""
    chance, text = random.Random(seed), plain(generate(seed))
    bare = coset.parse_text(text)
    atoms = conditions(bare)
    if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=600).complete:
        return 0
    formulas = [shape.format(*(f"({chance.choice(atoms)})" for _ in range(2))) for shape in SHAPES]
    model = load(text, formulas, folder)
    expected, shown = meaning(model), 0
    for engine, symmetry in (("auto", "auto"), ("explicit", "auto"), ("explicit", "off")):
        try:
            results = coset.check(model, engine=engine, symmetry=symmetry, properties=list(expected), keep_going=True)
        except Unsupported:
            continue
        for each, property_ in zip(results.properties, model.properties[-len(formulas) :], strict=True):
            assert isinstance(property_, CtlProperty)
            assert (each.verdict is Verdict.HOLDS) == expected[each.name], (seed, engine, property_.text)
            assert_shown(model, each)
            if each.verdict is Verdict.HOLDS and each.by_symmetry is None:
                assert not is_existential(property_.formula) or each.witness is not None, (seed, property_.text)
            shown += each.witness is not None
    return shown


def test_random_programs(tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(6)) > 8


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_many_random_programs(first: int, tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(first, first + 50)) > 100
