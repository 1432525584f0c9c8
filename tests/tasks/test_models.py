"""Every shipped model has the counts that its head comment tells; the comments were written from SPIN's figures."""

from __future__ import annotations

import pytest

import coset
from coset.model.validate import validate
from tests.support.expectations import Expectation, all_expectations
from tests.support.paths import MODELS

MANY = 12_000
"""States that the interpreter takes long for; the compiled engine counts them in `test_explicit`, and this in check-all."""


@pytest.mark.parametrize(
    "expected",
    [
        pytest.param(each, marks=[pytest.mark.long] if dict(each.counts)["states"] > MANY else [], id=str(each))
        for each in all_expectations()
    ],
)
def test_counts(expected: Expectation) -> None:
    result = coset.explore(expected.path, engine="reference", defines=dict(expected.defines), symmetry="off")
    found = {
        "states": result.states,
        "transitions": result.transitions,
        "assertions": result.errors.assertions,
        "invalid_end_states": result.errors.invalid_end_states,
    }
    assert result.complete
    assert found == dict(expected.counts)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_model_is_well_formed(path) -> None:  # type: ignore[no-untyped-def]
    assert validate(coset.load(path)) == []


def test_nearly_every_model_states_an_expectation() -> None:
    silent = {path.name for path in MODELS.glob("*.pml")} - {x.path.name for x in all_expectations(large=True)}
    assert silent <= {"email.pml", "email_symmetric.pml"}, "their spaces are beyond SPIN"
