"""Ending a command from outside: by a signal, or by its limits if it does not check them itself.

Ctrl-C, SIGTERM and SIGHUP are recorded in the budget of the command and raise `KeyboardInterrupt`; the command then shows its
partial results.  A library in the middle of a long call notices neither.  For that case the system notifies a thread, the
watchdog, of the signal (`signal.set_wakeup_fd`), and it ends the process when it is overdue.  It does the same for the limits
of time and memory.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from coset.source.budget import SIGNALS, WATCHDOG, Budget, current_budget, memory_limit, resident_memory, time_limit
from coset.source.leftovers import clean_up

INCONCLUSIVE, INTERRUPTED = 3, 130

GRACE = 1.5
"""Seconds from an interruption until the process is ended."""
WORK = 1.0
"""Seconds of processor time that the main thread may use after the deadline.  A command that only waits, because the machine
is busy or its output is not read, is not overdue."""
EXCESS = 1.1
"""The factor by which a command may exceed its memory limit before it is ended."""
TICK = 0.05
END = b"\0"


class Interruption:
    """Whether a signal has arrived, and which.  An engine may catch the exception and return partial results; the command still
    needs to know."""

    seen = False
    number = int(signal.SIGINT)

    @classmethod
    def note(cls, number: int, frame: FrameType | None) -> None:
        cls.seen, cls.number = True, number
        current_budget().interrupt()
        raise KeyboardInterrupt

    @classmethod
    def exit_code(cls, code: int) -> int:
        """The exit code of the command; if it was interrupted, 128 plus the signal, as in a shell: 130 for Ctrl-C."""
        return 128 + cls.number if code == INTERRUPTED else code


@contextmanager
def ended_from_outside(budget: Budget, refuse: Callable[[int, str], str]) -> Iterator[None]:
    """Handle signals and watch the limits; `refuse` returns the text for standard output if the process must be ended."""
    Interruption.seen, Interruption.number = False, int(signal.SIGINT)
    previous = listen()
    if not previous:  # not the main thread: the caller handles signals
        yield
        return
    watchdog = Watchdog(budget, refuse)
    unraisable, sys.unraisablehook = sys.unraisablehook, tell_unless_interrupted
    try:
        watchdog.begin()
        yield
    finally:
        watchdog.end()
        for number, handler in previous.items():
            signal.signal(number, handler)
        if not Interruption.seen:  # otherwise objects are still to be destroyed
            sys.unraisablehook = unraisable
        clean_up()


Handler = signal.Handlers | Callable[[int, FrameType | None], object] | int | None


def listen() -> dict[signal.Signals, Handler]:
    """Install signal handlers; returns the previous ones.  Ignored signals stay ignored, as in a background job of a shell or
    under `nohup`.  The result is empty outside of the main thread, where signals cannot be handled."""
    previous: dict[signal.Signals, Handler] = {}
    with suppress(ValueError):
        for number in SIGNALS:
            handler = signal.getsignal(number)
            signal.signal(number, handler if handler is signal.SIG_IGN else Interruption.note)
            previous[number] = handler
    return previous


def tell_unless_interrupted(unraisable: sys.UnraisableHookArgs) -> None:
    """Report unraisable exceptions except for interruptions.  An interruption in a destructor cannot be raised, and one in a
    constructor may leave an incomplete object for the destructor.  It has been recorded, so a message would only confuse."""
    if not Interruption.seen and not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


class Watchdog:
    """Ends the process if it is overdue."""

    def __init__(self, budget: Budget, refuse: Callable[[int, str], str]) -> None:
        self.budget, self.refuse = budget, refuse
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)
        self.clock = time.pthread_getcpuclockid(threading.get_ident())
        self.signals = 0
        self.first_signal = 0.0
        self.work_at_deadline: float | None = None
        self.previous_descriptor = -1
        self.thread = threading.Thread(target=self.watch, name=WATCHDOG, daemon=True)

    def begin(self) -> None:
        self.previous_descriptor = signal.set_wakeup_fd(self.writer, warn_on_full_buffer=False)
        self.thread.start()

    def end(self) -> None:
        signal.set_wakeup_fd(self.previous_descriptor)
        with suppress(OSError):
            os.write(self.writer, END)
        if self.thread.ident is not None:
            self.thread.join()
        os.close(self.reader)
        os.close(self.writer)

    def watch(self) -> None:
        while True:
            if select.select([self.reader], [], [], TICK)[0]:
                for byte in os.read(self.reader, 64):
                    if bytes([byte]) == END:
                        return
                    if byte in SIGNALS:
                        self.see_signal(byte)
            overdue = self.overdue()
            if overdue is not None:
                self.leave(*overdue)

    def see_signal(self, number: int) -> None:
        self.signals += 1
        self.budget.is_interrupted = True
        if self.signals == 1:
            self.first_signal = time.monotonic()
            Interruption.seen, Interruption.number = True, number

    def overdue(self) -> tuple[int, str] | None:
        """The exit code and the message if the process must be ended."""
        budget = self.budget
        if self.signals:
            # A checkpoint is finished, unless the user interrupts again.
            waiting = budget.saving and self.signals == 1
            late = time.monotonic() - self.first_signal > GRACE
            return (INTERRUPTED, "interrupted") if late and not waiting else None
        if budget.memory is not None and resident_memory() > EXCESS * budget.memory:
            return INCONCLUSIVE, f"not complete: stopped at {memory_limit(budget.memory)}"
        if budget.seconds is None or budget.elapsed < budget.seconds or budget.reporting or budget.saving:
            return None
        work = time.clock_gettime(self.clock)
        if self.work_at_deadline is None:
            self.work_at_deadline = work
        late = work - self.work_at_deadline > WORK
        return (INCONCLUSIVE, f"not complete: stopped at {time_limit(budget.seconds)}") if late else None

    def leave(self, code: int, message: str) -> None:
        """End the process without the main thread."""
        clean_up()
        if not self.budget.reporting:
            write(1, self.refuse(code, message))
        write(2, f"coset: {message}\n")
        os._exit(Interruption.exit_code(code))


def write(descriptor: int, text: str) -> None:
    """Write what can be written without blocking: the process must end even if its output is not read."""
    with suppress(OSError):
        if text and select.select([], [descriptor], [], 0)[1]:
            os.write(descriptor, text.encode("utf-8", "backslashreplace"))
