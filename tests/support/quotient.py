"""What the tests of the quotient share: explorations by every strategy, and the compiled canonicaliser at one's fingertips."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from functools import cached_property

from coset.engines.explicit.build import library
from coset.engines.explicit.emit.program import emit
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.estimate import first_states
from coset.engines.explicit.layout import Layout
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.model.state import State
from coset.results.exploration import Exploration
from coset.symmetry.action import Action
from coset.symmetry.canonical.plan import SymmetryPlan, Unplannable, plan
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry
from coset.tasks import explore as explore_task

EXACT = ("sort", "chain", "enumerate")
"""Strategies that find one representative for each orbit."""
MOST_TRIED = 1000
"""The order of groups whose elements are all tried at every step."""


def explored(model: Model, engine: str = "explicit", **settings: object) -> Exploration:
    """One state for each orbit."""
    return explore_task.explore(model, engine=engine, settings=Settings(**{"symmetry": "program", **settings}))  # type: ignore[arg-type]


def plans(model: Model) -> Iterator[SymmetryPlan]:
    """Every exact plan for the symmetry of a model."""
    symmetry = detect(model, (), moves=4000)
    for strategy in EXACT:
        if strategy == "enumerate" and symmetry.order > MOST_TRIED:
            continue
        try:
            found = plan(symmetry, strategy)
        except Unplannable:
            continue
        if found is not None:
            yield found


WINDOW = """
u64 tested_size(const u8 *s) { u8 t[STATE_SIZE]; return (u64)canonical(s, t); }
void tested_permute(const u8 *s, const u16 *g, u8 *t) { model_permute(s, g, t); }
"""
"""What the tests call, and the search has no need to show."""


class Canonicaliser:
    """The C of a plan, called state by state."""

    def __init__(self, plan: SymmetryPlan) -> None:
        self.plan = plan
        engine = Engine(plan.symmetry.model, symmetry=plan)
        self.layout = Layout(engine.interpreter, engine.plan)
        program = emit(self.layout, None, plan)
        self.library, _ = library(program.header, program.source + WINDOW)
        self.library.tested_size.restype = ctypes.c_uint64

    @property
    def symmetry(self) -> Symmetry:
        return self.plan.symmetry

    @cached_property
    def number(self) -> dict[int, int]:
        """The plan's numbers of the points that move."""
        place = {point: k for k, point in enumerate(self.plan.points.points)}
        return {place[point]: k for k, point in enumerate(self.plan.moved)}

    def buffer(self, state: State) -> ctypes.Array[ctypes.c_char]:
        return ctypes.create_string_buffer(self.layout.encode(state), self.layout.size)

    def representative(self, state: State) -> State:
        image = ctypes.create_string_buffer(self.layout.size)
        self.library.representative(self.buffer(state), image)
        return self.layout.decode(image.raw)

    def size(self, state: State) -> int:
        """The size of the orbit of a state."""
        return int(self.library.tested_size(self.buffer(state)))

    def permuted(self, state: State, g: Permutation) -> State:
        """The image of a state, as the compiled code has it."""
        images = (ctypes.c_uint16 * len(self.number))(*(self.number[g(x)] for x in self.number))
        image = ctypes.create_string_buffer(self.layout.size)
        self.library.tested_permute(self.buffer(state), images, image)
        return self.layout.decode(image.raw)

    def action(self, g: Permutation) -> Action:
        return Action(self.plan.points, g)

    def states(self, rng: random.Random, count: int) -> list[State]:
        """Some reachable states in which all processes have been started."""
        known = first_states(self.layout.interpreter, 20 * count)
        started = len(self.plan.points.started.state.processes)
        full = [state for state in known if len(state.processes) == started]
        return rng.sample(full, min(count, len(full)))
