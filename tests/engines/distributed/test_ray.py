"""The distributed engine on Ray, which is started once for all tests of this module."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.cli import main
from coset.engines.distributed import connection, ray_cluster
from coset.engines.distributed.cluster import Call, NoCluster, WorkerLost
from coset.engines.distributed.ray_cluster import RayCluster
from coset.engines.settings import Settings
from coset.results.trace import replay
from coset.results.verdict import Verdict
from tests.support.clusters import ANY_ERROR, by_cluster, figures, in_memory
from tests.support.paths import MODELS


class Lasting(RayCluster):
    """A cluster that is not closed after a search."""

    def __exit__(self, *unused: object) -> None:
        return None


@pytest.fixture(scope="module")
def cluster() -> Iterator[Lasting]:
    made = Lasting("local:2", 2)
    yield made
    made.close()


@pytest.fixture
def connected(cluster: Lasting, monkeypatch: pytest.MonkeyPatch) -> Lasting:
    monkeypatch.setattr(connection, "connected", lambda address: cluster)
    monkeypatch.setattr(Lasting, "close", lambda self: None)
    return cluster


def test_counts_and_runs(cluster: Lasting) -> None:
    for name, defines in (("philosophers", {"N": "6"}), ("email_small", {})):
        model = coset.load(MODELS / f"{name}.pml", defines=defines)
        assert figures(by_cluster(cluster, model, None)[0]) == figures(in_memory(model, None)[0])
        _, expected = in_memory(model, None, ANY_ERROR)
        _, found = by_cluster(cluster, model, None, ANY_ERROR)
        assert (found is None) == (expected is None)


def test_check(connected: Lasting) -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "4"})
    found = coset.check(model, settings=Settings(cluster="local:2", symmetry="auto"))
    expected = coset.check(model, engine="explicit")
    assert found.engine == "distributed" and found.exploration.threads == 2
    assert [(each.name, each.verdict) for each in found.properties] == [
        (each.name, each.verdict) for each in expected.properties
    ]
    (violated,) = (each for each in found.properties if each.verdict is Verdict.VIOLATED)
    (wanted,) = (each for each in expected.properties if each.verdict is Verdict.VIOLATED)
    assert violated.trace is not None and wanted.trace is not None and len(violated.trace) == len(wanted.trace)
    assert replay(model, violated.trace).shows_violation


def test_command_line(connected: Lasting, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(MODELS / "philosophers.pml")
    assert main(["explore", file, "-D", "N=5", "--cluster", "local:2", "--json"]) == 0
    assert '"engine": "distributed"' in capsys.readouterr().out
    assert main(["explore", file, "-D", "N=9", "--cluster", "local:2", "--max-states", "1000"]) == 3
    assert "--max-states" in capsys.readouterr().err


def test_handlers_of_signals_are_kept(cluster: Lasting) -> None:
    assert signal.getsignal(signal.SIGINT) in (signal.default_int_handler, signal.SIG_IGN)


def test_an_error_in_a_worker_is_raised_here(cluster: Lasting) -> None:
    with pytest.raises(FileNotFoundError):
        call = cluster.call(0, "predecessor", "missing", b"", 0)
        while not cluster.wait([call], 1.0):
            pass
        cluster.result(call)


class Fatal(Lasting):
    """A worker is killed by the system before a call with a certain number."""

    calls, at = 0, 0

    def call(self, worker: int, method: str, *arguments: object) -> Call:
        self.calls += 1
        if self.calls == self.at:
            os.kill(self.ray.get(self.actors[worker].process.remote()), signal.SIGKILL)
        return super().call(worker, method, *arguments)


def test_workers_are_killed(cluster: Lasting, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a level, and at the end of one; others take their places for the next test."""
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "5"})
    expected = figures(in_memory(model, None)[0])
    node = cluster.nodes[0]
    monkeypatch.setattr(cluster, "__class__", Fatal)
    for at in (12, 41):
        monkeypatch.setattr(cluster, "calls", 0, raising=False)
        monkeypatch.setattr(cluster, "at", at, raising=False)
        assert figures(by_cluster(cluster, model, None)[0]) == expected
        assert len(cluster.workers()) == 1
        cluster.add(node, 1)
    monkeypatch.undo()
    assert figures(by_cluster(cluster, model, None)[0]) == expected
    assert len(cluster.workers()) == 2


def test_a_worker_that_does_not_answer(cluster: Lasting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray does not always notice."""
    monkeypatch.setattr(ray_cluster, "HEARTBEAT", 0.0)
    monkeypatch.setattr(ray_cluster, "PATIENCE", 0.0)
    worker = cluster.workers()[0]
    process = cluster.ray.get(cluster.actors[worker].process.remote())
    os.kill(process, signal.SIGSTOP)
    try:
        call = cluster.call(worker, "close")
        with pytest.raises(WorkerLost):
            while not cluster.wait([call], 0.1):
                pass
    finally:
        os.kill(process, signal.SIGCONT)


def test_without_ray(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["explore", str(MODELS / "philosophers.pml"), "--cluster", "local:2"]) == 4
    assert "pip install 'coset[cluster]'" in capsys.readouterr().err


def test_an_address_where_nothing_answers() -> None:
    with pytest.raises(NoCluster, match="nothing answers there"):
        RayCluster("127.0.0.1:1", None)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cluster", "local:0"), "expected local:N"),
        (("--engine", "distributed"), "needs a cluster"),
        (("--engine", "explicit", "--cluster", "local:2"), "--cluster is for the distributed engine"),
        (("--cluster", "local:2", "--order", "depth"), "visits states breadth first: --order cannot be used with it"),
        (("--cluster", "local:2", "--reduction", "por"), "--reduction cannot be used with it"),
        (("--cluster", "local:2", "--storage", "disk"), "--storage cannot be used with it"),
        (("--cluster", "local:2", "--all-errors"), "--all-errors cannot be used with it"),
        (("--cluster", "local:2", "--fair"), "--fair cannot be used with it"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(MODELS / "philosophers.pml"), *words]) == 2
    assert message in capsys.readouterr().err


def test_temporal_properties_are_refused_by_name(connected: Any) -> None:
    model = coset.parse_text("bit x; active proctype P() { do :: x = 1 - x od } ltl p { []<> (x == 1) }")
    found = coset.check(model, settings=Settings(cluster="local:2"))
    reasons = {each.name: each.reason for each in found.properties if each.verdict is Verdict.UNKNOWN}
    assert list(reasons) == ["p"] and "errors in single states only" in str(reasons["p"])


def test_models_are_not_needed(cluster: Lasting, tmp_path: Path) -> None:
    """A worker gets C and bytes; a model with a hostile text is no more than that."""
    model = coset.parse_text('active proctype P() { printf("*/ \\" \\n"); assert(false) }')
    _, found = by_cluster(cluster, model, None, ANY_ERROR)
    assert found is not None
