"""Kripke structures over three truth values.

    K = (S, s0, R, L)      R: S x S -> {true, unknown, false}      L: S x atoms -> {true, unknown, false}

A transition that is true is a *must* (every state that is meant makes it), one that is true or unknown a *may*.  A structure
`a` abstracts a structure `c` if definite labels agree, every step of `c` is a may of `a`, and every must of `a` is a step
of `c`; then what is definite in `a` holds in `c`, for all of computation tree logic.  G. Bruns, P. Godefroid, "Model
checking partial state spaces with 3-valued temporal logics" (CAV 1999); M. Huth, R. Jagadeesan, D. Schmidt, "Modal
transition systems: a foundation for three-valued program analysis" (ESOP 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, Generic, TypeVar

from coset.engines.spotlight.kleene import Truth
from coset.source.records import dataclass

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Step:
    """A transition; `mover` is the number of the process in the spotlight that makes it, None for all others.  `cause` is
    whatever the maker of the structure wants to remember."""

    target: int
    truth: Truth
    mover: int | None = None
    cause: Any = field(default=None, compare=False)


@dataclass(slots=True)
class Structure(Generic[A]):
    """States are numbers, 0 is the initial one.  `label` tells the truth of an atom in a state.

    For fairness, `movers` are the processes that must be treated fairly, and `enabled` tells whether one can move.
    """

    steps: list[list[Step]]
    label: Callable[[int, A], Truth]
    movers: tuple[int, ...] = ()
    enabled: Callable[[int, int], Truth] = lambda state, mover: Truth.UNKNOWN
    rests: Callable[[int], bool] | None = None
    """If given, others than the movers make finitely many steps only, unless the run rests in a state forever, which
    it can where this is true."""

    @property
    def states(self) -> int:
        return len(self.steps)

    def backward(self, must: bool) -> list[list[int]]:
        """The predecessors of every state, by must or by may transitions."""
        found: list[list[int]] = [[] for _ in self.steps]
        for source, row in enumerate(self.steps):
            for target in self.forward(row, must):
                found[target].append(source)
        return found

    @staticmethod
    def forward(row: list[Step], must: bool) -> Iterator[int]:
        """The different targets of must or of may transitions."""
        yield from {step.target for step in row if step.truth is Truth.TRUE or (not must and step.truth)}
