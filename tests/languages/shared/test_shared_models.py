"""Shipped shared-variable programs: counts, groups, verdicts; the naive reference finds the same states."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coset
from coset.languages.shared.load import load_family
from coset.model.family import instance
from coset.model.validate import validate
from coset.results.trace import replay
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from coset.tasks import load as load_task
from tests.support.expectations import Expectation, counted, expectations
from tests.support.paths import MODELS
from tests.support.shared_random import write
from tests.support.shared_reference import Reference

PATHS = sorted(MODELS.glob("*.spl"))
COUNTS = [each for path in PATHS for each in expectations(path)]
FAMILIES = {
    "bounded_buffer", "careless", "counting_semaphore", "msi", "readers_writers", "semaphore_mutex", "test_and_set",
}  # fmt: skip


def numbers(what: str) -> list[tuple[Path, str, int]]:
    """Lines such as `group -Dn=3: 6` of all head comments."""
    pattern = re.compile(rf"^ \* {what}((?: -D\w+=\w+)*): (\d+)$", re.MULTILINE)
    return [(path, defines, int(found)) for path in PATHS for defines, found in pattern.findall(path.read_text())]


def given(defines: str) -> dict[str, str]:
    return dict(re.findall(r"-D(\w+)=(\w+)", defines))


def named(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@pytest.mark.parametrize("expected", [each for each in COUNTS if not each.large], ids=str)
def test_counts(expected: Expectation) -> None:
    assert counted(expected, "reference") == dict(expected.counts)


@pytest.mark.parametrize("expected", [each for each in COUNTS if each.large], ids=str)
def test_large_counts(expected: Expectation) -> None:
    assert counted(expected, "explicit") == dict(expected.counts)


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_every_model_states_its_counts_and_is_well_formed(path: Path) -> None:
    assert expectations(path)
    assert validate(load_task.load(path)) == []


@pytest.mark.parametrize(
    "expected", [each for each in COUNTS if not each.large and each.path.stem != "arbiter"], ids=str
)
def test_the_trees_give_the_same_states(expected: Expectation) -> None:
    values = {name: int(value) for name, value in expected.defines}
    space = Reference(expected.path.read_text(), values).explore()
    assert space is not None
    wanted = dict(expected.counts)
    # The first state is counted as a transition, as SPIN does.
    assert (len(space.states), space.transitions + 1) == (wanted["states"], wanted["transitions"])
    assert space.deadlocks == wanted["invalid_end_states"]


@pytest.mark.parametrize(("path", "defines", "order"), numbers("group"), ids=named)
def test_groups(path: Path, defines: str, order: int) -> None:
    assert detect(load_task.load(path, given(defines)), ()).order == order


@pytest.mark.parametrize(("path", "defines", "orbits"), numbers("orbits"), ids=named)
def test_orbits(path: Path, defines: str, orbits: int) -> None:
    """Those of the arbiter were found by another program, too."""
    result = coset.explore(path, engine="explicit", defines=given(defines))
    (states,) = (dict(x.counts)["states"] for x in expectations(path) if dict(x.defines) == given(defines))
    assert (result.states, result.represents) == (orbits, states)


@pytest.mark.long
def test_orbits_of_larger_arbiters() -> None:
    for defines, orbits, states in (
        ({"m": "8"}, 6_643, 24_219_473),
        ({"m": "10"}, 16_732, 1_234_653_317),
        ({"m": "12"}, 36_362, 60_347_071_865),
        ({"m": "4", "sets": "2"}, 172_669, 38_013_488),
    ):
        result = coset.explore(MODELS / "arbiter.spl", engine="explicit", defines=defines)
        assert (result.states, result.represents) == (orbits, states)


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_verdicts(path: Path) -> None:
    """Every property has the verdict that the head comment tells, and a run that shows it can be replayed."""
    wanted = dict(re.findall(r"^ \* property (\w+): (holds|violated)$", path.read_text(), re.MULTILINE))
    result = coset.check(path, engine="reference", symmetry="off")
    found = {each.name: each.verdict.value for each in result.properties}
    stuck = dict(expectations(path)[0].counts)["invalid_end_states"] > 0
    assert found == {"assertions": "holds", "end states": "violated" if stuck else "holds", "faults": "holds"} | wanted
    for each in result.properties:
        if each.trace is not None:
            replay(load_task.load(path), each.trace)


@pytest.mark.parametrize(
    "name", ["msi", "peterson", "readers_writers", pytest.param("majority", marks=pytest.mark.long)]
)
def test_engines_agree(name: str) -> None:
    path = MODELS / f"{name}.spl"
    by_reference = coset.check(path, engine="reference", symmetry="off")
    compiled = coset.check(path, engine="explicit")
    assert [(p.name, p.verdict) for p in compiled.properties] == [(p.name, p.verdict) for p in by_reference.properties]


@pytest.mark.parametrize("path", PATHS, ids=named)
def test_families(path: Path) -> None:
    """A program that is a family has the same states and verdicts as the member of it that has its sizes."""
    diagnostics = Diagnostics()
    family = load_family(Source(path.name, path.read_text()), {}, diagnostics)
    assert (family is not None) == (path.stem in FAMILIES), diagnostics.render()
    if family is None:
        assert {each.code for each in diagnostics.errors} == {"U201"}
        return
    values = Reference(path.read_text()).constants
    model = instance(family, {each.name: values[each.name] for each in family.parameters})
    one, other = (coset.check(each, engine="reference", symmetry="off") for each in (model, load_task.load(path)))
    assert (one.exploration.states, one.exploration.transitions) == (
        other.exploration.states,
        other.exploration.transitions,
    )
    verdicts = {each.name: each.verdict for each in other.properties}
    assert all(verdicts[each.name] is each.verdict for each in one.properties)
    assert len(one.properties) == len(other.properties) - sum(
        not each.name.startswith("range") for each in family.lemmas
    )


@pytest.mark.parametrize("seed", [2, 4, 9, 14, 31])
def test_compiled_counts_of_random_programs(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "m.spl"
    path.write_text(write(seed))
    counts = []
    for engine, symmetry in (("reference", "off"), ("explicit", "off"), ("explicit", "auto")):
        found = coset.explore(path, engine=engine, symmetry=symmetry, max_states=20_000)
        assert found.complete
        counts.append((found.represents, found.errors.invalid_end_states > 0))
    assert len(set(counts)) == 1, counts
