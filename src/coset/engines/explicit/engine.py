"""The compiled engine: plan, emit, compile, search."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from coset.engines.claim import Claim
from coset.engines.evidence import Representative, moves_along, moves_to_error, unpermuted
from coset.engines.explicit import cache
from coset.engines.explicit.build import compiler, library
from coset.engines.explicit.checkpoint import file_of, identity, prepare, unusable
from coset.engines.explicit.emit.program import Program, emit, supported
from coset.engines.explicit.estimate import LayoutEstimate
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout, SlotPlan, plan_for
from coset.engines.explicit.outlook import Outlook
from coset.engines.explicit.packing import Seen
from coset.engines.explicit.reservation import opened, reservation, stack_size
from coset.engines.explicit.seam import (
    FAULTS,
    NO_BITS,
    NO_GENERATOR,
    TOO_LONG,
    BitField,
    Error,
    Failure,
    Order,
    Request,
    Result,
    Stop,
    Storage,
)
from coset.engines.explicit.stubborn import reducible
from coset.engines.settings import Checkpoints, Settings
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.results.events import Finished, Listener, Progress, Started, Warned, ignore_events
from coset.results.exploration import Exploration
from coset.results.internal import WrongSymmetry
from coset.results.trace import Trace, from_moves
from coset.source.budget import INTERRUPTED, Limits, OutOfBudget, current_budget, usable_memory

if TYPE_CHECKING:
    from coset.engines.explicit.components import Coding
    from coset.model.analysis.facts import Facts
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import Plan as SymmetryPlan

STOPPED = {
    Stop.ASKED: INTERRUPTED,
    Stop.STATES: "the limit of states (--max-states)",
    Stop.MEMORY: "the limit of memory (--max-memory)",
    Stop.SYSTEM: "a failure of the system",
    Stop.PROPERTY: "a state in which the property has no value",
}
"""What a user is told about a search that did not come to its end."""
KINDS = {Error.ASSERTION: "assertion", Error.END: "deadlock", Error.TRACE: "trace"}
"""Kinds of error as traces name them; all others are faults."""
TOLD: set[str] = set()
"""Warnings about the surroundings that this process has given."""


class Unsupported(Exception):
    """The compiled engine cannot do this model; the message names the construct."""


@dataclass(slots=True)
class Compiled:
    """A model as a loaded library."""

    layout: Layout
    program: Program
    library: ctypes.CDLL
    seconds: float
    seen: Seen | None = None
    """What was taken to be known of values; None if states are not packed by their bits."""
    coding: Coding | None = None
    """How states are packed as numbers of components; None if they are not."""

    def canonical(self, state: State) -> State:
        """The representative of the orbit of a state, if the program was made with a plan for them."""
        size = self.layout.size
        image = ctypes.create_string_buffer(size)
        self.library.representative(ctypes.create_string_buffer(self.layout.encode(state), size), image)
        return self.layout.decode(image.raw)


class Witness:
    """Room for a state on which a symmetry fails."""

    def __init__(self, compiled: Compiled) -> None:
        self.layout = compiled.layout
        self.room = ctypes.create_string_buffer(compiled.layout.size)

    def state(self) -> State:
        return self.layout.decode(self.room.raw)


def named(plan: SymmetryPlan | LiteralPlan, failure: Failure) -> str:
    """The symmetry that failed, in cycle notation."""
    return ", then ".join(plan.show(k) for k in (failure.first, failure.second) if k != NO_GENERATOR)


def emitted(model: Model) -> Program:
    """The C of a model in which every statement is a step, for a search without symmetry: what `explore` compiles first.
    Needs no compiler."""
    interpreter = Interpreter(model)
    estimate = LayoutEstimate(interpreter)
    layout = Layout(interpreter, plan_for(estimate.states))
    reason = supported(layout)
    if reason is not None:
        raise Unsupported(reason)
    footprints = Footprints(layout)
    coding = estimate.coding(footprints)
    seen = estimate.roomy(layout) if coding is None else None
    return emit(layout, seen=seen, coding=coding, footprints=footprints, storage=Storage[Settings().storage.upper()])


def compile_model(
    interpreter: Interpreter,
    plan: SlotPlan,
    claim: Claim | None = None,
    symmetry: SymmetryPlan | LiteralPlan | None = None,
    facts: Facts | None = None,
    settings: Settings = Settings(),  # noqa: B008 (it is frozen)
    estimate: LayoutEstimate | None = None,
) -> Compiled:
    """The library of a model under a plan, with the automaton of a property if there is one to check, and with
    representatives if there is a plan for them."""
    layout = Layout(interpreter, plan, claim_states=claim.states if claim is not None else 0)
    reason = supported(layout)
    if reason is not None:
        raise Unsupported(reason)
    if symmetry is not None and not layout.fixed:
        raise Unsupported("symmetry where one process number is used for processes of several kinds")
    footprints = Footprints(layout)
    seen, coding = None, None
    if estimate is not None:
        # A representative needs the whole state, a search depth first goes back to it.
        whole = claim is not None or symmetry is not None or facts is not None or settings.order == "depth"
        coding = None if whole else estimate.coding(footprints)
        seen = estimate.roomy(layout) if coding is None else None
    storage = Storage[settings.storage.upper()]
    program = emit(layout, claim, symmetry, facts, seen, coding, footprints, storage)
    began = time.monotonic()
    loaded, _ = library(
        program.header,
        program.source,
        temporal=claim is not None,
        depth=settings.order == "depth",
        checkpoints=settings.checkpoints is not None,
        caches=coding is not None,
    )
    return Compiled(layout, program, loaded, time.monotonic() - began, seen, coding)


class Engine:
    """One model made ready for searches."""

    def __init__(
        self,
        model: Model,
        limits: Limits | None = None,
        listener: Listener = ignore_events,
        settings: Settings | None = None,
        symmetry: SymmetryPlan | LiteralPlan | None = None,
        partial: bool = False,
    ) -> None:
        self.interpreter = Interpreter(model)
        self.symmetry = symmetry
        self.facts = reducible(model) if partial else None
        self.limits, self.listener, self.settings = limits or Limits(), listener, settings or Settings()
        known = symmetry.settled.states if symmetry is not None else ()
        self.estimate = LayoutEstimate(self.interpreter, tuple(known))
        self.plan = plan_for(self.estimate.states)
        self.compile_seconds = 0.0
        self.witness: Witness | None = None

    def compiled(self, claim: Claim | None = None) -> Compiled:
        self.tell_of_cache()
        compiled = compile_model(
            self.interpreter, self.plan, claim, self.symmetry, self.facts, self.settings, self.estimate
        )
        self.compile_seconds += compiled.seconds
        return compiled

    def canonical(self, compiled: Compiled) -> Representative:
        """The representatives by which orbits are told apart.  Where the search has several for an orbit (`local`), these
        are others: those of the naive twin if the group is too large for exact ones."""
        assert self.symmetry is not None
        if self.symmetry.is_exact:
            return compiled.canonical
        from coset.symmetry.canonical.plan import Unplannable
        from coset.symmetry.canonical.representative import Representatives

        try:
            exact = self.symmetry.exact()
        except Unplannable:
            return Representatives(self.symmetry.symmetry.actions)
        found = compile_model(self.interpreter, self.plan, None, exact, None, self.settings, self.estimate)
        self.compile_seconds += found.seconds
        return found.canonical

    def layout(self) -> Layout:
        """The layout under the plan; raises `Unsupported` if the model is beyond this engine."""
        layout = Layout(self.interpreter, self.plan)
        reason = supported(layout)
        if reason is not None:
            raise Unsupported(reason)
        compiler()
        return layout

    def widen(self, compiled: Compiled, result: Result) -> None:
        """Make room for a process that did not fit, or for a value."""
        if result.overflow_slot == TOO_LONG:
            raise OutOfBudget(self.limits.out_of_time() or "an atomic or deterministic sequence with very many moves")
        if result.overflow_slot == NO_BITS:
            self.estimate.widen(compiled.coding, compiled.seen, result.overflow_kind)
            return
        self.plan = self.plan.including(result.overflow_slot, result.overflow_kind)

    def request(self, compiled: Compiled) -> tuple[Request, object]:
        """What the search is asked to do, and the memory that this refers to, which must live as long."""
        request = Request()
        # A buffer, as ctypes would cut bytes at the first zero.
        buffer = ctypes.create_string_buffer(compiled.layout.encode(self.interpreter.initial()), compiled.layout.size)
        request.initial = ctypes.cast(buffer, ctypes.c_char_p)
        request.max_states = self.limits.states or 0
        request.max_memory = self.limits.memory_limit() or usable_memory() * 9 // 10
        request.reserve = reservation()
        request.threads = self.settings.threads
        request.storage = Storage[self.settings.storage.upper()]
        request.order = Order[self.settings.order.upper()]
        request.log_bits = self.settings.log_bits
        self.witness = Witness(compiled)
        request.witness = ctypes.cast(self.witness.room, ctypes.c_void_p)
        fields = None
        if compiled.coding is not None:
            rows = [BitField(field.word, field.shift, (1 << field.width) - 1) for field in compiled.coding.bit_fields]
            fields = (BitField * len(rows))(*rows)
            request.bit_fields = ctypes.cast(fields, ctypes.c_void_p)
        return request, (buffer, fields, self.witness)

    def tell_of_cache(self) -> None:
        """Once, if the cache must not be used: every run then compiles anew."""
        danger = cache.danger(cache.cache_directory())
        if danger is not None and danger not in TOLD:
            TOLD.add(danger)
            self.listener(Warned(f"{danger}: the cache is not used, and models are compiled for each run"))

    def tell_of_failure(self, result: Result) -> None:
        why = os.strerror(result.checkpoint_error)
        result.checkpoint_error = 0
        self.listener(Warned(f"no checkpoint could be written ({why}); the search goes on, the one before is kept"))

    def progress(self, result: Result, outlook: Outlook | None) -> Progress:
        remaining = None
        if outlook is not None:
            outlook.see(result.depth, result.frontier)
            remaining = outlook.remaining()
        return Progress(
            result.states,
            result.transitions,
            result.depth,
            result.frontier,
            self.limits.elapsed,
            result.memory,
            remaining,
        )

    def watch(self, search: Callable[[], object], result: Result, levels: bool = False) -> None:
        """Run a search in a thread of its own (C does not hold the interpreter's lock) and tell how it goes; `levels` if
        it goes level by level, so that their sizes tell something."""
        done = threading.Event()

        def run() -> None:
            try:
                search()
            finally:
                done.set()

        # The end is awaited by an event: an interrupted `Thread.join` takes the thread for finished (bpo-45274).
        old = threading.stack_size(stack_size())
        worker = threading.Thread(target=run, daemon=True)
        outlook = Outlook() if levels else None
        began = time.monotonic()
        try:
            worker.start()
            threading.stack_size(old)
            while not done.wait(0.02 if time.monotonic() - began < 1 else 0.25):
                if self.limits.out_of_time() is not None:
                    result.stop_asked = 1
                if result.checkpoint_error:
                    self.tell_of_failure(result)
                if time.monotonic() - began > 0.5:
                    self.listener(self.progress(result, outlook))
        except KeyboardInterrupt:
            current_budget().interrupt()
        finally:
            # Whatever happened, the memory of the search must outlive its thread.
            while worker.ident is not None and not done.is_set():
                try:
                    result.stop_asked = 1
                    with current_budget().saved(self.settings.checkpoints is not None):
                        done.wait()
                except KeyboardInterrupt:
                    continue
        if result.stopped == Stop.UNCERTIFIED:
            assert self.symmetry is not None and self.witness is not None
            raise WrongSymmetry(named(self.symmetry, result.failure), str(self.witness.state()))


def explore(
    model: Model,
    limits: Limits | None = None,
    listener: Listener = ignore_events,
    settings: Settings | None = None,
    symmetry: SymmetryPlan | LiteralPlan | None = None,
) -> Exploration:
    """The whole reachable space, counted, or one state for each orbit."""
    partial = settings is not None and settings.reduction == "por"
    searched = replace(model, properties=()) if partial else model  # which no state is to be kept for
    with prepare(model, settings or Settings()):
        exploration, _ = search_states(Engine(searched, limits, listener, settings, symmetry, partial), stop_at=0)
    return exploration


def search_states(engine: Engine, stop_at: int, show: bool = True) -> tuple[Exploration, Trace | str | None]:
    """Breadth first through all states, or until an error of a kind in the set of bits `stop_at`: then with the trace
    of the error, or only with its kind if it need not be shown."""
    model = engine.interpreter.model
    settings = engine.settings
    exploration = Exploration(model.name, "explicit", threads=settings.threads, storage=settings.storage)
    engine.listener(Started(model.name, "explicit"))
    seconds = 0.0
    while True:
        compiled = engine.compiled()
        began = time.monotonic()
        result, trace = search_once(engine, compiled, stop_at, show)
        seconds += time.monotonic() - began
        if result.stopped != Stop.OVERFLOW:
            break
        engine.widen(compiled, result)
    fill(exploration, result, engine)
    exploration.seconds = {"compile": engine.compile_seconds, "search": seconds}
    engine.listener(Finished(exploration.complete))
    return exploration, trace


def search_once(engine: Engine, compiled: Compiled, stop_at: int, show: bool) -> tuple[Result, Trace | str | None]:
    c, result = compiled.library, Result()
    request, buffer = engine.request(compiled)
    request.stop_at, request.keep_parents = stop_at, int(stop_at != 0 and show)
    if engine.settings.checkpoints is not None:
        ask_for_checkpoints(request, engine.settings, engine.settings.checkpoints, compiled)
    handle = opened(c.search_new, request, ctypes.byref(result))
    if not handle:
        result.stopped = Stop.SYSTEM
        return result, None
    try:
        engine.watch(lambda: c.search_run(handle), result, levels=engine.settings.order == "breadth")
        if result.checkpoint_error and engine.settings.checkpoints is not None:
            if result.stopped == Stop.SYSTEM:
                raise unusable(file_of(engine.settings.checkpoints, request.identity), result.checkpoint_error)
            engine.tell_of_failure(result)
        if result.stopped != Stop.ERROR:
            return result, None
        return result, safety_trace(engine, compiled, handle, result) if show else kind_of(result)
    finally:
        c.search_free(handle)
        del buffer


def ask_for_checkpoints(request: Request, settings: Settings, checkpoints: Checkpoints, compiled: Compiled) -> None:
    request.identity = identity(
        compiled.program, compiled.coding, request.stop_at, bool(request.keep_parents), settings
    )
    request.checkpoint = os.fsencode(file_of(checkpoints, request.identity))
    request.checkpoint_every = round(checkpoints.every * 1000)
    request.resume = int(checkpoints.resume)


def states_to(compiled: Compiled, handle: ctypes.c_void_p, number: int) -> list[State]:
    """The states on the way to one that was found."""
    c, layout = compiled.library, compiled.layout
    length = c.search_path(handle, number, None, 0)
    room = ctypes.create_string_buffer(length * layout.size)
    c.search_path(handle, number, room, length)
    return [layout.decode(room.raw[k * layout.size : (k + 1) * layout.size]) for k in range(length)]


def safety_trace(engine: Engine, compiled: Compiled, handle: ctypes.c_void_p, result: Result) -> Trace:
    """The run to the error, by the states on the way to the one where it was met."""
    interpreter = engine.interpreter
    chain = states_to(compiled, handle, result.error_state)
    if engine.symmetry is not None:
        chain = unpermuted(interpreter, chain, engine.canonical(compiled))
    moves = moves_along(interpreter, chain)
    kind = kind_of(result)
    if kind != "deadlock":
        moves += moves_to_error(interpreter, chain[-1], kind)
    return from_moves(interpreter.model, moves, kind)


def kind_of(result: Result) -> str:
    """The kind of the error that ended a search, as traces name it."""
    return KINDS.get(result.error_kind, "fault")


def fill(exploration: Exploration, result: Result, engine: Engine) -> None:
    prelude = int(engine.interpreter.model.prelude)
    exploration.states = exploration.represents = result.states - prelude
    if engine.symmetry is not None:
        low, high = result.represents
        # Orbits that partial order reduction leaves out are not counted, so that there is no sum to be claimed.
        counts = engine.symmetry.counts and engine.facts is None
        exploration.represents = low + (high << 64) - prelude if counts else None
        exploration.certified_states = result.certified
    exploration.transitions = result.transitions - prelude
    exploration.depth = max(0, result.depth - prelude)
    errors = exploration.errors
    errors.assertions = result.errors[Error.ASSERTION]
    errors.invalid_end_states = result.errors[Error.END]
    errors.trace = result.errors[Error.TRACE]
    errors.faults = {fault.name.lower(): result.errors[fault] for fault in FAULTS if result.errors[fault]}
    exploration.stopped = stopped_by(result, engine.limits)
    exploration.interrupted = exploration.stopped == STOPPED[Stop.ASKED]
    exploration.omission_probability = result.omission
    exploration.complete = result.stopped == Stop.DONE and engine.settings.storage != "bits"
    if result.stopped == Stop.DONE and not exploration.complete:
        # States that only omitted ones lead to are not counted: nobody knows of them.
        exploration.stopped = f"the end of a search by bits, which omits about {result.omission:.1g} of the states"
    exploration.peak_memory = result.peak
    if result.states:
        exploration.bytes_per_state = round(max(0, result.peak - result.memory_before) / result.states, 1)


def stopped_by(result: Result, limits: Limits) -> str | None:
    """Which limit ended the search, in words."""
    if result.stopped == Stop.ASKED:
        return limits.out_of_time() or INTERRUPTED
    if result.stopped == Stop.MEMORY and limits.memory_limit() is None:
        return "the end of memory: nine tenths of what this process can have are in use"
    return STOPPED.get(result.stopped)
