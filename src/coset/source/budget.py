"""What a whole command may take: a deadline, an amount of memory, and the user's patience; and what one search may (`Limits`).

A command makes one `Budget` and installs it; every phase asks `current_budget()` and calls `check`, which is cheap enough for
inner loops.  When the budget is used up, `OutOfBudget` ends the phase, and the command shows what it knows by then.

Whether something is tried at all is never decided by the clock, so that a busy machine gives the same answers: such
decisions count (`steps`).
"""

from __future__ import annotations

import math
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

INTERRUPTED = "interrupt"
"""The reason if it was the user who ended it."""
CALLS = 32
"""Calls of `check` between two looks at the clock."""
PAUSE = 0.02
"""Seconds between two looks at the memory, which cost more."""
UNLIMITED = 1 << 60
"""A limit of the system from this many bytes on means that there is none."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""By these a command is interrupted."""
WATCHDOG = "coset watchdog"
"""The name of the thread that ends a command which does not end by itself (cli/interruption.py)."""


class OutOfBudget(Exception):
    """The budget is used up; the message says which limit was reached."""

    @property
    def interrupted(self) -> bool:
        return str(self) == INTERRUPTED


class Budget:
    """Limits of a command; None is no limit.  The clock starts when the object is made.  A part of a command may have a
    budget of its own within that of the `outer` one; `steps` are counted by `check`.

    >>> budget = Budget(steps=2)
    >>> budget.check(); budget.check(); budget.check()
    Traceback (most recent call last):
    coset.source.budget.OutOfBudget: 2 steps
    """

    def __init__(
        self,
        seconds: float | None = None,
        memory: int | None = None,
        *,
        steps: int | None = None,
        outer: Budget | None = None,
    ) -> None:
        self.seconds, self.memory, self.steps, self.outer = seconds, memory, steps, outer
        self.began = time.monotonic()
        self.is_interrupted = False
        self.reporting = self.saving = False  # what is under way, for the watchdog
        self.calls, self.next_look = 0, 0
        self.memory_seen = -math.inf
        self.used = 0

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def interrupt(self) -> None:
        """The user has had enough: from now on every check fails, of the outer budgets, too."""
        self.is_interrupted = True
        if self.outer is not None:
            self.outer.interrupt()

    def cancel(self) -> None:
        """What this budget is for is no longer needed; the outer ones go on."""
        self.is_interrupted = True

    def check(self, steps: int = 1) -> None:
        """Raise `OutOfBudget` if the budget is used up by so many steps.  Looks at the clock now and then."""
        self.calls += steps
        if self.calls >= self.next_look:
            self.next_look = self.calls + CALLS
            if self.steps is not None:
                self.next_look = min(self.next_look, self.steps + 1)
            self.demand()

    def demand(self) -> None:
        """As `check`, but looks at once: for the beginning of a phase."""
        reason = self.exceeded()
        if reason is not None:
            self.next_look = 0
            raise OutOfBudget(reason)

    def exceeded(self) -> str | None:
        """The limit that has been reached, in words."""
        if (reason := self.out_of_time()) is not None:
            return reason
        if self.outer is not None and (reason := self.outer.exceeded()) is not None:
            return reason
        if self.steps is not None and self.calls > self.steps:
            return f"{self.steps:,} steps"
        if self.memory is not None:
            now = time.monotonic()
            if now - self.memory_seen >= PAUSE:
                self.memory_seen, self.used = now, resident_memory()
            if self.used >= self.memory:
                return memory_limit(self.memory)
        return None

    def out_of_time(self) -> str | None:
        """The deadline or the user's interruption, if that has come."""
        if self.is_interrupted:
            return INTERRUPTED
        if self.seconds is not None and self.elapsed >= self.seconds:
            return time_limit(self.seconds)
        return None if self.outer is None else self.outer.out_of_time()

    def remaining_seconds(self) -> float | None:
        """How long it may still take; None if there is no deadline."""
        outer = None if self.outer is None else self.outer.remaining_seconds()
        own = None if self.seconds is None else max(0.0, self.seconds - self.elapsed)
        known = [each for each in (outer, own) if each is not None]
        return min(known) if known else None

    @contextmanager
    def saved(self, saving: bool = True) -> Iterator[None]:
        """While a checkpoint is written, which an interruption does not cut short."""
        whole = self.outermost()
        whole.saving = saving
        try:
            yield
        finally:
            whole.saving = False

    def outermost(self) -> Budget:
        """The budget of the whole command."""
        return self if self.outer is None else self.outer.outermost()

    def memory_limit(self) -> int | None:
        """The bytes that the process may have in all; None if there is no limit."""
        outer = None if self.outer is None else self.outer.memory_limit()
        known = [each for each in (outer, self.memory) if each is not None]
        return min(known) if known else None


