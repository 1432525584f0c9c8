"""SPIN's own examples: the same states and transitions as SPIN, no exception.

The examples come with Debian's spin package.  Those whose space SPIN cannot finish within the limit are only loaded.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coset
from coset.model.checker import check
from tests.spin_reference import spin_reference

EXAMPLES = Path("/usr/share/doc/spin/examples/Examples")
LIMIT = 200_000
EMBEDDED_C = re.compile(r"\bc_(code|expr|decl|state|track)\b")
ABORTED = {"wordcount.pml"}
"""SPIN's verifier gives up in the first state: a channel is used that is none.  We report the fault."""
REJECTED = {"patterns.pml"}
"""SPIN rejects it too: Debian's SPIN has no `next`, and one formula has `&` for `&&`."""
LARGE = {
    "App.F.pftp.pml", "p108.pml", "p337.pftp.ses.pml", "p347.pftp.ses5.pml", "ex_6.pml", "leader.pml",
    "leader_pre.pml", "ltl_gen.pml", "petersonN.pml", "LTL/pftp.pml", "cambridge.pml", "dtp.pml", "life.pml",
    "priorities.pml", "sort.pml",
}  # fmt: skip
"""More than 200,000 states (or no end) in SPIN itself; `make check-all` makes sure."""


def examples() -> list[Path]:
    found = sorted(EXAMPLES.rglob("*.pml"))
    assert found, "Debian's spin package with its examples is needed: apt-get install spin"
    return found


def is_large(path: Path) -> bool:
    return path.name in LARGE or f"{path.parent.name}/{path.name}" in LARGE


@pytest.mark.parametrize("path", examples(), ids=lambda path: str(path.relative_to(EXAMPLES)))
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
    assert check(model) == []
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
