"""The results of `coset check`: verdicts on each property and on the model as a whole."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Any

from coset.model.model import Model
from coset.properties.kinds import PropertyKind
from coset.results.coverage import Coverage, Unread
from coset.results.exploration import Exploration
from coset.results.frames import Row, frame
from coset.results.notebook import grid
from coset.results.trace import Trace
from coset.source.records import dataclass
from coset.source.text import Span


class Verdict(Enum):
    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FoundError:
    """One of several errors in single states: its kind as in traces, its position in the source, and a run to it."""

    kind: str
    message: str
    span: Span | None
    trace: Trace


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A second decision with the same verdict, without reductions: the number of states, and the engine."""

    states: int
    engine: str
    steps: str = "plain"
    symmetry: str = "off"


@dataclass(frozen=True, slots=True)
class BySymmetry:
    """How a verdict follows from others: it is that of the property `like`, whose image the property is under `symmetry`; or the
    property is a conjunction of `conjuncts` formulas of which `decided` represent the others.

    >>> print(BySymmetry("p0", "(0 1)"), BySymmetry(None, None, 12, 1), sep="; ")
    as p0, by symmetry; 1 of 12 conjuncts decided, the others by symmetry
    """

    like: str | None
    symmetry: str | None = None
    conjuncts: int | None = None
    decided: int | None = None

    def __str__(self) -> str:
        if self.like is not None:
            return f"the same as {self.like}" if self.symmetry == "()" else f"as {self.like}, by symmetry"
        return f"{self.decided} of {self.conjuncts} conjuncts decided, the others by symmetry"


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """The verdict on one property.  A violated property comes with a `trace`, an unknown one with the `reason`.  `states` and
    `transitions` are those of the search that decided it."""

    name: str
    kind: PropertyKind
    verdict: Verdict
    trace: Trace | None = None
    reason: str | None = None
    states: int = 0
    transitions: int = 0
    errors: tuple[FoundError, ...] = ()
    """All distinct errors, if they were requested."""
    confirmed: Confirmation | None = None
    """The confirmation of the verdict, if there is one."""
    unconfirmed: str | None = None
    """Why a requested confirmation is missing."""
    by_symmetry: BySymmetry | None = None
    """How the verdict follows from the verdicts on others, if it does."""
    witness: Trace | None = None
    """A run that shows that an existential property holds."""
    vacuous: bool | None = None
    """Whether the property holds for an uninteresting reason; None if that was not decided."""
    vacuity: str | None = None
    """The reason, if it does."""

    @property
    def run(self) -> Trace | None:
        """What shows the verdict: a counterexample or a witness."""
        return self.witness if self.trace is None else self.trace

    @property
    def remarks(self) -> str:
        """What is to be said besides the verdict."""
        return "; ".join(str(each) for each in (self.by_symmetry, self.reason) if each)


@dataclass(slots=True)
class Check:
    """The outcome of `coset check`; `exploration` is the search for errors in single states."""

    model: str
    engine: str
    exploration: Exploration
    properties: list[PropertyResult] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    """The models of properties that have their own model, by the names of the properties."""
    coverage: Coverage | None = None
    """What no run reaches, if that is known."""
    unread: tuple[Unread, ...] = ()
    """The variables that nothing reads."""

    @property
    def is_strictly_fine(self) -> bool:
        """Whether no property holds vacuously."""
        return not any(each.vacuous for each in self.properties)

    @property
    def verdict(self) -> Verdict:
        """Violated if any property is, else unknown if any is, else everything holds."""
        found = {result.verdict for result in self.properties}
        for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN):
            if verdict in found:
                return verdict
        return Verdict.HOLDS

    @property
    def confirmed(self) -> Confirmation | None:
        """The largest confirmation, if every property that holds has one."""
        found = [each.confirmed for each in self.properties if each.confirmed is not None]
        if any(each.verdict is Verdict.HOLDS and each.confirmed is None for each in self.properties):
            return None
        return max(found, key=lambda each: each.states, default=None)

    def __getitem__(self, name: str) -> PropertyResult:
        """The verdict on the property of this name."""
        for each in self.properties:
            if each.name == name:
                return each
        raise KeyError(
            f"no property '{name}' was checked; there are {', '.join(each.name for each in self.properties)}"
        )

    def as_dict(self) -> Row:
        """The verdict on everything and the counts of the search, as one flat row."""
        found = self.exploration.as_dict() | {"model": self.model, "engine": self.engine}
        seconds = round(sum(self.seconds.values()), 6)
        return {"model": self.model, "verdict": self.verdict.value, **found, "seconds": seconds}

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` with a row for each property."""
        return frame(
            {
                "property": each.name,
                "kind": each.kind,
                "verdict": each.verdict.value,
                "states": each.states,
                "transitions": each.transitions,
                "moves": None if each.trace is None else len(each.trace),
                "reason": each.reason,
            }
            for each in self.properties
        )

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        rows = [(each.name, each.kind, each.verdict.value, each.states, each.remarks) for each in self.properties]
        title = f"{self.model}: {self.verdict.value}"
        return grid(title, ("property", "kind", "verdict", "states", "remarks"), rows)
