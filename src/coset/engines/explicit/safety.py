"""Errors in single states, and the count of all states, by the compiled engine."""

from __future__ import annotations

import contextvars
import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from coset.engines.evidence import moves_along, moves_to_error, shortened, unpermuted
from coset.engines.explicit.attempts import completed
from coset.engines.explicit.checkpoint import prepare
from coset.engines.explicit.checkpointed import ask_for_checkpoints, tell_of_checkpoint
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.encoded_run import EncodedRun
from coset.engines.explicit.engine import STOPPED, Engine, stopped_by
from coset.engines.explicit.on_disk import as_before, files_of, tell_of_disk
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.seam import FAULTS, Error, Extend, Order, Result, Stop
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter, Step
from coset.model.model import Model
from coset.model.state import State
from coset.results.events import Finished, Listener, Started, ignore_events
from coset.results.exploration import Exploration
from coset.results.trace import Trace, from_moves, remember, run_of
from coset.source.budget import Limits
from coset.source.records import dataclass
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan

T = TypeVar("T")
KINDS = {Error.ASSERTION: "assertion", Error.END: "deadlock", Error.TRACE: "trace"}
"""Kinds of error as traces name them; all others are faults."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An error that need not be shown: its kind, and the states of the run to it if they can be had easily."""

    kind: str
    run: Sequence[State] | None = None


def explore(
    model: Model,
    limits: Limits | None = None,
    listener: Listener = ignore_events,
    settings: Settings | None = None,
    symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan | None = None,
) -> Exploration:
    """Count the reachable states, or one representative for each orbit."""
    partial = settings is not None and settings.reduction == "por"
    searched = replace(model, properties=()) if partial else model  # no property to preserve
    with prepare(model, settings or Settings()):
        engine = Engine(searched, limits, listener, settings, symmetry, partial, begin_quick=True)
        engine.may_drop_symmetry = engine.settings.leaves_symmetry_open
        exploration, _ = search_states(engine, stop_at=0)
    exploration.symmetry = engine.symmetry_used(exploration.symmetry)
    return exploration


def search_states(engine: Engine, stop_at: int, show: bool = True) -> tuple[Exploration, Trace | Violation | None]:
    """Search all states, or until an error of a kind in the set of bits `stop_at`: then with the trace of the error, or only
    with what is known of it if it need not be shown.  Breadth first, traces are shortest.  Where there is none to show, the
    quick tier searches depth first, which mostly finds an error sooner."""

    def once(compiled: Compiled) -> tuple[Result, Trace | Violation | None]:
        order = "depth" if compiled.quick and stop_at and not show else None
        return search_once(engine, compiled, stop_at, show, order)

    return counted(engine, once)


def counted(
    engine: Engine, search: Callable[[Compiled], tuple[Result, T]], name: str = "explicit"
) -> tuple[Exploration, T]:
    """The counts of a search, and what it returns, by the first program that it comes to its end with."""
    model, settings = engine.interpreter.model, engine.settings
    exploration = Exploration(model.name, name, threads=settings.threads, storage=settings.storage)
    engine.listener(Started(model.name, name))
    seconds = 0.0

    def attempt(compiled: Compiled) -> tuple[Result, T]:
        nonlocal seconds
        began = time.monotonic()
        try:
            return search(compiled)
        finally:
            seconds += time.monotonic() - began

    result, found = completed(engine, attempt)
    fill(exploration, result, engine)
    exploration.seconds = {"compile": engine.compile_seconds, "search": seconds}
    engine.listener(Finished(exploration.complete))
    return exploration, found


def search_once(
    engine: Engine, compiled: Compiled, stop_at: int, show: bool, order: str | None = None
) -> tuple[Result, Trace | Violation | None]:
    compiled = as_before(engine, compiled)
    c, result = compiled.library, Result()
    request, buffer = engine.request(compiled, order)
    errors: list[Exception] = []
    context = contextvars.copy_context()  # the search has a thread of its own

    def go_on() -> bool:
        if compiled.quick:
            engine.sample(compiled, result.states, lambda number, room: c.search_state(handle, number, room))
        return engine.extension is not None and engine.extension(result)

    def extend(allowance: Any) -> int:
        try:
            is_longer = context.run(go_on)
            allowance[0] = engine.allowance(compiled)
        except Exception as error:
            errors.append(error)
            return 0
        return int(is_longer)

    callback = Extend(extend)
    request.extend = ctypes.cast(callback, ctypes.c_void_p)
    request.stop_at, request.keep_parents = stop_at, int(stop_at != 0 and show)
    ask_for_checkpoints(request, engine, compiled)
    with files_of(request, engine, compiled):
        before = engine.go_on(compiled, request)
        handle = opened(c.search_new, request, ctypes.byref(result))
        if not handle:
            result.stopped = Stop.SYSTEM
            return result, None
        try:
            engine.watch(lambda: c.search_run(handle), result, levels=request.order == Order.BREADTH)
            tell_of_checkpoint(request, engine, result)
            tell_of_disk(request, engine, result)
            if errors:
                raise errors[0]
            if result.stopped != Stop.ERROR:
                return result, None
            if show:
                return result, safety_trace(engine, compiled, handle, result)
            return result, Violation(kind_of(result), guide(engine, compiled, handle, result))
        finally:
            if not engine.keep(compiled, result, lambda: c.search_transfer(handle)):
                c.search_free(handle)
            del buffer, callback, before


