"""Searches for cycles that a property forbids, in C: depth first, on a recorded graph, and for a shortest one."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from ctypes import Array, c_char

from coset.engines.claim import Claim
from coset.engines.evidence import unpermuted, unrolled
from coset.engines.explicit.checkpointed import ask_for_checkpoints, tell_of_checkpoint
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.seam import Allowance, Result, Stop
from coset.engines.lasso import Lasso, is_stuck
from coset.model.interpreter import Interpreter
from coset.model.state import State
from coset.source.budget import OutOfBudget


class CycleSearch(ABC):
    """One search for a cycle that the property forbids."""

    handle: ctypes.c_void_p

    def __init__(self, engine: Engine, compiled: Compiled, claim: Claim, stays: bool, show: bool) -> None:
        self.engine, self.compiled, self.claim = engine, compiled, claim
        self.interpreter: Interpreter = engine.interpreter
        self.c = compiled.library
        self.result = Result()
        self.request, self.buffer = engine.request(compiled)
        self.request.stays, self.request.keep_parents = int(stays), int(show)
        self.visits_orbits = engine.symmetry is not None
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

    def found(self) -> Lasso:
        """The lasso as states of a run of the model."""
        stem, cycle = self.lasso()
        states = self.decoded([*stem, *cycle])
        way, loop = states[: len(stem)], states[len(stem) - 1 :]
        if is_stuck(self.interpreter, loop):
            way = way[: way.index(loop[0]) + 1]  # the automaton may move where the model has stopped
            loop = loop[:1]
        if self.visits_orbits:
            canonical = self.engine.canonical(self.compiled)
            way = unpermuted(self.interpreter, way, canonical)
            around = loop[1:]
            if around:
                more, around = unrolled(self.interpreter, way[-1], around, canonical)
                way += more
            loop = [way[-1], *around]
        return Lasso(way, loop)

    def location(self, index: int) -> int:
        """The location of the automaton in a state of the product."""
        room = ctypes.create_string_buffer(self.compiled.layout.size)
        self.copy_state(index, room)
        return int(self.c.claim_location(room))

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
        if not self.claim.fairness:  # labels of steps are not saved
            ask_for_checkpoints(self.request, self.engine, self.compiled)
        self.engine.go_on(self.compiled, self.request)
        self.handle = opened(self.c.product_new, self.request, ctypes.byref(self.result))

    def search(self) -> None:
        initial = self.claim.initial
        self.c.product_run(self.handle, (ctypes.c_int * len(initial))(*initial), len(initial))

    def run(self) -> None:
        super().run()
        tell_of_checkpoint(self.request, self.engine, self.result)

    def close(self) -> None:
        if self.handle and not self.engine.keep(
            self.compiled, self.result, lambda: self.c.product_transfer(self.handle)
        ):
            self.c.product_free(self.handle)

    def copy_state(self, index: int, room: Array[c_char]) -> None:
        self.c.product_state(self.handle, index, room)

    @property
    def lasso_of(self) -> Callable[..., int]:
        return self.c.product_lasso


class DepthFirstSearch(CycleSearch):
    """On the fly, one state after the other (cycles.c)."""

    def open(self) -> None:
        self.handle = opened(self.c.cycles_new, self.request, ctypes.byref(self.result))

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


class ShortestSearch(CycleSearch):
    """A shortest lasso from a state of the model and locations of the automaton, within an allowance: every state as it is,
    breadth first (shortest.c)."""

    def __init__(
        self, engine: Engine, compiled: Compiled, claim: Claim, stays: bool, allowance: Allowance,
        start: State | None = None, locations: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        self.allowance, self.locations = allowance, claim.initial if locations is None else locations
        begin = engine.interpreter.initial() if start is None else start
        self.start = ctypes.create_string_buffer(compiled.layout.encode(begin), compiled.layout.size)
        super().__init__(engine, compiled, claim, stays, show=True)
        self.visits_orbits = False

    def open(self) -> None:
        self.request.allowance, self.request.initial = self.allowance, ctypes.cast(self.start, ctypes.c_char_p)
        self.handle = opened(
            self.c.shortest_new, self.request, ctypes.byref(self.result), int(bool(self.claim.fairness))
        )

    def search(self) -> None:
        count = len(self.locations)
        self.c.shortest_run(self.handle, (ctypes.c_int * count)(*self.locations), count)

    def close(self) -> None:
        if self.handle:
            self.c.shortest_free(self.handle)

    def copy_state(self, index: int, room: Array[c_char]) -> None:
        self.c.shortest_state(self.handle, index, room)

    @property
    def lasso_of(self) -> Callable[..., int]:
        return self.c.shortest_lasso
