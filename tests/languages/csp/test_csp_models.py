"""Shipped CSP# models: counts, groups, verdicts; the naive reference finds the same states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coset
from coset.model.validate import validate
from coset.results.trace import replay
from coset.symmetry.methods.program.detect import detect
from coset.tasks import check as check_task
from coset.tasks import load as load_task
from tests.support.csp_reference import Reference
from tests.support.expectations import Expectation, counted, expectations
from tests.support.paths import MODELS

PATHS = sorted(MODELS.glob("*.csp"))
LARGE = ("three_tiered", "two_hop_colouring")
"""Models with more states than the naive reference wants to see."""
COUNTS = [each for path in PATHS for each in expectations(path)]
GROUPS = [
    (path, defines, int(order))
    for path in PATHS
    for defines, order in re.findall(r"^ \* group((?: -D\w+=\w+)*): (\d+)$", path.read_text(), re.MULTILINE)
]


def named(value: object) -> str:
    return value.name if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("expected", [each for each in COUNTS if not each.large], ids=str)
def test_counts(expected: Expectation) -> None:
    assert counted(expected, "reference") == dict(expected.counts)


@pytest.mark.parametrize("expected", [each for each in COUNTS if each.large], ids=str)
def test_large_counts(expected: Expectation) -> None:
    assert counted(expected, "explicit") == dict(expected.counts)


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_every_model_states_its_counts_and_is_well_formed(path: Path) -> None:
    assert expectations(path)
    assert [validate(model) for model in load_task.load_suite(path).models if validate(model)] == []


@pytest.mark.parametrize("path", [path for path in PATHS if path.stem not in LARGE], ids=named)
def test_the_rules_give_the_same_states(path: Path) -> None:
    suite = load_task.load_suite(path)
    space = Reference(path.read_text()).explore(suite.processes[0])
    found = coset.explore(suite.models[0], engine="reference", symmetry="off")
    assert space is not None
    assert (found.states, found.errors.invalid_end_states) == (len(space.states), len(space.deadlocks))


@pytest.mark.parametrize(("path", "defines", "order"), GROUPS, ids=named)
def test_groups(path: Path, defines: str, order: int) -> None:
    given = dict(re.findall(r"-D(\w+)=(\w+)", defines))
    assert detect(load_task.load(path, given), ()).order == order


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_verdicts(path: Path) -> None:
    """Every assertion has the verdict that the head comment tells, and a run that shows it can be replayed."""
    wanted = dict(re.findall(r"^ \* property (.*): (holds|violated)$", path.read_text(), re.MULTILINE))
    result = coset.check(path, engine="reference")
    found = {each.name: each.verdict.value for each in result.properties}
    assert {name: verdict for name, verdict in found.items() if name not in ("faults", "ranges")} == wanted
    assert all(found[name] == "holds" for name in ("faults", "ranges") if name in found)
    for each in result.properties:
        if each.trace is not None:
            replay(result.models[each.name], each.trace)


def test_orbits_of_philosophers_and_tiers() -> None:
    """Tables II and III of the ASE 2013 paper."""
    philosophers = coset.explore(MODELS / "philosophers.csp", engine="explicit", defines={"N": "10"})
    assert (philosophers.states, philosophers.represents) == (15_489, 154_450)
    tiers = coset.explore(MODELS / "three_tiered.csp", engine="explicit")
    assert (tiers.states, tiers.represents) == (462, 7_840)


def test_orbits_of_colourings() -> None:
    """All agents have chosen, or some have not: 233 orbits of the protocol, 38 on the way there."""
    found = coset.explore(MODELS / "two_hop_colouring.csp", engine="reference")
    assert (found.states, found.represents) == (271, 15_625)


@pytest.mark.parametrize("name", ["counter", "leader_complete", "leader_ring", "pipeline", "readers_writers"])
def test_engines_agree(name: str) -> None:
    path = MODELS / f"{name}.csp"
    by_reference = coset.check(path, engine="reference", symmetry="off")
    compiled = coset.check(path, engine="explicit")
    assert [(p.name, p.verdict) for p in compiled.properties] == [(p.name, p.verdict) for p in by_reference.properties]


def test_values_out_of_range_are_found(tmp_path: Path) -> None:
    path = tmp_path / "m.csp"
    path.write_text("var x:{0..2};\nP = up{x = x + 1;} -> P;\n#assert P deadlockfree;\n")
    result = coset.check(path)
    assert {each.name: each.verdict.value for each in result.properties} == {
        "P deadlockfree": "holds", "faults": "holds", "ranges": "violated",
    }  # fmt: skip


def test_one_assertion_by_name() -> None:
    result = coset.check(MODELS / "counter.csp", properties=["Workers() reaches lost"])
    assert [(each.name, each.verdict.value) for each in result.properties] == [("Workers() reaches lost", "holds")]
    with pytest.raises(check_task.UnknownProperty, match="has no property 'x'"):
        coset.check(MODELS / "counter.csp", properties=["x"])
