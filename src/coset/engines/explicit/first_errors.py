"""A search of every state that remembers the first error of each kind at each edge: for all errors, and for coverage."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TypeVar

from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.on_disk import as_before, files_of, tell_of_disk
from coset.engines.explicit.reservation import opened
from coset.engines.explicit.seam import NO_STATE, Error, Result, Stop

T = TypeVar("T")
Numbers = Sequence[int]
"""The numbers of the states with the first errors, `NO_STATE` where there is none; `row` tells which are those of a kind."""
Read = Callable[[Compiled, ctypes.c_void_p, Numbers], T]
"""Reads a search with its program."""


def row(compiled: Compiled, kind: Error, first: Numbers) -> Numbers:
    """The states with the first errors of a kind at each edge of the program."""
    edges = len(compiled.program.edges)
    start = kind * (edges + 1) + 1
    return first[start : start + edges]


def search_first_errors(
    engine: Engine, compiled: Compiled, read: Read[T], nothing: T, paths: bool = True
) -> tuple[Result, T]:
    """Visit every state; what is `read` from the search before it is closed, or `nothing` if it is to go on in another program.
    With `paths`, runs to states are known."""
    compiled = as_before(engine, compiled)
    c, result = compiled.library, Result()
    request, buffer = engine.request(compiled)
    edges = len(compiled.program.edges)
    rows = Error.COUNT * (edges + 1)
    first = (ctypes.c_uint64 * rows)(*[NO_STATE] * rows)
    request.keep_parents, request.edges = int(paths), edges
    request.first_errors = ctypes.cast(first, ctypes.POINTER(ctypes.c_uint64))
    with files_of(request, engine, compiled):
        before = engine.go_on(compiled, request)
        handle = opened(c.search_new, request, ctypes.byref(result))
        if not handle:
            result.stopped = Stop.SYSTEM
            return result, nothing
        try:
            engine.watch(lambda: c.search_run(handle), result)
            tell_of_disk(request, engine, result)
            if result.stopped in (Stop.OVERFLOW, Stop.ALLOWANCE):
                return result, nothing
            return result, read(compiled, handle, list(first))
        finally:
            if not engine.keep(compiled, result, lambda: c.search_transfer(handle), first):
                c.search_free(handle)
            del buffer, before
