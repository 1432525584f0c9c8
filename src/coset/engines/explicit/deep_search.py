"""A depth-first search for errors beside a long breadth-first search.

An error that lies deep in a large state space is far away for a breadth-first search, and often near for a depth-first search.
So a long search for errors gets a companion on another core: depth first, by one bit for each state (G. J. Holzmann, "An
analysis of bitstate hashing", 1998), so that it needs little memory.  It may omit states, but an error that it finds is one.

    states of the breadth-first search    1 million   4 million        8 million        16 million
    its companion                         is made     has 0.5 million  has 1 million    has 2 million

The breadth-first search waits at these numbers until the companion has searched its share.  So the answer does not depend on
which of the two is faster.
"""

from __future__ import annotations

import ctypes
import os
import threading
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from coset.engines.explicit.compile import compile_model
from coset.engines.explicit.reservation import stack_size
from coset.engines.explicit.seam import Allowance, Extend, Result, Stop
from coset.source.budget import OutOfBudget, installed, within
from coset.source.timing import in_background

if TYPE_CHECKING:
    from coset.engines.explicit.compile import Compiled
    from coset.engines.explicit.engine import Engine
    from coset.engines.explicit.safety import Violation

MADE_AFTER, FIRST_QUESTION, SHARE = 1_000_000, 4_000_000, 8
"""States of the breadth-first search after which the companion is made and first asked, and how many times as many states it
has as the companion."""
LOG_BITS, STACK = 28, 1 << 29
"""The table of states has two to this power bits; the stack of the search has at most so many bytes."""


def usable_cores() -> int:
    """How many threads of this process can run at the same time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class FoundDeep(Exception):
    """The companion has found an error: how its search ended, and what is known of the error."""

    def __init__(self, result: Result, violation: Violation) -> None:
        super().__init__("found depth first")
        self.result, self.violation = result, violation


class DeepSearch:
    """Looks for the errors in the set of bits `stop_at`, in turns with another search."""

    def __init__(self, engine: Engine, stop_at: int) -> None:
        self.engine, self.stop_at = engine, stop_at
        self.result, self.violation = Result(), list["Violation"]()
        self.budget = within()
        self.changed = threading.Condition()
        self.granted, self.is_waiting, self.is_over = 0, False, False
        self.thread: threading.Thread | None = None
        self.error: Exception | None = None

    def __enter__(self) -> DeepSearch:
        return self

    def __exit__(self, *unused: object) -> None:
        """End the search; its memory outlives its thread."""
        self.result.stop_asked = 1
        self.budget.cancel()
        with self.changed:
            self.granted = 0
            self.changed.notify_all()
            while self.thread is not None and not self.is_over:
                self.changed.wait()

    def after(self, states: int) -> int:
        """After how many states the other search has to ask again."""
        return MADE_AFTER if not states else max(FIRST_QUESTION, 2 * states)

    def ask(self, states: int) -> None:
        """Search for a share of the states of the other search.  Raises `FoundDeep`."""
        share = states // SHARE
        if self.thread is None:
            self.start(share)
            return
        with self.changed:
            self.granted = max(self.granted, share)
            self.is_waiting = False
            self.changed.notify_all()
            while not (self.is_over or self.is_waiting):
                self.changed.wait()
        if self.error is not None:
            raise self.error
        if self.violation:
            raise FoundDeep(self.result, self.violation[0])

    def start(self, share: int) -> None:
        self.granted = share
        engine = copy(self.engine)
        engine.settings = replace(engine.settings, order="depth", storage="bits", log_bits=LOG_BITS, threads=1)
        engine.extension = engine.alternative = engine.companion = None
        engine.witness = None
        old = threading.stack_size(stack_size())
        try:
            self.thread = threading.Thread(target=self.run, args=(engine,), daemon=True)
            self.thread.start()
        finally:
            threading.stack_size(old)

    def run(self, engine: Engine) -> None:
        try:
            with installed(self.budget), in_background():
                # Without an estimate of the values of variables, every value fits.
                compiled = compile_model(
                    engine.interpreter, engine.plan, None, engine.symmetry, engine.facts, engine.settings
                )
                self.search(engine, compiled)
        except OutOfBudget:
            pass  # it is no longer needed
        except Exception as error:  # raised again by `ask`
            self.error = error
        finally:
            with self.changed:
                self.is_over = True
                self.changed.notify_all()

    def search(self, engine: Engine, compiled: Compiled) -> None:
        from coset.engines.explicit.safety import Violation, guide, kind_of

        c = compiled.library
        request, buffer = engine.request(compiled, "depth")
        callback = Extend(self.extended)
        request.extend = ctypes.cast(callback, ctypes.c_void_p)
        request.stop_at, request.keep_parents = self.stop_at, 0
        request.allowance = Allowance(self.granted, 0)
        request.reserve = min(request.reserve // 8, STACK)
        handle = ctypes.c_void_p(c.search_new(ctypes.byref(request), ctypes.byref(self.result)))
        if not handle:
            return
        try:
            c.search_run(handle)
            if self.result.stopped == Stop.ERROR:
                self.result.omission = 0.0  # it says nothing about an error that was found
                found = Violation(kind_of(self.result), guide(engine, compiled, handle, self.result))
                self.violation.append(found)
        finally:
            c.search_free(handle)
            del buffer, callback

    def extended(self, allowance: ctypes._Pointer[Allowance]) -> int:
        """Wait for a larger share."""
        with self.changed:
            used = allowance[0].states
            self.is_waiting = True
            self.changed.notify_all()
            while self.granted <= used and not self.result.stop_asked:
                self.changed.wait()
            self.is_waiting = False
            allowance[0].states = self.granted
            return int(not self.result.stop_asked)
