"""Partial order reduction: fewer states, the same errors and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

import coset
from coset.engines.explicit.ample import ample_locations
from coset.engines.explicit.engine import Engine, Unsupported, search_states
from coset.engines.limits import Limits
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.exploration import Exploration
from tests.expectations import MODELS
from tests.promela_random import generate

PIPELINE = """
chan first = [2] of { byte }; chan second = [2] of { byte };
byte seen, last;
active proctype Source() { byte i; do :: i < 3 -> first!i; i++ :: else -> break od }
active proctype Middle() { byte v; end: do :: first?v; second!v od }
active proctype Sink() { byte v; end: do :: second?v; last = v; seen++ od }
"""

POLLED = PIPELINE + "active proctype Watcher() { end: do :: len(first) == 2 -> last = 9 od }"
SHARED = PIPELINE + "active proctype Thief() { byte v; end: do :: first?v od }"
CYCLE = """
byte turns;
active proctype Idle() { byte i; do :: i = 1 - i od }
active proctype Worker() { turns++; assert(turns < 1) }
"""


def errors(result: Exploration) -> tuple[bool, bool, bool, frozenset[str]]:
    found = result.errors
    return found.assertions > 0, found.invalid_end_states > 0, found.trace > 0, frozenset(found.faults)


def searched(model: Model, partial: bool) -> Exploration:
    result, _ = search_states(Engine(model, Limits(states=100_000), partial=partial), stop_at=0)
    return result


def names(model: Model) -> set[str]:
    """The kinds that have ample locations."""
    return {kind.name for kind, found in zip(model.kinds, ample_locations(model), strict=True) if found}


STRAIGHT = """
chan c = [1] of { byte };
active proctype Sender() { c!1 }
active proctype Receiver() { byte v; c?v }
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", {"Sender", "Receiver"}),
        ("active proctype Other() { byte v; c?v }", {"Sender"}),
        ("active proctype Other() { c!2 }", {"Receiver"}),
        ("active proctype Other() { len(c) == 1 }", set()),
        ("active proctype Other() { timeout }", set()),
        ("ltl p { [] (len(c) < 1) }", set()),
    ],
    ids=["alone", "two receivers", "two senders", "asked about", "timeout", "a property asks"],
)
def test_channels_that_others_use(more: str, expected: set[str]) -> None:
    assert names(coset.parse_text(STRAIGHT + more)) == expected


def test_every_cycle_is_left_now_and_then() -> None:
    """A process that could always move privately must not keep others from moving for ever."""
    model = coset.parse_text(CYCLE)
    assert errors(searched(model, partial=True)) == errors(searched(model, partial=False))
    assert errors(searched(model, partial=True))[0]


@pytest.mark.parametrize("text", [PIPELINE, POLLED, SHARED])
def test_fewer_states_and_the_same_errors(text: str) -> None:
    model = coset.parse_text(text)
    whole, part = searched(model, partial=False), searched(model, partial=True)
    assert errors(whole) == errors(part) and part.states < whole.states


def compare(seeds: Iterable[int]) -> int:
    """How many random programs could be compared."""
    count = 0
    for seed in seeds:
        model = replace(coset.parse_text(generate(seed)), properties=())
        try:
            whole = searched(model, partial=False)
            part = searched(model, partial=True)
        except Unsupported:
            continue
        if whole.complete:
            assert errors(whole) == errors(part), f"seed {seed}"
            assert part.states <= whole.states
            count += 1
    return count


def test_random_programs() -> None:
    assert compare(range(20)) >= 15


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_many_random_programs(first: int) -> None:
    assert compare(range(first, first + 50)) >= 35


POR = Settings(symmetry="auto", reduction="por")


@pytest.mark.parametrize("name", ["alternating_bit", "producer_consumer", "two_phase_commit", "token_ring"])
def test_verdicts_on_models(name: str) -> None:
    path = MODELS / f"{name}.pml"
    expected = {each.name: each.verdict for each in coset.check(path, symmetry="off").properties}
    found = coset.check(path, engine="explicit", settings=POR)
    assert {each.name: each.verdict for each in found.properties} == expected
