"""The orbit relation as one diagram: which states are the same up to a group (Clarke, Enders, Filkorn and Jha, FMSD 1996,
Section 4).

It says of a state before and a state after a step whether they are in one orbit.  From it everything else follows by
definition: the representative of an orbit is its least state, and the quotient takes that for what a step leads to.  Even for
symmetric groups it has exponentially many nodes in the smaller of the number of processes and the number of their
states (Theorem 6 there), so it serves small groups and tests; `representatives` does without.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.permuting import Permuting
from coset.symmetry.elements import ElementAction

MOST_NODES = 200_000
"""A relation with more is given up."""


class TooLarge(Exception):
    """The orbit relation has too many nodes; the message says how many."""


class OrbitRelation:
    """The orbits of the group that some symmetries generate, with their least states as representatives.

    >>> from coset.languages.sequential.parse import parse_text
    >>> model = parse_text("process p(0..2 x, 0..2 y) = [x < y] up { x = y; } init p(0, 0);")
    >>> encoding = Encoding(model, [(0, 1, 2)] * 2, [0, 1])
    >>> orbits = OrbitRelation(encoding, [ElementAction((1, 0), ({}, {}))])
    >>> encoding.count(orbits.least), encoding.some(orbits.of(encoding.states((2, 1))))
    (6, (1, 2))
    """

    def __init__(self, encoding: Encoding, generators: Sequence[ElementAction], most: int = MOST_NODES) -> None:
        self.encoding, self.diagrams = encoding, encoding.diagrams
        bits = [pair for row in zip(encoding.bits, encoding.next_bits, strict=True) for pair in zip(*row, strict=True)]
        self.before, self.after = self.diagrams.cube(b for b, _ in bits), self.diagrams.cube(a for _, a in bits)
        self.to_before = self.diagrams.renaming([(a, b) for b, a in bits])
        self.to_after = self.diagrams.renaming(bits)
        self.bits = sorted(bits)
        self.same = self.orbits([Permuting(encoding, each, after=True) for each in generators], most)
        smaller = self.diagrams.exists_both(self.same, self.smaller(), self.after)
        self.least: Diagram = encoding.valid & ~smaller
        """The representatives."""

    def orbits(self, generators: Sequence[Permuting], most: int) -> Diagram:
        """What is reached from equality by applying symmetries to the second state, again and again."""
        same = self.encoding.valid & self.equal()
        while True:
            before = same
            for generator in generators:
                same = same | generator(same)
            if same.node_count() > most:
                raise TooLarge(f"the orbit relation has more than {most:,} nodes")
            self.diagrams.rest()
            if same == before:
                return same

    def equal(self) -> Diagram:
        result = self.diagrams.true
        for before, after in reversed(self.bits):
            one, other = self.diagrams.variable(before), self.diagrams.variable(after)
            result = (one & other | ~one & ~other) & result
        return result

    def smaller(self) -> Diagram:
        """Where the second state comes before the first, by the first variable in which they differ."""
        result = self.diagrams.false
        for before, after in reversed(self.bits):
            one, other = self.diagrams.variable(before), self.diagrams.variable(after)
            result = one & ~other | (one & other | ~one & ~other) & result
        return result

    def of(self, states: Diagram) -> Diagram:
        """The representatives of the states of a set: that of each orbit."""
        found = self.diagrams.exists_both(states, self.same, self.before)
        return self.diagrams.renamed(found, self.to_before) & self.least

    def back(self, states: Diagram) -> Diagram:
        """The states whose representative is in a set."""
        there = self.diagrams.renamed(states & self.least, self.to_after)
        return self.diagrams.exists_both(self.same, there, self.after)
