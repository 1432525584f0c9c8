"""The driver of a distributed search: it goes from level to level, moves blocks between workers, and restores what is lost.

    expand    workers expand their states; blocks of successors go to the owners; until nothing is left
    settle    what is new is the next level; it is counted and written to files, which are a checkpoint

A level is over when all workers have nothing left and all blocks have arrived: the states that were sent are as many as were
received.  A worker that is lost takes its states with it: its partitions go to the others, and all begin again from the files
of the last level.  A worker that joins between two levels gets partitions in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from coset.engines.distributed.cluster import Call, Cluster, NoCluster, WorkerLost
from coset.engines.distributed.level_files import DamagedLevel
from coset.engines.distributed.levels import Levels, file_name
from coset.engines.distributed.owners import Owners, shared_out
from coset.engines.distributed.program import Program
from coset.engines.distributed.report import Counts, Halt, Report, Value
from coset.engines.distributed.worker import Folder
from coset.engines.explicit.checkpoint import CheckpointError
from coset.engines.explicit.seam import NO_BITS, Stop
from coset.results.internal import Disagreement
from coset.source.budget import Limits, current_budget

T = TypeVar("T")
MANY_VALUES = 20_000
"""So many values are agreed upon in any case, and after that as many as there are states."""
ANY, LEAST = 1 << 62, 100
"""States that a worker may expand in one call: as many as it wants, and the fewest."""
PAUSE = 0.25
"""Seconds between two looks at the limits while workers are busy."""


class Search:
    """A search by all workers of a cluster.  `look` is called now and then, to show the progress."""

    def __init__(
        self, cluster: Cluster, program: Program, levels: Levels, limits: Limits, look: Callable[[Search], None]
    ) -> None:
        self.cluster, self.program, self.levels, self.limits, self.look = cluster, program, levels, limits, look
        self.owners: Owners | None = None
        self.reports: dict[int, Report] = {}
        """The last report of each worker since it began."""
        self.before = Counts()
        """The sums when the workers began."""
        self.numbered = set(levels.values)
        self.frontier = 0
        self.attempt = 0
        self.halt: Halt | None = None
        """Why the search ended before its time."""
        self.peak = 0
        """The most memory that all workers together had."""
        self.has_many_values = False
        """Whether there are more values than states, so that numbers do not pay."""
        self.has_failed = False
        """Whether a worker was lost whose files no other one sees."""

    # --- what is known -----------------------------------------------------------------------------

    @property
    def counts(self) -> Counts:
        """The sums so far; the initial state counts as a transition."""
        return sum((each.counts for each in self.reports.values()), self.before)

    @property
    def depth(self) -> int:
        return max(0, len(self.levels.files) - 1)

    @property
    def memory(self) -> int:
        return sum(each.memory for each in self.reports.values())

    @property
    def room(self) -> int:
        """How many states the limit leaves for each worker, at least some."""
        if self.limits.states is None:
            return ANY
        return max(LEAST, (self.limits.states - self.counts.states) // len(self.cluster.workers()))

    @property
    def is_over(self) -> bool:
        return self.halt is not None

    # --- from level to level -----------------------------------------------------------------------

    def run(self) -> None:
        is_ready = False
        while not self.is_over:
            try:
                if not is_ready or self.cluster.newcomers():
                    self.begin()
                    is_ready = True
                if self.frontier == 0 or self.is_over:
                    break
                self.advance()
            except WorkerLost as lost:
                self.lose(lost.worker)
                is_ready = False
            except DamagedLevel as error:
                raise CheckpointError(f"{error}: leave out --resume and choose another folder") from None

    def begin(self) -> None:
        """From the last level that was saved, or else from the initial state."""
        workers, levels = self.cluster.workers(), self.levels
        self.owners = shared_out(workers, self.owners)
        self.reports.clear()
        self.before = levels.counts
        self.attempt += 1
        folder = Folder(levels.folder, levels.durable)
        self.each(
            "start",
            lambda each: (self.program, each, self.owners, self.cluster.neighbours(each), folder, levels.values),
        )
        if levels.files:
            names = [list(files.values()) for files in levels.files]
            self.each("restore", lambda each: (names,))
            self.frontier = sum(each.level for each in self.reports.values())
        else:
            self.each("begin")
            self.settle()

    def advance(self) -> None:
        """Expand the level, and go to the next one."""
        inserted: list[Call] = []
        self.repeat("expand", inserted, lambda each: (self.room,))
        self.collect(inserted)
        if not self.is_over:
            self.settle()

    def settle(self) -> None:
        counts = self.counts
        if counts.sent != counts.received:
            raise Disagreement(
                f"{counts.sent} states were sent to other processes, but {counts.received} were received"
            )
        level = len(self.levels.files)
        names = {each: file_name(level, each, self.attempt) for each in self.cluster.workers()}
        self.repeat("settle", [], lambda each: (level, names[each]))
        if self.is_over:
            return
        self.frontier = sum(each.level for each in self.reports.values())
        if self.frontier:
            self.levels.add(names, self.counts)

    # --- calls -------------------------------------------------------------------------------------

    def each(self, method: str, arguments: Callable[[int], Sequence[object]] = lambda worker: ()) -> None:
        """Call a method of all workers, and wait for them."""
        self.collect([self.cluster.call(worker, method, *arguments(worker)) for worker in self.cluster.workers()])

    def collect(self, calls: Sequence[Call]) -> None:
        """Wait for calls, and take their reports."""
        waiting = set(calls)
        while waiting:
            for call in self.cluster.wait(waiting, PAUSE):
                waiting.discard(call)
                self.take(call.worker, self.cluster.result(call))
            self.check_limits()

    def repeat(
        self, method: str, inserted: list[Call], arguments: Callable[[int], Sequence[object]] = lambda worker: ()
    ) -> None:
        """Call a method of each worker until it has nothing left; blocks go to their owners, in calls that are `inserted`."""
        busy = {self.cluster.call(worker, method, *arguments(worker)) for worker in self.cluster.workers()}
        told: list[Call] = []
        while busy:
            for call in self.cluster.wait(busy, PAUSE):
                busy.discard(call)
                report: Report = self.cluster.result(call)
                self.take(call.worker, report)
                if self.is_over:
                    continue
                inserted += [self.cluster.call(owner, "insert", block) for owner, block in report.blocks.items()]
                told += self.agree(call.worker, report.missing)
                if report.left:
                    busy.add(self.cluster.call(call.worker, method, *arguments(call.worker)))
            self.check_limits()
        self.collect(told)

    def take(self, worker: int, report: Report) -> None:
        if worker in self.reports and self.reports[worker].number > report.number:
            report = self.reports[worker]  # calls that are over are seen in any order
        self.reports[worker] = report
        self.peak = max(self.peak, self.memory)
        if report.halt is not None and (self.halt is None or report.halt.stop is Stop.UNCERTIFIED):
            self.halt = report.halt

    def agree(self, worker: int, missing: Sequence[Value]) -> list[Call]:
        """Give values the next numbers, unless they have some, and tell all workers: what they are asked after that they do with
        these numbers."""
        if not missing:
            return []
        fresh = [value for value in dict.fromkeys(missing) if value not in self.numbered]
        self.numbered.update(fresh)
        if len(self.numbered) > max(MANY_VALUES, self.counts.states) and not self.is_over:
            self.halt, self.has_many_values = Halt(Stop.OVERFLOW, NO_BITS, fresh[-1][0] if fresh else 0), True
            return []
        self.levels.values += fresh
        # A worker that asked for what another one had asked for has to try again as well.
        told = self.cluster.workers() if fresh else [worker]
        return [self.cluster.call(each, "agree", fresh) for each in told]

    def check_limits(self) -> None:
        """Stop at a limit, or if the user has had enough."""
        self.look(self)
        if self.halt is None and self.limits.out_of_time() is not None:
            self.halt = Halt(Stop.ASKED)
        if self.halt is None and self.limits.states is not None and self.counts.states >= self.limits.states:
            self.halt = Halt(Stop.STATES)

    def interrupt(self) -> None:
        self.halt = self.halt or Halt(Stop.ASKED)

    def lose(self, worker: int) -> None:
        """Go on without a worker, if its files are not lost as well."""
        self.cluster.lose(worker)
        if not self.cluster.workers():
            raise NoCluster("all workers of the cluster were lost")
        if not (self.cluster.is_one_machine or self.levels.durable):
            self.halt, self.has_failed = Halt(Stop.SYSTEM), True

    # --- the run to an error -----------------------------------------------------------------------

    def path(self) -> list[bytes]:
        """The states of a shortest run to the error that ended the search, as their representatives.

        No predecessors are kept: those of a level are expanded again until one of them has the wanted successor."""
        assert self.halt is not None and self.halt.stop is Stop.ERROR
        keys = [self.halt.key]
        for files in reversed(self.levels.files[:-1]):
            keys.append(self.persistent(partial(self.predecessor, files, keys[-1])))
        return self.persistent(partial(self.states, keys[::-1]))

    def persistent(self, ask: Callable[[], T]) -> T:
        """Ask again without a worker that was lost meanwhile."""
        while True:
            try:
                return ask()
            except WorkerLost as lost:
                self.lose(lost.worker)
                if self.has_failed:
                    raise NoCluster(
                        "a worker was lost that has a part of the run to an error; --checkpoint DIR, a folder that all machines "
                        "see, lets the others find it"
                    ) from None

    def states(self, keys: Sequence[bytes]) -> list[bytes]:
        """Packed states as they are, by any worker."""
        call = self.cluster.call(self.cluster.workers()[0], "states", keys)
        while not self.cluster.wait([call], PAUSE):
            current_budget().demand()
        states: list[bytes] = self.cluster.result(call)
        return states

    def predecessor(self, files: dict[int, str], wanted: bytes) -> bytes:
        """A state of a level with a successor; each worker looks in its own files, and in those of workers that were lost."""
        workers = self.cluster.workers()
        todo: dict[int, list[str]] = {worker: [] for worker in workers}
        for number, (writer, name) in enumerate(files.items()):
            todo[writer if writer in todo else workers[number % len(workers)]].append(name)
        found: bytes | None = None
        busy: dict[Call, str] = {}

        def go_on(worker: int, name: str | None, first: int | None) -> None:
            if first is None:
                name, first = (todo[worker].pop() if todo[worker] else None), 0
            if name is not None and found is None:
                busy[self.cluster.call(worker, "predecessor", name, wanted, first)] = name

        for worker in workers:
            go_on(worker, None, None)
        while busy:
            for call in self.cluster.wait(busy, PAUSE):
                name = busy.pop(call)
                here, following = self.cluster.result(call)
                found = here if found is None else found
                go_on(call.worker, name, following)
            current_budget().demand()
        if found is None:
            raise Disagreement("a state that was reached has no predecessor in the level before")
        return found
