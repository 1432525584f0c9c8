"""All errors in single states, found by the compiled engine: the first state for each kind and edge."""

from __future__ import annotations

import ctypes
from functools import partial

from coset.engines.contract import Unsupported
from coset.engines.errors import Collection, errors_in
from coset.engines.evidence import moves_along
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.first_errors import Numbers, search_first_errors
from coset.engines.explicit.safety import counted, path_to
from coset.engines.explicit.seam import NO_STATE, Result
from coset.results.exploration import Exploration
from coset.results.verdict import FoundError


def all_errors(engine: Engine) -> tuple[Exploration, list[FoundError]]:
    """Explore the whole state space; returns the counts and the distinct errors."""
    if engine.settings.order == "depth":
        raise Unsupported("all errors in a search depth first")
    return counted(engine, partial(search_once, engine))


def search_once(engine: Engine, compiled: Compiled) -> tuple[Result, list[FoundError]]:
    def read(compiled: Compiled, handle: ctypes.c_void_p, first: Numbers) -> list[FoundError]:
        collection = Collection(engine.interpreter)
        for number in sorted({number for number in first if number != NO_STATE}):
            chain = path_to(compiled, handle, number).states()
            run = moves_along(engine.interpreter, chain)
            for shown in errors_in(engine.interpreter, chain[-1]):
                collection.add(shown, run)
        return collection.errors()

    return search_first_errors(engine, compiled, read, [])
