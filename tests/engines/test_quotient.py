"""The quotient can be trusted: whatever is found on it is what is found without it.

Every strategy finds as many orbits as the naive twin does, the sizes of the orbits add up to all states, and verdicts are
the same.  The counts of all states are in the head comments of the models, where they came from SPIN.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.results.verdict import Verdict
from coset.symmetry.canonical.representative import orbit
from coset.symmetry.methods.program.detect import detect
from tests.support import arrays_by_id_random
from tests.support.confirmation import confirmed
from tests.support.expectations import Expectation, all_expectations
from tests.support.paths import CASES, MODELS
from tests.support.quotient import MOST_TRIED, Canonicaliser, explored, plans
from tests.support.quotient_random import compare_seed, kinds, verdicts

NAIVE = 4_000
"""States whose orbits the reference engine visits in a moment."""
SHORT = (
    "barrier.pml", "cache_coherence.pml -DN=2", "email_featured.pml -DN=2", "futex_mutex.pml -DN=2", "hypercube.pml",
    "peterson.pml", "philosophers.pml", "producer_consumer.pml", "three_tiered.pml", "two_phase_commit.pml -DN=2",
)  # fmt: skip
"""What the short run looks at: one model for each structure of groups, and for each way in which models name processes."""
LARGEST = 1_000_000
SEEDS, ID_SEEDS = 6, 8
LONG_SEEDS = 150


def name_of(expected: Expectation) -> str:
    return str(expected)


def short() -> list[Expectation]:
    return [each for each in all_expectations() if str(each) in SHORT]


@cache
def loaded(expected: Expectation) -> Model:
    return replace(coset.load(expected.path, dict(expected.defines)), properties=())


def wrong(expected: Expectation) -> set[str]:
    """The kinds of errors that a head comment tells of."""
    counts = dict(expected.counts)
    found = {"assertion": counts["assertions"], "end": counts["invalid_end_states"]}
    return {kind for kind, count in found.items() if count}


def assert_counts(expected: Expectation, orbits: int | None, **settings: Any) -> int:
    """An exploration stands for all states and finds the errors that there are; the number of states that it stored."""
    result = explored(loaded(expected), **settings)
    assert result.complete
    assert result.represents == dict(expected.counts)["states"], settings
    assert orbits is None or result.states == orbits, settings
    assert kinds(result) == wrong(expected)
    return result.states


# --- counts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", short(), ids=name_of)
def test_as_many_orbits_as_the_naive_twin_finds(expected: Expectation) -> None:
    assert_counts(expected, assert_counts(expected, None, engine="reference"))


def test_the_short_run_misses_nothing_that_it_names() -> None:
    assert {str(each) for each in short()} == set(SHORT)


@pytest.mark.parametrize("name", ["email_featured.pml", "three_tiered.pml", "philosophers.pml"])
@pytest.mark.parametrize("storage", ["packed", "states", "fingerprints"])
def test_storage_threads_and_order(name: str, storage: str) -> None:
    (expected,) = (each for each in all_expectations() if str(each) == name)
    orbits = assert_counts(expected, None, storage=storage)
    assert_counts(expected, orbits, storage=storage, threads=2)
    assert_counts(expected, orbits, storage=storage, order="depth")


@pytest.mark.parametrize("name", ["email_featured.pml", "hypercube.pml", "three_tiered.pml"])
def test_every_strategy(name: str) -> None:
    (expected,) = (each for each in all_expectations() if str(each) == name)
    tried = {
        found.strategy: assert_counts(expected, None, representative=found.strategy)
        for found in plans(loaded(expected))
    }
    assert len(tried) >= 2 and len(set(tried.values())) == 1


def test_several_representatives_keep_the_errors() -> None:
    """By `local` nobody knows how many states the stored ones stand for, but there are at least as many as orbits."""
    model = coset.load(MODELS / "philosophers.pml")
    result = explored(model, representative="local")
    assert result.complete and result.represents is None and 226 <= result.states <= 1297
    assert kinds(result) == {"end"}


@pytest.mark.long
@pytest.mark.parametrize("expected", all_expectations(large=True), ids=name_of)
def test_every_model_by_every_strategy(expected: Expectation, monkeypatch: pytest.MonkeyPatch) -> None:
    states = dict(expected.counts)["states"]
    if states > LARGEST:
        pytest.skip("too large")
    monkeypatch.setenv("COSET_CFLAGS", "-O2")
    orbits = assert_counts(expected, None)
    order = explored(loaded(expected)).symmetry.group.order
    if states <= 20 * NAIVE and order <= MOST_TRIED:
        assert_counts(expected, orbits, engine="reference")
    for found in plans(loaded(expected)):
        for storage in ("packed", "states", "fingerprints"):
            for threads in (1, 2):
                assert_counts(expected, orbits, representative=found.strategy, storage=storage, threads=threads)
        assert_counts(expected, orbits, representative=found.strategy, order="depth")


@pytest.mark.parametrize(("name", "threads"), [("philosophers.pml -DN=10", 1), ("email_featured.pml -DN=4", 2)])
def test_a_search_goes_on_from_a_checkpoint(name: str, threads: int, tmp_path: Path) -> None:
    (expected,) = (each for each in all_expectations(large=True) if str(each) == name)
    model, counts = loaded(expected), dict(expected.counts)
    whole = explored(model, threads=threads)
    ways = [Checkpoints(tmp_path), Checkpoints(tmp_path, resume=True)]
    first, second = (Settings(threads, checkpoints=way, symmetry="program") for way in ways)
    part = coset.explore(model, engine="explicit", settings=first, max_states=whole.states // 3)
    assert not part.complete and part.states < whole.states
    rest = coset.explore(model, engine="explicit", settings=second)
    assert rest.complete
    assert (rest.states, rest.transitions, rest.represents) == (whole.states, whole.transitions, counts["states"])


# --- published counts ------------------------------------------------------------------------------------------------

PUBLISHED = [
    ("philosophers", {"N": "10"}, 15_489, 154_450, False),
    ("philosophers", {"N": "12"}, 140_536, 1_684_801, True),
    ("philosophers", {"N": "14"}, 1_313_052, 18_378_370, True),
    ("email_featured", {"N": "3"}, 3_902, 23_256, False),
    ("email_featured", {"N": "4"}, 36_255, 852_641, False),
    ("email_featured", {"N": "5"}, 265_315, 30_366_608, True),
    ("three_tiered_connect", {"C": "2"}, 462 + 1, 7_840 + 1, False),
    ("three_tiered_connect", {"C": "3"}, 286 + 1, 21_952 + 1, False),
    ("three_tiered_connect", {"A": "4", "B": "4", "C": "3"}, 1_496 + 1, 188_272 + 1, True),
]
"""Zhang et al. (ASE 2013), Table II, where they begin after the one state in which `init` has not run, and Miller et al.
(Computer Networks 2007), Table 1.  Of the latter the numbers of states are as published; the orbits there, 3,908 and more,
come from a sort that is not canonical."""


@pytest.mark.parametrize(
    ("name", "defines", "orbits", "states"),
    [
        pytest.param(*row[:4], id=f"{row[0]} {'-'.join(row[1].values())}", marks=[pytest.mark.long] if row[4] else [])
        for row in PUBLISHED
    ],
)
def test_published_counts(
    name: str, defines: dict[str, str], orbits: int, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COSET_CFLAGS", "-O2")
    result = explored(coset.load(MODELS / f"{name}.pml", defines))
    assert result.complete and (result.states, result.represents) == (orbits, states)


# --- representatives -------------------------------------------------------------------------------------------------


def assert_representatives(model: Model, rng: random.Random, count: int) -> int:
    """By every plan: the compiled action is the action, all states of an orbit have one representative, which is of the
    orbit, and the orbit has the size that is said.  How many plans there are."""
    tried = 0
    for found in plans(model):
        canonicaliser = Canonicaliser(found)
        tried += 1
        for state in canonicaliser.states(rng, count):
            chosen = canonicaliser.representative(state)
            for _ in range(5):
                g = found.symmetry.group.chain.random(rng)
                image = canonicaliser.action(g)(state)
                assert canonicaliser.permuted(state, g) == image
                assert canonicaliser.representative(image) == chosen
                assert canonicaliser.size(image) == canonicaliser.size(state)
            if found.order <= MOST_TRIED:
                members = orbit(state, found.symmetry.actions)
                assert chosen in members and canonicaliser.size(state) == len(members)
    return tried


@pytest.mark.parametrize("expected", short(), ids=name_of)
def test_all_states_of_an_orbit_have_one_representative(expected: Expectation) -> None:
    assert assert_representatives(loaded(expected), random.Random(1), 12) > 0


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
@pytest.mark.parametrize("seed", range(3))
def test_representatives_of_every_model(path: Path, seed: int) -> None:
    model = replace(coset.load(path), properties=())
    tried = assert_representatives(model, random.Random(seed), 60)
    assert (tried > 0) == (detect(model, ()).order > 1)


CROSSED = """
chan link1 = [1] of { pid, pid }; chan link2 = [1] of { pid, pid }; chan link3 = [1] of { pid, pid };
proctype client(chan out) {
  pid to;
  if :: to = 1 :: to = 2 :: to = 3 fi;
  if :: out!_pid,to :: out!to,_pid fi;
  to = 0; false
}
init { atomic { run client(link1); run client(link2); run client(link3) } }
"""


def test_orders_that_several_branches_lead_to_count_once() -> None:
    """Where link1 holds (1,1), link2 (3,2) and link3 (2,3), ties between columns are broken in several ways that come to
    the same order; each was counted once more."""
    model = coset.parse_text(CROSSED)
    whole = coset.explore(model, engine="explicit", symmetry="off")
    naive = explored(model, engine="reference")
    assert naive.symmetry.group.order == 6 and naive.represents == whole.states
    for found in plans(model):
        result = explored(model, representative=found.strategy)
        assert (result.states, result.represents) == (naive.states, whole.states)
    assert assert_representatives(model, random.Random(3), 200) == 3


FOUND = CASES / "found"


@pytest.mark.parametrize("representative", ["sort", "chain", "enumerate"])
def test_arrays_by_id_inside_processes(representative: str) -> None:
    """A cell with two owners, the process and the index: its key contained the number of the process."""
    result = explored(coset.load(FOUND / "r_sort4.pml"), representative=representative)
    assert (result.states, result.represents) == (317, 65_536)


MIRRORED = """
byte odd;
active [2] proctype keeper() {
  bit has[3]; byte x = 3;
  do
  :: atomic { if :: x = 0 :: x = 1 :: x = 2 fi; has[x] = 1 - has[x]; x = 3 }
  :: _pid == 1 -> odd = 1
  od
}
"""


def test_arrays_by_id_inside_processes_that_stay() -> None:
    """Where keeper 0 has only thing 0, and keeper 1 only thing 1, things 0 and 1 are no twins.  They were taken for such, and
    the sum was right all the same: orbits had two representatives, each of which counted for half of it."""
    model = coset.parse_text(MIRRORED)
    whole, naive = coset.explore(model, engine="explicit", symmetry="off"), explored(model, engine="reference")
    assert naive.symmetry.group.order == 6 and naive.represents == whole.states
    for found in plans(model):
        result = explored(model, representative=found.strategy)
        assert (result.states, result.represents) == (naive.states, whole.states)


@pytest.mark.parametrize("seed", range(ID_SEEDS))
def test_ids_at_every_level(seed: int) -> None:
    _, problems = arrays_by_id_random.compare_seed(seed)
    assert not problems


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1000 + LONG_SEEDS, 10))
def test_more_ids_at_every_level(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CFLAGS", "-O0")
    problems = [each for seed in range(first, first + 10) for each in arrays_by_id_random.compare_seed(seed)[1]]
    assert not problems


# --- verdicts --------------------------------------------------------------------------------------------------------


def with_properties() -> list[Path]:
    return [path for path in sorted(MODELS.glob("*.pml")) if coset.load(path).properties]


SMALLER = {"email_symmetric.pml": {"N": "3"}, "email.pml": {"N": "3"}}
LIVE = """
byte owner = 9; bit want[3];
active [3] proctype P() {
  do
  :: want[_pid] = 1;
     atomic { owner == 9 -> owner = _pid };
     progress: want[_pid] = 0;
     accept: owner = 9
  od
}
ltl everybody_all_the_time { [] (want[0] + want[1] + want[2] > 0 -> <> (owner != 9)) }
ltl first { [] (want[0] == 1 -> <> (owner == 0)) }
ltl nobody { <> [] (owner == 9) }
never stays { do :: true :: owner == 1 -> break od; accept: do :: owner == 1 od }
"""


def assert_verdicts(model: Model, path: Path | None = None, **settings: Any) -> dict[str, str]:
    """Checked with symmetry as without; every run that is shown is executed, with a `path` by SPIN, too."""
    expected = verdicts(coset.check(model, engine="explicit", symmetry="off", **settings))
    found = coset.check(model, engine="explicit", symmetry="program", **settings)
    assert verdicts(found) == expected
    confirmed(model, found, path=path)
    return expected


@pytest.mark.parametrize("steps", ["plain", "merged"])
def test_properties_of_infinite_runs(steps: str, tmp_path: Path) -> None:
    path = tmp_path / "live.pml"
    path.write_text(LIVE)
    found = assert_verdicts(coset.load(path), path, steps=steps)
    assert set(found.values()) == {"holds", "violated"}


@pytest.mark.parametrize("name", ["peterson.pml", "readers_writers.pml", "dekker.pml"])
def test_properties_of_models(name: str) -> None:
    assert Verdict.UNKNOWN.value not in assert_verdicts(coset.load(MODELS / name)).values()


@pytest.mark.long
@pytest.mark.parametrize("path", with_properties(), ids=lambda path: path.name)
def test_properties_of_every_model(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CFLAGS", "-O2")
    for threads in (1, 2):
        assert_verdicts(coset.load(path, SMALLER.get(path.name)), path, threads=threads, max_states=3_000_000)


BRANCHING = ("AG EF (owner == 9)", "AG (owner == 9 -> EF owner == 0)", "EF (want[0] + want[1] == 2)", "AF (owner == 1)")


def test_branching_time(tmp_path: Path) -> None:
    """Formulas that keep all symmetries, and formulas that tell one process from the others."""
    path = tmp_path / "live.pml"
    path.write_text(LIVE)
    model = coset.load(path, ctl=BRANCHING)
    names = [each.name for each in model.properties[-len(BRANCHING) :]]
    expected = verdicts(coset.check(model, engine="reference", symmetry="off", properties=names))
    assert list(expected.values()) == ["holds", "holds", "holds", "violated"]
    assert assert_verdicts(model, properties=names) == expected


@pytest.mark.parametrize("representative", ["chain", "enumerate", "local"])
def test_verdicts_by_every_strategy(representative: str) -> None:
    model = coset.parse_text(LIVE)
    expected = verdicts(coset.check(model, engine="reference", symmetry="off"))
    settings = Settings(symmetry="program", representative=representative)
    found = coset.check(model, engine="explicit", settings=settings)
    assert verdicts(found) == expected
    confirmed(model, found)


@pytest.mark.parametrize("symmetry", ["program", "constraints"])
def test_runs_where_orbits_have_several_representatives(symmetry: str) -> None:
    """A run through representatives of which an orbit has several is still a run of the model: to an assertion, to an end,
    round a cycle, and of a formula of branching time."""
    ctl = ("AG EF (owner == 8)", "AG (owner == 8)", "AF (owner != 8 && tok[0] + tok[7] == 2)")
    model = coset.load(FOUND / "cube3.pml", ctl=ctl)
    settings = Settings(symmetry=symmetry, representative="local")
    found = coset.check(model, engine="explicit", settings=settings, keep_going=True)
    wanted = {"assertions": "violated", "end states": "violated", "r": "violated", "s": "violated", "t": "violated"}
    assert wanted.items() <= verdicts(found).items()
    assert list(verdicts(found).values())[-3:] == ["holds", "violated", "violated"]
    confirmed(model, found)


# --- random programs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_programs(seed: int) -> None:
    _, problems = compare_seed(seed)
    assert not problems


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1000 + LONG_SEEDS, 10))
def test_more_random_programs(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CFLAGS", "-O0")
    problems = [problem for seed in range(first, first + 10) for problem in compare_seed(seed)[1]]
    assert not problems
