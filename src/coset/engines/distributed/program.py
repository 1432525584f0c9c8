"""What a process of the cluster needs to search: the generated C and a request.  It knows no model."""

from __future__ import annotations

from coset.engines.explicit.checkpoint import identity
from coset.engines.explicit.compile import Compiled
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.packing import packed_size, words_of
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled search as text, to be compiled once on each machine."""

    header: str
    source: str
    caches: bool
    """Whether states are numbers of components."""
    numbered: bool
    """Whether representatives are found among these."""
    fields: tuple[tuple[int, int, int], ...]
    """Word, shift and mask of the number of each component."""
    initial: bytes
    state_size: int
    key_size: int
    """The bytes of a packed state."""
    stop_at: int
    """The kinds of error that end the search, as bits."""
    memory: int | None
    """The most bytes that all processes of a machine may have."""
    identity: int
    """A hash of all this: the files of a search are valid for no other one."""


def program_of(engine: Engine, compiled: Compiled, stop_at: int) -> Program:
    layout, coding = compiled.layout, compiled.coding
    if coding is not None:
        key_size = 8 * coding.words
        fields = tuple((each.word, each.shift, (1 << each.width) - 1) for each in coding.bit_fields)
    else:
        key_size, fields = packed_size(words_of(layout, compiled.seen), layout.size), ()
    return Program(
        compiled.program.header,
        compiled.program.source,
        coding is not None,
        compiled.numbering is not None,
        fields,
        layout.encode(engine.interpreter.initial()),
        layout.size,
        key_size,
        stop_at,
        engine.limits.memory_limit(),
        identity(compiled.program, coding, stop_at, False, engine.settings),
    )
