"""A share of the states, in whichever process: the compiled search of `runtime/cluster/share.c`."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

from coset.engines.distributed.owners import Owners
from coset.engines.distributed.program import Program
from coset.engines.distributed.report import Counts, Halt, Report, Value
from coset.engines.explicit.build import library
from coset.engines.explicit.reservation import opened, reservation, stack_size
from coset.engines.explicit.seam import PARTITIONS, BitField, Request, Result, Stop, Storage
from coset.source.budget import usable_memory

T = TypeVar("T")

BLOCK_BYTES = 8 << 20
"""A block is sent when it has so many bytes, or at the end of a level."""
MOST_EXPANDED, MOST_WEIGHED = 1 << 20, 1 << 20
"""The most states, or successors, of one call, so that a limit or Ctrl-C does not wait long."""


def with_deep_stack() -> ThreadPoolExecutor:
    """One thread for calls of generated code, which recurses deeply."""
    made = ThreadPoolExecutor(1)
    before = threading.stack_size(stack_size())
    try:
        made.submit(bool).result()
    finally:
        threading.stack_size(before)
    return made


@lru_cache(maxsize=4)
def loaded(program: Program) -> ctypes.CDLL:
    """The library of a program, which is compiled once on each machine."""
    found, _ = library(
        program.header, program.source, depth=False, checkpoints=False, caches=program.caches,
        numbered=program.numbered, disk=False,
    )  # fmt: skip
    return found


class Share:
    """What one process has of a search.  Its states are in `owned` partitions."""

    def __init__(self, program: Program, own: int, processes: int, neighbours: int) -> None:
        """`own` is the number of this process among so many, `neighbours` how many of them are on this machine."""
        self.program, self.own, self.processes = program, own, processes
        self.library = loaded(program)
        self.result, self.thread = Result(), with_deep_stack()
        self.initial = ctypes.create_string_buffer(program.initial, program.state_size)
        self.witness = ctypes.create_string_buffer(program.state_size)
        self.fields = (BitField * max(1, len(program.fields)))(*(BitField(*each) for each in program.fields))
        request = Request(
            initial=ctypes.cast(self.initial, ctypes.c_char_p),
            max_memory=(program.memory or usable_memory() * 9 // 10) // neighbours,
            reserve=reservation(),
            threads=1,
            stop_at=program.stop_at,
            storage=Storage.PACKED,
            witness=ctypes.cast(self.witness, ctypes.c_void_p),
        )
        if program.fields:
            request.bit_fields = ctypes.cast(self.fields, ctypes.c_void_p)
        self.handle = self.run(
            lambda: opened(self.library.share_new, request, ctypes.byref(self.result), processes, own, BLOCK_BYTES)
        )
        if not self.handle:
            raise MemoryError
        self.level, self.told, self.before = 0, 0, Counts()

    def run(self, call: Callable[[], T]) -> T:
        return self.thread.submit(call).result()

    def close(self) -> None:
        if self.handle:
            self.run(lambda: self.library.share_free(self.handle))
            self.handle = ctypes.c_void_p()
        self.thread.shutdown()

    # --- the search --------------------------------------------------------------------------------

    def take_partitions(self, owners: Owners) -> None:
        self.library.share_owners(self.handle, (ctypes.c_uint16 * PARTITIONS)(*owners))
        self.owned = {partition for partition, owner in enumerate(owners) if owner == self.own}

    def begin(self) -> None:
        """Store the initial state, if it belongs here."""
        self.run(lambda: self.library.share_begin(self.handle))

    def expand(self, most: int) -> Report:
        """Expand some states of the level, until they or their successors are so many."""
        left = self.run(lambda: self.library.share_expand(self.handle, min(most, MOST_EXPANDED)))
        return self.report(left, self.blocks(is_last=left == 0))

    def blocks(self, is_last: bool) -> dict[int, bytes]:
        """The full blocks; all, if they are the last ones."""
        found, keys = dict[int, bytes](), ctypes.c_void_p()
        for process in range(self.processes):
            count = self.library.share_block(self.handle, process, ctypes.byref(keys))
            size = count * self.program.key_size
            if size >= BLOCK_BYTES or (is_last and size):
                found[process] = ctypes.string_at(keys, size)
                self.library.share_sent(self.handle, process)
        return found

    def insert(self, block: bytes) -> Report:
        """Store states that were sent here."""
        self.run(lambda: self.library.share_insert(self.handle, block, len(block) // self.program.key_size))
        return self.report()

    def settle(self) -> Report:
        """Go to the next level."""
        self.level = self.run(lambda: self.library.share_settle(self.handle))
        return self.report(self.level)

    def weigh(self) -> Report:
        """Find out how many states some of the level stand for."""
        return self.report(self.run(lambda: self.library.share_weigh(self.handle, MOST_WEIGHED)))

    def agree(self, values: Sequence[Value]) -> Report:
        """Give values the next numbers."""
        components = (ctypes.c_int * len(values))(*(component for component, _ in values))
        states = b"".join(state for _, state in values)
        self.run(lambda: self.library.share_agree(self.handle, len(values), components, states))
        return self.report()

    def restore(self, known: Iterable[bytes], level: Iterable[bytes]) -> Report:
        """Go on from these states of earlier levels and of the level to be expanded."""
        size = self.program.key_size
        for keys in known:
            self.run(lambda keys=keys: self.library.share_known(self.handle, keys, len(keys) // size))  # type: ignore[misc]
        for keys in level:
            self.run(lambda keys=keys: self.library.share_insert(self.handle, keys, len(keys) // size))  # type: ignore[misc]
        self.level = self.run(lambda: self.library.share_settle(self.handle))
        self.before = self.counts()
        return self.report()

    def states_of_level(self) -> tuple[memoryview, list[int]]:
        """The packed states of the level, and where those of each partition begin.  Valid until the next call."""
        keys, begins = ctypes.c_void_p(), ctypes.c_void_p()
        count = self.library.share_level(self.handle, ctypes.byref(keys), ctypes.byref(begins))
        assert begins.value is not None
        size = count * self.program.key_size
        view = memoryview((ctypes.c_char * size).from_address(keys.value)) if keys.value and size else memoryview(b"")
        return view.cast("B"), list((ctypes.c_uint64 * (PARTITIONS + 1)).from_address(begins.value))

    # --- what it tells -----------------------------------------------------------------------------

    def report(self, left: int = 0, blocks: dict[int, bytes] | None = None) -> Report:
        self.told += 1
        counts = self.counts() - self.before
        return Report(
            self.told, left, counts, self.result.memory, self.level, self.halt(), self.missing(), blocks or {}
        )

    def counts(self) -> Counts:
        result, moved = self.result, (ctypes.c_uint64 * 2)()
        self.library.share_counts(self.handle, moved)
        low, high = result.represents
        sent, received = moved
        return Counts(
            result.states,
            result.transitions - 1,
            low + (high << 64),
            result.certified,
            sent,
            received,
            tuple(result.errors),
        )

    def halt(self) -> Halt | None:
        result = self.result
        match result.stopped:
            case Stop.DONE:
                return None
            case Stop.OVERFLOW:
                return Halt(Stop.OVERFLOW, result.overflow_slot, result.overflow_kind)
            case Stop.UNCERTIFIED:
                failure = result.failure
                return Halt(Stop.UNCERTIFIED, first=failure.first, second=failure.second, witness=self.witness.raw)
            case Stop.ERROR:
                key = ctypes.create_string_buffer(self.program.key_size)
                self.library.share_failed(self.handle, key)
                return Halt(Stop.ERROR, error=result.error_kind, key=key.raw)
        return Halt(Stop(result.stopped))

    def missing(self) -> tuple[Value, ...]:
        components, states = ctypes.c_void_p(), ctypes.c_void_p()
        count = self.library.share_missing(self.handle, ctypes.byref(components), ctypes.byref(states))
        if not count:
            return ()
        assert components.value is not None
        size, numbers = self.program.state_size, (ctypes.c_int * count).from_address(components.value)
        data = ctypes.string_at(states, count * size)
        return tuple((numbers[k], data[k * size : (k + 1) * size]) for k in range(count))

    # --- runs to errors ----------------------------------------------------------------------------

    def predecessor(self, keys: bytes, wanted: bytes) -> bytes | None:
        """The first of some states with a successor that has a representative."""
        size, count = self.program.key_size, len(keys) // self.program.key_size
        at = self.run(lambda: self.library.share_predecessor(self.handle, keys, count, wanted))
        return keys[at * size : (at + 1) * size] if at < count else None

    def state(self, key: bytes) -> bytes:
        """A packed state as it is."""
        room = ctypes.create_string_buffer(self.program.state_size)
        self.library.share_state(self.handle, key, room)
        return room.raw
