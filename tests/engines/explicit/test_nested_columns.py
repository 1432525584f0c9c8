"""Wreath products on packed states (`runtime/symmetry/nested_columns.h`): the same orbits as by whole states."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.engines.explicit.emit import numbered
from coset.engines.explicit.emit.columns import NO_COLUMN, ColumnNumbering, number_columns
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.footprints import Footprints
from coset.model.model import Model
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS
from tests.support.quotient import explored
from tests.support.sanitized import ADDRESS, THREAD, build_coded
from tests.support.teams_random import program

RELATED = """
byte friend[9] = 99; byte work = 5;
chan tool1 = [1] of { pid }; chan tool2 = [1] of { pid };
proctype member(chan tool) {
  pid w = 99;
  do
  :: atomic { work > 0 && nfull(tool) -> work--; tool!_pid }
  :: atomic { work > 0 && nempty(tool) -> work--; tool?w; friend[_pid] = w; w = 99 }
  od
}
init { atomic {
  run member(tool1); run member(tool1); run member(tool1); run member(tool1);
  run member(tool2); run member(tool2); run member(tool2); run member(tool2)
} }
"""
"""Members point to one another, so that keys do not tell them apart."""
COMPANIES = """
byte mark[9]; byte work = 4; pid hall = 99;
chan a = [0] of { pid }; chan b = [0] of { pid }; chan c = [0] of { pid }; chan d = [0] of { pid };
chan left = [1] of { pid }; chan right = [1] of { pid };
proctype member(chan team, company) {
  do
  :: atomic { work > 0 && mark[_pid] == 0 -> work--; mark[_pid] = 1 }
  :: atomic { work > 0 && nfull(company) -> work--; company!_pid }
  :: atomic { work > 0 && mark[_pid] == 1 && hall == 99 -> work--; hall = _pid }
  :: atomic { company?eval(_pid) -> mark[_pid] = 0 }
  :: team!_pid
  od
}
init { atomic {
  run member(a, left); run member(a, left); run member(b, left); run member(b, left);
  run member(c, right); run member(c, right); run member(d, right); run member(d, right)
} }
"""
"""Three levels: members of teams of companies."""


@pytest.fixture(autouse=True)
def by_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where all elements could be tried."""
    monkeypatch.setattr(numbered, "LARGEST", 1)


def numbering(model: Model) -> ColumnNumbering:
    engine = Engine(model, symmetry=planned(model))
    coding = engine.estimate.coding(Footprints(engine.layout()))
    assert coding is not None
    found = number_columns(coding, planned(model))
    assert found is not None
    return found


@pytest.mark.parametrize("name, defines", [
    ("three_tiered.pml", {}), ("three_tiered.pml", {"C": "3"}), ("load_balancer.pml", {}), ("load_balancer.pml", {"QUEUE": "1"}),
    ("teams.pml", {}),
])  # fmt: skip
def test_as_many_orbits_as_along_a_chain(name: str, defines: dict[str, str]) -> None:
    model = coset.load(MODELS / name, defines=defines)
    assert numbering(model).is_nested
    compare(model)


@pytest.mark.parametrize("text", [RELATED, COMPANIES, *(program(seed) for seed in (5, 10))])
def test_names_everywhere(text: str) -> None:
    model = coset.parse_text(text)
    assert numbering(model).is_nested
    compare(model)


def compare(model: Model) -> None:
    found, other, every = explored(model), explored(model, representative="chain"), explored(model, symmetry="off")
    assert (found.states, found.represents, found.transitions) == (other.states, every.states, other.transitions)
    assert found.errors == other.errors
    assert explored(model, threads=2).states == other.states


def test_parents_come_first() -> None:
    found = numbering(coset.parse_text(COMPANIES))
    assert [len(family) for family in found.families] == [2, 4, 8]
    assert found.parents == [NO_COLUMN] * 2 + [0, 0, 1, 1] + [2, 2, 3, 3, 4, 4, 5, 5]


@pytest.mark.parametrize("sanitizer, threads", [(ADDRESS, "1"), (THREAD, "2")])
@pytest.mark.parametrize("text", [(MODELS / "load_balancer.pml").read_text(), RELATED, COMPANIES])
def test_clean(text: str, tmp_path: Path, sanitizer: str, threads: str) -> None:
    model = coset.parse_text(text)
    found = build_coded(model, tmp_path, sanitizer, symmetry=planned(model)).run(threads, "0")
    assert found["states"] == explored(model).states
