"""Models that once had a wrong verdict or a wrong count, under every option that could matter.

They were written by people who tried Coset as new users.  What is right was decided by SPIN without its reductions
(`-o1 -o2 -o3`, `-DNOREDUCE`), which is asked again here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

import coset
from coset.engines.settings import Settings
from coset.results.verdict import Verdict
from tests.agreement import REFUSALS, STRATEGIES
from tests.support.confirmation import confirmed
from tests.support.paths import CASES
from tests.support.spin_reference import spin_reference

FOUND = CASES / "found"


@dataclass(frozen=True)
class Right:
    """All states, which of the usual properties are violated, and those of the model's own that are decided.
    `long` is for models with too many states for the interpreter."""

    states: int
    violated: str
    own: tuple[tuple[str, str], ...] = ()
    long: bool = False

    def verdicts(self) -> dict[str, str]:
        usual = {
            name: "violated" if name in self.violated else "holds" for name in ("assertions", "end states", "faults")
        }
        return usual | dict(self.own)


RIGHT = {
    "cube3": Right(153_891, "assertions, end states", (("r", "violated"),), long=True),
    "inl": Right(7, "assertions"),
    "mrg2": Right(11, "assertions, end states"),
    "mrg6": Right(26, "assertions"),
    "opn": Right(16, "end states"),
    "por1": Right(22, "assertions"),
    "por6": Right(18, "assertions"),
    "por9": Right(27, "assertions"),
    "r_end": Right(321, "", (("safe", "holds"),)),
    "r_pet2": Right(20, "end states"),
    "r_pet3": Right(200, ""),
    "r_sort4": Right(65_536, "end states", long=True),
    "r_sum": Right(135, ""),
    "r_sum2": Right(135, ""),
    "r_turn": Right(38, ""),
    "r_turn2": Right(42, ""),
    "rem1": Right(860, "assertions, end states"),
    "vacuous": Right(7, "end states", (("responds", "holds"),)),
}
SYMMETRIC = ("opn", "r_end", "r_pet2", "r_pet3", "r_sort4", "r_sum", "r_turn2", "rem1")
METHODS = ("auto", "program", "channels", "constraints", "hypergraph")


def path_of(name: str) -> Path:
    return FOUND / f"{name}.pml"


def test_every_model_has_its_line() -> None:
    assert {path.stem for path in FOUND.glob("*.pml")} == set(RIGHT)


@pytest.mark.parametrize("name", [name for name, right in RIGHT.items() if not right.long])
def test_spin_says_so(name: str) -> None:
    spin, right = spin_reference(path_of(name)), RIGHT[name].verdicts()
    assert spin.ok and spin.states == RIGHT[name].states
    assert (spin.assertions > 0) == (right["assertions"] == "violated")
    assert (spin.invalid_end_states > 0) == (right["end states"] == "violated")


def assert_verdicts(name: str, engine: str, steps: str, settings: Settings) -> None:
    """The right verdicts, and a run for each violation."""
    model, right = coset.load(path_of(name)), RIGHT[name].verdicts()
    result = coset.check(model, engine=engine, steps=steps, settings=settings, properties=list(right), keep_going=True)
    assert {each.name: each.verdict.value for each in result.properties} == right
    assert not any(each.verdict is Verdict.UNKNOWN for each in result.properties)
    confirmed(model, result)


def long(names: Iterable[str]) -> list[object]:
    """The interpreter looks for the shortest run of `cube3` among 150,000 states, which takes minutes."""
    return [pytest.param(name, marks=[pytest.mark.long] * (name == "cube3")) for name in names]


@pytest.mark.parametrize("name", long(RIGHT))
def test_default(name: str) -> None:
    assert_verdicts(name, "auto", "merged", Settings(symmetry="auto"))


@pytest.mark.parametrize("name", [name for name, right in RIGHT.items() if not right.long])
def test_reference(name: str) -> None:
    assert_verdicts(name, "reference", "plain", Settings())


@pytest.mark.parametrize("symmetry", ["off", "auto"])
@pytest.mark.parametrize("steps", ["plain", "merged"])
@pytest.mark.parametrize("name", RIGHT)
def test_compiled(name: str, steps: str, symmetry: str) -> None:
    assert_verdicts(name, "explicit", steps, Settings(symmetry=symmetry))


@pytest.mark.parametrize("order", ["breadth", "depth"])
@pytest.mark.parametrize("steps", ["plain", "merged"])
@pytest.mark.parametrize("name", [name for name, right in RIGHT.items() if not right.long])
def test_partial_order_reduction(name: str, steps: str, order: str) -> None:
    assert_verdicts(name, "explicit", steps, Settings(order=order, reduction="por"))


@pytest.mark.parametrize("name", ["rem1", "opn", "mrg2", "por6", "por9"])
def test_partial_order_reduction_with_symmetry(name: str) -> None:
    assert_verdicts(name, "explicit", "merged", Settings(symmetry="auto", reduction="por"))


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("name", [name for name in SYMMETRIC if not RIGHT[name].long])
def test_methods(name: str, method: str) -> None:
    try:
        assert_verdicts(name, "explicit", "merged", Settings(symmetry=method))
    except REFUSALS:
        pytest.skip("refused")


@pytest.mark.parametrize("representative", STRATEGIES)
@pytest.mark.parametrize("name", ["cube3", "rem1", "r_end"])
def test_representatives(name: str, representative: str) -> None:
    try:
        assert_verdicts(name, "explicit", "plain", Settings(symmetry="program", representative=representative))
    except REFUSALS:
        assert (name, representative) in {("cube3", "sort"), ("cube3", "local"), ("rem1", "chain")}, "refused"


@pytest.mark.parametrize("representative", ["auto", *STRATEGIES])
@pytest.mark.parametrize("name", ["cube3", *SYMMETRIC])
def test_representatives_stand_for_all_states(name: str, representative: str) -> None:
    settings = Settings(symmetry="program", representative=representative)
    try:
        result = coset.explore(path_of(name), engine="explicit", settings=settings)
    except REFUSALS:
        pytest.skip("refused")
    assert result.complete and "error of Coset" not in (result.symmetry.note or "")
    assert result.represents in (None, RIGHT[name].states)
    assert result.represents is not None or representative in ("auto", "local")


@pytest.mark.parametrize("symmetry", ["off", "program"])
@pytest.mark.parametrize("name", ["mrg2", "mrg6", "por1", "por6", "por9", "r_turn2", "r_pet3", "vacuous"])
def test_symbolic(name: str, symmetry: str) -> None:
    try:
        assert_verdicts(name, "symbolic", "plain", Settings(symmetry=symmetry))
    except REFUSALS:
        pytest.skip("refused")


@pytest.mark.parametrize("storage", ["packed", "states"])
@pytest.mark.parametrize("name", ["mrg2", "mrg6", "por1", "por6", "por9", "rem1"])
def test_threads(name: str, storage: str) -> None:
    assert_verdicts(name, "explicit", "merged", Settings(2, storage=storage, symmetry="auto"))
