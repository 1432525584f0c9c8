"""All errors in single states, found by the compiled engine: the first state for each kind and edge."""

from __future__ import annotations

import ctypes
from functools import partial

from coset.engines.contract import Unsupported
from coset.engines.errors import Collection, errors_in
from coset.engines.evidence import moves_along
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.on_disk import as_before, files_of, tell_of_disk
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.safety import counted, path_to
from coset.engines.explicit.seam import NO_STATE, Error, Result, Stop
from coset.results.exploration import Exploration
from coset.results.verdict import FoundError


def all_errors(engine: Engine) -> tuple[Exploration, list[FoundError]]:
    """Explore the whole state space; returns the counts and the distinct errors."""
    if engine.settings.order == "depth":
        raise Unsupported("all errors in a search depth first")
    return counted(engine, partial(search_once, engine))


def search_once(engine: Engine, compiled: Compiled) -> tuple[Result, list[FoundError]]:
    compiled = as_before(engine, compiled)
    c, result = compiled.library, Result()
    request, buffer = engine.request(compiled)
    edges = len(compiled.program.edges)
    rows = Error.COUNT * (edges + 1)
    first = (ctypes.c_uint64 * rows)(*[NO_STATE] * rows)
    request.keep_parents, request.edges = 1, edges
    request.first_errors = ctypes.cast(first, ctypes.POINTER(ctypes.c_uint64))
    with files_of(request, engine, compiled):
        before = engine.go_on(compiled, request)
        handle = opened(c.search_new, request, ctypes.byref(result))
        if not handle:
            result.stopped = Stop.SYSTEM
            return result, []
        try:
            engine.watch(lambda: c.search_run(handle), result)
            tell_of_disk(request, engine, result)
            if result.stopped in (Stop.OVERFLOW, Stop.ALLOWANCE):
                return result, []
            collection = Collection(engine.interpreter)
            for number in sorted({number for number in first if number != NO_STATE}):
                chain = path_to(compiled, handle, number).states()
                run = moves_along(engine.interpreter, chain)
                for shown in errors_in(engine.interpreter, chain[-1]):
                    collection.add(shown, run)
            return result, collection.errors()
        finally:
            if not engine.keep(compiled, result, lambda: c.search_transfer(handle), first):
                c.search_free(handle)
            del buffer, before
