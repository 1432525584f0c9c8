"""What is known about the symmetry of a model, as plain data for those who show it."""

from __future__ import annotations

from dataclasses import dataclass, field

from coset.results.notebook import pairs
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
    """The symmetry that a search made use of.  `representative` is the strategy by which one state was found for each
    orbit, None if nothing was reduced; `note` says what there is to say about that."""

    method: str = "off"
    group: GroupFound = GroupFound(1)
    representative: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that was noticed in the text."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """One thing that tells processes of one kind apart; those of the same `reason` do it together."""

    reason: int
    kind: str
    between: tuple[str, ...]
    groups: tuple[str, ...]
    """Processes that can be exchanged as things are, in words."""
    spans: tuple[Span, ...]
    why: str
    gain: int | None
    """The order of the group without everything that belongs to the reason; None if it is not known."""
    alone: bool = True
    """Whether what belongs to the reasons before may stay."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why processes of one kind are not interchangeable.  `complete` if there was time to find all of the reasons;
    `several` if there is a kind of which there are several processes."""

    broken: tuple[Broken, ...]
    complete: bool = True
    several: bool = True


@dataclass(frozen=True, slots=True)
class SymmetryReport:
    """The symmetry of a model as `method` has found it, with respect to the properties `kept`."""

    model: str
    method: str
    steps: str
    found: GroupFound
    kept: tuple[str, ...]
    without_properties: GroupFound
    """If no property had to be kept."""
    costs: tuple[tuple[str, int], ...]
    """The order of the group if just one property had to be kept, for each of them."""
    candidate: GroupFound | None = None
    """For `channels`: the group of the diagram, of which the valid part was looked for."""
    certified: bool = True
    tried: int = 0
    """On how many reachable states the generators were tried."""
    findings: tuple[Remark, ...] = ()
    breaches: tuple[Remark, ...] | None = None
    """Where the typing rules of `channels` are broken; None if it is not known which processes there are."""
    log: tuple[str, ...] = ()
    explanation: Explanation | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    why: str | None = None
    """Why this method was used, if it was not requested."""
    stopped: str | None = None
    """The limit at which it ended, if the group is known by then, but not everything else that was asked."""

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
