"""A suite: what a file asserts where each assertion is about a process of its own, and so about a model of its own."""

from __future__ import annotations

from dataclasses import dataclass

from coset.model.model import Model


@dataclass(frozen=True, slots=True)
class Asserted:
    """One assertion: its text, the number of its model, and the name of the property there."""

    name: str
    what: str
    model: int
    property: str


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that a file asserts.  The first model is that of the first assertion's process, as PAT counts it."""

    models: tuple[Model, ...]
    assertions: tuple[Asserted, ...]
    processes: tuple[str, ...]
    """The asserted process of each model."""
