"""A search by one program after another, until one comes to its end.

A search begins in the quick tier.  If it takes more than that tier is for, the optimised program is compiled in the background,
and the quick tier searches once more, with a larger allowance, for as long as the compiler takes: many searches are then over,
and errors are found that lie deep, as the quick tier looks for errors depth first (safety.py).

The allowance counts states, and the quick tier always uses it up before the optimised program takes over, so that the results do
not depend on which of the two is faster.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from coset.engines.contract import AnsweredElsewhere
from coset.engines.explicit import engine as engines
from coset.engines.explicit import quick
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Result, Stop
from coset.source.budget import installed, within
from coset.source.timing import in_background, phase

if TYPE_CHECKING:
    from coset.engines.claim import Claim

T = TypeVar("T")
Attempt = Callable[[Compiled], tuple[Result, T]]

OPEN = {Stop.ALLOWANCE, Stop.OVERFLOW, Stop.MEMORY}
"""Ends of a longer search in the quick tier after which the optimised program takes over: its states are smaller, too."""
PATIENCE = 0.25
"""Seconds that a background computation has to end when it is no longer needed."""


def completed(engine: Engine, attempt: Attempt[T], claim: Claim | None = None) -> tuple[Result, T]:
    """What the first attempt returns that is not ended by a value that did not fit, or by an allowance."""
    try:
        return completed_by(engine, attempt, claim)
    finally:
        engine.drop_transfer()


def completed_by(engine: Engine, attempt: Attempt[T], claim: Claim | None) -> tuple[Result, T]:
    compiled = engine.compiled(claim)
    while True:
        with LongerSearch(engine, claim) as longer:
            result, found = attempt(compiled)
            if result.stopped == Stop.ALLOWANCE and longer(result):  # a search that cannot be extended begins again
                result, found = attempt(compiled)
            if longer.following is not None:
                if result.stopped not in OPEN:
                    return result, found
                compiled = longer.take_over()
                continue
        if result.stopped == Stop.OVERFLOW:
            engine.widen(compiled, result)
        elif result.stopped != Stop.ALLOWANCE:
            return result, found
        compiled = engine.compiled(claim)


class LongerSearch:
    """A search of the quick tier with a larger allowance, while the optimised program is compiled.

    A search asks for it when its allowance is used up, and goes on from there.
    """

    def __init__(self, engine: Engine, claim: Claim | None) -> None:
        self.engine, self.claim = engine, claim
        self.following: Engine | None = None
        """The engine of the optimised program."""
        self.program: Background[Compiled] | None = None
        self.is_asked = False

    def __enter__(self) -> LongerSearch:
        self.engine.extension, self.engine.times = self, 1
        self.engine.companion_asked = 0 if self.engine.companion is None else self.engine.companion.after(0)
        return self

    def __exit__(self, *unused: object) -> None:
        self.engine.extension, self.engine.times = None, 1
        if self.program is not None:
            self.program.__exit__()

    def __call__(self, result: Result) -> bool:
        """Whether the search may go on.  It has to begin again if partial order reduction turns out to be useless.  Raises
        `Postponed` if other questions come first."""
        engine, facts = self.engine, self.engine.facts
        if not engine.quick:
            self.ask_others(result)
            return True
        if self.is_asked:
            return False
        self.is_asked = True
        if not engine.has_to_be_long(result, self.claim):
            return True
        if engine.facts is not facts:
            return False
        self.following = engine.following(result)
        found = None if engine.ahead is None else engine.ahead.taken(engine, self.following)
        if found is not None:
            self.following, self.program = found
        else:
            self.program = Background(partial(self.following.compiled, self.claim)).__enter__()
        engine.times = quick.EXTENDED * (2 if engine.is_sure else 1)
        return True

    def ask_others(self, result: Result) -> None:
        """Raises `FoundDeep` if the companion has found an error, and `AnsweredElsewhere` if another engine can answer."""
        engine, states = self.engine, result.states
        if engine.companion is not None and states >= engine.companion_asked:
            engine.companion.ask(states)
            engine.companion_asked = engine.companion.after(states)
        if engine.alternative is not None and states >= engines.LONG_SEARCH:
            alternative, engine.alternative = engine.alternative, None
            answer = alternative()
            if answer is not None:
                raise AnsweredElsewhere(answer)

    def take_over(self) -> Compiled:
        """The optimised program; the engine goes on with it."""
        assert self.program is not None and self.following is not None
        compiled, ahead = self.program.result(), self.engine.ahead
        self.engine.become(self.following)
        if ahead is not None:
            ahead.begin(self.engine)
        return compiled


class Background(Generic[T]):
    """A function that is computed in a thread of its own.  It is ended with the `with` block if it is not over by then."""

    def __init__(self, compute: Callable[[], T]) -> None:
        self.compute, self.budget = compute, within()
        self.done = threading.Event()
        self.values: list[T] = []
        self.error: BaseException | None = None
        # The context has the budget of the command.
        context = contextvars.copy_context()
        self.thread = threading.Thread(target=context.run, args=(self.run,), daemon=True)

    def __enter__(self) -> Background[T]:
        self.thread.start()
        return self

    def __exit__(self, *unused: object) -> None:
        self.budget.cancel()
        self.done.wait(PATIENCE)

    def run(self) -> None:
        try:
            with installed(self.budget), in_background():
                self.values.append(self.compute())
        except BaseException as error:  # raised again by `result`
            self.error = error
        finally:
            self.done.set()

    @phase("compile")
    def result(self) -> T:
        """What the function returns or raises."""
        self.done.wait()  # an interrupted `Thread.join` marks the thread as finished (bpo-45274)
        if self.error is not None:
            raise self.error
        return self.values[0]
