"""Properties by orbit: one member is decided, the others have its verdict, and each violation its own run."""

from __future__ import annotations

from dataclasses import replace

import pytest

import coset
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.internal import Disagreement
from coset.results.trace import replay
from coset.symmetry.property_orbits import Image, PropertyOrbits
from coset.tasks import by_symmetry, checker
from coset.tasks.load import parse_text
from tests.support.orbits_random import compare_branching, compare_seed
from tests.support.paths import ROOT

SEMAPHORE = """
byte y = 1;
active [4] proctype P() { do :: skip; want: atomic { y > 0 -> y-- }; crit: skip; y++ od }
"""
GETS_IN = "[] (P[I]@want -> <> P[I]@crit)"
LEAVES = "[] (P[I]@crit -> <> !P[I]@crit)"


def listed(shape: str, *processes: int) -> str:
    return "".join(f"ltl p{i} {{ {shape.replace('I', str(i))} }}\n" for i in processes)


def conjunction(shape: str, *processes: int) -> str:
    return f"ltl all {{ {' && '.join('(' + shape.replace('I', str(i)) + ')' for i in processes)} }}\n"


def like(model: Model, engine: str = "reference", **options: object) -> dict[str, tuple[str, str | None]]:
    """The verdicts, with the property that each is like; they must be those without symmetry."""
    names = [each.name for each in model.properties]
    found = checker.check(model, engine=engine, settings=Settings(symmetry="auto"), properties=names, **options)  # type: ignore[arg-type]
    alone = checker.check(model, engine=engine, settings=Settings(), properties=names, **options)  # type: ignore[arg-type]
    assert [(each.name, each.verdict) for each in found.properties] == [
        (each.name, each.verdict) for each in alone.properties
    ]
    for each in found.properties:
        if each.trace is not None:
            assert replay(model, each.trace).shows_violation and each.trace.property == each.name
    return {
        each.name: (each.verdict.value, None if each.by_symmetry is None else each.by_symmetry.like)
        for each in found.properties
    }


@pytest.mark.parametrize("engine", ["reference", "explicit", "symbolic"])
def test_one_member_of_each_orbit_is_decided(engine: str) -> None:
    model = parse_text(SEMAPHORE + listed(GETS_IN, 0, 1, 3) + listed(LEAVES, 2).replace("p2", "q2"))
    violated = ("violated", "p0")
    assert like(model, engine) == {
        "p0": ("violated", None), "p1": violated, "p3": violated, "q2": ("holds", None),
    }  # fmt: skip


def test_weak_fairness_is_symmetric() -> None:
    text = SEMAPHORE + listed(GETS_IN, 0, 1) + listed("[] <> (!P[I]@want || y > 0)", 2, 3)
    assert {name: how for name, (_, how) in like(parse_text(text), fair=True).items()} == {
        "p0": None, "p1": "p0", "p2": None, "p3": "p2",
    }  # fmt: skip


def test_a_ring_rotates_its_formulas() -> None:
    ring = """
    chan c[3] = [1] of { bit }; byte done[3];
    active [3] proctype P() { do :: c[_pid]!1 :: c[(_pid + 2) % 3]?1 -> done[_pid] = 1 - done[_pid] od }
    """
    found = like(parse_text(ring + listed("[] (done[I] == 0)", 0, 1, 2)))
    assert [how for _, how in found.values()] == [None, "p0", "p0"]


def test_the_result_tells_how_the_verdict_follows() -> None:
    result = coset.check(parse_text(SEMAPHORE + listed(GETS_IN, 0, 2) + conjunction(LEAVES, 0, 1, 2, 3)))
    assert str(result["p2"].by_symmetry) == "as p0, by symmetry"
    assert result["p2"].by_symmetry is not None and str(result["p2"].by_symmetry.symmetry).startswith("(0 2")
    assert str(result["all"].by_symmetry) == "1 of 4 conjuncts decided, the others by symmetry"
    assert result["p0"].by_symmetry is None


def test_a_quantified_formula_is_decided_for_one_process() -> None:
    """Twelve processes: 53,248 states without the symmetry that moves the others."""
    model = coset.load(ROOT / "models" / "semaphore_mutex.spl", {"n": "12"})
    result = coset.check(model, properties=["gets_in", "can_get_in", "live"], keep_going=True)
    assert {each.name: each.verdict.value for each in result.properties} == {
        "gets_in": "violated", "can_get_in": "holds", "live": "violated",
    }  # fmt: skip
    assert result["gets_in"].states == result["can_get_in"].states == 92


