"""Programs of questions that wait, compiled ahead: while one search goes on in C, another core compiles for the next.

Each question has a program of its own, as what is merged, which symmetries are used and what is observed depends on it.  All
questions are asked of the quick tier first.  Those that take longer wait, and each search of an optimised program begins with
the compiler at work for the next one (ADR 62).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from coset.engines.explicit.deep_search import usable_cores

if TYPE_CHECKING:
    from coset.engines.claim import Claim
    from coset.engines.explicit.attempts import Background
    from coset.engines.explicit.compile import Compiled
    from coset.engines.explicit.engine import Engine

    Program = tuple[Engine, Background[Compiled]]


class Ahead:
    """The questions that wait, and at most one program that is made for the first of them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Engine, Engine, Claim | None]] = []
        """An engine, a copy of it for optimised programs, and the property."""
        self.program: tuple[Engine, Program] | None = None

    def wait(self, engine: Engine, following: Engine, claim: Claim | None) -> None:
        """A question has to wait; `following` is the engine that is to answer it."""
        self.waiting.append((engine, following, claim))

    def begin(self, engine: Engine) -> None:
        """Another question's search begins: compile for the next one, if there is a core for it."""
        from coset.engines.explicit.attempts import Background

        self.waiting = [each for each in self.waiting if each[0] is not engine]
        if self.program is None and self.waiting and usable_cores() > 1:
            owner, following, claim = self.waiting.pop(0)
            self.program = owner, (following, Background(partial(following.compiled, claim)).__enter__())

    def taken(self, engine: Engine, following: Engine) -> Program | None:
        """The program that was made for an engine, unless it should now be another one.  It may still be in the making."""
        self.waiting = [each for each in self.waiting if each[0] is not engine]
        if self.program is None or self.program[0] is not engine:
            return None
        program, self.program = self.program[1], None
        asked = program[0].asked_for
        if asked == following.asked_for:
            return program
        program[1].__exit__()
        return None

    def close(self) -> None:
        """What is still in the making is not needed any more."""
        self.waiting = []
        program, self.program = self.program, None
        if program is not None:
            program[1][1].__exit__()
