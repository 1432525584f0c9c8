"""Columns of packed states are sorted (`runtime/symmetry/by_columns.h`): the same orbits as by all other strategies."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.engines.explicit.emit import columns, numbered
from coset.engines.explicit.emit.columns import ColumnNumbering
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.model.model import Model
from tests.support.numbered_cases import DEAD_START, ENDS, REFERENCES, STARTED, planned
from tests.support.paths import MODELS
from tests.support.quotient import explored
from tests.support.sanitized import ADDRESS, THREAD, build_coded

TWO_FAMILIES = """
byte a[3], b[2]; byte boss = 9, aide = 9;
active [3] proctype P() { do :: a[_pid] < 2 -> a[_pid]++; boss = _pid :: boss == _pid -> a[_pid] = 0; aide = 9 od }
active [2] proctype Q() { do :: b[_pid - 3] < 2 -> b[_pid - 3]++; aide = _pid :: aide == _pid -> b[_pid - 3] = 0; boss = 9 od }
"""
CYCLES = """
byte to[4] = 9;
active [4] proctype P() {
  do :: if :: to[_pid] = 0 :: to[_pid] = 1 :: to[_pid] = 2 :: to[_pid] = 3 fi :: to[_pid] = 9 od
}
"""
"""Where each points to another one, keys do not tell columns apart."""


@pytest.fixture(autouse=True)
def by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all elements could be tried."""
    monkeypatch.setattr(numbered, "LARGEST", 1)


def numbering(model: Model) -> ColumnNumbering | None:
    engine = Engine(model, symmetry=planned(model))
    coding = engine.estimate.coding(Footprints(engine.layout()))
    assert coding is not None
    return columns.number_columns(coding, planned(model))


@pytest.mark.parametrize("name, defines", [
    ("peterson.pml", {"N": "4"}), ("two_phase_commit.pml", {"N": "5"}), ("barrier.pml", {}), ("resource_allocator.pml", {}),
    ("email_symmetric_small.pml", {}), ("raft_election.pml", {}),
])  # fmt: skip
def test_as_many_orbits_as_by_other_strategies(name: str, defines: dict[str, str]) -> None:
    model = coset.load(MODELS / name, defines=defines)
    found, other = explored(model), explored(model, representative="sort")
    assert numbering(model) is not None
    assert (found.states, found.represents, found.transitions) == (other.states, other.represents, other.transitions)
    assert found.errors == other.errors


@pytest.mark.parametrize("text", [REFERENCES, STARTED, TWO_FAMILIES, CYCLES, DEAD_START])
def test_names_of_processes_everywhere(text: str) -> None:
    model = coset.parse_text(text)
    found, every, naive = explored(model), explored(model, symmetry="off"), explored(model, representative="enumerate")
    assert numbering(model) is not None and found.symmetry.group is not None and found.symmetry.group.order > 1
    assert found.states == naive.states and found.represents in (every.states, None)
    assert explored(model, threads=2).states == naive.states


def test_two_families() -> None:
    found = numbering(coset.parse_text(TWO_FAMILIES))
    assert found is not None and found.families == [range(3), range(3, 5)]
    assert [len(row) for row in found.rows] == [2] * 5, "a process and its element of the array"


def test_processes_that_end_and_hold_ids_are_left_to_others() -> None:
    assert numbering(coset.parse_text(ENDS)) is None


def test_many_values_are_left_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    model = coset.load(MODELS / "peterson.pml")
    assert numbering(model) is not None
    monkeypatch.setattr(columns, "MOST_VALUES", 4)
    assert numbering(model) is None
    assert explored(model).represents == 3521


@pytest.mark.parametrize("sanitizer, threads", [(ADDRESS, "1"), (THREAD, "2")])
@pytest.mark.parametrize("text", [(MODELS / "peterson.pml").read_text(), REFERENCES, CYCLES])
def test_clean(text: str, tmp_path: Path, sanitizer: str, threads: str) -> None:
    model = coset.parse_text(text)
    found = build_coded(model, tmp_path, sanitizer, symmetry=planned(model)).run(threads, "0")
    assert found["states"] == explored(model).states
