"""Clusters for tests: workers in this process, which may be lost and may join at any call."""

from __future__ import annotations

from collections.abc import Callable

from coset.engines.distributed import engine as distributed
from coset.engines.distributed.cluster import Call, Cluster, InProcess
from coset.engines.distributed.worker import Worker
from coset.engines.explicit import safety
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Error
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.exploration import Exploration
from coset.results.trace import Trace, replay
from coset.source.budget import Limits
from coset.symmetry.canonical.plan import SymmetryPlan

ANY_ERROR = (1 << Error.COUNT) - 1
BY_CLUSTER = Settings(cluster="local:2")


class Mortal(InProcess):
    """A cluster in which something happens before a call with a certain number."""

    def __init__(self, count: int, at: int, event: Callable[[Mortal, int], None]) -> None:
        super().__init__(count)
        self.at, self.event, self.calls = at, event, 0
        self.methods: list[str] = []

    def __enter__(self) -> Mortal:
        return self

    def call(self, worker: int, method: str, *arguments: object) -> Call:
        self.calls += 1
        self.methods.append(method)
        if self.calls == self.at:
            self.event(self, worker)
        return super().call(worker, method, *arguments)


def die(cluster: Mortal, worker: int) -> None:
    """The worker that is called is lost."""
    InProcess.lose(cluster, worker)


def join(cluster: Mortal, worker: int) -> None:
    cluster.joining.append(Worker())


def nothing(cluster: Mortal, worker: int) -> None:
    pass


def figures(found: Exploration) -> tuple[object, ...]:
    errors = found.errors
    counted = errors.assertions, errors.invalid_end_states, errors.trace, tuple(errors.faults.items())
    return found.states, found.transitions, found.represents, found.depth, found.complete, counted


def in_memory(model: Model, plan: SymmetryPlan | None, stop_at: int = 0) -> tuple[Exploration, object]:
    return safety.search_states(Engine(model, Limits(states=60_000), settings=Settings(), symmetry=plan), stop_at)


def by_cluster(
    cluster: Cluster, model: Model, plan: SymmetryPlan | None, stop_at: int = 0, settings: Settings = BY_CLUSTER
) -> tuple[Exploration, object]:
    engine = Engine(model, Limits(states=60_000), settings=settings, symmetry=plan)
    return distributed.search_states(engine, cluster, stop_at)


def assert_equal(make: Callable[[], Cluster], model: Model, plan: SymmetryPlan | None) -> bool:
    """Whether memory and cluster were compared; the runs to errors are equally long."""
    expected, _ = in_memory(model, plan)
    if not expected.complete:
        return False
    with make() as cluster:
        found, _ = by_cluster(cluster, model, plan)
        assert figures(found) == figures(expected)
        (first, shown), (second, there) = (
            in_memory(model, plan, ANY_ERROR),
            by_cluster(cluster, model, plan, ANY_ERROR),
        )
    assert (shown is None) == (there is None) and first.depth == second.depth
    if isinstance(there, Trace):
        assert replay(model, there).shows_violation
    return True
