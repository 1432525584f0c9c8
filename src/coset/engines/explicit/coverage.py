"""Which edges runs take, by the compiled engine.

Every edge gets an assertion that is always violated, and the search remembers the first error at each edge, as it does for
`--all-errors`: an edge with an error was taken.  So programs that verify are as they were, and nothing is added to their loops.
The search is on the plain model, without merged steps, partial order reduction and symmetry.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TypeVar

from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.first_errors import Numbers, Read, row, search_first_errors
from coset.engines.explicit.safety import counted, path_to
from coset.engines.explicit.seam import NO_STATE, Error
from coset.engines.settings import Settings
from coset.model import expression as e
from coset.model import model as m
from coset.model.state import State
from coset.results.coverage import Place
from coset.results.events import Listener, ignore_events
from coset.results.exploration import Exploration
from coset.source.budget import Limits

T = TypeVar("T")


def instrumented(model: m.Model) -> m.Model:
    """The model with an assertion that is violated on each edge, after its message if it has one."""

    def marked(edge: m.Edge) -> m.Edge:
        head = edge.effects[:1] if isinstance(next(iter(edge.effects), None), m.Send | m.Receive) else ()
        return replace(edge, effects=(*head, m.Assert(e.FALSE), *edge.effects[len(head) :]))

    kinds = [
        replace(kind, locations=tuple(replace(each, edges=tuple(map(marked, each.edges))) for each in kind.locations))
        for kind in model.kinds
    ]
    return replace(model, kinds=tuple(kinds), properties=())


def taken_edges(
    model: m.Model, limits: Limits, settings: Settings, listener: Listener = ignore_events
) -> tuple[set[Place], int, bool]:
    """The edges that are taken, how many states that took, and whether these are all."""

    def read(compiled: Compiled, handle: ctypes.c_void_p, first: Numbers) -> set[Place]:
        return {place for place, state in reported(compiled, first) if state != NO_STATE}

    exploration, found = searched(model, limits, settings, listener, read, set[Place](), paths=False)
    return found, exploration.states, exploration.complete


def ways_to_edges(
    model: m.Model, limits: Limits, settings: Settings, wanted: Collection[Place]
) -> tuple[dict[Place, list[State]], Exploration]:
    """For each of these edges that is taken a shortest run, by its states, to one from which a step takes it."""

    def read(compiled: Compiled, handle: ctypes.c_void_p, first: Numbers) -> dict[Place, list[State]]:
        numbers = {place: state for place, state in reported(compiled, first) if state != NO_STATE and place in wanted}
        return {place: path_to(compiled, handle, number).states() for place, number in numbers.items()}

    exploration, found = searched(model, limits, settings, ignore_events, read, dict[Place, list[State]](), paths=True)
    return found, exploration


def searched(
    model: m.Model, limits: Limits, settings: Settings, listener: Listener, read: Read[T], nothing: T, paths: bool
) -> tuple[Exploration, T]:
    exact = replace(
        settings,
        reduction="none",
        storage="packed",
        order="breadth",
        symmetry="off",
        checkpoints=None,
        generators=None,
        cluster=None,
    )
    engine = Engine(instrumented(model), limits, listener, exact, begin_quick=True)
    engine.layout()
    return counted(engine, lambda compiled: search_first_errors(engine, compiled, read, nothing, paths))


def reported(compiled: Compiled, first: Numbers) -> Iterator[tuple[Place, int]]:
    """The edges of the program with the states in which they are taken first."""
    return zip(compiled.program.edges, row(compiled, Error.ASSERTION, first), strict=True)