@pytest.mark.parametrize("shape", [GETS_IN, LEAVES, "[] <> P[I]@crit", "X !P[I]@crit"])
@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_a_conjunction_of_temporal_formulas(shape: str, engine: str) -> None:
    like(parse_text(SEMAPHORE + conjunction(shape, 0, 1, 2, 3)), engine)


# --- what must not be an image -------------------------------------------------------------------

UNLIKE = {
    "a process has a line of its own": (
        "byte x[2]; active [2] proctype P() { do :: _pid == 0 -> x[0] = 1 :: skip od }", "[] (x[I] == 0)",
    ),
    "a start value": ("byte x[2] = { 1, 0 }; active [2] proctype P() { do :: skip od }", "[] (x[I] == 0)"),
    "a value before the processes start": (
        "byte x[2]; proctype P(byte me) { do :: x[me] == 1 -> x[me] = 0 od } "
        "init { x[1] = 2; x[1] = 0; atomic { run P(0); run P(1) } }", "[] (x[I] == 0)",
    ),
    "the order of starts": (
        "byte x[2]; proctype P(byte me) { do :: x[me] = 1 od } init { run P(0); run P(1) }", "!((x[1 - I] == 0) U (x[I] == 1))",
    ),
    "an order in the formula": ("byte x[3]; active [3] proctype P() { do :: x[_pid] = 1 od }", "[] (I < 1 || x[I] == 0)"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNLIKE)
@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_what_differs_is_decided_by_itself(what: str, engine: str) -> None:
    text, shape = UNLIKE[what]
    found = like(parse_text(text + "\n" + listed(shape, 0, 1)), engine)
    assert [how for _, how in found.values()] == [None, None], what


def test_conjuncts_that_may_fail_stay_together() -> None:
    text = "byte x[3], i; active [3] proctype P() { do :: i < 9 -> i++ od }\n"
    shape = "[] (i > 2 || x[i] == x[I])"
    model = parse_text(text + conjunction(shape, 0, 1, 2))
    questions = by_symmetry.by_orbit(model, model.properties, Settings(symmetry="auto"), False, lambda event: None)
    assert [each.name for each in questions.asked] == ["all"]


def test_symmetry_off_decides_each() -> None:
    model = parse_text(SEMAPHORE + listed(LEAVES, 0, 1))
    questions = by_symmetry.by_orbit(model, model.properties, Settings(), False, lambda event: None)
    assert [each.name for each in questions.asked] == ["p0", "p1"]


def test_a_wrong_symmetry_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The image of a run is executed, so a symmetry that maps a formula to another one cannot go unnoticed."""
    images = PropertyOrbits.images

    def wrong(self: PropertyOrbits, properties: object) -> dict[str, Image]:
        found = images(self, properties)  # type: ignore[arg-type]
        return {name: replace(image, action=found["p1"].action) for name, image in found.items()}

    monkeypatch.setattr(PropertyOrbits, "images", wrong)
    model = parse_text(SEMAPHORE + listed(GETS_IN, 0, 1, 3))
    with pytest.raises(Disagreement, match="p3: the image of a run"):
        checker.check(model, engine="reference", settings=Settings(symmetry="auto"))


@pytest.mark.parametrize("chunk", [*range(4), *(pytest.param(k, marks=pytest.mark.long) for k in range(4, 100))])
def test_random_formulas_by_orbit(chunk: int) -> None:
    by_orbit = 0
    for seed in range(20 * chunk, 20 * chunk + 20):
        counted, wrong = compare_seed(seed, ("reference", "explicit") if seed % 10 == 0 else ("reference",))
        assert wrong == []
        by_orbit += counted["by orbit"]
    assert by_orbit >= 4


@pytest.mark.parametrize("chunk", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 100))])
def test_random_branching_formulas_by_orbit(chunk: int) -> None:
    by_orbit = 0
    for seed in range(20 * chunk, 20 * chunk + 20):
        is_by_orbit, wrong = compare_branching(seed, "explicit" if seed % 2 else "reference")
        assert wrong == []
        by_orbit += is_by_orbit
    assert by_orbit >= 3


@pytest.mark.parametrize("chunk", [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, 100))])
def test_random_formulas_by_orbit_compiled(chunk: int) -> None:
    for seed in range(3000 + 20 * chunk, 3020 + 20 * chunk):
        assert compare_seed(seed, ("explicit",))[1] == []
