"""Fair runs that a property forbids, on the recorded graph of the product (fair.h), and the moves of one.

C finds a component with a fair run. The walk around it is looked for here (`engines/fair_walk.py`), in the part of
the graph that C has recorded, and becomes a run of the model by the symmetries of its steps (`engines/annotated.py`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from coset.engines.annotated import Elements, Passage, bits
from coset.engines.evidence import takers
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.cycle_search import ProductSearch
from coset.engines.fair_walk import fair_walk
from coset.engines.streett import Way
from coset.model import model as m
from coset.model.interpreter import Move, is_fault
from coset.model.state import State
from coset.results.internal import Disagreement
from coset.results.trace import Trace, from_moves
from coset.source.budget import OutOfBudget
from coset.symmetry.canonical.plan import SymmetryPlan
from coset.symmetry.groups.permutation import Permutation

WORD, WAY_BITS, MOST_KNOWN = 64, 16, 100_000
"""Bits of a word and of a number in a way (labels.h), and how many edges and labels are remembered."""


class Label(NamedTuple):
    """Of a step: who takes part, and how the processes are renumbered; None if they are not."""

    movers: int
    way: Way | None


class FairArrow(NamedTuple):
    """An edge of the recorded graph."""

    source: int
    target: int
    marks: int
    label: Label

    @property
    def movers(self) -> int:
        return self.label.movers

    @property
    def way(self) -> Way | None:
        return self.label.way


class FairSearch(ProductSearch):
    """The recorded graph with the labels of its states and steps."""

    @property
    def processes(self) -> int:
        return len(self.compiled.layout.plan.slots)

    @property
    def words(self) -> int:
        """How many words a set of processes has."""
        return self.processes // WORD + 1

    def numbers(self, function: Callable[..., int], *arguments: int) -> list[int]:
        """The numbers that a function of C writes if there is room for them."""
        count = function(self.handle, *arguments, None, 0)
        if not count:
            raise OutOfBudget("there is no memory to show a cycle")
        out = (ctypes.c_uint64 * count)()
        function(self.handle, *arguments, out, count)
        return list(out)

    # --- the graph, for fair_walk ----------------------------------------------------------------

    def edges(self, node: int) -> Sequence[FairArrow]:
        return self.known_edges(node)

    def able(self, node: int) -> int:
        return self.known_state(node)[0]

    def holds(self, node: int) -> int:
        return self.known_state(node)[1]

    def prepare(self) -> None:
        self.known_edges = lru_cache(MOST_KNOWN)(self.read_edges)
        self.known_state = lru_cache(MOST_KNOWN)(self.read_state)
        self.known_label = lru_cache(MOST_KNOWN)(self.read_label)

    def read_edges(self, node: int) -> tuple[FairArrow, ...]:
        row = self.numbers(self.c.product_edges, node)
        triples = zip(row[::3], row[1::3], row[2::3], strict=True)
        return tuple(FairArrow(node, target, marks, self.known_label(label)) for target, marks, label in triples)

    def read_state(self, node: int) -> tuple[int, int]:
        room = (ctypes.c_uint64 * (self.words + 1))()
        self.c.product_state_label(self.handle, node, room)
        return joined(room[: self.words], WORD), room[self.words]

    def read_label(self, number: int) -> Label:
        way_words = self.processes * WAY_BITS // WORD + 1
        room = (ctypes.c_uint64 * (self.words + way_words))()
        self.c.product_step_label(self.handle, number, room)
        movers = joined(room[: self.words], WORD)
        if not self.visits_orbits:
            return Label(movers, None)
        packed = joined(room[self.words :], WORD)
        way = tuple(packed >> WAY_BITS * k & (1 << WAY_BITS) - 1 for k in range(self.processes))
        return Label(movers, None if way == tuple(range(self.processes)) else way)

    # --- the counterexample ----------------------------------------------------------------------

    def fair_trace(self, property_: m.Claim | m.LtlProperty) -> Trace:
        """A run into the component, and a fair walk around it."""
        self.prepare()
        stem = self.numbers(self.c.product_stem)
        component = set(self.numbers(self.c.product_component))
        walk = fair_walk(self, component, stem[-1], self.claim.fairness, self.claim.required)
        before, cycle = Steps(self).moves(stem, walk)
        return from_moves(self.interpreter.model, before + cycle, property_.kind, property_.name, len(before))


class AnnotatedStates:
    """For each state its representative as the search finds it, and the symmetry that leads to it."""

    def __init__(self, compiled: Compiled, plan: SymmetryPlan) -> None:
        self.layout, self.annotate, self.elements = compiled.layout, compiled.library.annotated, Elements(plan.points)
        place = {point: k for k, point in enumerate(plan.points.points)}
        self.places = [place[point] for point in plan.moved]

    def __call__(self, state: State) -> tuple[State, Permutation]:
        size = self.layout.size
        given = ctypes.create_string_buffer(self.layout.encode(state), size)
        room, way = ctypes.create_string_buffer(size), (ctypes.c_uint16 * len(self.places))()
        self.annotate(given, room, way)
        images = list(range(len(self.elements.points.points)))
        for place, target in zip(self.places, way, strict=True):
            images[place] = self.places[target]
        return self.layout.decode(room.raw), Permutation(images)


class Steps:
    """The steps of the model that edges of the graph stand for."""

    def __init__(self, search: FairSearch) -> None:
        self.search, self.interpreter = search, search.interpreter
        plan = search.engine.symmetry
        self.annotated: AnnotatedStates | None = None
        self.nothing = Permutation.identity(0)
        if search.visits_orbits:
            assert isinstance(plan, SymmetryPlan)
            self.annotated = AnnotatedStates(search.compiled, plan)

    def moves(self, stem: Sequence[int], walk: Sequence[FairArrow]) -> tuple[list[Move], list[Move]]:
        """The moves on the way to the component, and around."""
        states = self.search.decoded([*stem, *(arrow.target for arrow in walk)])
        way, loop = states[: len(stem)], states[len(stem) - 1 :]
        there = [self.step(*ends, None) for ends in pairwise(way)]
        around = [self.step(*ends, arrow.label) for ends, arrow in zip(pairwise(loop), walk, strict=True)]
        if self.annotated is None:
            return [move for _, moves in there for move in moves], [move for _, moves in around for move in moves]
        elements, initial = self.annotated.elements, self.interpreter.initial()
        _, first = self.annotated(initial)
        start, element, before = elements.run(
            self.interpreter, initial, first.inverse(), [passage for passage, _ in there]
        )
        return before, elements.around(self.interpreter, start, element, [passage for passage, _ in around])

    def step(self, before: State, after: State, label: Label | None) -> tuple[Passage, tuple[Move, ...]]:
        """A step from one state to the orbit of another; with a label, one that has it."""
        for step in self.interpreter.steps(before):
            if is_fault(step.moves[-1]):
                continue
            state, element, way = self.reached(step.state)
            movers = bits(takers(step))
            if state == after and (label is None or label == Label(movers, way)):
                return Passage(step.state, element, movers), step.moves
        if before == after and (label is None or not label.movers):
            return Passage(before, self.reached(before)[1], 0), ()
        raise Disagreement(f"no such step leads from {before} to the orbit of {after}")

    def reached(self, state: State) -> tuple[State, Permutation, Way | None]:
        if self.annotated is None:
            return state, self.nothing, None
        found, element = self.annotated(state)
        return found, element, self.annotated.elements.way(element, self.search.processes)


def joined(words: Sequence[int], width: int) -> int:
    """Words as one number, the lowest first.

    >>> joined([2, 1], 64) == (1 << 64) + 2
    True
    """
    return sum(word << width * k for k, word in enumerate(words))
