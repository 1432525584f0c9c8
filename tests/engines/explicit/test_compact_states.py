"""Searches whose keys are in compact sets from the first few hundred on find the same states."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.engines.explicit import safety
from coset.engines.explicit.build import machine_flags
from coset.engines.explicit.cycles import check_property
from coset.engines.explicit.engine import Engine
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import LtlProperty, Model
from coset.source.budget import Limits
from tests.support.narrow_packing import narrow
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS

EARLY = "-O0 -DFIRST_WORDS=4096 -DCOMPACT_FROM=200"
"""A first table of 4096 words, as a thread takes 1024 numbers at once."""
HALVES = """
short s[24];
active proctype P() { byte k; short n; do :: n < 2000 -> s[k] = (s[k] * 7 + k + n) % 997; k = (k + 1) % 24; n++ od }
active proctype Q() { bit b; do :: b = 1 - b od }
"""
COUNTERS = """
int a, b;
active proctype P() { do :: a < 400 -> a++ :: a > 3 -> a = a - 3 od }
active proctype Q() { do :: b < 90 -> b = b + 2 :: atomic { b > 80 && b < 95 -> b = 1000 * b } od }
"""
"""Bits in which the first states do not differ appear late."""
CASES = [
    ("philosophers.pml", {"N": "8"}, False),
    ("philosophers.pml", {"N": "10"}, True),
    ("peterson.pml", {"N": "5"}, True),
    ("email_small.pml", {}, False),
    ("dynamic_workers.pml", {}, False),
    ("hypercube.pml", {"K": "2"}, True),
    (HALVES, {}, False),
    (COUNTERS, {}, False),
]


def loaded(name: str, defines: dict[str, str]) -> Model:
    return coset.load(MODELS / name, defines=defines) if name.endswith(".pml") else coset.parse_text(name)


def counts(model: Model, symmetric: bool, settings: Settings) -> tuple[object, ...]:
    engine = Engine(model, settings=settings, symmetry=planned(model) if symmetric else None)
    found, _ = safety.search_states(engine, stop_at=0)
    assert found.states > 5000 and found.complete
    return found.states, found.transitions, found.represents, found.depth, found.errors


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    if machine_flags():  # on other machines all keys stay whole
        assert "-mbmi2" in machine_flags()
    monkeypatch.setenv("COSET_CFLAGS", "-O0")
    return monkeypatch


@pytest.mark.parametrize("name, defines, symmetric", CASES)
def test_as_many_states(name: str, defines: dict[str, str], symmetric: bool, early: pytest.MonkeyPatch) -> None:
    model = loaded(name, defines)
    expected = counts(model, symmetric, Settings())
    early.setenv("COSET_CFLAGS", EARLY)
    assert counts(model, symmetric, Settings()) == expected
    assert counts(model, symmetric, Settings(threads=2)) == expected
    with narrow():
        assert counts(model, symmetric, Settings()) == expected


@pytest.mark.parametrize("name, defines, symmetric", CASES)
def test_depth_first(name: str, defines: dict[str, str], symmetric: bool, early: pytest.MonkeyPatch) -> None:
    model, settings = loaded(name, defines), Settings(order="depth")
    expected = counts(model, symmetric, settings)
    early.setenv("COSET_CFLAGS", EARLY)
    assert counts(model, symmetric, settings) == expected


def test_checkpoints(early: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A checkpoint of whole keys is continued with compact ones, and the other way round."""
    model = loaded("philosophers.pml", {"N": "9"})
    whole = safety.explore(model)
    parts = 0
    for limit in range(4000, 68_000, 7000):
        early.setenv("COSET_CFLAGS", EARLY if parts % 2 else "-O0")
        settings = Settings(checkpoints=Checkpoints(tmp_path, 1000, parts > 0), threads=1 + parts // 2 % 2)
        found = safety.explore(model, Limits(states=limit), settings=settings)
        parts += 1
    assert found.complete and parts > 3
    assert (found.states, found.transitions, found.depth) == (whole.states, whole.transitions, whole.depth)


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("name, defines", [("philosophers_fixed.pml", {}), ("peterson.pml", {"N": "3"})])
def test_cycles(name: str, defines: dict[str, str], fair: bool, early: pytest.MonkeyPatch) -> None:
    model = loaded(name, defines)
    formulas = [each for each in model.properties if isinstance(each, LtlProperty)]
    assert formulas
    for each in formulas:
        expected, _ = check_property(Engine(model), each, fair)
        early.setenv("COSET_CFLAGS", EARLY)
        found, _ = check_property(Engine(model), each, fair)
        early.setenv("COSET_CFLAGS", "-O0")
        assert (found.stopped, found.states, found.transitions) == (
            expected.stopped,
            expected.states,
            expected.transitions,
        )
