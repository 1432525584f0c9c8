"""`coset plan`: estimates against models whose counts are known, and what is advised."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest

import coset
from coset.cli import main
from coset.formats.json_output import schema
from coset.results.plan import Range, Way
from coset.tasks import plan as task
from coset.tasks.growth import estimated_states
from tests.support.paths import MODELS

KNOWN = {
    ("philosophers", "N=9"): 46_763,
    ("philosophers", "N=11"): 510_116,
    ("peterson", "N=4"): 90_721,
    ("two_phase_commit", "N=6"): 0,
    ("email_small", ""): 6_491,
    ("email_featured", ""): 23_256,
}
"""States of the plain models without symmetry; 0: counted by the test."""
PARTS = (0.05, 0.15, 0.4)
"""Parts of the states that the trial may visit."""
BRACKETED = 0.8
"""The part of the estimates that have to be right."""


def test_estimates_bracket_the_truth() -> None:
    """Most of them: levels of Peterson's algorithm are no bell.  Where there is no upper estimate, that counts as right, but not
    for more than half of them."""
    right = is_open = tried = 0
    for (name, define), known in KNOWN.items():
        defines = dict([define.split("=")]) if define else {}
        model = coset.load(MODELS / f"{name}.pml", defines=defines)
        states = known or coset.explore(model, engine="explicit", symmetry="off").states
        for part in PARTS:
            found = task.plan(model, symmetry="off", steps="plain", trial_states=int(states * part))
            assert not found.complete and found.seen <= found.states.low <= states
            tried += 1
            right += found.states.has(states)
            is_open += found.states.high is None
    assert right >= BRACKETED * tried and is_open <= tried / 2, (right, is_open, tried)


def test_small_models_are_counted() -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "6"})
    expected = coset.explore(model, engine="explicit")
    found = task.plan(model, steps="plain")
    assert found.complete and found.states == Range(expected.states, expected.states)
    assert found.transitions.low == expected.transitions and found.take == "" and "small" in found.advice


def test_estimates_of_levels() -> None:
    assert estimated_states([1, 2, 3]) == Range(6, None)
    assert estimated_states([3**k for k in range(12)]).high is None
    shrinking = estimated_states([10, 100, 500, 900, 700, 300, 80, 12])
    assert shrinking.low >= 2602 and shrinking.high is not None and shrinking.high < 2700


def way(fits: bool | None) -> Way:
    return Way("", f"--{fits}", Range(0, 0), Range(0, 0), Range(0, 0), fits)


@pytest.mark.parametrize(
    ("memory", "disk", "cluster", "taken"),
    [
        (True, True, True, 0),
        (None, True, True, 1),
        (False, None, True, 1),
        (False, False, None, 2),
        (False, False, False, None),
    ],
)
def test_advice(memory: bool | None, disk: bool | None, cluster: bool | None, taken: int | None) -> None:
    ways = [replace(way(fits), option=str(k)) for k, fits in enumerate((memory, disk, cluster))]
    trial = task.Trial([1], 1, 1, 8, 1.0, False)
    advice, take = task.advised(ways, trial, 1)
    assert advice and take == ("" if taken is None else str(taken))


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["plan", str(MODELS / "philosophers.pml"), "-D", "N=8", "--symmetry", "off", "--machines", "4"]
    monkeypatch.setattr(task, "TRIAL", 2_000)
    for more in ((), ("--steps", "plain")):
        assert main([*arguments, *more, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        jsonschema.Draft202012Validator(schema("plan")).validate(document)
    assert document["machines"] == 4 and document["seen"] >= 2_000 and not document["complete"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "4 machines of 24 processors" in shown and "memory:" in shown
