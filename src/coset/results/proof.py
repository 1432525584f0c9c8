"""The results of `coset prove`: verdicts on a family for every number of processes."""

from __future__ import annotations

from dataclasses import field

from coset.model.model import Model
from coset.results.notebook import grid
from coset.results.trace import Trace
from coset.results.verdict import Verdict
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class RoundReport:
    """One abstraction that was checked; `next` is the refinement after an inconclusive result."""

    spotlight: tuple[str, ...]
    predicates: tuple[str, ...]
    states: int
    truth: str
    next: str


@dataclass(frozen=True, slots=True)
class SizeVerdict:
    """The verdict for some sizes.  `how` is "spotlight" for all of them at once, "explicit" for a check of a single model,
    "vacuous" if there are fewer processes than the property mentions."""

    sizes: str
    verdict: Verdict
    how: str
    states: int = 0
    reason: str | None = None
    general: bool = True
    """Whether it decides sizes, rather than confirms another verdict."""


@dataclass(frozen=True, slots=True)
class PropertyProof:
    """The verdict on one property for all sizes.

    `for_all` has the sizes that one abstraction decided, with verdict `general`; `sizes` has all the parts of the `verdict`.
    `paper` is the verdict by the rule of Timm and Wehrheim: only spotlights with the processes of the formula count.
    A violated property comes with a run (`trace`) of one member of the family: `model`, which has the sizes `at`.
    """

    name: str
    text: str
    verdict: Verdict
    general: Verdict
    for_all: str | None
    paper: Verdict
    spotlight: tuple[str, ...]
    predicates: tuple[str, ...]
    rounds: tuple[RoundReport, ...]
    sizes: tuple[SizeVerdict, ...]
    reason: str | None = None
    trace: Trace | None = None
    model: Model | None = field(default=None, repr=False)
    at: str | None = None

    @property
    def iterations(self) -> int:
        return len(self.rounds)

    @property
    def answer(self) -> str:
        """The verdict in a sentence.  Sizes with the same verdict are combined."""
        parts: dict[Verdict, list[str]] = {}
        for each in self.sizes:
            if each.general:
                parts.setdefault(each.verdict, []).append(each.sizes or "the only model")
        if set(parts) == {Verdict.HOLDS} and any(each.sizes for each in self.sizes):
            return "holds for every number of processes"
        order = [verdict for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.HOLDS) if verdict in parts]
        return "; ".join(f"{verdict.value} for {' and '.join(parts[verdict])}" for verdict in order)


@dataclass(slots=True)
class Proof:
    """The outcome of `coset prove`."""

    model: str
    fair: bool
    properties: list[PropertyProof] = field(default_factory=list)
    invariants: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    """Lemmas of the user that could not be proved and were not used."""
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """Violated if any property is, else unknown if any is, else everything holds."""
        found = {each.verdict for each in self.properties}
        for verdict in (Verdict.VIOLATED, Verdict.UNKNOWN):
            if verdict in found:
                return verdict
        return Verdict.HOLDS

    @property
    def deciding(self) -> PropertyProof | None:
        """The first property with the overall verdict."""
        return next((each for each in self.properties if each.verdict is self.verdict), None)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        rows = [(each.name, each.answer, each.spotlight, each.predicates, each.iterations) for each in self.properties]
        title = f"{self.model}: {self.verdict.value}"
        return grid(title, ("property", "answer", "spotlight", "predicates", "rounds"), rows)
