"""A suite: the assertions of a file in which each assertion has its own process, and so its own model."""

from __future__ import annotations

from coset.model.model import Model
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Asserted:
    """One assertion: its text, the number of its model, and the name of the property there."""

    name: str
    what: str
    model: int
    property: str


@dataclass(frozen=True, slots=True)
class Written:
    """An event as it is written in a definition.  If it may be `joined` with others in one step, that step comes from the text of
    only one of them."""

    definition: str
    event: str
    text: str
    span: Span
    joined: bool


@dataclass(frozen=True, slots=True)
class Suite:
    """All assertions of a file.  The first model is that of the first assertion's process, as in PAT."""

    models: tuple[Model, ...]
    assertions: tuple[Asserted, ...]
    processes: tuple[str, ...]
    """The asserted process of each model."""
    written: tuple[Written, ...] = ()
    """The events of the text."""
