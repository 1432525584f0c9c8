"""Properties of infinite runs, checked by the compiled engine on the product of the model and the negated property."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from ctypes import Array, c_char
from dataclasses import replace

from coset.engines.claim import Claim, claim_of, unsupported_in
from coset.engines.contract import Unsupported
from coset.engines.evidence import fair_moves_around, moves_along, unpermuted, unrolled
from coset.engines.explicit.attempts import completed
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.seam import FAIR_SHIFT, Result, Stop
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.results.trace import Trace, from_moves
from coset.source.budget import OutOfBudget
from coset.source.timing import phase

MOST_FAIR = 64 - FAIR_SHIFT - 2
"""The most processes with a fairness mark in one word; two bits stay free."""


def check_property(
    engine: Engine, property_: m.Claim | m.LtlProperty, fair: bool = False, stays: bool = True, show: bool = True
) -> tuple[Result, Trace | None]:
    """Search for a run that the property forbids; `violated` tells whether one was found, and its trace is returned if wanted.
    With `stays`, a run that ends is extended by repeating its last state forever."""
    reason = unsupported_in(property_)
    if reason is not None:
        raise Unsupported(reason)
    claim = replace(claim_of(property_), fair=fair)

    def attempt(compiled: Compiled) -> tuple[Result, Trace | None]:
        if fair and len(compiled.layout.plan.slots) > MOST_FAIR:
            raise Unsupported(f"weak fairness with more than {MOST_FAIR} processes")
        kind = ProductSearch if compiled.graph else DepthFirstSearch
        search = kind(engine, compiled, claim, stays, show)
        try:
            search.run()
            if search.result.stopped == Stop.ALLOWANCE:
                engine.sample(compiled, search.result.states, search.copy_state)
            return search.result, search.trace(property_.kind) if show and violated(search.result) else None
        finally:
            search.close()

    return completed(engine, attempt, claim)


def violated(result: Result) -> bool:
    """Whether a search ended at a cycle that the property forbids."""
    return bool(result.stopped == Stop.ERROR)


def is_stuck(interpreter: Interpreter, loop: list[State]) -> bool:
    """Whether a cycle is the repetition of a state in which nothing can happen."""
    return all(state == loop[0] for state in loop) and not any(True for _ in interpreter.steps(loop[0]))


class CycleSearch(ABC):
    """One search for a cycle that the property forbids."""

    handle: ctypes.c_void_p

    def __init__(self, engine: Engine, compiled: Compiled, claim: Claim, stays: bool, show: bool) -> None:
        self.engine, self.compiled, self.claim, self.fair = engine, compiled, claim, claim.fair
        self.interpreter: Interpreter = engine.interpreter
        self.c = compiled.library
        self.result = Result()
        self.request, self.buffer = engine.request(compiled)
        self.request.stays, self.request.keep_parents = int(stays), int(show)
        self.open()

    @abstractmethod
    def open(self) -> None: ...

    @abstractmethod
    def search(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def copy_state(self, index: int, room: Array[c_char]) -> None: ...

    @property
    @abstractmethod
    def lasso_of(self) -> Callable[..., int]:
        """The function of C that finds a lasso."""

    def run(self) -> None:
        if not self.handle:
            self.result.stopped = Stop.SYSTEM
            return
        self.engine.watch(self.search, self.result)

    # --- the counterexample ----------------------------------------------------------------------

    def lasso(self) -> tuple[list[int], list[int]]:
        """A path to a cycle that takes every mark, and the cycle, which begins after the end of the path and ends with it."""
        stem = ctypes.c_uint64()
        count = self.lasso_of(self.handle, None, 0, ctypes.byref(stem))
        if not count:
            raise OutOfBudget("there is no memory to show a cycle")
        out = (ctypes.c_uint64 * count)()
        self.lasso_of(self.handle, out, count, ctypes.byref(stem))
        return out[: stem.value], out[stem.value :]

    @phase("evidence")
    def trace(self, kind: str) -> Trace:
        """The lasso as a run of the model."""
        stem, cycle = self.lasso()
        states = self.decoded([*stem, *cycle])
        way, loop = states[: len(stem)], states[len(stem) - 1 :]
        if is_stuck(self.interpreter, loop):
            way = way[: way.index(loop[0]) + 1]  # the automaton may move where the model has stopped
            loop = loop[:1]
        if self.engine.symmetry is not None and not is_stuck(self.interpreter, loop):
            canonical = self.engine.canonical(self.compiled)
            way = unpermuted(self.interpreter, way, canonical)
            more, loop = unrolled(self.interpreter, way[-1], loop[1:], canonical)
            way += more
            loop = [way[-1], *loop]
        elif self.engine.symmetry is not None:
            way = unpermuted(self.interpreter, way, self.engine.canonical(self.compiled))
            loop = [way[-1]]
        before = moves_along(self.interpreter, way)
        if is_stuck(self.interpreter, loop):
            moves = before
        else:
            moves = before + (fair_moves_around if self.fair else moves_along)(self.interpreter, loop)
        return from_moves(self.interpreter.model, moves, kind, self.claim.name, len(before))

    def decoded(self, indices: Iterable[int]) -> list[State]:
        room = ctypes.create_string_buffer(self.compiled.layout.size)
        states = []
        for index in indices:
            self.copy_state(index, room)
            states.append(self.compiled.layout.decode(room.raw))
        return states


class ProductSearch(CycleSearch):
    """On the recorded graph of the product (product.c): breadth first, by several threads."""

    def open(self) -> None:
        self.handle = opened(self.c.product_new, self.request, ctypes.byref(self.result))

    def search(self) -> None:
        initial = self.claim.initial
        self.c.product_run(self.handle, (ctypes.c_int * len(initial))(*initial), len(initial))

    def close(self) -> None:
        if self.handle:
            self.c.product_free(self.handle)

    def copy_state(self, index: int, room: Array[c_char]) -> None:
        self.c.product_state(self.handle, index, room)

    @property
    def lasso_of(self) -> Callable[..., int]:
        return self.c.product_lasso


class DepthFirstSearch(CycleSearch):
    """On the fly, one state after the other (cycles.c)."""

    def open(self) -> None:
        self.handle = opened(self.c.cycles_new, self.request, ctypes.byref(self.result), int(self.fair))

    def search(self) -> None:
        for initial in self.claim.initial:
            self.c.cycles_run(self.handle, initial)

    def close(self) -> None:
        if self.handle:
            self.c.cycles_free(self.handle)

    def copy_state(self, index: int, room: Array[c_char]) -> None:
        self.c.cycles_state(self.handle, index, room)

    @property
    def lasso_of(self) -> Callable[..., int]:
        return self.c.cycles_lasso
