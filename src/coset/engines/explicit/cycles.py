"""Properties of infinite runs, checked by the compiled engine on the product of the model and the negated property.

The search that decides ends at some accepting cycle.  What is shown is a shortest one, if a search for it ends within an
allowance; else the cycle that was found, with a shorter way around it, and shortcuts on the way to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from coset.engines.claim import Claim, claim_of, unsupported_in
from coset.engines.contract import Unsupported
from coset.engines.explicit.attempts import completed
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.cycle_search import CycleSearch, DepthFirstSearch, ProductSearch, ShortestSearch
from coset.engines.explicit.emit.claims import MARK_BITS
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.fair_search import FairSearch
from coset.engines.explicit.seam import FAIR_SHIFT, Allowance, Result, Stop
from coset.engines.lasso import Lasso
from coset.model import model as m
from coset.model.fairness import Fairness, fairness_of
from coset.model.state import State
from coset.results.claim_end import until_end
from coset.results.trace import Trace
from coset.source.timing import phase
from coset.symmetry.canonical.plan import SymmetryPlan

MOST_FAIR = 64 - FAIR_SHIFT - 2
"""The most processes with a mark of weak fairness in one word, for a shortest lasso; two bits stay free."""
MOST_CONSTRAINTS = 32
"""Their conditions are the bits of a word (labels.h)."""
SHORT_STATES, SHORT_TRANSITIONS, MOST_STATES = 60_000, 600_000, 4_000_000
"""States and transitions that a search for a shortest lasso may visit, and the most after a long search: an optimised
program may visit as many as the property took."""
SHORT_LASSO = 4
"""A lasso may be a guide (guided.py) if the search had so many times as many states."""


def check_property(
    engine: Engine,
    property_: m.Claim | m.LtlProperty,
    fair: bool | str | Fairness = False,
    stays: bool = True,
    is_violated: bool = False,
    guided: Guided | None = None,
) -> tuple[Result, Trace | None]:
    """Search for a run that the property forbids; its trace is returned if one was found.
    With `stays`, a run that ends is extended by repeating its last state forever.  If it is known that the property
    `is_violated`, a short run is looked for first, and then a `guided` one."""
    claim = claim_for(engine, property_, fair)

    def attempt(compiled: Compiled) -> tuple[Result, Trace | None]:
        shown = Evidence(engine, compiled, claim, stays)
        if is_violated and compiled.quick:
            result, lasso = shown.shortest()
            if lasso is not None:
                return result, lasso.trace(engine.interpreter, property_, bool(claim.fairness))
            if guided is not None and (found := guided()) is not None:
                return found
        with searched(engine, compiled, claim, stays) as search:
            if not violated(search.result):
                return search.result, None
            return search.result, shown.trace(search, property_)

    result, trace = completed(engine, attempt, claim)
    return result, until_end(engine.interpreter.model, trace, property_)


Guided = Callable[[], tuple[Result, Trace] | None]
"""Finds a violating run of the model along a run of another one, if it can; with the result of the search for that one."""


def decide_property(
    engine: Engine, property_: m.Claim | m.LtlProperty, fair: bool | str | Fairness = False, stays: bool = True
) -> tuple[Result, Lasso | None]:
    """Search for a run that the property forbids, which need not be shown: `violated` tells whether one was found.  It is
    returned if it was found depth first, in a search of several times as many states."""
    claim = claim_for(engine, property_, fair)

    def attempt(compiled: Compiled) -> tuple[Result, Lasso | None]:
        has_run = engine.symmetry is None or engine.symmetry.has_runs
        with searched(engine, compiled, claim, stays, show=False) as search:
            if compiled.graph or not has_run or not violated(search.result):
                return search.result, None
            stem, cycle = search.lasso()
            is_short = SHORT_LASSO * (len(stem) + len(cycle)) <= search.result.states
            return search.result, search.found() if is_short else None

    return completed(engine, attempt, claim)


def claim_for(engine: Engine, property_: m.Claim | m.LtlProperty, fair: bool | str | Fairness) -> Claim:
    """The automaton of what a property forbids.  Raises `Unsupported` for what the recorded graph has no room for."""
    reason = unsupported_in(property_)
    if reason is not None:
        raise Unsupported(reason)
    claim = replace(claim_of(property_), fairness=fairness_of(fair))
    refuse_unfit(engine, claim)
    return claim


@contextmanager
def searched(engine: Engine, compiled: Compiled, claim: Claim, stays: bool, show: bool = True) -> Iterator[CycleSearch]:
    """A search for a cycle that has ended.  What it has found is there until the end of the `with` block."""
    kind = (FairSearch if claim.fairness else ProductSearch) if compiled.graph else DepthFirstSearch
    search = kind(engine, compiled, claim, stays, show)
    try:
        search.run()
        if search.result.stopped == Stop.ALLOWANCE:
            engine.sample(compiled, search.result.states, search.copy_state)
        yield search
    finally:
        search.close()


def refuse_unfit(engine: Engine, claim: Claim) -> None:
    """Raises `Unsupported` for what the recorded graph has no room for."""
    if claim.fairness and claim.required >> MARK_BITS:
        raise Unsupported(f"fairness with an automaton of more than {MARK_BITS} acceptance sets")
    if len(claim.fairness.constraints) > MOST_CONSTRAINTS:
        raise Unsupported(f"more than {MOST_CONSTRAINTS} fairness constraints")
    if claim.fairness and engine.symmetry is not None and not isinstance(engine.symmetry, SymmetryPlan):
        raise Unsupported("fairness with permutations of literals (--symmetry constraints)")


def violated(result: Result) -> bool:
    """Whether a search ended at a cycle that the property forbids."""
    return bool(result.stopped == Stop.ERROR)


class Evidence:
    """Lassos that are short."""

    def __init__(self, engine: Engine, compiled: Compiled, claim: Claim, stays: bool) -> None:
        self.engine, self.compiled, self.claim, self.stays = engine, compiled, claim, stays
        self.has_tried = False

    @phase("evidence")
    def trace(self, search: CycleSearch, property_: m.Claim | m.LtlProperty) -> Trace:
        """A run that a search has found, or a shorter one."""
        fairness = self.claim.fairness
        if not isinstance(search, FairSearch):
            return self.of(search).short_trace(self.engine.interpreter, property_, bool(fairness))
        if fairness.is_weak_only and search.processes <= MOST_FAIR:
            _, shortest = self.shortest(search.result.states)
            if shortest is not None:
                return shortest.trace(self.engine.interpreter, property_, fair=True)
        return search.fair_trace(property_)

    def of(self, search: CycleSearch) -> Lasso:
        """The lasso of a search that found one, or a shorter one."""
        _, shortest = (None, None) if self.has_tried else self.shortest(search.result.states)
        if shortest is not None:
            return shortest
        found = search.found()
        if found.is_stuck(self.engine.interpreter):
            return found
        stem, _ = search.lasso()
        _, nearer = self.shortest(search.result.states, found.entry(len(stem)), search.location(stem[-1]))
        if nearer is not None:
            found = min(found, found.continued(len(stem), nearer), key=len)
        return found

    def shortest(
        self, states: int = 0, start: State | None = None, location: int | None = None
    ) -> tuple[Result, Lasso | None]:
        """A shortest lasso from a state of the product, after a search of so many states."""
        self.has_tried = True
        times = 1 if self.compiled.quick else max(1, min(states, MOST_STATES) // SHORT_STATES)
        search = ShortestSearch(
            self.engine, self.compiled, self.claim, self.stays,
            Allowance(SHORT_STATES * times, SHORT_TRANSITIONS * times), start, None if location is None else [location],
        )  # fmt: skip
        try:
            search.run()
            return search.result, search.found() if violated(search.result) else None
        finally:
            search.close()
