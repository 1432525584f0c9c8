"""Which way the states of a model are folded by a group."""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.orbit_relation import OrbitRelation
from coset.engines.symbolic.orbits import Orbits
from coset.engines.symbolic.order import Order
from coset.engines.symbolic.quotient import Folded, Represented
from coset.engines.symbolic.representatives import Staged
from coset.engines.symbolic.staging import Acting, column_order, stages
from coset.engines.symbolic.steps import Steps, symbolic_steps
from coset.model.sequential import Summand
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Folding:
    """How a space is to be folded: by which group, and in which `way`.

    `orbits`      not to representatives: sets are sets of whole orbits, and one process moves for all that are like it
    `sort`        columns that can be exchanged are sorted, in as many stages as it takes
    `local`       only the least of them is brought to the front: several representatives, in one stage
    `enumerate`   by the orbit relation: the least state of each orbit, for small groups
    `order`       not at all: the group only tells which elements should be near to each other

    For `orbits`, `moving` are the processes that move, with their summands.
    """

    acting: Acting
    way: str = "sort"
    moving: tuple[tuple[int, Sequence[Summand]], ...] = ()

    @property
    def reduces(self) -> bool:
        return self.way != "order"

    def ordered(self, order: Order) -> list[int]:
        return column_order(self.acting, order)

    def steps(self, encoding: Encoding) -> tuple[Steps, ...]:
        """The steps that must be known: of all processes, or of each that moves for others."""
        if self.way == "orbits":
            return tuple(symbolic_steps(encoding, summands) for _, summands in self.moving)
        return (symbolic_steps(encoding),)

    def folded(self, encoding: Encoding) -> Folded:
        """Raises `Unclosed` if symmetries lead out of an encoding, `TooLarge` if the orbit relation is."""
        if self.way == "orbits":
            return Orbits(encoding, self.acting, [process for process, _ in self.moving])
        generators = self.acting.generators
        if self.way == "enumerate":
            return Represented(encoding, generators, OrbitRelation(encoding, generators))
        is_local = self.way == "local"
        staged = Staged(list(stages(encoding, self.acting, 1 if is_local else None)))
        return Represented(encoding, generators, staged, is_local)
