"""Searches by several workers: the same counts, verdicts and lengths of runs as in memory, also if workers are lost or join.

The workers are in this process; test_ray.py has those of Ray.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.engines.distributed import engine, search, share, worker
from coset.engines.distributed.cluster import InProcess, NoCluster
from coset.engines.distributed.level_files import DamagedLevel, parts_of, read_level, write_level
from coset.engines.distributed.levels import Levels
from coset.engines.distributed.owners import shared_out
from coset.engines.distributed.report import Counts
from coset.engines.explicit.checkpoint import CheckpointError, prepare
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import PARTITIONS
from coset.engines.settings import Checkpoints, Settings
from coset.model.model import Model
from coset.results.trace import Trace
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support import promela_random, symmetric_random, teams_random
from tests.support.clusters import ANY_ERROR, Mortal, assert_equal, by_cluster, die, figures, in_memory, join, nothing
from tests.support.numbered_cases import planned
from tests.support.paths import MODELS

MANY_VALUES = """
int sum; byte turn = 2;
active [2] proctype P() { byte k; do :: sum < 1200 -> sum = sum + 7 * (k + 1); k = (k + 1) % 5 :: turn = _pid od }
"""
"""Values that no sample has: each level has some that need numbers."""
NAMES = """
byte owner = 3, last = 3;
active [3] proctype P() {
  byte other = 3;
  do
  :: atomic { if :: other = 0 :: other = 1 :: other = 2 fi; last = other }
  :: owner == 3 -> owner = _pid
  :: owner == _pid && other != 3 -> owner = other; other = 3
  :: owner == _pid -> owner = 3
  od
}
"""
"""Values that name processes, which symmetries change: their images need numbers, too."""


def philosophers(n: int) -> Model:
    return coset.load(MODELS / "philosophers.pml", defines={"N": str(n)})


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("name", ["email_small", "peterson", "dynamic_workers", "two_phase_commit"])
def test_models(name: str, count: int) -> None:
    assert assert_equal(partial(InProcess, count), coset.load(MODELS / f"{name}.pml"), None)


def test_quotients() -> None:
    """By packed and by whole states, with sums of orbits."""
    for model in (philosophers(8), coset.load(MODELS / "email_featured.pml"), coset.load(MODELS / "hypercube.pml")):
        assert assert_equal(partial(InProcess, 2), model, planned(model))


@pytest.mark.parametrize("text", [MANY_VALUES, NAMES])
def test_values_that_need_numbers(text: str) -> None:
    """All workers give a value the same number, whoever meets it first; states that wait for it are not lost."""
    model = coset.parse_text(text)
    plan = planned(model)
    with Mortal(3, 0, nothing) as cluster:
        found, _ = by_cluster(cluster, model, plan)
        assert figures(found) == figures(in_memory(model, plan)[0])
        assert cluster.methods.count("agree") > 3


def test_more_values_than_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers do not pay then: whole values are sent."""
    monkeypatch.setattr(search, "MANY_VALUES", 1)
    sizes: list[bool] = []
    original = search.Search.__init__

    def noted(self: search.Search, *given: object) -> None:
        original(self, *given)  # type: ignore[arg-type]
        sizes.append(self.program.caches)

    monkeypatch.setattr(search.Search, "__init__", noted)
    model = coset.parse_text(MANY_VALUES.replace("sum < 1200", "sum < 90"))
    plan = planned(model)
    with InProcess(2) as cluster:
        assert figures(by_cluster(cluster, model, plan)[0]) == figures(in_memory(model, plan)[0])
    assert sizes[0] and not sizes[-1]


