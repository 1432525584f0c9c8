"""An estimate of a model's states from a sample: which processes exist, and which values occur.

An estimate may be wrong: the search notices what does not fit, and another one goes on with a better estimate (transfer.py).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from coset.engines.explicit.components import Coding, Components, Sort
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout
from coset.engines.explicit.packing import Seen, seen_in
from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.source.budget import OutOfBudget, current_budget, installed, within

LOOK, BRIEF_LOOK = 300, 40
"""How many states the interpreter looks at, from the initial one on; fewer if only the processes are asked about."""
RUNS, LENGTH, WIDTH = 4, 200, 20
"""How many random runs it makes, how long they are, and how many steps it chooses from; a brief estimate has a single run."""
LOOK_STEPS = 100_000
"""The most moves that the interpreter tries for the whole sample."""


def as_they_are(components: Components) -> None:
    """No symmetry exchanges components."""


class LayoutEstimate:
    """What is expected of the states of a model.  What is `known` are some more of them.  A `brief` estimate is enough where
    these are many, or where values have all the bits that they may need."""

    def __init__(self, interpreter: Interpreter, known: tuple[State, ...] = (), brief: bool = False) -> None:
        initial = interpreter.initial()
        first, later = [initial], list[State]()
        try:
            with installed(within(steps=LOOK_STEPS)):
                first = first_states(interpreter, BRIEF_LOOK if brief else LOOK)
                later += later_states(interpreter, initial, 1 if brief else RUNS)
        except OutOfBudget:  # fewer states give a coarser estimate, which is harmless
            current_budget().demand()
        self.states = [*first, *known, *later]
        self.interpreter = interpreter
        self.counts: dict[Sort, int] = {}
        """The expected number of values of components of a sort, if larger than in the sample."""
        self.is_whole = False
        """Whether values are not numbered, as there are too many of them."""

    @cached_property
    def seen(self) -> Seen | None:
        """The largest values; None if every value gets all the bits of its domain."""
        return seen_in(self.interpreter, self.states)

    def coding(self, footprints: Footprints, arrange: Callable[[Components], None] = as_they_are) -> Coding | None:
        """The packing of states as numbers of components, if possible.  `arrange` says which of them symmetries exchange."""
        if self.is_whole or not footprints.possible() or not footprints.layout.plan.slots:
            return None
        components = Components(footprints.layout, footprints.fixed)
        arrange(components)
        coding = Coding(components, footprints, components.counts(self.states) | self.counts)
        return coding if coding.words else None

    def roomy(self, layout: Layout) -> Seen | None:
        return None if self.seen is None else self.seen.roomy(layout)

    def widen(self, coding: Coding | None, seen: Seen | None, component: int, found: Sequence[int] = ()) -> None:
        """Provide more bits after a value did not fit: for components of this one's sort, or for all values.  `found` are the
        numbers of values that components had by then."""
        if coding is not None:
            for each, count in zip(coding.components.all, found):
                self.counts[each.sort] = max(count, self.counts.get(each.sort, 0))
            self.counts |= coding.needed(component)
        else:
            self.seen = seen.wider() if seen is not None else None


def first_states(interpreter: Interpreter, count: int) -> list[State]:
    """Some reachable states, breadth first."""
    initial = interpreter.initial()
    seen, queue = {initial}, [initial]
    for state in queue:
        if len(queue) >= count:
            break
        with suppress(Fault):  # the search will report it, too
            for step in itertools.islice(interpreter.steps(state), count):
                if step.state not in seen:
                    seen.add(step.state)
                    queue.append(step.state)
    return queue


def later_states(interpreter: Interpreter, start: State, runs: int) -> Iterator[State]:
    """The states of some random runs."""
    rng = random.Random(1)
    for _ in range(runs):
        state = start
        for _ in range(LENGTH):
            with suppress(Fault):
                following = [step.state for step in itertools.islice(interpreter.steps(state), WIDTH)]
                if not following:
                    break
                state = rng.choice(following)
                yield state
