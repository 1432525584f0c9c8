"""A cluster of processes by Ray, on this machine (`local:N`) or on the machines of a running cluster.

Ray starts the workers, carries blocks between them and notices most failures; a worker that does not answer a heartbeat is
lost, too.  This is the only module that imports Ray.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from coset.engines.distributed.cluster import Call, Cluster, NoCluster, WorkerLost
from coset.engines.distributed.report import Report
from coset.engines.distributed.worker import Worker
from coset.source.budget import SIGNALS, usable_memory

HEARTBEAT, PATIENCE = 10.0, 60.0
"""Seconds of silence before a worker is asked whether it is there, and that it has to answer."""
CONNECTING = 5.0
"""Seconds in which a running cluster has to accept a connection."""
STORE = 256 << 20
"""The most bytes of blocks on their way on this machine, and as many for each local worker."""
INSTALL = "pip install 'coset[cluster]'"


def ray_module() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise NoCluster(f"--cluster needs Ray ({error}): {INSTALL}") from None
    return ray


@contextmanager
def own_signals() -> Iterator[None]:
    """Keep the handlers of signals: Ray installs some of its own."""
    is_main = threading.current_thread() is threading.main_thread()
    before = {each: signal.getsignal(each) for each in SIGNALS} if is_main else {}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def refuse_unreachable(address: str) -> None:
    """Raise `NoCluster` if nothing listens at an address: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not port.isdecimal() or not host:
        return  # such as `auto`
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECTING).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise NoCluster(
            f"--cluster {address}: nothing answers there ({error}); `ray start --head` starts a cluster and prints its address"
        ) from None


