"""Which edges runs take, by the compiled engine.

Every edge gets an assertion that is always violated, and the search remembers the first error at each edge, as it does for
`--all-errors`: an edge with an error was taken.  So programs that verify are as they were, and nothing is added to their loops.
The search is on the plain model, without merged steps, partial order reduction and symmetry.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace

from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.safety import counted
from coset.engines.explicit.seam import NO_STATE, Error, Result, Stop
from coset.engines.settings import Settings
from coset.model import expression as e
from coset.model import model as m
from coset.results.coverage import Place
from coset.results.events import Listener, ignore_events
from coset.source.budget import Limits


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
    exact = replace(
        settings, reduction="none", storage="packed", order="breadth", symmetry="off", checkpoints=None, generators=None
    )
    engine = Engine(instrumented(model), limits, listener, exact, begin_quick=True)
    engine.layout()
    exploration, found = counted(engine, lambda compiled: search_once(engine, compiled))
    return found, exploration.states, exploration.complete


def search_once(engine: Engine, compiled: Compiled) -> tuple[Result, set[Place]]:
    c, result = compiled.library, Result()
    request, buffer = engine.request(compiled)
    edges = len(compiled.program.edges)
    rows = Error.COUNT * (edges + 1)
    first = (ctypes.c_uint64 * rows)(*[NO_STATE] * rows)
    request.edges = edges
    request.first_errors = ctypes.cast(first, ctypes.POINTER(ctypes.c_uint64))
    handle = opened(c.search_new, request, ctypes.byref(result))
    if not handle:
        result.stopped = Stop.SYSTEM
        return result, set()
    try:
        engine.watch(lambda: c.search_run(handle), result)
        start = Error.ASSERTION * (edges + 1) + 1
        reported = first[start : start + edges]
        return result, {
            place for place, state in zip(compiled.program.edges, reported, strict=True) if state != NO_STATE
        }
    finally:
        c.search_free(handle)
        del buffer
