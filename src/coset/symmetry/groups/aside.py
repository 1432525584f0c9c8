"""Long computations in a process of their own.

The library for automorphisms cannot be told to stop, and does not let Python hear of an interruption; a process can be ended
at any time.  It has a limit of memory of its own, so that what is too large for it does not depend on the machine.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from coset.source.budget import SIGNALS, WATCHDOG, OutOfBudget, current_budget, memory_limit, resident_memory
from coset.source.leftovers import disown

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")

MOST_MEMORY = 1 << 30
"""Bytes that a computation may take besides what it starts with."""
TICK = 0.02
"""Seconds between two looks at the budget."""


class TooMuchMemory(Exception):
    """The computation needs more memory than it may have."""


def aside(action: Callable[[], T]) -> T:
    """What an action returns, executed in a copy of this process.  Raises `OutOfBudget` and `TooMuchMemory`.

    >>> aside(lambda: 6 * 7)
    42
    """
    if not hasattr(os, "fork") or has_other_threads():
        return action()
    import multiprocessing  # which takes long to import, and is needed for large graphs only

    budget = current_budget()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=deliver, args=(action, sender), daemon=True)
    process.start()
    sender.close()
    try:
        while not receiver.poll(TICK):
            budget.demand()
            most = budget.memory_limit()
            if most is not None and resident_memory() + private_memory(process.pid) > most:
                raise OutOfBudget(memory_limit(most))
        result: T | Exception = receiver.recv()
    except EOFError:
        raise TooMuchMemory("the search for automorphisms ended early: it needs too much memory") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if isinstance(result, Exception):
        raise result
    return result


def has_other_threads() -> bool:
    """Other threads would leave their locks behind in the copy; the watchdog has none."""
    known = (threading.current_thread().name, WATCHDOG)
    return any(thread.name not in known for thread in threading.enumerate())


def deliver(action: Callable[[], Any], sender: Connection) -> None:
    """In the copy: send the result, or the exception."""
    signal.set_wakeup_fd(-1)
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    disown()
    with suppress(OSError, ValueError):
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = taken + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    try:
        sender.send(action())
    except MemoryError:
        pass  # the end of the pipe tells
    except Exception as error:
        sender.send(error)


def private_memory(pid: int | None) -> int:
    """The bytes that a process has to itself."""
    try:
        resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
    except (OSError, ValueError):
        return 0
    return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
