"""The paper's method, as it is measured in `benchmarks/symbolic.py --as-published`, on small arbiters."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.as_published import WAYS, searched

import coset
from coset.engines.symbolic.permuting import Permuting, unfolded
from coset.results.verdict import Verdict
from tests.support.paths import MODELS

SIZES = [(3, 1, 873), (2, 2, 8056)]
"""Modules of each priority, priorities, and states (`cases.md`)."""


@pytest.mark.parametrize(("m", "sets", "states"), SIZES)
def test_representatives_stand_for_all_states(m: int, sets: int, states: int) -> None:
    model = coset.load(MODELS / "arbiter.spl", {"m": str(m), "sets": str(sets)})
    counts = []
    for way in WAYS:
        found = searched(model, way)
        encoding, exchanges = found.arbiter.encoding, [each for row in found.arbiter.exchanges for each in row]
        assert [len(modules) for modules in found.arbiter.sets] == [m] * sets
        generators = [Permuting(encoding, exchange.action) for exchange in exchanges]
        assert found.holds and encoding.count(unfolded(found.found, generators)) == states
        counts.append(found.states)
    assert counts[0] == states > counts[1] > counts[2]


@pytest.mark.parametrize(("m", "sets"), [size[:2] for size in SIZES])
def test_representatives_hide_no_violation(m: int, sets: int, tmp_path: Path) -> None:
    """If the elected one does not say so, another may be elected."""
    text, election = (MODELS / "arbiter.spl").read_text("utf-8"), " & !elected -> st := elect || aq := true"
    assert text.count(election) == 1
    broken = tmp_path / "broken.spl"
    broken.write_text(text.replace(election, " -> st := elect"), "utf-8")
    model = coset.load(broken, {"m": str(m), "sets": str(sets)})
    assert coset.check(model, engine="reference", properties=["one"]).verdict is Verdict.VIOLATED
    assert not any(searched(model, way).holds for way in WAYS)
