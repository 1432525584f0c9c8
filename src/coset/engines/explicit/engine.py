"""The compiled engine: one model made ready for searches."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from copy import copy
from ctypes import Array, c_char
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from coset.engines.claim import Claim
from coset.engines.contract import Answer, Postponed, Unsupported
from coset.engines.evidence import Representative
from coset.engines.explicit import cache, quick
from coset.engines.explicit.build import compiler, has_compiler
from coset.engines.explicit.compile import Compiled, ExactOrbits, compile_model, widened
from coset.engines.explicit.emit.program import supported
from coset.engines.explicit.estimate import LayoutEstimate
from coset.engines.explicit.layout import Layout, plan_for
from coset.engines.explicit.outlook import Outlook
from coset.engines.explicit.reservation import reservation, stack_size
from coset.engines.explicit.seam import (
    NO_BITS,
    NO_GENERATOR,
    TOO_LONG,
    Allowance,
    BitField,
    Failure,
    Order,
    Request,
    Result,
    Stop,
    Storage,
)
from coset.engines.explicit.stubborn import reducible
from coset.engines.explicit.transfer import Transfer, transfer_of
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.results.events import Listener, Progress, Warned, ignore_events
from coset.results.internal import WrongSymmetry
from coset.results.symmetry import SymmetryUsed
from coset.source.budget import INTERRUPTED, Limits, OutOfBudget, current_budget, usable_memory
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.engines.explicit.ahead import Ahead
    from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
    from coset.symmetry.canonical.literal_plan import LiteralPlan
    from coset.symmetry.canonical.plan import SymmetryPlan

STOPPED = {
    Stop.ASKED: INTERRUPTED,
    Stop.STATES: "the limit of states (--max-states)",
    Stop.MEMORY: "the limit of memory (--max-memory)",
    Stop.SYSTEM: "a failure of the system",
    Stop.PROPERTY: "a state in which the property has no value",
}
"""Why a search did not finish, as reported to users."""
ENOUGH_STATES = 4_000
"""After so many states it is known whether partial order reduction pays."""
USEFUL_REDUCTION, ASKED_STATES = 2, 200
"""In a long search it pays if states have that many times fewer successors than without it, by a sample of so many states: a
transition of an optimised program without it takes a tenth of the time."""
LONG_SEARCH = 40_000_000
"""After so many states another engine is asked, if there is one."""
USEFUL_ORBIT = 3
"""A transition on the quotient takes about three times as long as one between states, so that orbits have to be larger."""
SAMPLE, FEW = 1_000, 100
"""How many states of the quick tier are looked at, to know how large values become; `FEW` where other questions come first."""
TOLD: set[str] = set()
"""Warnings about the environment that this process has already issued."""


class Witness:
    """A buffer for a state on which a symmetry fails."""

    def __init__(self, compiled: Compiled) -> None:
        self.layout = compiled.layout
        self.room = ctypes.create_string_buffer(compiled.layout.size)

    def state(self) -> State:
        return self.layout.decode(self.room.raw)


def named(plan: SymmetryPlan | LiteralPlan | AnonymousPlan, failure: Failure) -> str:
    """The symmetry that failed, in cycle notation."""
    return ", then ".join(plan.show(k) for k in (failure.first, failure.second) if k != NO_GENERATOR)


def never() -> bool:
    return False


class MoreSymmetry(Protocol):
    """A method of detection that takes its time."""

    def find(self) -> SymmetryPlan | LiteralPlan | AnonymousPlan | None:
        """The representatives, if there are more symmetries."""
        ...

    def adopt(self) -> None:
        """From now on a search makes use of what was found."""
        ...


class Companion(Protocol):
    """A search beside another one, which waits for it at some numbers of states (deep_search.py)."""

    def after(self, states: int) -> int:
        """After how many states the other search has to ask again."""
        ...

    def ask(self, states: int) -> None:
        """Search for a share of the states of the other search; raises an exception with what was found."""
        ...


class Extension(Protocol):
    """Decides whether a search of the quick tier goes on when its allowance is used up."""

    def __call__(self, result: Result) -> bool:
        """Whether the allowance of the engine is larger now."""
        ...


class Engine:
    """An engine for one model, which can make several searches."""

    def __init__(
        self,
        model: Model,
        limits: Limits | None = None,
        listener: Listener = ignore_events,
        settings: Settings | None = None,
        symmetry: SymmetryPlan | LiteralPlan | AnonymousPlan | None = None,
        partial: bool = False,
        begin_quick: bool = False,
        is_postponed: Callable[[], bool] = never,
        more_symmetry: MoreSymmetry | None = None,
        is_sure: bool = False,
    ) -> None:
        """`is_sure` if it is known that there is an error to be found."""
        self.interpreter = Interpreter(model)
        self.symmetry = symmetry
        self.facts = reducible(model) if partial else None
        self.limits, self.listener, self.settings = limits or Limits(), listener, settings or Settings()
        self.is_postponed = is_postponed
        """Whether long searches have to wait for others (`Postponed`)."""
        self.more_symmetry = more_symmetry
        """Looks for more symmetry, which takes its time: for a long search."""
        self.quick = begin_quick and self.can_be_quick()
        """Whether the next program is one of the quick tier."""
        self.is_unlimited = False
        """Whether the quick tier serves to the end, as there is no other compiler."""
        self.is_long = False
        """Whether a search took more than the quick tier is for, or than it was allowed while others waited."""
        self.ahead: Ahead | None = None
        """Compiles for questions that wait."""
        self.asked_for: tuple[int, bool] = (0, False)
        """Which symmetry an optimised program is to use, and whether partial order reduction."""
        self.times = 1
        """How many times the usual allowance the quick tier has."""
        self.alternative: Callable[[], Answer | None] | None = None
        """Another engine to ask if an optimised search is very long."""
        self.companion: Companion | None = None
        """Looks for errors in another way beside an optimised search."""
        self.companion_asked = 0
        """After how many states the companion is asked next."""
        self.extension: Extension | None = None
        """Asked when a search of the quick tier has used up its allowance."""
        self.is_sure = is_sure
        self.may_drop_symmetry = False
        """Whether a long search may visit every state if orbits turn out to be small."""
        self.dropped: float | None = None
        """The average size of orbits that did not pay."""
        self.most_moves: int | None = None
        """The most states of a run that is shown (`safety.LongRun`)."""
        self.is_ready_for_long = not self.quick
        self.known: tuple[State, ...] = tuple(symmetry.started.states) if symmetry is not None else ()
        self.sampled: list[State] = []
        """States that the quick tier found."""
        self.estimate = LayoutEstimate(self.interpreter, self.known, brief=self.quick)
        self.plan = plan_for(self.estimate.states)
        self.compile_seconds = 0.0
        self.witness: Witness | None = None
        self.narrow: Compiled | None = None
        """The program of the last search, if a value did not fit there."""
        self.met: Sequence[int] = ()
        """How many values each component has had, where that is not kept."""
        self.transfer: Transfer | None = None
        """What a search has found that ended because a value did not fit."""

    def compiled(self, claim: Claim | None = None) -> Compiled:
        if self.is_long and self.is_postponed():
            raise Postponed
        if not self.quick and not self.is_ready_for_long:
            self.prepare_long_search()
        narrow, self.narrow = self.narrow, None
        wide = None if narrow is None or self.estimate.is_whole else widened(narrow, self.estimate.counts)
        if wide is not None:
            return wide
        self.tell_of_cache()
        compiled = compile_model(
            self.interpreter, self.plan, claim, self.symmetry, self.facts, self.settings, self.estimate, self.quick
        )
        self.compile_seconds += compiled.seconds
        return compiled

    def canonical(self, compiled: Compiled) -> Representative:
        """The representatives that identify orbits.  If the search has several per orbit (`local`), others are used: exact ones,
        or those of the naive algorithm if the group is too large."""
        assert self.symmetry is not None
        if self.symmetry.is_exact:
            return ExactOrbits(compiled)
        from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
        from coset.symmetry.canonical.plan import Unplannable
        from coset.symmetry.canonical.representative import Representatives

        assert not isinstance(self.symmetry, AnonymousPlan)  # which is exact
        try:
            exact = self.symmetry.exact()
        except Unplannable:
            return Representatives(self.symmetry.symmetry.actions)
        found = compile_model(
            self.interpreter, self.plan, None, exact, None, self.settings, self.estimate, compiled.quick
        )
        self.compile_seconds += found.seconds
        return ExactOrbits(found)

    def layout(self) -> Layout:
        """The layout under the plan; raises `Unsupported` if this engine does not support the model."""
        layout = Layout(self.interpreter, self.plan)
        reason = supported(layout)
        if reason is not None:
            raise Unsupported(reason)
        if not self.quick:
            compiler()
        return layout

    def can_be_quick(self) -> bool:
        """Whether the quick tier can do what the settings ask for."""
        order, strategy = (1, "sort") if self.symmetry is None else (self.symmetry.order, self.symmetry.strategy)
        return (
            self.settings.storage == "packed"
            and self.settings.checkpoints is None
            and order * quick.SYMMETRIC.states < quick.WIDEST_SUM
            and (strategy == "sort" or order <= quick.LARGEST_GROUP)
            and quick.tiny_compiler() is not None
        )

    def has_to_be_long(self, result: Result, claim: Claim | None) -> bool:
        """Whether a search that has used up its allowance is to go on in an optimised program: the quick tier serves to the end
        if there is no other compiler.  Raises `Postponed` if other questions come first."""
        self.is_long = True
        if self.is_postponed():
            if self.ahead is not None:
                expected = self.optimised()
                expected.judge_reduction(result)
                self.ahead.wait(self, expected.following(result), claim)
            raise Postponed
        self.judge_reduction(result)
        self.is_unlimited = not has_compiler()
        return not self.is_unlimited

    def optimised(self) -> Engine:
        """This engine, but for the optimised programs.  It can be used by another thread."""
        following = copy(self)
        following.quick, following.sampled = False, list(self.sampled)
        return following

    def following(self, result: Result) -> Engine:
        """This engine for optimised programs, once the reduction has been judged after a search of the quick tier."""
        following = self.optimised()
        following.judge_symmetry(result)
        following.asked_for = id(following.symmetry), following.facts is not None
        return following

    def become(self, other: Engine) -> None:
        """Go on as a copy does."""
        vars(self).update(vars(other))
        if self.more_symmetry is not None:
            self.more_symmetry.adopt()

    def judge_reduction(self, result: Result) -> None:
        """Do without partial order reduction if it is not useful, as its programs are slower."""
        if self.facts is None or self.settings.reduction != "auto":
            return
        asked = self.sampled[:: max(1, len(self.sampled) // ASKED_STATES)]
        steps = sum(1 for state in asked for _ in self.interpreter.steps(state))
        if asked and result.transitions * USEFUL_REDUCTION * len(asked) > steps * result.states:
            self.facts = None

    def judge_symmetry(self, result: Result) -> None:
        """Visit every state if the orbits that the quick tier found are small on average, unless memory is short."""
        if self.symmetry is None or not self.may_drop_symmetry or not self.symmetry.counts or not result.states:
            return
        low, high = result.represents
        average = (low + (high << 64)) / result.states
        if average < USEFUL_ORBIT and self.limits.memory_limit() is None:
            self.symmetry, self.known, self.dropped = None, (), average

    def symmetry_used(self, planned: SymmetryUsed) -> SymmetryUsed:
        """What the search used, of what was planned."""
        if self.dropped is None:
            return planned
        why = f"not used in the long search: orbits of the first states have {self.dropped:.1f} states on average"
        return replace(planned, representative=None, note=why)

    def sample(self, compiled: Compiled, count: int, copy: Callable[[int, Array[c_char]], None]) -> None:
        """Keep some of the states that the quick tier found, so that the layout of the optimised program fits the others, too."""
        most = FEW if self.is_postponed() else SAMPLE  # other questions come first
        room = ctypes.create_string_buffer(compiled.layout.size)
        for number in range(0, count, max(1, count // most)):
            copy(number, room)
            self.sampled.append(compiled.layout.decode(room.raw))

    def prepare_long_search(self) -> None:
        """After the quick tier: a better estimate of the layout, and a method of detection that takes long and pays now."""
        self.is_ready_for_long = True
        is_open = self.symmetry is None and self.dropped is None and self.facts is None
        if is_open and self.more_symmetry is not None:
            self.symmetry = self.more_symmetry.find()
            self.known = tuple(self.symmetry.started.states) if self.symmetry is not None else ()
        self.estimate = LayoutEstimate(self.interpreter, (*self.known, *self.sampled), brief=bool(self.sampled))
        for state in self.estimate.states:
            self.plan = self.plan.with_room_for(state)

    def widen(self, compiled: Compiled, result: Result) -> None:
        """Make room for a process or a value that did not fit."""
        if result.states >= ENOUGH_STATES:
            self.judge_reduction(result)
        if result.overflow_slot == TOO_LONG:
            raise OutOfBudget(self.limits.out_of_time() or "an atomic or deterministic sequence with very many moves")
        if result.overflow_slot == NO_BITS:
            found = self.transfer.counts() if self.transfer is not None and compiled.coding is not None else self.met
            self.estimate.widen(compiled.coding, compiled.seen, result.overflow_kind, found)
            self.narrow = compiled
            return
        # A model that starts one process after the other would otherwise begin again for each of them.
        copies = 1 + result.overflow_slot
        self.plan = self.plan.including(result.overflow_slot, result.overflow_kind, copies)

    def keep(self, compiled: Compiled, result: Result, take: Callable[[], int | None], memory: object = None) -> bool:
        """Keep what a search has found if it ended because a value did not fit: the next one goes on with it.  Returns whether
        it is kept, so that it must not be freed."""
        self.drop_transfer()
        if self.settings.storage == "disk":
            return False
        self.transfer = transfer_of(compiled, result, take, memory)
        return self.transfer is not None

    def go_on(self, compiled: Compiled, request: Request) -> Transfer | None:
        """Let a search go on with what was kept.  The transfer must live until the search is over."""
        transfer, self.transfer = self.transfer, None
        if transfer is not None:
            transfer.use(compiled, request)
        return transfer

    def drop_transfer(self) -> None:
        transfer, self.transfer = self.transfer, None
        if transfer is not None:
            transfer.drop()

    def allowance(self, compiled: Compiled) -> Allowance:
        """How far the quick tier may go; 0 is no limit."""
        if not compiled.quick:
            asked = [LONG_SEARCH] * (self.alternative is not None)
            asked += [self.companion_asked] * (self.companion is not None)
            return Allowance(min(asked, default=0), 0)
        if self.is_unlimited:
            return Allowance(0, 0)
        is_symmetric, size = self.symmetry is not None, compiled.layout.size
        is_reduced = self.facts is not None and self.settings.reduction == "auto"
        allowed = quick.allowance(is_symmetric, size, not self.is_postponed(), self.times, is_reduced)
        slower = 1
        if self.symmetry is not None and self.symmetry.strategy != "sort":
            slower = max(1, self.symmetry.order // quick.QUICK_GROUP)
        return Allowance(allowed.states // slower, allowed.transitions // slower)

    def request(self, compiled: Compiled, order: str | None = None) -> tuple[Request, object]:
        """The request to the search, and the memory that it points to, which must live as long."""
        request = Request()
        # A buffer, as ctypes would truncate bytes at the first zero.
        buffer = ctypes.create_string_buffer(compiled.layout.encode(self.interpreter.initial()), compiled.layout.size)
        request.initial = ctypes.cast(buffer, ctypes.c_char_p)
        request.max_states = self.limits.states or 0
        request.allowance = self.allowance(compiled)
        request.max_memory = self.limits.memory_limit() or usable_memory() * 9 // 10
        request.reserve = reservation()
        request.threads = self.settings.threads
        request.storage = Storage.STATES if compiled.quick or compiled.graph else Storage[self.settings.storage.upper()]
        request.order = Order[(order or self.settings.order).upper()]
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
        """Warn once if the cache cannot be used, as every run then compiles again."""
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
            result.disk,
        )

    @phase("search")
    def watch(self, search: Callable[[], object], result: Result, levels: bool = False) -> None:
        """Run a search in its own thread (C does not hold the interpreter's lock) and report its progress; `levels` if the
        search is breadth-first, so that the sizes of levels are meaningful."""
        done = threading.Event()

        def run() -> None:
            try:
                search()
            finally:
                done.set()

        # Wait by an event: an interrupted `Thread.join` marks the thread as finished (bpo-45274).
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
            # In every case the memory of the search must outlive its thread.
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


def stopped_by(result: Result, limits: Limits) -> str | None:
    """Which limit ended the search, in words."""
    if result.stopped == Stop.ASKED:
        return limits.out_of_time() or INTERRUPTED
    if result.stopped == Stop.MEMORY and limits.memory_limit() is None:
        return "the end of memory: nine tenths of what this process can have are in use"
    if result.stopped == Stop.DISK:
        from coset.engines.explicit.on_disk import why_stopped

        return why_stopped(result)
    return STOPPED.get(result.stopped)
