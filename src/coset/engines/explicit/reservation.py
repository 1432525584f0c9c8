"""How much address space a search reserves.  It costs no memory until it is written to.  If address space is limited
(`ulimit -v`), the tables of the search share it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol

from coset.engines.explicit.seam import STACK_SIZE
from coset.source.budget import address_space, usable_memory

SHARES = 8
"""The number of shares for the tables of one search, some of which take two."""
ASIDE = 256 << 20
"""Bytes left for everything else: the interpreter, the stacks of threads, the frontier."""
SMALLEST = 8 << 20


class Asked(Protocol):
    reserve: int


def reservation() -> int:
    """Bytes of address space for each table."""
    space = address_space()
    if space is None:
        return usable_memory()
    return max(SMALLEST, min(usable_memory(), (space - ASIDE) // SHARES))


def stack_size() -> int:
    """The stack size of a search thread, a multiple of the page size."""
    space = address_space()
    return STACK_SIZE if space is None else max(1 << 20, min(STACK_SIZE, space // 8 >> 20 << 20))


def opened(new: Callable[..., int | None], request: Asked, *rest: object) -> ctypes.c_void_p:
    """Open a search with as much address space as is available; null if there is too little."""
    while True:
        handle = ctypes.c_void_p(new(ctypes.byref(request), *rest))  # type: ignore[arg-type]
        if handle or request.reserve <= SMALLEST:
            return handle
        request.reserve = max(SMALLEST, request.reserve // 4)
