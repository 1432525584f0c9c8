"""The reference engine: the interpreter, explored depth first in SPIN's order.

It visits every state once and executes every step once.  It is slow and meant to be obviously right; the
order only matters for models with `hidden` variables, whose count depends on it, and for `depth`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from coset.engines.reference.certify import certify
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, Step, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.events import Finished, Listener, Progress, Started, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import INTERRUPTED, Limits, OutOfBudget, current_budget, peak_memory
from coset.source.timing import phase

if TYPE_CHECKING:
    from coset.symmetry.canonical.representative import Representatives

CHECK_EVERY = 1024
SMALL_STATES, SMALL_STEPS = 500, 6_000
"""What the interpreter may take before the compiled engine is asked: about a tenth of a second, which is what a program of the
quick tier takes.  Steps are counted, not seconds, so that which engine answers does not depend on the machine."""


@phase("search")
def explore(
    model: Model,
    limits: Limits | None = None,
    listener: Listener = ignore_events,
    representatives: Representatives | None = None,
) -> Exploration:
    """The whole reachable space, counted, or one state for each orbit; errors are counted and the search goes on."""
    return Explorer(model, limits or Limits(), listener, representatives).run()


class Explorer:
    def __init__(
        self, model: Model, limits: Limits, listener: Listener, representatives: Representatives | None = None
    ) -> None:
        self.interpreter = Interpreter(model)
        self.representatives = representatives
        self.limits, self.listener = limits, listener
        self.result = Exploration(model.name, "reference")
        self.stored: set[State] = set()
        self.visited: list[State] = []
        """The representatives, in the order in which they were found."""

    def run(self) -> Exploration:
        self.listener(Started(self.result.model, "reference"))
        result = self.result
        try:
            self.search()
        except KeyboardInterrupt:
            current_budget().interrupt()
            result.stopped, result.interrupted = INTERRUPTED, True
        except OutOfBudget as reason:
            result.stopped, result.interrupted = str(reason), reason.interrupted
        except MemoryError:
            result.stopped = "the end of memory"
        except Fault as fault:
            self.count(fault.kind, fault.message)
            result.stopped = fault.message
        prelude = int(self.interpreter.model.prelude)
        result.states = len(self.stored) - prelude
        result.represents = result.states
        if self.representatives is not None:
            represented = sum(map(self.representatives.size, self.stored)) - prelude
            result.represents = represented if self.representatives.counts else None
            try:
                by = self.representatives
                result.certified_states = certify(self.interpreter, by.generators, self.visited, by.modulo)
            except OutOfBudget as reason:  # without certificates the search is not complete
                result.stopped = result.stopped or str(reason)
        result.transitions = max(0, result.transitions - self.interpreter.model.uncounted)
        result.complete = result.stopped is None
        result.seconds["search"] = round(self.limits.elapsed, 6)
        result.peak_memory = peak_memory()
        self.listener(Finished(result.complete))
        return result

    def search(self) -> None:
        """Depth first: a stack of the steps still to be taken, and how deep in moves each one is."""
        result, stored, interpreter = self.result, self.stored, self.interpreter
        initial = interpreter.initial()
        if self.representatives is not None:
            initial = self.key(initial)
        stored.add(self.key(initial))
        result.transitions = 1
        stack: list[tuple[Iterator[Step], int]] = [(self.expand(initial), 0)]
        while stack:
            steps, depth = stack[-1]
            step = next(steps, None)
            if step is None:
                stack.pop()
                continue
            for move in step.moves[step.shared :]:
                for kind, message in move.errors:
                    self.count(kind, message)
            if is_fault(step.moves[-1]):
                continue
            result.transitions += 1
            reached = depth + sum(2 if move.partner else 1 for move in step.moves)
            key = self.key(step.state)
            if key in stored:
                continue
            stored.add(key)
            if self.representatives is not None:
                self.visited.append(key)
            result.depth = max(result.depth, reached)
            after = step.state if self.representatives is None else key
            stack.append((self.expand(after), reached))
            if len(stored) % CHECK_EVERY == 0:
                self.pause(len(stack), reached)
                if result.stopped:
                    return
            elif self.representatives is not None or len(stored) == self.limits.states:
                result.stopped = self.limits.exceeded(len(stored))  # an orbit may take long, so look at the clock
                if result.stopped:
                    return

    def key(self, state: State) -> State:
        """What is stored of a state."""
        return self.interpreter.key(state) if self.representatives is None else self.representatives(state)

    def expand(self, state: State) -> Iterator[Step]:
        """The steps from a state; a state without any must be a valid end."""
        nothing = True
        for step in self.interpreter.steps(state):
            nothing = nothing and self.interpreter.is_idle(state, step.moves[-1:])
            yield step
        if nothing and self.interpreter.is_idle(state, ()) and not self.interpreter.valid_end(state):
            self.count("end", "invalid end state")

    def count(self, kind: str, message: str) -> None:
        if kind == "end":
            self.result.errors.invalid_end_states += 1
        else:
            self.result.errors.add(kind)
        self.result.examples.setdefault(kind, message)

    def pause(self, frontier: int, depth: int) -> None:
        """Tell how far we are, and look at the limits."""
        states = len(self.stored)
        self.listener(Progress(states, self.result.transitions, depth, frontier, self.limits.elapsed))
        self.result.stopped = self.limits.exceeded(states)
