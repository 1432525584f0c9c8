"""Errors in single states, and the count of all states, by the processes of a cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from coset.engines.distributed import connection
from coset.engines.distributed.cluster import Cluster
from coset.engines.distributed.levels import Levels
from coset.engines.distributed.program import Program, program_of
from coset.engines.distributed.search import Search
from coset.engines.evidence import unpermuted
from coset.engines.explicit.checkpoint import prepare
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine, named
from coset.engines.explicit.on_disk import as_before, place_for_files, write_counts
from coset.engines.explicit.outlook import Outlook
from coset.engines.explicit.safety import Violation, counted, kind_of, trace_along
from coset.engines.explicit.seam import Failure, Result, Stop
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.events import Listener
from coset.results.exploration import Exploration
from coset.results.internal import WrongSymmetry
from coset.results.trace import Trace
from coset.source.budget import Limits, current_budget
from coset.source.scratch import temporary
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan

NAME = "distributed"
ENDED = {Stop.DONE, Stop.ERROR, Stop.OVERFLOW, Stop.UNCERTIFIED}
"""Ends of a search after which it is not resumed."""
QUIET, BETWEEN = 0.5, 0.25
"""Seconds before progress is shown for the first time, and between two times."""
LOST = "the loss of a worker: --checkpoint DIR, a folder that all machines see, lets the others go on"


def explore(
    model: Model,
    limits: Limits,
    listener: Listener,
    settings: Settings,
    symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan | None,
) -> Exploration:
    """Count the reachable states, or one representative for each orbit."""
    assert settings.cluster is not None
    with prepare(model, settings):
        engine = Engine(model, limits, listener, settings, symmetry)
        engine.layout()
        with connection.connected(settings.cluster) as cluster:
            return search_states(engine, cluster, stop_at=0)[0]


def search_states(
    engine: Engine, cluster: Cluster, stop_at: int, show: bool = True
) -> tuple[Exploration, Trace | Violation | None]:
    """Search all states, or until an error of a kind in the set of bits `stop_at`: then with a shortest trace, or only with its
    kind if it need not be shown."""
    reasons: list[str] = []

    def once(compiled: Compiled) -> tuple[Result, Trace | Violation | None]:
        compiled = as_before(engine, compiled)
        program = program_of(engine, compiled, stop_at)
        with levels_of(engine, compiled, program, cluster) as levels:
            search = Search(cluster, program, levels, engine.limits, Progress(engine))
            run(search)
            result = result_of(search)
            prepare_next(engine, compiled, search)
            reasons.extend([LOST] * search.has_failed)
            refuse_wrong_symmetry(engine, compiled, search)
            found = evidence(engine, compiled, search, result, show)
            if result.stopped in ENDED:
                levels.remove()
        return result, found

    exploration, found = counted(engine, once, NAME)
    exploration.threads = len(cluster.workers())
    exploration.stopped = reasons[-1] if reasons else exploration.stopped
    return exploration, found


def prepare_next(engine: Engine, compiled: Compiled, search: Search) -> None:
    """What another attempt has to know if this one ended as a value had no number: how many values each component has had, or
    that numbers do not pay."""
    engine.estimate.is_whole |= search.has_many_values
    if compiled.coding is not None:
        counts = [1] * len(compiled.coding.components.all)
        for component, _ in search.levels.values:
            counts[component] += 1
        engine.met = counts


@contextmanager
def levels_of(engine: Engine, compiled: Compiled, program: Program, cluster: Cluster) -> Iterator[Levels]:
    """The files of a search: temporary ones, unless the user gives a folder."""
    checkpoints = engine.settings.checkpoints
    if checkpoints is None:
        name = f"coset-cluster-{os.getpid()}-{token_hex(8)}"
        with temporary(place_for_files() / name) as folder:
            folder.mkdir(mode=0o700)
            yield Levels(folder)
            if not cluster.is_one_machine:
                for worker in cluster.workers():
                    cluster.call(worker, "clean")
        return
    folder = checkpoints.folder / f"{program.identity:016x}.cluster"
    folder.mkdir(exist_ok=True)
    write_counts(compiled, checkpoints.folder)
    levels = Levels(folder, durable=True)
    if checkpoints.resume:
        levels.read()
    yield levels


@phase("search")
def run(search: Search) -> None:
    try:
        search.run()
    except KeyboardInterrupt:
        current_budget().interrupt()
        search.interrupt()


class Progress:
    """Tells the listener how far a search has come."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.outlook = engine, Outlook()
        self.next = time.monotonic() + QUIET

    def __call__(self, search: Search) -> None:
        if (now := time.monotonic()) >= self.next:
            self.next = now + BETWEEN
            self.engine.listener(self.engine.progress(result_of(search), self.outlook))


def result_of(search: Search) -> Result:
    """What a search in one process would tell."""
    counts, halt, result = search.counts, search.halt, Result()
    result.states, result.transitions, result.certified = counts.states, counts.transitions + 1, counts.certified
    result.represents[:] = counts.represents & (1 << 64) - 1, counts.represents >> 64
    result.errors[:] = counts.errors
    result.depth, result.frontier = search.depth, search.frontier
    result.memory, result.peak = search.memory, search.peak
    if halt is not None:
        result.stopped, result.error_kind = halt.stop, halt.error
        result.overflow_slot, result.overflow_kind = halt.slot, halt.kind
        result.disk_error = halt.kind if halt.stop is Stop.DISK else 0
        result.failure = Failure(halt.first, halt.second)
    return result


def refuse_wrong_symmetry(engine: Engine, compiled: Compiled, search: Search) -> None:
    halt = search.halt
    if halt is not None and halt.stop is Stop.UNCERTIFIED:
        assert engine.symmetry is not None
        state = compiled.layout.decode(halt.witness)
        raise WrongSymmetry(named(engine.symmetry, Failure(halt.first, halt.second)), str(state))


@phase("evidence")
def evidence(
    engine: Engine, compiled: Compiled, search: Search, result: Result, show: bool
) -> Trace | Violation | None:
    """The run to the error that ended a search."""
    if result.stopped != Stop.ERROR:
        return None
    kind = kind_of(result)
    if not show:
        return Violation(kind)
    chain = list(compiled.layout.decode_run(search.path()))
    if engine.symmetry is not None:
        chain = unpermuted(engine.interpreter, chain, engine.canonical(compiled))
    return trace_along(engine.interpreter, chain, kind, is_deep=False)
