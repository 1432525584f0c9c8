"""How the compiled engine searches: what a user may choose, in one piece that is handed down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from coset.engines.choices import ORDERS, REDUCTIONS, STORAGES, local_workers, refuse_unknown
from coset.source.records import dataclass
from coset.source.text import Source
from coset.symmetry.canonical.strategies import STRATEGIES
from coset.symmetry.methods.registry import METHODS

LEAST_BITS, MOST_BITS = 10, 46


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """Where a long search leaves itself, and how often in seconds; `resume` goes on with what is there.  With storage on disk,
    the folder has its states."""

    folder: Path
    every: float = 60.0
    resume: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """`packed` and `states` are exact; `fingerprints` and `bits` may omit states, with a probability that is reported.
    `log_bits` is the logarithm of the size of the table of bits.  Traces are shortest breadth first.  `symmetry` is the
    method by which symmetries are found, `representative` how one state is found for each orbit.

    >>> Settings(order="depth", threads=2)
    Traceback (most recent call last):
    ValueError: a search depth first has one thread
    """

    threads: int = 1
    storage: str = "packed"
    order: str = "breadth"
    log_bits: int = 32
    checkpoints: Checkpoints | None = None
    symmetry: str = "off"
    representative: str = "auto"
    reduction: str = "none"
    shortest: bool = False
    """Whether runs to errors in single states must be shortest, however long it takes to find them."""
    cluster: str | None = None
    """The address of a cluster, for the distributed engine: `local:N` or `HOST:PORT`."""
    generators: Source | None = None
    """Symmetries that the user gives, instead of a method that finds them."""

    def __post_init__(self) -> None:
        refuse_unknown("reduction", self.reduction, REDUCTIONS)
        refuse_unknown("symmetry", self.symmetry, ("auto", "off", *METHODS))
        offered = (strategy.name for strategy in STRATEGIES.values() if strategy.offered)
        refuse_unknown("strategy", self.representative, offered)
        refuse_unknown("storage", self.storage, STORAGES)
        refuse_unknown("order", self.order, ORDERS)
        if not LEAST_BITS <= self.log_bits <= MOST_BITS:
            raise ValueError(f"2^{self.log_bits} bits: the exponent must be from {LEAST_BITS} to {MOST_BITS}")
        if self.generators is not None and self.symmetry != "auto":
            raise ValueError("generators give the symmetries: there is no method to choose")
        if self.order == "depth" and self.threads > 1:
            raise ValueError("a search depth first has one thread")
        if self.storage == "disk" and self.order == "depth":
            raise ValueError("a search on disk is breadth first")
        if self.storage == "disk" and self.threads > 1:
            raise ValueError("a search on disk has one thread")
        if self.storage == "disk" and self.reduction == "por":
            raise ValueError(
                "a search on disk has no partial order reduction: it does not know at once which states are new"
            )
        if self.cluster is not None:
            local_workers(self.cluster)
            if self.storage != "packed" or self.order != "breadth" or self.threads > 1 or self.reduction == "por":
                raise ValueError(
                    "a search by a cluster is breadth first, by processes of one thread, with packed states and without partial "
                    "order reduction"
                )
        if self.order == "depth" and self.checkpoints is not None:
            raise ValueError("a search depth first makes no checkpoints")

    @property
    def is_free(self) -> bool:
        """Whether it is left open in which way states are searched."""
        asked_for = self.storage != "packed" or self.order != "breadth" or self.reduction == "por"
        return not (asked_for or self.shortest or self.checkpoints is not None or self.generators is not None)

    @property
    def exact(self) -> bool:
        """Whether every state that there is will be visited."""
        return STORAGES[self.storage].exact

    @property
    def leaves_symmetry_open(self) -> bool:
        """Whether neither a method nor a strategy nor symmetries were asked for by name."""
        return self.symmetry == "auto" and self.representative == "auto" and self.generators is None


def chosen(settings: Settings | None, threads: int | None, symmetry: str | None) -> Settings:
    """The settings, with the number of threads and the symmetry that were given by themselves."""
    settings = settings or Settings(symmetry="auto", reduction="auto")
    settings = settings if threads is None else replace(settings, threads=threads)
    return settings if symmetry is None else replace(settings, symmetry=symmetry)
