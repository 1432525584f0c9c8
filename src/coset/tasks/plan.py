"""Plan a search that may be too large: how many states, how much memory and time, in memory, on disk, by a cluster.

The first levels are searched, as far as a trial goes, and states of a random sample are asked for their successors.  A model that
is complete by then needs no plan.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from dataclasses import replace

from coset.engines.distributed.cluster import InProcess
from coset.engines.distributed.engine import prepare_next, result_of
from coset.engines.distributed.levels import FilesOfWorkers, Levels
from coset.engines.distributed.program import program_of
from coset.engines.distributed.report import Counts
from coset.engines.distributed.search import Search
from coset.engines.explicit.attempts import completed
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.on_disk import LEAST_BUFFERS, MOST_BUFFERS, place_for_files
from coset.engines.explicit.seam import Result, Stop
from coset.engines.reduction import reduction
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.plan import Plan, Range, Way
from coset.source.budget import Limits, OutOfBudget, usable_memory
from coset.source.records import dataclass
from coset.source.scratch import scratch_folder
from coset.symmetry.passes import merged_for_symmetry
from coset.tasks.growth import estimated_states

TRIAL = 2_000_000
"""States of the trial."""
ASKED = 100
"""States of the random sample that are asked for their successors."""
IN_MEMORY = {8: Range(6, 14), 16: Range(8, 28)}
"""Bytes in memory for each state, by the size of a packed one (ADR 63)."""
IN_FILES = Range(2, 10)
"""Bytes on disk for each state (ADR 75)."""
LATER = Range(1, 3)
"""How many times as long a transition takes as in the trial, when tables no longer fit into caches."""
OF_CLUSTER = Range(1.4, 2.5)
"""The processor time of a cluster, where that of one process is 1 (ADR 76)."""
START = Range(5, 30)
"""Seconds in which a cluster starts."""
PROCESSORS = 24
"""Of each machine of a cluster that is not there yet."""
ROOM = 0.9
"""The part of the memory that a search takes at most."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The beginning of a search."""

    sizes: Sequence[int]
    """Of complete levels."""
    states: int
    transitions: int
    key_size: int
    seconds: float
    """Of processor time."""
    complete: bool


class Recorded(Levels):
    """Remembers the sums up to each level, and keeps no files of old ones."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.sums = [0]

    def add(self, files: FilesOfWorkers, counts: Counts) -> None:
        super().add(files, counts)
        self.sums.append(counts.states)


def plan(
    model: Model,
    *,
    symmetry: str = "auto",
    steps: str = "merged",
    machines: int = 1,
    trial_states: int | None = None,
) -> Plan:
    """The plan of a search for errors in single states (`steps` "merged", as `check` does it) or of all states ("plain").

    Raises `Unsupported` where the compiled engine does not support the model."""
    settings = Settings(symmetry=symmetry, cluster="local:1")
    if steps == "merged" and model.sequential is None:
        model = merged_for_symmetry(replace(model, properties=()), marks=False)
    reduced = reduction(model, (), settings, counts=True)
    engine = Engine(model, Limits(trial_states or TRIAL), settings=settings, symmetry=reduced.plan)
    engine.layout()
    found = tried(engine)
    states = Range(found.states, found.states) if found.complete else estimated_states(found.sizes)
    states = Range(max(states.low, found.states), states.high)
    transitions = states * per_state(engine, found)
    if found.complete:
        transitions = Range(found.transitions, found.transitions)
    group = reduced.used.group
    free = shutil.disk_usage(place_for_files()).free
    ways = ways_to_search(states, transitions, found, machines, usable_memory(), free)
    advice, take = advised(ways, found, machines)
    return Plan(
        model.name, steps, group.structure if reduced.plan is not None else "", found.states, len(found.sizes), found.complete,
        states, transitions, found.key_size, nanoseconds(found), usable_memory(), free, machines, ways, advice, take,
    )  # fmt: skip


def tried(engine: Engine) -> Trial:
    def once(compiled: Compiled) -> tuple[Result, Trial]:
        program = program_of(engine, compiled, 0)
        with scratch_folder("plan") as folder, InProcess(1) as cluster:
            levels = Recorded(folder)
            search = Search(cluster, program, levels, engine.limits, lambda search: None)
            began = time.process_time()
            search.run()
            spent = time.process_time() - began
        result = result_of(search)
        prepare_next(engine, compiled, search)
        sizes = [after - before for before, after in zip(levels.sums, levels.sums[1:])]
        done = result.stopped == Stop.DONE
        return result, Trial(sizes, result.states, result.transitions, program.key_size, spent, done)

    result, found = completed(engine, once)
    if result.stopped not in (Stop.DONE, Stop.STATES):
        raise OutOfBudget(engine.limits.out_of_time() or "the limits of this process, before the trial was over")
    return found


def per_state(engine: Engine, found: Trial) -> Range:
    """Transitions for each state: in the trial, and in a random sample, which reaches deeper."""
    sample = engine.estimate.states[:: max(1, len(engine.estimate.states) // ASKED)]
    counts = [sum(1 for _ in engine.interpreter.steps(state)) for state in sample]
    known = [found.transitions / max(1, found.states), *([sum(counts) / len(counts)] if counts else [])]
    return Range(min(known), max(known))


def nanoseconds(found: Trial) -> float:
    return found.seconds / max(1, found.transitions) * 1e9


def ways_to_search(
    states: Range, transitions: Range, found: Trial, machines: int, memory: int, free: int
) -> tuple[Way, ...]:
    seconds = transitions * Range(nanoseconds(found) / 1e9, nanoseconds(found) / 1e9) * LATER
    taken = states * IN_MEMORY.get(found.key_size, Range(10, found.key_size + 20))
    files = states * IN_FILES
    processors = machines * PROCESSORS
    shared = seconds * OF_CLUSTER * Range(1 / processors, 1 / processors)
    longest = None if shared.high is None or START.high is None else shared.high + START.high
    shared = Range(shared.low + START.low, longest)
    part = Range(1 / machines, 1 / machines)
    return (
        Way("memory", "", taken, Range(0, 0), seconds, has_room(taken, memory * ROOM)),
        Way("disk", "--storage disk --disk DIR", Range(LEAST_BUFFERS, MOST_BUFFERS), files, seconds, has_room(files, free)),
        Way(
            f"{machines} machine{'s' * (machines > 1)} of {PROCESSORS} processors", "--cluster HOST:PORT --checkpoint DIR",
            taken * part, files * part, shared, has_room(taken * part, memory * ROOM),
        ),
    )  # fmt: skip


def has_room(needed: Range, room: float) -> bool | None:
    if needed.high is not None and needed.high <= room:
        return True
    return False if needed.low > room else None


def advised(ways: Sequence[Way], found: Trial, machines: int) -> tuple[str, str]:
    """What to do, and by which options."""
    memory, disk, cluster = ways
    if found.complete:
        return "the model is small: the trial visited all states", ""
    if memory.fits:
        return "the states fit into memory", memory.option
    if disk.fits is not False:
        known = "the states do not fit into memory" if memory.fits is False else "the states may not fit into memory"
        return f"{known}; a search on disk can be stopped and continued", disk.option
    if cluster.fits is not False:
        return "neither memory nor disk suffice here: use more machines", cluster.option
    return f"{machines} machines like this one do not suffice: use more of them, or make the model smaller", ""