def test_small_blocks_and_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that are sent before the level is over; a level in several calls."""
    monkeypatch.setattr(share, "BLOCK_BYTES", 64)
    monkeypatch.setattr(share, "MOST_EXPANDED", 20)
    monkeypatch.setattr(share, "MOST_WEIGHED", 7)
    monkeypatch.setattr(worker, "MOST_SOUGHT", 3)
    for model in (philosophers(6), coset.load(MODELS / "email_small.pml")):
        assert assert_equal(partial(InProcess, 3), model, planned(model))


def random_model(seed: int) -> Model:
    makers = promela_random.generate, symmetric_random.varied, symmetric_random.crowd, teams_random.program
    return coset.parse_text(makers[seed % len(makers)](seed))


def compare_seeds(first: int, last: int) -> int:
    compared = 0
    for seed in range(first, last):
        model, make = random_model(seed), partial(InProcess, 1 + seed % 4)
        try:
            compared += assert_equal(make, model, None)
        except Unsupported:
            continue  # not compiled at all
        symmetry = plan(detect(model)) if seed % 4 else None
        if symmetry is not None:
            compared += assert_equal(make, model, symmetry)
    return compared


def test_random_programs() -> None:
    assert compare_seeds(0, 8) > 6


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 200, 20))
def test_many_random_programs(first: int) -> None:
    assert compare_seeds(first, first + 20) > 12


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.stem)
def test_every_model(path: Path) -> None:
    try:
        model = coset.load(path)
    except coset.InputError:
        pytest.skip("needs macros")
    assert_equal(partial(InProcess, 2), model, None)


# --- workers that are lost, and that join ----------------------------------------------------------


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_worker_lost_at_every_level(step: int) -> None:
    """The level is repeated by the others: at each call in turn, or at some in each level."""
    model = philosophers(4)
    plan = planned(model)
    expected = figures(in_memory(model, plan)[0])
    with Mortal(3, 0, nothing) as undisturbed:
        by_cluster(undisturbed, model, plan)
    assert undisturbed.methods.count("insert") > 10
    for at in range(1, undisturbed.calls + 1, step):
        with Mortal(3, at, die) as cluster:
            assert figures(by_cluster(cluster, model, plan)[0]) == expected, at
            assert len(cluster.workers()) == 2


def test_a_worker_that_joins_takes_part() -> None:
    model = philosophers(6)
    expected = figures(in_memory(model, None)[0])
    with Mortal(2, 60, join) as cluster:
        assert figures(by_cluster(cluster, model, None)[0]) == expected
        assert sorted(cluster.workers()) == [0, 1, 2]
        received = cluster.all[2].mine.counts().received
    assert received > 0


def test_a_run_to_an_error_after_a_loss() -> None:
    """The files of a lost worker are read by the others."""
    model = philosophers(4)
    _, expected = in_memory(model, None, ANY_ERROR)
    for at in (9, 30, 50, 58, 61, 64):
        with Mortal(2, at, die) as cluster:
            _, found = by_cluster(cluster, model, None, ANY_ERROR)
            assert len(cluster.workers()) == 1
        assert isinstance(found, Trace) and isinstance(expected, Trace) and len(found) == len(expected)


def test_all_workers_lost() -> None:
    with Mortal(1, 12, die) as cluster, pytest.raises(NoCluster, match="all workers"):
        by_cluster(cluster, philosophers(4), None)


def test_a_loss_where_files_are_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the user gives a folder, the search ends with what is known."""
    monkeypatch.setattr(InProcess, "is_one_machine", False)
    with Mortal(2, 30, die) as cluster:
        found, _ = by_cluster(cluster, philosophers(5), None)
    assert not found.complete and found.stopped is not None and "--checkpoint DIR" in found.stopped


# --- limits and checkpoints ------------------------------------------------------------------------


def part(model: Model, folder: Path, workers: int, states: int | None) -> coset.Exploration:
    resume = (folder / "checkpoint.json").exists()
    settings = Settings(cluster="local:2", checkpoints=Checkpoints(folder, 1000.0, resume))
    with prepare(model, settings), InProcess(workers) as cluster:
        return engine.search_states(Engine(model, Limits(states=states), settings=settings), cluster, 0)[0]


def test_a_search_in_parts(tmp_path: Path) -> None:
    """Each part goes on from the last level that was saved, with another number of workers."""
    model = philosophers(7)
    expected = figures(in_memory(model, None)[0])
    first = part(model, tmp_path, 2, 300)
    assert not first.complete and first.states >= 300
    second = part(model, tmp_path, 3, 2000)
    assert not second.complete and second.states > first.states
    assert figures(part(model, tmp_path, 1, None)) == expected
    assert not list(tmp_path.glob("*.cluster"))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    part(philosophers(6), tmp_path, 2, 300)
    path = max(tmp_path.glob("*.cluster/*.level"), key=lambda each: each.stat().st_size)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match="damaged"):
        part(philosophers(6), tmp_path, 2, None)


# --- parts -----------------------------------------------------------------------------------------


def test_files_of_levels(tmp_path: Path) -> None:
    keys = bytes(range(40))
    begins = [0] * 10 + [2] * (PARTITIONS - 19) + [5] * 10
    write_level(tmp_path / "level", 7, 8, memoryview(keys), begins, durable=True)
    assert [each.count for each in parts_of(tmp_path / "level", 7, 8)] == [2, 3]
    assert list(read_level(tmp_path / "level", 7, 8, {9})) == [keys[:16]]
    assert b"".join(read_level(tmp_path / "level", 7, 8, range(PARTITIONS))) == keys
    with pytest.raises(DamagedLevel, match="not a file of this search"):
        parts_of(tmp_path / "level", 8, 8)
    (tmp_path / "level").write_bytes((tmp_path / "level").read_bytes()[:30])
    with pytest.raises(DamagedLevel):
        parts_of(tmp_path / "level", 7, 8)


def test_levels_are_noted_for_another_command(tmp_path: Path) -> None:
    written = Levels(tmp_path, durable=True)
    written.values.append((3, b"\0\1"))
    written.add({0: "0-0-1.level"}, Counts(1, errors=(1,) * 17))
    written.values.append((4, b"\2"))
    written.add({0: "1-0-1.level", 2: "1-2-1.level"}, Counts(5, represents=1 << 70))
    found = Levels(tmp_path, durable=True)
    assert found.read() and (found.files, found.counts, found.values) == (written.files, written.counts, written.values)
    (tmp_path / "1.json").write_text("{}")
    with pytest.raises(CheckpointError):
        Levels(tmp_path, durable=True).read()


def test_partitions_move_only_where_they_must() -> None:
    before = shared_out(range(4))
    after = shared_out([0, 1, 3], before)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == PARTITIONS // 4
    grown = shared_out(range(5), before)
    assert sorted(grown.count(each) for each in range(5)) == [819, 819, 819, 819, 820]
    assert sum(one != other for one, other in zip(before, grown, strict=True)) <= 820
