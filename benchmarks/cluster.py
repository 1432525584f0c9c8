"""How much processor time a search takes in one process, and by local workers of a cluster.

    python benchmarks/cluster.py [--workers 1 2 4] [MODEL [NAME=VALUE...]]

Prints one line for each way: states, transitions, seconds of the clock for the search, processor time of the driver and of all
workers together without their start, and its ratio to that of one process; then what was sent between workers, in bytes for each
transition.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import coset
from coset.engines.distributed import engine as distributed
from coset.engines.distributed.cluster import Cluster
from coset.engines.distributed.connection import connected
from coset.engines.distributed.search import Search
from coset.engines.explicit import safety
from coset.engines.explicit.engine import Engine
from coset.engines.reduction import reduction
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.source.budget import Limits
from coset.source.records import dataclass

MODELS = Path(__file__).parent.parent / "models"


@dataclass(frozen=True)
class Measured:
    """`processor` seconds of all processes; `sent` states of `key_size` bytes between workers; `levels` and `agreements`."""

    workers: int
    states: int
    transitions: int
    clock: float
    processor: float
    sent: int
    key_size: int
    levels: int


def in_one_process(model: Model, symmetry: str) -> Measured:
    settings = Settings(symmetry=symmetry)
    engine = Engine(model, Limits(), settings=settings, symmetry=reduction(model, (), settings, counts=True).plan)
    engine.compiled()
    began, processor = time.monotonic(), time.process_time()
    found, _ = safety.search_states(engine, 0)
    spent = time.process_time() - processor
    return Measured(0, found.states, found.transitions, time.monotonic() - began, spent, 0, 0, found.depth + 1)


def processor_of(cluster: Cluster) -> float:
    calls = [cluster.call(worker, "seconds") for worker in cluster.workers()]
    total = 0.0
    for call in calls:
        while not cluster.wait([call], 1.0):
            pass
        total += cluster.result(call)
    return total + time.process_time()


def by_workers(model: Model, symmetry: str, count: int) -> Measured:
    settings = Settings(symmetry=symmetry, cluster=f"local:{count}")
    plan = reduction(model, (), settings, counts=True).plan
    last: list[Search] = []
    original = distributed.Search

    def remembered(*given: object) -> Search:
        last.append(original(*given))  # type: ignore[arg-type]
        return last[-1]

    distributed.Search = remembered  # type: ignore[misc,assignment]
    try:
        with connected(f"local:{count}") as cluster:
            engine = Engine(model, Limits(), settings=settings, symmetry=plan)
            engine.compiled()
            began, processor = time.monotonic(), processor_of(cluster)
            found, _ = distributed.search_states(engine, cluster, 0)
            clock, spent = time.monotonic() - began, processor_of(cluster) - processor
    finally:
        distributed.Search = original  # type: ignore[misc]
    search = last[-1]
    sent, levels = search.counts.sent, len(search.levels.files)
    return Measured(count, found.states, found.transitions, clock, spent, sent, search.program.key_size, levels)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--symmetry", default="off")
    parser.add_argument("model", nargs="?", default=str(MODELS / "philosophers.pml"))
    parser.add_argument("defines", nargs="*", default=["N=14"])
    options = parser.parse_args()
    defines = dict(each.split("=", 1) for each in options.defines)
    model = coset.load(options.model, defines=defines)
    alone = in_one_process(model, options.symmetry)
    show(alone, alone)
    for count in options.workers:
        show(by_workers(model, options.symmetry, count), alone)


def show(found: Measured, alone: Measured) -> None:
    assert (found.states, found.transitions) == (alone.states, alone.transitions)
    name = f"local:{found.workers}" if found.workers else "one process"
    moved = found.sent * found.key_size / found.transitions
    print(
        f"{name:12}{found.states:>14,} states{found.transitions:>15,} transitions{found.clock:8.1f} s{found.processor:8.1f} s CPU"
        f"{found.processor / alone.processor:7.2f} x{moved:8.2f} bytes sent/transition{found.levels:>6} levels",
        flush=True,
    )


if __name__ == "__main__":
    main()
