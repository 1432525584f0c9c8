"""Jobs that are done by several processes, within the budget of the command."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import TimeoutError as NotYet
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import Generic, TypeVar

from coset.source.budget import INTERRUPTED, Budget, Phases, current_budget, installed

J = TypeVar("J")
R = TypeVar("R")

TICK = 0.1
"""Seconds between two looks at the budget."""


class Workers(Generic[J, R]):
    """Does jobs in their order, by this process or by several; `work` must be a function of a module.  What an interruption
    leaves undone is `given_up`."""

    def __init__(self, count: int, work: Callable[[J], R], given_up: Callable[[J, str], R]) -> None:
        self.work, self.given_up = work, given_up
        count = min(count, os.cpu_count() or 1)  # more only take memory, and time to start
        self.pool: Pool | None = get_context("spawn").Pool(count, ignore_signals) if count > 1 else None

    def __enter__(self) -> Workers[J, R]:
        return self

    def __exit__(self, *unused: object) -> None:
        if self.pool is not None:
            self.pool.terminate()
            self.pool.join()
            self.pool = None
            gc.collect()  # its semaphores are removed now: the process ends by `os._exit`

    def run(self, jobs: Sequence[J]) -> Iterator[R]:
        if self.pool is None:
            yield from map(self.work, jobs)
            return
        budget = current_budget()
        left = budget.remaining_seconds()
        deadline = None if left is None else time.monotonic() + left
        tasks = [(self.work, job, deadline, budget.memory_limit()) for job in jobs]
        results = self.pool.imap(within_limits, tasks)
        phases = Phases()
        for job in jobs:
            result = phases(lambda: awaited(results))
            yield self.given_up(job, phases.stopped or INTERRUPTED) if result is None else result


def awaited(results: Iterator[R]) -> R:
    """The next result.  The workers keep the limits themselves, so that only an interruption is looked for."""
    while True:
        try:
            return results.next(timeout=TICK)  # type: ignore[attr-defined, no-any-return]
        except NotYet:
            if current_budget().is_interrupted:
                raise KeyboardInterrupt from None


def within_limits(task: tuple[Callable[[J], R], J, float | None, int | None]) -> R:
    """In a worker: a job until the deadline, which the clock of the system tells in all processes alike."""
    work, job, deadline, memory = task
    with installed(Budget(None if deadline is None else deadline - time.monotonic(), memory)):
        return work(job)


def ignore_signals() -> None:
    """In a worker: Ctrl-C is for the command, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
