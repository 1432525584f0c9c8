"""The outcome of exploring a state space."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from coset.results.frames import Row, frame
from coset.results.notebook import pairs
from coset.results.symmetry import SymmetryUsed
from coset.source.records import dataclass


@dataclass(slots=True)
class Errors:
    """The number of errors: executed assertions that were violated, invalid end states, and `faults` by kind (an index out of
    range, a division by zero, ...)."""

    assertions: int = 0
    invalid_end_states: int = 0
    trace: int = 0
    faults: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str) -> None:
        match kind:
            case "assertion":
                self.assertions += 1
            case "trace":
                self.trace += 1
            case _:
                self.faults[kind] = self.faults.get(kind, 0) + 1

    @property
    def total(self) -> int:
        return self.assertions + self.invalid_end_states + self.trace + sum(self.faults.values())


@dataclass(slots=True)
class Exploration:
    """Counts of one exploration.  `transitions` counts the initial state as one, as SPIN does, except for Murphi.
    `represents` is the number of concrete states that the stored ones represent.
    `stopped` names the limit that ended an incomplete exploration."""

    model: str
    engine: str
    states: int = 0
    transitions: int = 0
    represents: int | None = 0
    depth: int = 0
    errors: Errors = field(default_factory=Errors)
    examples: dict[str, str] = field(default_factory=dict)
    complete: bool = False
    stopped: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    peak_memory: int = 0
    bytes_per_state: float | None = None
    disk: int = 0
    """The most bytes of the files with states."""
    threads: int = 1
    steps: str = "plain"
    """"plain" if every statement was a step, "merged" if invisible steps were merged."""
    reduction: str = "none"
    """"por" if only some orders of independent steps were explored (partial order reduction)."""
    storage: str | None = None
    """How the compiled engine stored states."""
    omission_probability: float = 0.0
    """For storage that is not exact.  With fingerprints: a bound on the probability that any state was omitted.  With bits: the
    probability that the next state would be omitted."""
    symmetry: SymmetryUsed = field(default_factory=SymmetryUsed)
    certified_states: int = 0
    """On how many states the search tried generators of the symmetry group."""
    nodes: int | None = None
    """For the symbolic engine: the peak number of decision diagram nodes."""
    interrupted: bool = False
    """Whether the search was interrupted."""

    def as_dict(self) -> Row:
        """The counts as one flat row, for data frames."""
        return {
            "model": self.model,
            "engine": self.engine,
            "states": self.states,
            "represents": self.represents,
            "transitions": self.transitions,
            "depth": self.depth,
            "complete": self.complete,
            "symmetry": self.symmetry.group.order,
            "structure": self.symmetry.group.structure,
            "seconds": round(sum(self.seconds.values()), 6),
            "bytes_per_state": self.bytes_per_state,
            "peak_memory": self.peak_memory,
        }

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` of one row."""
        return frame([self.as_dict()])

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        group = self.symmetry.group
        symmetry = f"{group.structure}, order {group.order:,}" if self.symmetry.representative else "not used"
        rows = (
            ("states", self.states),
            ("represents", self.represents),
            ("transitions", self.transitions),
            ("depth", self.depth),
            ("errors", self.errors.total),
            ("symmetry", symmetry),
            ("complete", self.complete if self.complete else f"no: {self.stopped}"),
            ("engine", self.engine),
            ("seconds", f"{sum(self.seconds.values()):.2f}"),
        )
        return pairs(self.model, rows)
