"""Searches with symmetries that the user gives: certified first, used as the group of the search, refused if wrong."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import coset
from coset.cli import main
from coset.engines.reduction import UnusableSymmetry
from coset.engines.settings import Settings
from coset.source.diagnostics import InputError
from coset.source.text import Source
from coset.tasks.load import parse_text
from coset.tasks.symmetry import symmetry
from tests.support.paths import ROOT
from tests.support.symmetric_random import generate

MODELS = ROOT / "models"
WORKERS = """
byte y = 1, served[4];
active [4] proctype P() { do :: skip; want: atomic { y > 0 -> y-- }; crit: served[_pid] = 1 - served[_pid]; y++ od }
ltl first { [] (P[0]@crit -> <> !P[0]@crit) }
ltl gets_in { [] (P[0]@want -> <> P[0]@crit) }
"""
ENDING = "byte x; active [3] proctype P() { x = 1; x = 2 }"


def given(*lines: str) -> Settings:
    return Settings(symmetry="auto", generators=Source("given.txt", "\n".join(lines) + "\n"))


@pytest.mark.parametrize("engine", ["reference", "explicit", "symbolic"])
@pytest.mark.parametrize(
    ("lines", "order"), [(["(0 1)"], 2), (["(0 1)", "(2 3)"], 4), (["(0 1 2)"], 3), (["(0 1)", "(1 2)", "(2 3)"], 24)]
)
def test_the_group_of_a_search_is_the_given_one(engine: str, lines: list[str], order: int) -> None:
    model = parse_text(WORKERS)
    found = coset.explore(model, engine=engine, settings=given(*lines))
    assert (found.symmetry.method, found.symmetry.group.order) == ("given", order)
    assert found.represents == coset.explore(model, symmetry="off").states
    assert engine == "symbolic" or found.states < found.represents


@pytest.mark.parametrize("engine", ["reference", "explicit", "symbolic"])
def test_verdicts_are_those_without_symmetry(engine: str) -> None:
    model = parse_text(WORKERS)
    found = coset.check(model, engine=engine, settings=given("(0 1 2 3)", "(1 2)"), keep_going=True)
    alone = coset.check(model, engine=engine, symmetry="off", keep_going=True)
    assert [(each.name, each.verdict) for each in found.properties] == [
        (each.name, each.verdict) for each in alone.properties
    ]
    assert found["gets_in"].trace is not None


def test_a_property_leaves_out_what_does_not_preserve_it() -> None:
    model = parse_text(WORKERS)
    found = coset.check(model, settings=given("(0 1)", "(2 3)"), properties=["first"], engine="explicit")
    assert found.exploration.symmetry.group.order == 2
    assert found.exploration.symmetry.note == "1 of 2 given generators preserve what is checked"


def test_a_symmetry_of_merged_steps_only() -> None:
    """Processes end in the order of their numbers, which merged steps do not observe."""
    model = parse_text(ENDING)
    assert coset.check(model, settings=given("(0 1)")).exploration.symmetry.group.order == 2
    assert coset.explore(model, settings=given("(0 1)")).symmetry.group.order == 1
    with pytest.raises(InputError, match=r"\(0 3\)|no object '3'"):
        coset.check(model, settings=given("(0 3)"))


@pytest.mark.parametrize("task", [coset.check, coset.explore])
def test_a_wrong_generator_is_refused_with_a_state(task: object) -> None:
    model = coset.load(MODELS / "philosophers.pml", {"N": "3"})
    with pytest.raises(InputError) as refused:
        task(model, settings=given("(0 1 2)", "(0 1)"))  # type: ignore[operator]
    (found,) = refused.value.diagnostics
    assert found.message.startswith("(0 1) is no symmetry") and found.span is not None and found.span.line == 2
    assert found.notes[-1][0].startswith("it fails in the reachable state taken[2] = 1, ")


def test_what_generators_cannot_be_combined_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "given.txt"
    file.write_text("(0 1 2)\n")
    for arguments, message in (
        (["models/philosophers.pml", "--symmetry", "off"], "no method to choose"),
        (["models/philosophers.pml", "-DN=3", "--fair", "--engine", "symbolic"], "with fairness is not used"),
        (["models/peterson.csp"], "each `#assert` of CSP# has its own processes"),
        (["models/hypercube.seq"], "not for sequential ones"),
    ):
        path = str(ROOT / arguments[0])
        assert main(["check", path, *arguments[1:], "--generators", str(file)]) == 2
        assert message in capsys.readouterr().err
    with pytest.raises(ValueError, match="no method to choose"):
        Settings(symmetry="program", generators=Source("given.txt", "(0 1)"))
    with pytest.raises(UnusableSymmetry):
        coset.check(coset.load(MODELS / "hypercube.seq"), settings=given("(0 1)"))


@pytest.mark.parametrize("seed", range(12))
def test_some_of_the_generators_that_were_found(seed: int) -> None:
    """Any subset generates a group whose orbits add up to all states."""
    model = parse_text(generate(seed))
    known = symmetry(model, ()).found.generators
    if not known:
        pytest.skip("no symmetry")
    some = random.Random(seed).sample(known, random.Random(seed).randint(1, len(known)))
    found = coset.explore(model, settings=given(*some))
    assert found.represents == coset.explore(model, symmetry="off").states
