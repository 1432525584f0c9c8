"""Types that a program declares, for remarks about them.  The meaning of a model does not depend on them."""

from __future__ import annotations

from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type with the values `least` to `greatest`, by the names of the shared variables that have to do with it."""

    name: str
    least: int
    greatest: int
    is_scalarset: bool
    """Whether the program says that the values can be exchanged."""
    span: Span | None = None
    holding: frozenset[str] = frozenset()
    """The variables whose values are of the type, or of a union with it."""
    indexed: frozenset[tuple[str, int, int]] = frozenset()
    """Arrays with such an index: the variable, which of its indices, and what is subtracted from a value to make the index."""
