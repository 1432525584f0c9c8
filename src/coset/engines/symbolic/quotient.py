"""The quotient of a relation: its steps, with representatives in the place of what they lead to.

A state and its representatives are in one orbit of a group that keeps the steps and the atoms of properties, so that they
are bisimilar and satisfy the same formulas of CTL* (Theorem 13 of Clarke et al., CAV 1998).  Representatives that are
met again need not be looked for again: whatever is in a set of representatives stands for itself, too.
"""

from __future__ import annotations

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.relation import Part, Relation
from coset.engines.symbolic.representatives import Representatives


class Quotient(Relation):
    """Steps between representatives."""

    def __init__(self, relation: Relation, representatives: Representatives) -> None:
        self.encoding, self.diagrams, self.parts = relation.encoding, relation.diagrams, relation.parts
        self.concrete, self.representatives = relation, representatives
        everyone = list(range(len(self.parts)))
        self.rivals = [everyone for _ in self.parts]
        """What a step does is moved, so that it may matter to any other."""
        self.last: tuple[Diagram, Diagram] | None = None

    def image(self, part: Part, states: Diagram) -> Diagram:
        found = self.concrete.image(part, states)
        return found & states | self.representatives.of(found & ~states)

    def preimage(self, part: Part, states: Diagram) -> Diagram:
        return self.concrete.preimage(part, self.back(states))

    def back(self, states: Diagram) -> Diagram:
        """What the states of a set stand for, as far as steps lead to it; it is asked for once for each part."""
        if self.last is None or self.last[0] != states:
            self.last = states, states | self.representatives.back(states)
        return self.last[1]