def options_of(address: str, local: int | None) -> dict[str, object]:
    quiet: dict[str, object] = {"log_to_driver": False, "logging_level": "error", "configure_logging": True}
    if local is None:
        return quiet | {"address": address}
    store = min(usable_memory() // 4, STORE * (local + 1))
    return quiet | {"address": "local", "num_cpus": local, "num_gpus": 0, "include_dashboard": False,
                    "object_store_memory": store}  # fmt: skip


class RayCluster(Cluster):
    """`local` is how many workers are on this machine; None if `address` is that of a running cluster, where each processor gets
    one."""

    def __init__(self, address: str, local: int | None) -> None:
        self.ray = ray_module()
        if local is None:
            refuse_unreachable(address)
        self.actors: dict[int, Any] = {}
        self.nodes: dict[int, str] = {}
        """The machine of each worker."""
        self.silent_since: dict[int, float] = {}
        self.heartbeats: dict[int, tuple[Any, float]] = {}
        self.local, self.started, self.known = local, 0, set[str]()
        with own_signals():
            try:
                self.ray.init(**options_of(address, local))
            except Exception as error:
                raise NoCluster(f"--cluster {address}: Ray cannot be used: {first_line(error)}") from None
        try:
            self.remote = remote_worker(self.ray)
            if local is None:
                self.newcomers()
            else:
                (node,) = self.ray.nodes()
                self.add(node["NodeID"], local)
            if not self.actors:
                raise NoCluster(f"--cluster {address}: the cluster has no processors")
        except BaseException:
            self.close()
            raise

    @property
    def is_one_machine(self) -> bool:  # type: ignore[override]
        return self.local is not None or len(set(self.nodes.values())) == 1

    def add(self, node: str, count: int) -> None:
        """Start workers on a machine."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self.known.add(node)
        for _ in range(count):
            place = NodeAffinitySchedulingStrategy(node, soft=False)
            self.actors[self.started] = self.remote.options(num_cpus=1, scheduling_strategy=place).remote()
            self.nodes[self.started] = node
            self.started += 1

    def newcomers(self) -> bool:
        if self.local is not None:
            return False
        fresh = [each for each in self.ray.nodes() if each["Alive"] and each["NodeID"] not in self.known]
        for each in fresh:
            self.add(each["NodeID"], int(each["Resources"].get("CPU", 0)))
        return bool(fresh)

    def workers(self) -> list[int]:
        return list(self.actors)

    def neighbours(self, worker: int) -> int:
        return sum(1 for each in self.actors if self.nodes[each] == self.nodes[worker])

    # --- calls -------------------------------------------------------------------------------------

    def call(self, worker: int, method: str, *arguments: object) -> Call:
        if worker not in self.actors:
            raise WorkerLost(worker)
        self.silent_since.setdefault(worker, time.monotonic())
        return Call(worker, getattr(self.actors[worker], method).remote(*arguments))

    def wait(self, calls: Collection[Call], seconds: float) -> list[Call]:
        by_handle = {call.handle: call for call in calls}
        handles = list(by_handle)
        done, _ = self.ray.wait(handles, num_returns=1, timeout=seconds, fetch_local=False)
        if done and len(handles) > 1:
            done, _ = self.ray.wait(handles, num_returns=len(handles), timeout=0, fetch_local=False)
        for handle in done:
            self.silent_since.pop(by_handle[handle].worker, None)
            self.heartbeats.pop(by_handle[handle].worker, None)
        for worker in {call.worker for call in calls}:
            self.feel(worker)
        return [by_handle[handle] for handle in done]

    def feel(self, worker: int) -> None:
        """Look whether a worker that has been silent is there."""
        now = time.monotonic()
        if worker in self.heartbeats:
            handle, asked = self.heartbeats[worker]
            if self.ray.wait([handle], timeout=0)[0]:
                self.result(Call(worker, handle))
                del self.heartbeats[worker]
                self.silent_since[worker] = now
            elif now - asked > PATIENCE:
                raise WorkerLost(worker)
        elif now - self.silent_since.setdefault(worker, now) > HEARTBEAT:
            self.heartbeats[worker] = self.actors[worker].heartbeat.remote(), now

    def result(self, call: Call) -> Any:
        errors = self.ray.exceptions
        try:
            return self.ray.get(call.handle)
        except errors.RayActorError:
            raise WorkerLost(call.worker) from None
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, errors.ObjectLostError):  # the worker that sent a block is lost
                raise WorkerLost(self.dead_or(call.worker)) from None
            raise (cause if isinstance(cause, Exception) else error) from None
        except errors.ObjectLostError:
            raise WorkerLost(self.dead_or(call.worker)) from None

    def dead_or(self, worker: int) -> int:
        """A worker that is dead; this one, if all others answer."""
        handles = {each: actor.heartbeat.remote() for each, actor in self.actors.items() if each != worker}
        for each, handle in handles.items():
            try:
                self.ray.get(handle, timeout=PATIENCE)
            except (self.ray.exceptions.RayActorError, self.ray.exceptions.GetTimeoutError):
                return each
        return worker

    # --- the end -----------------------------------------------------------------------------------

    def lose(self, worker: int) -> None:
        actor = self.actors.pop(worker, None)
        self.silent_since.pop(worker, None)
        self.heartbeats.pop(worker, None)
        if actor is not None:
            with suppress(Exception):
                self.ray.kill(actor)

    def close(self) -> None:
        with own_signals():
            for worker in list(self.actors):
                self.lose(worker)
            self.ray.shutdown()


def first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]


def remote_worker(ray: Any) -> Any:
    """The class of workers for Ray: blocks stay where they are until they are needed."""

    class RemoteWorker(Worker):
        @ray.method(concurrency_group="heartbeat")  # type: ignore[untyped-decorator]
        def heartbeat(self) -> bool:
            return True

        @ray.method(concurrency_group="heartbeat")  # type: ignore[untyped-decorator]
        def process(self) -> int:
            return os.getpid()

        def expand(self, most: int) -> Report:
            report = super().expand(most)
            report.blocks.update({owner: ray.put(block) for owner, block in report.blocks.items()})
            return report

    return ray.remote(concurrency_groups={"heartbeat": 1}, max_restarts=0)(RemoteWorker)
