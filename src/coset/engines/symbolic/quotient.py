"""The quotient of a relation: its steps, with representatives in the place of what they lead to.

A state and its representatives are in one orbit of a group that keeps the steps and the atoms of properties, so that they
are bisimilar and satisfy the same formulas of CTL* (Theorem 13 of Clarke et al., CAV 1998).  Representatives that are
met again need not be looked for again: whatever is in a set of representatives stands for itself, too.
"""

from __future__ import annotations

from dataclasses import dataclass

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding, Row
from coset.engines.symbolic.fixpoints import Watcher
from coset.engines.symbolic.orbit_relation import OrbitRelation
from coset.engines.symbolic.order import Order
from coset.engines.symbolic.permuting import Permuting, unfolded
from coset.engines.symbolic.relation import Part, Relation
from coset.engines.symbolic.representatives import Representatives, Staged
from coset.engines.symbolic.staging import Acting, column_order, stages


class Quotient(Relation):
    """Steps between representatives."""

    def __init__(self, relation: Relation, representatives: Representatives, chains: bool = False) -> None:
        self.encoding, self.diagrams, self.parts = relation.encoding, relation.diagrams, relation.parts
        self.concrete, self.representatives, self.chains = relation, representatives, chains
        everyone = list(range(len(self.parts)))
        self.rivals = [everyone for _ in self.parts]
        """What a step does is moved, so that it may matter to any other."""
        self.last: tuple[Diagram, Diagram] | None = None

    def image(self, part: Part, states: Diagram) -> Diagram:
        found = self.concrete.image(part, states)
        return found & states | self.representatives.of(found & ~states)

    def reachable(self, start: Diagram, watch: Watcher) -> Diagram:
        """All representatives that can be reached.  To look for representatives is what takes time, so this is done once in
        a round of all parts.  If it `chains`, each part goes on from what those before it have found, which takes far
        fewer rounds; but where representatives are sorted, what is not sorted yet makes diagrams grow."""
        found = ring = start
        while ring.satisfiable():
            grown = self.chained(found) if self.chains else self.concrete.following(ring)
            ring = self.representatives.of(grown & ~found) & ~found
            found = found | ring
            self.diagrams.rest()
            watch(found)
        return found

    def chained(self, states: Diagram) -> Diagram:
        for part in self.parts:
            states = states | self.concrete.image(part, states)
            self.diagrams.rest()
        return states

    def preimage(self, part: Part, states: Diagram) -> Diagram:
        return self.concrete.preimage(part, self.back(states))

    def back(self, states: Diagram) -> Diagram:
        """What the states of a set stand for, as far as steps lead to it; it is asked for once for each part."""
        if self.last is None or self.last[0] != states:
            self.last = states, states | self.representatives.back(states)
        return self.last[1]


@dataclass(frozen=True, slots=True)
class Folding:
    """How a space is to be folded: by which group, and in which `way`.

    `sort`        columns that can be exchanged are sorted, in as many stages as it takes
    `local`       only the least of them is brought to the front: several representatives, in one stage
    `enumerate`   by the orbit relation: the least state of each orbit, for small groups
    `order`       not at all: the group only tells which elements should be near to each other
    """

    acting: Acting
    way: str = "sort"

    @property
    def reduces(self) -> bool:
        return self.way != "order"

    def ordered(self, order: Order) -> list[int]:
        return column_order(self.acting, order)

    def folded(self, encoding: Encoding) -> Folded:
        """Raises `Unclosed` if symmetries lead out of an encoding, `TooLarge` if the orbit relation is."""
        if self.way == "enumerate":
            return Folded(encoding, self.acting, OrbitRelation(encoding, self.acting.generators))
        is_local = self.way == "local"
        staged = Staged(list(stages(encoding, self.acting, 1 if is_local else None)))
        return Folded(encoding, self.acting, staged, is_local)


class Folded:
    """Orbits and representatives in one encoding."""

    def __init__(
        self, encoding: Encoding, acting: Acting, representatives: Representatives, chains: bool = False
    ) -> None:
        self.encoding, self.representatives, self.chains = encoding, representatives, chains
        self.generators = [Permuting(encoding, action) for action in acting.generators]
        self.orbits: dict[tuple[int, ...], Diagram] = {}

    def relation(self, relation: Relation) -> Quotient:
        return Quotient(relation, self.representatives, self.chains)

    def of(self, states: Diagram) -> Diagram:
        return self.representatives.of(states)

    def unfolded(self, states: Diagram) -> Diagram:
        """All that is in the orbits of the states of a set."""
        return unfolded(states | self.representatives.back(states), self.generators)

    def orbit(self, row: Row) -> Diagram:
        key = tuple(row)
        if key not in self.orbits:
            self.orbits[key] = self.unfolded(self.encoding.states(key))
        return self.orbits[key]

    def canonical(self, row: Row) -> Row:
        """One state of each orbit: equal sets are equal diagrams, which have one first way to be true."""
        return self.encoding.some(self.orbit(row))
