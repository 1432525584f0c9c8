"""The compiled engine: plan, emit, compile, search."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from dataclasses import dataclass

from coset.engines.explicit.build import library
from coset.engines.explicit.emit.program import Program, emit, supported
from coset.engines.explicit.layout import Layout, Plan, plan_for
from coset.engines.limits import Limits
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.results.events import Finished, Listener, Progress, Started, nobody
from coset.results.exploration import Exploration

FAULTS = ("none", "index", "division", "channel", "poll", "message", "processes", "priority", "blocked", "endless")
ASSERTION, END, TRACE = len(FAULTS), len(FAULTS) + 1, len(FAULTS) + 2
ERRORS = len(FAULTS) + 3
LOOK = 300
"""States that the interpreter looks at to see which processes there are."""


class Request(ctypes.Structure):
    """`struct request` of search.h."""

    _fields_ = [
        ("initial", ctypes.c_char_p), ("max_states", ctypes.c_uint64), ("max_memory", ctypes.c_uint64),
        ("reserve", ctypes.c_uint64), ("threads", ctypes.c_int), ("keep_parents", ctypes.c_int),
        ("stop_at", ctypes.c_uint),
    ]  # fmt: skip


class Result(ctypes.Structure):
    """`struct result` of search.h."""

    _fields_ = [
        ("states", ctypes.c_uint64), ("transitions", ctypes.c_uint64), ("depth", ctypes.c_uint64),
        ("frontier", ctypes.c_uint64), ("memory", ctypes.c_uint64), ("errors", ctypes.c_uint64 * ERRORS),
        ("stop_asked", ctypes.c_int), ("stopped", ctypes.c_int), ("error_kind", ctypes.c_int),
        ("error_edge", ctypes.c_int), ("error_state", ctypes.c_uint64), ("overflow_slot", ctypes.c_int),
        ("overflow_kind", ctypes.c_int),
    ]  # fmt: skip


STOPPED = {1: "an interruption", 2: "the limit of states (--max-states)", 3: "the limit of memory (--max-memory)",
           6: "a failure of the system"}  # fmt: skip
AT_ERROR, OVERFLOW = 4, 5


class Unsupported(Exception):
    """The compiled engine cannot do this model; the message names the construct."""


@dataclass(slots=True)
class Compiled:
    """A model as a loaded library."""

    layout: Layout
    program: Program
    library: ctypes.CDLL
    seconds: float

    def search(self, request: Request, result: Result) -> int:
        self.library.search_new.restype = ctypes.c_void_p
        self.library.search_parent.restype = ctypes.c_uint64
        return self.library.search_new(ctypes.byref(request), ctypes.byref(result)) or 0


def compile_model(interpreter: Interpreter, plan: Plan) -> Compiled:
    layout = Layout(interpreter, plan)
    reason = supported(layout)
    if reason is not None:
        raise Unsupported(reason)
    program = emit(layout)
    began = time.monotonic()
    loaded, _ = library(program.header, program.source)
    return Compiled(layout, program, loaded, time.monotonic() - began)


def first_states(interpreter: Interpreter, count: int) -> list[State]:
    """Some reachable states, breadth first, to see which processes there are."""
    initial = interpreter.initial()
    seen, queue = {initial}, [initial]
    for state in queue:
        if len(queue) >= count:
            break
        for step in itertools.islice(interpreter.steps(state), count):
            if step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    return queue


def explore(
    model: Model, limits: Limits | None = None, listener: Listener = nobody, threads: int = 1
) -> Exploration:
    """The whole reachable space, counted."""
    return Explorer(model, limits or Limits(), listener, threads).run()


class Explorer:
    def __init__(self, model: Model, limits: Limits, listener: Listener, threads: int) -> None:
        self.interpreter = Interpreter(model)
        self.limits, self.listener, self.threads = limits, listener, threads
        self.compile_seconds = 0.0

    def run(self) -> Exploration:
        exploration = Exploration(self.interpreter.model.name, "explicit", threads=self.threads)
        self.listener(Started(exploration.model, "explicit"))
        plan = plan_for(first_states(self.interpreter, LOOK))
        while True:
            compiled = compile_model(self.interpreter, plan)
            self.compile_seconds += compiled.seconds
            began = time.monotonic()
            result = self.search(compiled)
            if result.stopped != OVERFLOW:
                break
            plan = plan.including(result.overflow_slot, result.overflow_kind)
        self.fill(exploration, result, compiled)
        exploration.seconds = {"compile": self.compile_seconds, "search": time.monotonic() - began}
        self.listener(Finished(exploration.complete))
        return exploration

    def search(self, compiled: Compiled) -> Result:
        request, result = Request(), Result()
        request.initial = ctypes.c_char_p(compiled.layout.encode(self.interpreter.initial()))
        # ctypes would cut the bytes at the first zero; hand over a buffer instead.
        buffer = ctypes.create_string_buffer(compiled.layout.encode(self.interpreter.initial()), compiled.layout.size)
        request.initial = ctypes.cast(buffer, ctypes.c_char_p)
        request.max_states = self.limits.states or 0
        request.max_memory = self.limits.memory or physical_memory() * 9 // 10
        request.reserve = physical_memory()
        request.threads = self.threads
        handle = ctypes.c_void_p(compiled.search(request, result))
        if not handle:
            result.stopped = 6
            return result
        try:
            self.watch(compiled, handle, result)
        finally:
            compiled.library.search_free(handle)
        return result

    def watch(self, compiled: Compiled, handle: ctypes.c_void_p, result: Result) -> None:
        """Run the search in a thread of its own (C does not hold the interpreter's lock) and tell how it goes."""
        old = threading.stack_size(256 << 20)
        worker = threading.Thread(target=compiled.library.search_run, args=(handle,), daemon=True)
        worker.start()
        threading.stack_size(old)
        began = time.monotonic()
        try:
            while worker.is_alive():
                worker.join(0.05 if time.monotonic() - began < 1 else 0.25)
                if self.limits.seconds is not None and self.limits.elapsed > self.limits.seconds:
                    result.stop_asked = 1
                elif worker.is_alive() and time.monotonic() - began > 0.5:
                    self.listener(
                        Progress(result.states, result.transitions, result.depth, result.frontier, self.limits.elapsed)
                    )
        except KeyboardInterrupt:
            result.stop_asked = 1
            worker.join()
            return
        finally:
            result.stop_asked = result.stop_asked or int(worker.is_alive())
            worker.join()

    def fill(self, exploration: Exploration, result: Result, compiled: Compiled) -> None:
        exploration.states = exploration.represents = result.states
        exploration.transitions = result.transitions
        exploration.depth = result.depth
        errors = exploration.errors
        errors.assertions = result.errors[ASSERTION]
        errors.invalid_end_states = result.errors[END]
        errors.trace = result.errors[TRACE]
        errors.faults = {name: result.errors[k] for k, name in enumerate(FAULTS) if k and result.errors[k]}
        exploration.stopped = STOPPED.get(result.stopped)
        if result.stopped == 1 and self.limits.seconds is not None and self.limits.elapsed >= self.limits.seconds:
            exploration.stopped = f"{self.limits.seconds:g} seconds (--max-seconds)"
        exploration.complete = result.stopped == 0
        exploration.peak_memory = result.memory
        table = 16 * result.states
        exploration.bytes_per_state = round((compiled.layout.size * result.states + table) / max(1, result.states), 1)


def physical_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
