"""Which method `auto` uses, and that it says why."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import coset
from coset.cli import main
from coset.formats.json_output import schema
from tests.support import ids_random
from tests.support.paths import MODELS

NOTHING_BY_TEXT = """\
byte a[3]; byte turn = 7;
active [3] proctype node() {
  do :: a[_pid] = 1 - a[_pid]
     :: turn == 0 -> a[_pid] = _pid
  od
}
"""
"""`1 - a[_pid]` and `_pid` are stored in one array, so a value may be a number or a process; but nobody comes there."""


def asked(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    assert main(["symmetry", str(path), "--json", *options]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema("symmetry"))
    return found


def method(found: dict[str, object]) -> tuple[object, object]:
    group = found["symmetry"]
    assert isinstance(group, dict)
    return group["method"], group["order"]


@pytest.mark.parametrize(
    ("name", "order", "why"),
    [
        ("peterson.pml", 6, "cross-check by method 'constraints': no further symmetry"),
        ("leader_election.pml", 1, "no cross-check by method 'constraints': the processes have more than 120 edges"),
        ("raft_election.pml", 6, "no cross-check by method 'constraints': `(term[2] != term[1])` has too many values"),
        ("two_hop_colouring.csp", 72, "cross-check by method 'constraints': a smaller group (order 8)"),
    ],
)
def test_program_is_used_and_that_is_said(name: str, order: int, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(MODELS / name, capsys)
    assert method(found) == ("program", order)
    assert str(found["why"]).startswith(why)


def test_nobody_wants_to_know_why_if_a_method_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(MODELS / "peterson.pml", capsys, "--symmetry", "program")["why"] is None


def test_constraints_is_used_where_program_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nothing_by_text.pml"
    path.write_text(NOTHING_BY_TEXT)
    assert method(asked(path, capsys, "--symmetry", "program")) == ("program", 1)
    found = asked(path, capsys)
    assert method(found) == ("constraints", 6)
    assert found["why"] == "method 'program' finds none; 'constraints' considers only values that occur"
    explored = coset.explore(path)
    assert (explored.symmetry.method, explored.symmetry.note) == ("constraints", found["why"])
    assert (explored.states, explored.represents) == (4, 8)


def test_why_constraints_for_sequential_models(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(MODELS / "token_circulation.seq", capsys)
    assert method(found) == ("constraints", 6)
    assert "no processes" in str(found["why"])


@pytest.mark.parametrize("seed", [7, 30, 47, *(pytest.param(k, marks=pytest.mark.long) for k in range(200, 300))])
def test_orbits_of_auto_sum_to_all_states(seed: int) -> None:
    model = coset.parse_text(ids_random.generate(seed))
    whole, reduced = coset.explore(model, symmetry="off", engine="reference"), coset.explore(model, engine="reference")
    assert reduced.represents == whole.states
    assert reduced.states <= whole.states
