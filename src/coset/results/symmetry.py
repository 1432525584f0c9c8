"""Results about the symmetry of a model, as plain data."""

from __future__ import annotations

from dataclasses import field

from coset.results.notebook import pairs
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class GroupFound:
    """A group by its order, its generators in cycle notation, and its structure in a few words."""

    order: int
    generators: tuple[str, ...] = ()
    structure: str = "trivial"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return pairs(self.structure, (("order", self.order), ("generators", self.generators)))


@dataclass(frozen=True, slots=True)
class SymmetryUsed:
    """The symmetry that a search used.  `representative` is the strategy for computing representatives, None if there was no
    reduction; `note` is a remark about it."""

    method: str = "off"
    group: GroupFound = GroupFound(1)
    representative: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about the source text."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A place in the model that distinguishes processes of one kind; entries with the same `reason` belong together."""

    reason: int
    kind: str
    between: tuple[str, ...]
    groups: tuple[str, ...]
    """Sets of processes that are interchangeable in the present model, as text."""
    spans: tuple[Span, ...]
    why: str
    gain: int | None
    """The order of the group without all entries of the reason; None if it is unknown."""
    alone: bool = True
    """Whether `gain` is that of this reason alone, not of the earlier reasons as well."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why processes of one kind are not interchangeable.  `complete` if all reasons were found within the time limit;
    `several` if some kind has several processes."""

    broken: tuple[Broken, ...]
    complete: bool = True
    several: bool = True


@dataclass(frozen=True, slots=True)
class ByExecution:
    """The groups of a model on plain steps, as `explore` uses them, and on merged steps, as `check` does."""

    plain: GroupFound
    merged: GroupFound
    plain_for: tuple[str, ...] = ()
    """Properties that `check` decides on plain steps: they count steps, or branch."""
    why: str | None = None
    """Why the group on merged steps is larger, if it is."""


@dataclass(frozen=True, slots=True)
class SymmetryReport:
    """The symmetry of a model, found by `method`, that preserves the properties `kept`."""

    model: str
    method: str
    steps: str
    found: GroupFound
    kept: tuple[str, ...]
    without_properties: GroupFound
    """The group if no property had to be preserved."""
    costs: tuple[tuple[str, int], ...]
    """For each property, the order of the group if only that one had to be preserved."""
    candidate: GroupFound | None = None
    """For `channels`: the group of the diagram, whose largest valid subgroup is the result."""
    certified: bool = True
    tried: int = 0
    """The number of reachable states on which the generators were tried."""
    findings: tuple[Remark, ...] = ()
    breaches: tuple[Remark, ...] | None = None
    """Where the typing rules of `channels` are violated; None if the processes are unknown."""
    log: tuple[str, ...] = ()
    explanation: Explanation | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    why: str | None = None
    """Why this method was used, if it was not requested."""
    stopped: str | None = None
    """The limit that ended the analysis after the group was found, but before everything else was."""
    by_execution: ByExecution | None = None
    """What searches use; None if a method or generators were asked for, or there is no time."""

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        rows = [
            ("structure", self.found.structure),
            ("order", self.found.order),
            ("generators", self.found.generators),
            ("method", self.method),
            ("keeps", self.kept),
            ("order without properties", self.without_properties.order),
        ]
        if self.explanation is not None:
            rows.append(("broken by", tuple(each.why for each in self.explanation.broken)))
        return pairs(self.model, rows)
