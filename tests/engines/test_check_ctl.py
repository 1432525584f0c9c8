"""Computation tree logic on models: both engines against the definition of each operator on the interpreter's graph."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset import check
from coset.model.model import Model
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError
from tests.support.ctl_random import LIGHTS, STATED, formula, load, meaning, verdicts
from tests.support.paths import MODELS
from tests.support.promela_random import generate
from tests.support.random_formulas import conditions
from tests.support.spin_claims import plain

ENGINES = [("reference", 1), ("explicit", 1), ("explicit", 2)]


@pytest.mark.parametrize(("engine", "threads"), ENGINES)
def test_stated_verdicts(engine: str, threads: int, tmp_path: Path) -> None:
    model = load(LIGHTS, list(STATED), tmp_path)
    found = verdicts(model, engine, threads)
    assert found == meaning(model)
    assert ["holds" if holds else "violated" for holds in found.values()] == list(STATED.values())


def random_case(seed: int, number: int, folder: Path) -> Model | None:
    """A random program with random formulas; None if it is too large or has no variable to speak of."""
    chance, text = random.Random(seed), plain(generate(seed))
    bare = coset.parse_text(text)
    atoms = conditions(bare)
    if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=600).complete:
        return None
    return load(text, [formula(chance, atoms, chance.randint(1, 6)) for _ in range(number)], folder)


def assert_meaning(seeds: Sequence[int], number: int, folder: Path) -> None:
    seen = set()
    for seed in seeds:
        model = random_case(seed, number, folder)
        if model is not None:
            expected = meaning(model)
            seen |= set(expected.values())
            assert verdicts(model, "reference", 1) == expected, seed
            assert verdicts(model, "explicit", 1 + seed % 2) == expected, seed
    assert seen == {True, False}


@pytest.mark.parametrize("first", [0, 6])
def test_random_formulas_on_random_programs(first: int, tmp_path: Path) -> None:
    assert_meaning(range(first, first + 6), 4, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_many_random_formulas_on_random_programs(first: int, tmp_path: Path) -> None:
    assert_meaning(range(first, first + 50), 6, tmp_path)


@pytest.mark.parametrize(("engine", "threads"), ENGINES)
def test_a_condition_without_a_value_is_reported(engine: str, threads: int, tmp_path: Path) -> None:
    text = "byte a[2]; byte i; active proctype P() { do :: i < 3 -> i++ od }"
    model = load(text, ["AG a[i] == 0", "AF a[i] > i", "AF i == 3", "AG (i < 2 -> a[i] == 0)"], tmp_path)
    result = check(model, engine=engine, threads=threads, properties=[each.name for each in model.properties])
    assert [each.verdict for each in result.properties[2:]] == [Verdict.HOLDS, Verdict.HOLDS]
    for each in result.properties[:2]:
        assert each.verdict is Verdict.UNKNOWN and each.trace is None
        assert "has no value in a reachable state" in (each.reason or "") and "a[i]" in (each.reason or "")


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_what_leaves_it_open(engine: str, tmp_path: Path) -> None:
    model = load("byte x, y; active [2] proctype P() { do :: x++ :: y++ od }", ["EF x == 200"], tmp_path)
    few = check(model, engine=engine, properties=["ctl_1"], max_states=1000).properties[0]
    assert few.verdict is Verdict.UNKNOWN and "--max-states" in (few.reason or "")
    nested = load("byte x, y; active [2] proctype P() { do :: x++ :: y++ od }", ["AF EG (x < 200)"], tmp_path)
    fair = check(nested, engine=engine, properties=["ctl_1"], fair=True, max_states=90_000).properties[0]
    assert (fair.verdict is Verdict.UNKNOWN and "fairness" in (fair.reason or "")) == (engine == "explicit")


@pytest.mark.parametrize(
    ("formula", "place", "code"),
    [
        ("AG", "--ctl:1:3", "C001"),
        ("AG ([] x)", "--ctl:1:5", "C001"),
        ("EF x == 1 && AG\n  undeclared", "--ctl:2:3", "N001"),
        ("E[x U x == y]", "--ctl:1:12", "N001"),
        ("AG P@nowhere", "--ctl:1:4", "N004"),
        ("AG always_x", "--ctl:1:4", "C002"),
    ],
)
def test_mistakes_are_located_in_the_formula(formula: str, place: str, code: str, tmp_path: Path) -> None:
    text = "#define always_x ([] x)\nbyte x; active proctype P() { here: x = 1 }"
    with pytest.raises(InputError) as caught:
        load(text, ["AF x == 1", formula], tmp_path)
    assert [(str(each.span), each.code) for each in caught.value.diagnostics] == [(place, code)]


def test_formulas_become_properties_of_the_model(tmp_path: Path) -> None:
    text = "byte ctl_1; ltl p { [] (ctl_1 == 0) } active proctype P() { byte x; skip }"
    model = load(text, ["AG (ctl_1 == 0 && P[0]:x == 0)", "true"], tmp_path)
    assert [each.name for each in model.properties] == ["p", "ctl_2", "ctl_3"]
    assert "ctl ctl_2 { AG (ctl_1 == 0 && P[0]:x == 0) }" in str(model)


INTO_A_FAULT = "byte a[2], x; active proctype P() { x = 3; a[x] = 1; x = 1 }"


@pytest.mark.parametrize("engine", ["reference", "explicit", "symbolic"])
def test_a_state_that_only_a_fault_follows_is_an_end(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(INTO_A_FAULT)
    found = coset.check(path, ctl=["AF x == 1", "EF x == 3"], engine=engine)
    assert [each.verdict.value for each in found.properties] == ["violated", "holds"]
    assert found.properties[0].trace is not None


@pytest.mark.parametrize("engine", ["reference", "explicit", "symbolic"])
def test_in_linear_time_a_run_into_a_fault_is_no_run(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(INTO_A_FAULT)
    (found,) = coset.check(path, ltl=["<> (x == 1)"], engine=engine).properties
    assert found.verdict.value == ("unknown" if engine == "symbolic" else "holds")


def test_the_reference_engine_decides_what_needs_a_graph_with_fairness(tmp_path: Path) -> None:
    """Where the engine is chosen, not where it was asked for."""
    text = (MODELS / "peterson.pml").read_text().partition("ltl exclusion")[0]
    path = tmp_path / "peterson.pml"
    path.write_text(text)
    model = coset.load(path, defines={"N": "3"}, ctl=["AF EG (inside == 0)", "AG EF (inside == 1)"])
    chosen, asked = (check(model, engine=engine, fair=True) for engine in ("auto", "explicit"))
    assert [chosen[name].verdict for name in ("ctl_1", "ctl_2")] == [Verdict.VIOLATED, Verdict.HOLDS]
    assert [asked[name].verdict for name in ("ctl_1", "ctl_2")] == [Verdict.UNKNOWN, Verdict.HOLDS]
