"""A search goes on with what another one has found, in which a value did not fit (runtime/search/transfer.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.seam import NO_BITS, Request, Result, Stop
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a search has found.  It is used or dropped exactly once."""

    compiled: Compiled
    address: int
    memory: object
    """What the request of the search points to and is handed over, too."""

    def use(self, compiled: Compiled, request: Request) -> None:
        """Let a search begin with this, if both have the same layout; it is dropped otherwise."""
        if compiled.layout.plan == self.compiled.layout.plan:
            request.before = ctypes.c_void_p(self.address)
        else:
            self.drop()

    def counts(self) -> list[int]:
        """How many values each component has."""
        assert self.compiled.coding is not None
        counts = (ctypes.c_uint64 * len(self.compiled.coding.components.all))()
        self.compiled.library.transfer_counts(self.address, counts)
        return list(counts)

    def drop(self) -> None:
        self.compiled.library.transfer_drop(self.address)


def transfer_of(compiled: Compiled, result: Result, take: Callable[[], int | None], memory: object) -> Transfer | None:
    """What a search has found if it ended because a value did not fit; the search belongs to the transfer then."""
    if compiled.quick or result.stopped != Stop.OVERFLOW or result.overflow_slot != NO_BITS:
        return None
    address = take()
    return None if address is None else Transfer(compiled, address, memory)
