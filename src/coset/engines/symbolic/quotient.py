"""The quotient of a relation: its steps, with representatives in the place of what they lead to.

A state and its representatives are in one orbit of a group that keeps the steps and the atoms of properties, so that they
are bisimilar and satisfy the same formulas of CTL* (Theorem 13 of Clarke et al., CAV 1998).  Representatives that are
met again need not be looked for again: whatever is in a set of representatives stands for itself, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding, Row
from coset.engines.symbolic.fixpoints import Watcher
from coset.engines.symbolic.permuting import Permuting, unfolded
from coset.engines.symbolic.relation import Part, Relation
from coset.engines.symbolic.representatives import Representatives
from coset.engines.symbolic.steps import Steps
from coset.symmetry.elements import ElementAction


class Reaching(Relation, ABC):
    """A relation that knows best how what can be reached is found."""

    @abstractmethod
    def reachable(self, start: Diagram, watch: Watcher) -> Diagram:
        """All that can be reached from a set; `watch` sees it grow and may stop it by raising."""


class Quotient(Reaching):
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


class Folded(ABC):
    """The orbits of a group in one encoding, and what stands for them."""

    def __init__(self, encoding: Encoding, generators: Sequence[ElementAction]) -> None:
        self.encoding = encoding
        self.generators = [Permuting(encoding, action) for action in generators]
        self.orbits: dict[tuple[int, ...], Diagram] = {}

    @abstractmethod
    def relation(self, steps: Sequence[Steps]) -> Reaching:
        """The steps between what stands for orbits."""

    @abstractmethod
    def of(self, states: Diagram) -> Diagram:
        """What stands for the orbits of the states of a set."""

    def unfolded(self, states: Diagram) -> Diagram:
        """All that is in the orbits of the states of a set."""
        return unfolded(states, self.generators)

    def counted(self, states: Diagram) -> Diagram:
        """Those of a set that are counted, as states of the quotient."""
        return states

    def everywhere(self, number: int, one: Diagram) -> Sequence[Diagram]:
        """What is said of the steps with a number, said of all steps that these stand for."""
        return [one]

    def contains(self, states: Diagram, row: Row) -> bool:
        """Whether a set has what stands for a state."""
        return (self.orbit(row) & states).satisfiable()

    def orbit(self, row: Row) -> Diagram:
        key = tuple(row)
        if key not in self.orbits:
            self.orbits[key] = self.unfolded(self.encoding.states(key))
        return self.orbits[key]

    def canonical(self, row: Row) -> Row:
        """One state of each orbit: equal sets are equal diagrams, which have one first way to be true."""
        return self.encoding.some(self.orbit(row))


class Represented(Folded):
    """Some states of each orbit stand for it."""

    def __init__(
        self,
        encoding: Encoding,
        generators: Sequence[ElementAction],
        representatives: Representatives,
        chains: bool = False,
    ) -> None:
        super().__init__(encoding, generators)
        self.representatives, self.chains = representatives, chains

    def relation(self, steps: Sequence[Steps]) -> Quotient:
        taken = [step for each in steps for step in each.taken]
        return Quotient(Relation(self.encoding, taken), self.representatives, self.chains)

    def of(self, states: Diagram) -> Diagram:
        return self.representatives.of(states)

    def unfolded(self, states: Diagram) -> Diagram:
        return super().unfolded(states | self.representatives.back(states))
