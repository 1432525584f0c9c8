"""A suite: the assertions of a file in which each assertion has its own process, and so its own model."""

from __future__ import annotations

from coset.model.model import Model
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Asserted:
    """One assertion: its text, the number of its model, and the name of the property there."""

    name: str
    what: str
    model: int
    property: str


@dataclass(frozen=True, slots=True)
class Suite:
    """All assertions of a file.  The first model is that of the first assertion's process, as in PAT."""

    models: tuple[Model, ...]
    assertions: tuple[Asserted, ...]
    processes: tuple[str, ...]
    """The asserted process of each model."""
