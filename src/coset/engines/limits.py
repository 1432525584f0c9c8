"""How much one search may take, within what the command may."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from coset.source.budget import current_budget, memory_limit, resident_memory, time_limit

SMALL_STATES, SMALL_STEPS = 500, 6_000
"""What the interpreter may take before the compiled engine is asked: about a tenth of a second, which is what a program of the
quick tier takes.  Steps are counted, not seconds, so that which engine answers does not depend on the machine."""


@dataclass(slots=True)
class Limits:
    """Limits of one search; None is no limit besides those of the command, which are always kept (`current_budget`).  The
    clock starts when the object is made."""

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