def path_to(compiled: Compiled, handle: ctypes.c_void_p, number: int) -> EncodedRun:
    """The path to a stored state."""
    length = compiled.library.search_path(handle, number, None, 0)
    room = ctypes.create_string_buffer(length * compiled.layout.size)
    compiled.library.search_path(handle, number, room, length)
    return EncodedRun(compiled, room, length)


SHORT_GUIDE = 20
"""A run may be a guide (guided.py) if the search has so many times as many states."""


def guide(engine: Engine, compiled: Compiled, handle: ctypes.c_void_p, result: Result) -> list[State] | None:
    """The states of the run to an error that was found depth first, unless it is so long that another search is as easy."""
    length = compiled.library.search_path(handle, result.error_state, None, 0)
    has_run = engine.symmetry is None or engine.symmetry.has_runs
    if not has_run or not 0 < length * SHORT_GUIDE <= result.states:
        return None
    chain = path_to(compiled, handle, result.error_state).states()
    return chain if engine.symmetry is None else unpermuted(engine.interpreter, chain, engine.canonical(compiled))


class LongRun(Exception):
    """The run to an error is longer than `Engine.most_moves`."""


@phase("evidence")
def safety_trace(engine: Engine, compiled: Compiled, handle: ctypes.c_void_p, result: Result) -> Trace:
    """The run to the error, from the states on the path to it."""
    interpreter = engine.interpreter
    length = compiled.library.search_path(handle, result.error_state, None, 0)
    if engine.most_moves is not None and length > engine.most_moves:
        raise LongRun
    run = path_to(compiled, handle, result.error_state)
    kind, is_deep = kind_of(result), engine.settings.order == "depth"
    steps = None if engine.symmetry is not None else run.steps(interpreter)
    if steps is not None:
        return trace_along(interpreter, [interpreter.initial(), *(step.state for step in steps)], kind, is_deep, steps)
    chain = run.states()
    if engine.symmetry is not None:
        chain = unpermuted(interpreter, chain, engine.canonical(compiled))
    return trace_along(interpreter, chain, kind, is_deep)


EXECUTED_AGAIN = 2_000
"""Moves of the longest run whose trace is executed again before it is reported.  The moves are the interpreter's own."""


@phase("evidence")
def trace_along(
    interpreter: Interpreter, chain: Sequence[State], kind: str, is_deep: bool, steps: Sequence[Step] | None = None
) -> Trace:
    """The trace of a run to an error, by its `steps` if they are known; it is shortened if it was found depth first."""
    shorter = shortened(interpreter, chain) if is_deep else chain
    if steps is not None and len(shorter) == len(chain):
        moves = [move for step in steps for move in step.moves]
    else:
        moves = moves_along(interpreter, shorter)
    if kind != "deadlock":
        moves += moves_to_error(interpreter, shorter[-1], kind)
    trace = from_moves(interpreter.model, moves, kind)
    if len(trace) > EXECUTED_AGAIN:
        remember(interpreter.model, run_of(interpreter, trace, moves))
    return trace


def kind_of(result: Result) -> str:
    """The kind of the error that ended a search, as traces name it."""
    return KINDS.get(result.error_kind, "fault")


def fill(exploration: Exploration, result: Result, engine: Engine) -> None:
    prelude = int(engine.interpreter.model.prelude)
    exploration.states = exploration.represents = result.states - prelude
    if engine.symmetry is not None:
        low, high = result.represents
        exploration.represents = low + (high << 64) - prelude if engine.symmetry.counts else None
        exploration.certified_states = result.certified
    if engine.facts is not None:  # states, and orbits, that were left out are not counted
        exploration.represents, exploration.reduction = None, "por"
    exploration.transitions = max(0, result.transitions - engine.interpreter.model.uncounted)
    exploration.depth = max(0, result.depth - prelude)
    errors = exploration.errors
    errors.assertions = result.errors[Error.ASSERTION]
    errors.invalid_end_states = result.errors[Error.END]
    errors.trace = result.errors[Error.TRACE]
    errors.faults = {fault.name.lower(): result.errors[fault] for fault in FAULTS if result.errors[fault]}
    exploration.stopped = stopped_by(result, engine.limits)
    if result.stopped == Stop.MEMORY and engine.settings.storage != "disk":
        exploration.stopped = f"{exploration.stopped}; --storage disk keeps states in files"
    exploration.interrupted = exploration.stopped == STOPPED[Stop.ASKED]
    exploration.omission_probability = result.omission
    exploration.complete = result.stopped == Stop.DONE and engine.settings.storage != "bits"
    if result.stopped == Stop.DONE and not exploration.complete:
        # States that are reachable only through omitted states are not counted.
        exploration.stopped = f"the end of a search by bits, which omits about {result.omission:.1g} of the states"
    exploration.peak_memory, exploration.disk = result.peak, result.disk
    if result.states:
        exploration.bytes_per_state = round(max(0, result.peak - result.memory_before) / result.states, 1)
