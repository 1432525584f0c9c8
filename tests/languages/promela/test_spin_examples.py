"""SPIN's own examples: the same states and transitions as SPIN, no exception.

The examples come with Debian's spin package.  Those whose space SPIN cannot finish within the limit are only loaded.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.model.validate import validate
from tests.support.spin_examples import ABORTED, EMBEDDED_C, EXAMPLES, MANY, REJECTED, examples, is_large
from tests.support.spin_reference import spin_reference

LIMIT = 200_000


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.long] * (path.name in MANY), id=str(path.relative_to(EXAMPLES)))
        for path in examples()
    ],
)
def test_example(path: Path) -> None:
    if EMBEDDED_C.search(path.read_text(errors="replace")):
        with pytest.raises(coset.InputError, match="U001"):
            coset.load(path)
        return
    if path.name in REJECTED:
        assert not spin_reference(path).accepted
        with pytest.raises(coset.InputError, match="S013"):
            coset.load(path)
        return
    model = coset.load(path)
    assert validate(model) == []
    if is_large(path) or path.name in ABORTED:
        return
    spin = spin_reference(path, seconds=60)
    assert spin.accepted and spin.status == "ok" and spin.states <= LIMIT
    result = coset.explore(model, engine="reference", symmetry="off")
    assert (result.states, result.transitions) == (spin.states, spin.transitions)
    assert result.errors.assertions == spin.assertions
    assert result.errors.invalid_end_states == spin.invalid_end_states


def test_a_channel_that_is_none_is_reported() -> None:
    result = coset.explore(EXAMPLES / "wordcount.pml", engine="reference", symmetry="off")
    assert result.errors.faults == {"channel": 1}
