"""What is done to a model so that its symmetry shows: ids that name nobody yet, and processes that stay at their ends."""

from __future__ import annotations

import pytest

import coset
from coset.model.model import GONE, Model
from coset.model.passes import merged
from coset.model.validate import validate
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.null_dead_ids import null_dead_ids

ENDING = "byte x; active [3] proctype P() { x++; x-- }"

WAITING = """
byte flag[3];
active [3] proctype P() {
  byte j;
  do
  :: atomic { if :: j = 0 :: j = 1 :: j = 2 fi; flag[j] == 0 && j != _pid; flag[j] = 1 }; flag[j] = 0
  od
}
"""


def order(model: Model) -> int:
    return detect(model, ()).order


def dies(model: Model) -> bool:
    return any(edge.target == GONE for kind in model.kinds for _, edge in kind.edges())


def test_ends_that_nobody_notices() -> None:
    model = coset.parse_text(ENDING)
    assert order(model) == 1 and dies(model)
    staying = keep_terminated(model)
    assert not dies(staying) and order(staying) == 6 and not validate(staying)


@pytest.mark.parametrize(
    "observer",
    [
        "active proctype Q() { _nr_pr < 4 }",
        "active proctype Q() { P[0]:y == 1 }",
        "active proctype Q() { do :: run R() :: break od } proctype R() { skip }",
        "active proctype Q() { enabled(0) }",
        "ltl p { [] (_nr_pr > 1) }",
    ],
)
def test_ends_that_may_be_noticed(observer: str) -> None:
    text = f"byte x; active [3] proctype P() {{ byte y; x++; x-- }} {observer}"
    assert dies(keep_terminated(coset.parse_text(text)))


def test_a_label_at_the_end_may_be_asked_for() -> None:
    text = "byte x; active [2] proctype P() {{ {} x++; x--; {} }} active proctype Q() {{ P[0]@here }}"
    assert not dies(keep_terminated(coset.parse_text(text.format("here:", ""))))


def test_ids_that_are_dead_at_the_start() -> None:
    model = coset.parse_text(WAITING)
    assert (
        order(model) == 2 and order(null_dead_ids(model)) == 6 and order(merged(null_dead_ids(model), marks=False)) == 6
    )


def test_ids_that_are_read_first_stay() -> None:
    model = coset.parse_text(WAITING.replace("do\n", "flag[j] == 0; do\n"))
    assert null_dead_ids(model) is model


@pytest.mark.parametrize("text", [ENDING, WAITING, ENDING + " ltl done { <> (x == 0) }"])
def test_verdicts_stay(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("prepared") / "m.pml"
    path.write_text(text)
    plain, reduced = (coset.check(path, engine="explicit", symmetry=each) for each in ("off", "auto"))
    assert [(p.name, p.verdict) for p in plain.properties] == [(p.name, p.verdict) for p in reduced.properties]
    assert reduced.exploration.states < plain.exploration.states
