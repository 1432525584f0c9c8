"""The Murphi models of `models/` have the counts and groups that their head comments tell; the counts are Rumur's where it
reads the model."""

from __future__ import annotations

import re

import pytest

import coset
from coset.model.validate import validate
from coset.symmetry.methods.program.detect import detect
from tests.support.expectations import Expectation, expectations
from tests.support.paths import MODELS

PATHS = sorted(MODELS.glob("*.m"))
SMALL = 5000


@pytest.mark.parametrize("expected", [each for path in PATHS for each in expectations(path)], ids=str)
def test_counts(expected: Expectation) -> None:
    wanted = dict(expected.counts)
    engine = "reference" if wanted["states"] < SMALL else "explicit"
    found = coset.explore(expected.path, engine=engine, defines=dict(expected.defines), symmetry="off")
    assert found.complete
    assert wanted == {
        "states": found.states,
        "transitions": found.transitions,
        "assertions": found.errors.assertions,
        "invalid_end_states": found.errors.invalid_end_states,
    }


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_group(path) -> None:  # type: ignore[no-untyped-def]
    model = coset.load(path)
    assert validate(model) == []
    (order,) = re.findall(r"^ \* group: (\d+)$", path.read_text(), re.MULTILINE)
    assert detect(model).group.order == int(order)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_properties(path) -> None:  # type: ignore[no-untyped-def]
    expected = dict(re.findall(r"^ \* property (\w+): (\w+)$", path.read_text(), re.MULTILINE))
    found = coset.check(path)
    assert {each.name: each.verdict.value for each in found.properties if each.kind in ("ltl", "ctl")} == expected


def test_there_are_models() -> None:
    assert len(PATHS) >= 3