class NoLimits(Budget):
    """The default, shared by all callers, so that an interrupt of one command must not end another."""

    def interrupt(self) -> None:
        pass

    def check(self, steps: int = 1) -> None:
        pass


def time_limit(seconds: float) -> str:
    return f"{seconds:g} seconds (--max-seconds)"


def memory_limit(size: int) -> str:
    return f"{size} bytes of memory (--max-memory)"


NO_LIMITS = NoLimits()
_current: ContextVar[Budget] = ContextVar("budget", default=NO_LIMITS)


def current_budget() -> Budget:
    """The budget of the command that is being executed; without one there are no limits."""
    return _current.get()


@contextmanager
def installed(budget: Budget) -> Iterator[Budget]:
    """Make a budget the current one."""
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


@contextmanager
def reporting() -> Iterator[None]:
    """Outside of the budget, to show what is known, whatever ended the search."""
    current_budget().outermost().reporting = True
    with installed(NO_LIMITS):
        yield


def within(seconds: float | None = None, memory: int | None = None, steps: int | None = None) -> Budget:
    """A budget within the current one."""
    return Budget(seconds, memory, steps=steps, outer=_current.get())


class Limits:
    """Limits of one search; None is no limit besides those of the command, which are always kept (`current_budget`).  The
    clock starts when the object is made, unless it `began` earlier."""

    def __init__(
        self,
        states: int | None = None,
        seconds: float | None = None,
        memory: int | None = None,
        began: float | None = None,
        nodes: int | None = None,
    ) -> None:
        """`nodes` is how many nodes of decision diagrams may be made."""
        self.states, self.seconds, self.memory, self.nodes = states, seconds, memory, nodes
        self.began = time.monotonic() if began is None else began

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def exceeded(self, states: int) -> str | None:
        """The limit that has been reached, in words."""
        if self.states is not None and states >= self.states:
            return f"{self.states} states (--max-states)"
        if self.seconds is not None and self.elapsed >= self.seconds:
            return time_limit(self.seconds)
        if self.memory is not None and resident_memory() >= self.memory:
            return memory_limit(self.memory)
        return current_budget().exceeded()

    def out_of_time(self) -> str | None:
        """The deadline or the user's interruption, if that has come."""
        if self.seconds is not None and self.elapsed >= self.seconds:
            return time_limit(self.seconds)
        return current_budget().out_of_time()

    def memory_limit(self) -> int | None:
        """The bytes that the process may have in all."""
        known = [each for each in (self.memory, current_budget().memory_limit()) if each is not None]
        return min(known) if known else None


class Phases:
    """Parts of a command, one after the other, until the budget is used up; `stopped` says by which limit.

    >>> phases = Phases()
    >>> with installed(Budget(seconds=0)):
    ...     phases(lambda: 1), phases.stopped
    (None, '0 seconds (--max-seconds)')
    """

    def __init__(self) -> None:
        self.stopped: str | None = None

    def __call__(self, phase: Callable[[], T]) -> T | None:
        """What a phase returns; None if the budget was used up before or in it."""
        if self.stopped is not None:
            return None
        try:
            current_budget().demand()
            return phase()
        except OutOfBudget as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            current_budget().interrupt()
            self.stopped = INTERRUPTED
        return None


# --- memory ----------------------------------------------------------------------------------------


def peak_memory() -> int:
    """The largest amount of memory that this process has had, in bytes."""
    try:  # `ru_maxrss` has what the process that started this one had at that time, as a large notebook
        with open("/proc/self/status", "rb") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(b"VmHWM:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident_memory() -> int:
    """The memory that this process has now, in bytes; the largest that it has had where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return peak_memory()


def usable_memory() -> int:
    """The memory that this process can have: what the machine has, or less if a container is given less."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *container_limits("/sys/fs/cgroup", "/proc/self/cgroup")])


def address_space() -> int | None:
    """The bytes of addresses that this process may still take (`ulimit -v`); None if there is no such limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= UNLIMITED:
        return None
    try:
        with open("/proc/self/statm", "rb") as file:
            taken = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        taken = peak_memory()
    return max(0, limit - taken)


def container_limits(root: str, membership: str) -> list[int]:
    """The limits of the control groups that this process is in and of those above, version 2 and version 1."""
    found = []
    for line in text_of(membership).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        if controllers == "":
            top, file = root, "memory.max"
        elif "memory" in controllers.split(","):
            top, file = os.path.join(root, "memory"), "memory.limit_in_bytes"
        else:
            continue
        # In a container the path may be that outside of it: then only the top is there.
        parts = name.strip("/").split("/")
        for depth in range(len(parts) + 1):
            text = text_of(os.path.join(top, *parts[:depth], file)).strip()
            if text.isdecimal() and 0 < int(text) < UNLIMITED:
                found.append(int(text))
    return found


def text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
