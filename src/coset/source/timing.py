"""Where the time of a command goes: phases whose times add up to the wall time.

>>> timing = Timing(began=0.0, clock=iter([1.0, 1.5, 3.5, 4.0]).__next__)
>>> with timing.phase("check"):       # from 1.0 to 4.0
...     with timing.phase("search"):  # from 1.5 to 3.5
...         pass
>>> timing.seconds
{'check': 1.0, 'search': 2.0}

Time in an inner phase does not count for the outer one.  What is in no phase is `other`, and what passed before the first
line of Coset is `start`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field

from coset.source.records import dataclass

_in_background: ContextVar[bool] = ContextVar("in_background", default=False)


@contextmanager
def in_background() -> Iterator[None]:
    """Phases in the block are not counted: another one waits for them."""
    token = _in_background.set(True)
    try:
        yield
    finally:
        _in_background.reset(token)


@dataclass(slots=True)
class Timing:
    """The phases of one command."""

    began: float = field(default_factory=time.monotonic)
    clock: Callable[[], float] = time.monotonic
    seconds: dict[str, float] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)
    _since: float = 0.0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Counts the time in the block for a phase."""
        if _in_background.get():
            yield
            return
        self._count()
        self._open.append(name)
        self.seconds.setdefault(name, 0.0)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def _count(self) -> None:
        now = self.clock()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def all(self) -> dict[str, float]:
        """Every phase, with what is in none, and the sum as `total`."""
        if self._open:
            self._count()
        start, inside = before_python(self.began), self.clock() - self.began
        other = max(0.0, inside - sum(self.seconds.values()))
        found = {"start": start, **self.seconds, "other": other, "total": start + inside}
        return {name: round(seconds, 6) for name, seconds in found.items()}


def before_python(began: float) -> float:
    """Seconds from the start of the process to a moment of the monotonic clock; 0 where the system does not tell."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        since_start = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
    return max(0.0, since_start - (time.monotonic() - began))


TIMING = Timing()
"""The phases of this process."""
phase = TIMING.phase
