"""How much a run may take."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field

SMALL_STATES, SMALL_SECONDS = 5000, 1.0
"""What the interpreter may take before the compiled engine is asked: for most small models that is enough."""


@dataclass(slots=True)
class Limits:
    """Limits of one run; None is no limit.  The clock starts when the object is made."""

    states: int | None = None
    seconds: float | None = None
    memory: int | None = None
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def exceeded(self, states: int) -> str | None:
        """The limit that has been reached, in words."""
        if self.states is not None and states >= self.states:
            return f"{self.states} states (--max-states)"
        if self.seconds is not None and self.elapsed >= self.seconds:
            return f"{self.seconds:g} seconds (--max-seconds)"
        if self.memory is not None and peak_memory() >= self.memory:
            return f"{self.memory} bytes of memory (--max-memory)"
        return None


def peak_memory() -> int:
    """The largest amount of memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
