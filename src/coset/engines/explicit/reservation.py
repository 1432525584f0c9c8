"""How many addresses a search reserves.  They cost nothing until something is written there, unless addresses themselves are
limited (`ulimit -v`); then the tables of the search share what there is."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Protocol

from coset.engines.explicit.seam import STACK_SIZE
from coset.source.budget import address_space, usable_memory

SHARES = 8
"""Tables of one search, some of which take twice what is reserved for them."""
ASIDE = 256 << 20
"""Bytes for everything else: the interpreter, the stacks of threads, the frontier."""
SMALLEST = 8 << 20


class Asked(Protocol):
    reserve: int


def reservation() -> int:
    """Bytes of addresses for each table."""
    space = address_space()
    if space is None:
        return usable_memory()
    return max(SMALLEST, min(usable_memory(), (space - ASIDE) // SHARES))


def stack_size() -> int:
    """For the thread of a search; a multiple of the page, as the system wants it."""
    space = address_space()
    return STACK_SIZE if space is None else max(1 << 20, min(STACK_SIZE, space // 8 >> 20 << 20))


def opened(new: Callable[..., int | None], request: Asked, *rest: object) -> ctypes.c_void_p:
    """A search, with as many addresses as are to be had; null if there are not even a few."""
    while True:
        handle = ctypes.c_void_p(new(ctypes.byref(request), *rest))  # type: ignore[arg-type]
        if handle or request.reserve <= SMALLEST:
            return handle
        request.reserve = max(SMALLEST, request.reserve // 4)
