"""Searches that go on with what others have found (`runtime/search/transfer_states.h`) count and decide as if they had not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import coset
from coset.engines.explicit import safety
from coset.engines.explicit.engine import Engine
from coset.engines.settings import Settings
from coset.results.trace import replay
from tests.support.narrow_packing import Seen, compare_seed, narrow
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS


@pytest.fixture
def narrowed() -> Iterator[Seen]:
    with narrow() as seen:
        yield seen


LONG = """
short s[24];
active proctype P() { byte k; short n; do :: n < 2000 -> s[k] = (s[k] * 7 + k + n) % 997; k = (k + 1) % 24; n++ od }
active proctype Q() { bit b; do :: b = 1 - b od }
"""
"""The values of its components need more than two words."""


@pytest.mark.parametrize("name, defines, symmetric, words", [
    ("philosophers.pml", {"N": "8"}, False, 1),
    ("philosophers.pml", {"N": "8"}, True, 1),  # a ring
    ("peterson.pml", {"N": "4"}, True, 1),  # columns
    ("email_small.pml", {}, True, 1),  # references in messages
    ("token_ring.pml", {}, False, 1),
    (LONG, {}, False, 4),  # halves
])  # fmt: skip
@pytest.mark.parametrize("threads", [1, 2])
def test_as_many_states(name: str, defines: dict[str, str], symmetric: bool, words: int, threads: int) -> None:
    model = coset.load(MODELS / name, defines=defines) if name.endswith(".pml") else coset.parse_text(name)
    settings, plan = Settings(threads=threads), planned(model) if symmetric else None
    expected, _ = safety.search_states(Engine(model, settings=settings, symmetry=plan), stop_at=0)
    with narrow() as seen:
        engine = Engine(model, settings=settings, symmetry=plan)
        found, _ = safety.search_states(engine, stop_at=0)
        coding = engine.compiled().coding
    assert seen.taken and seen.ended and coding is not None and coding.words >= words
    assert (found.states, found.transitions, found.represents, found.depth) == (
        expected.states, expected.transitions, expected.represents, expected.depth,
    )  # fmt: skip
    assert found.errors == expected.errors


@pytest.mark.parametrize("seed", [2, 1, 3, 5, 7, 9, 14])
def test_random_programs(seed: int) -> None:
    counted, problems = compare_seed(seed)
    assert not problems and counted["went_on"]


DIVIDES = """
byte a, b; byte log[4];
active proctype P() { do :: a < 9 -> a++ :: a == 9 -> a = 0; log[b % 4] = b; b = (b + 1) % 20 od }
active proctype Q() { byte m; do :: m = (m + 7) % 50; assert(m + b != 30); log[0] = m / (m - 21) od }
"""


def test_errors_are_counted_once(narrowed: Seen) -> None:
    """The state in which a value does not fit may have errors, and is expanded again."""
    model = coset.parse_text(DIVIDES)
    expected = coset.explore(model, engine="reference")
    found = coset.explore(model, engine="explicit")
    assert narrowed.taken and (found.states, found.transitions) == (expected.states, expected.transitions)
    assert found.errors == expected.errors and found.errors.assertions > 10 and found.errors.faults


def test_runs_and_all_errors(narrowed: Seen) -> None:
    model = coset.parse_text(DIVIDES)
    settings = Settings(shortest=True, symmetry="auto")
    shown = coset.check(model, engine="explicit", steps="plain", keep_going=True, settings=settings)["assertions"].trace
    alone = coset.check(model, engine="reference", steps="plain", keep_going=True)["assertions"].trace
    assert shown is not None and alone is not None and replay(model, shown).shows_violation and len(shown) == len(alone)
    taken = len(narrowed.taken)
    listed = coset.check(model, engine="explicit", all_errors=True)
    assert len(narrowed.taken) > taken
    expected = coset.check(model, engine="reference", all_errors=True)
    assert {each.name: len(each.errors) for each in listed.properties} == {
        each.name: len(each.errors) for each in expected.properties
    }


def test_partial_order_reduction(narrowed: Seen) -> None:
    model = coset.load(MODELS / "leader_election.pml")
    settings = Settings(reduction="por")
    found = coset.check(model, properties=["assertions", "end states"], engine="explicit", settings=settings)
    assert narrowed.taken and found.verdict.value == "holds"


def test_a_limit_holds_in_a_search_that_goes_on(narrowed: Seen) -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "10"})
    found = coset.explore(model, symmetry="off", max_states=20_000)
    assert narrowed.taken and not found.complete and 20_000 <= found.states < 154_450


def test_a_smaller_memory_is_said(narrowed: Seen) -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "10"})
    found = coset.explore(model, symmetry="off", max_memory=30 << 20)
    assert not found.complete and found.stopped is not None and "memory" in found.stopped
