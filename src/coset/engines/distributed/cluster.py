"""What the driver needs of a cluster: processes that can be called, and that may be lost.

There are two: processes on one machine or many, by Ray (ray_cluster.py), and workers in this process, for tests.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from contextlib import AbstractContextManager
from typing import Any

from coset.engines.distributed.worker import Worker
from coset.source.records import dataclass


class NoCluster(Exception):
    """There is no cluster; the message says why and what to do."""


class WorkerLost(Exception):
    """A process of the cluster does not answer any more."""

    def __init__(self, worker: int) -> None:
        super().__init__(f"worker {worker} is lost")
        self.worker = worker


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a worker that may still be under way; `handle` is for the cluster."""

    worker: int
    handle: Any


class Cluster(AbstractContextManager["Cluster"], ABC):
    """Workers by number.  The calls of one worker are executed in the order in which they were made, so that a call may rely on
    those before it without waiting for them.  Blocks of states in results may be handles, which are passed on as arguments."""

    is_one_machine = True
    """Whether all workers see the temporary files of this process."""

    @abstractmethod
    def workers(self) -> list[int]:
        """Those that are not known to be lost."""

    @abstractmethod
    def neighbours(self, worker: int) -> int:
        """How many workers are on the same machine, with this one."""

    @abstractmethod
    def call(self, worker: int, method: str, *arguments: object) -> Call:
        """Begin to call a method of `Worker`."""

    @abstractmethod
    def wait(self, calls: Collection[Call], seconds: float) -> list[Call]:
        """Those that are over, when one of them is, or after some seconds.  Raises `WorkerLost`."""

    @abstractmethod
    def result(self, call: Call) -> Any:
        """What a call returns, when it is over.  Raises `WorkerLost`."""

    @abstractmethod
    def lose(self, worker: int) -> None:
        """Forget a worker that was lost."""

    def newcomers(self) -> bool:
        """Whether workers have joined since the last question; `workers` has them then."""
        return False

    @abstractmethod
    def close(self) -> None:
        """End all workers."""

    def __exit__(self, *unused: object) -> None:
        self.close()


class InProcess(Cluster):
    """Workers in this process, which answer at once."""

    def __init__(self, count: int) -> None:
        self.all = {number: Worker() for number in range(count)}
        self.joining: list[Worker] = []

    def workers(self) -> list[int]:
        return list(self.all)

    def neighbours(self, worker: int) -> int:
        return 1

    def call(self, worker: int, method: str, *arguments: object) -> Call:
        if worker not in self.all:
            return Call(worker, WorkerLost(worker))
        try:
            return Call(worker, getattr(self.all[worker], method)(*arguments))
        except Exception as error:
            return Call(worker, error)

    def wait(self, calls: Collection[Call], seconds: float) -> list[Call]:
        return list(calls)

    def result(self, call: Call) -> Any:
        if isinstance(call.handle, Exception):
            raise call.handle
        return call.handle

    def lose(self, worker: int) -> None:
        found = self.all.pop(worker, None)
        if found is not None:
            found.close()

    def newcomers(self) -> bool:
        joining, self.joining = self.joining, []
        for worker in joining:
            self.all[max(self.all) + 1] = worker
        return bool(joining)

    def close(self) -> None:
        for worker in list(self.all):
            self.lose(worker)
