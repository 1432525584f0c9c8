"""The steps of a model as relations in parts: each has only what it reads before the step and what it writes after it.

J. R. Burch, E. M. Clarke, D. E. Long, "Symbolic model checking with partitioned transition relations", VLSI 1991.  What a
part does not write stays as it is without being mentioned, so that an image quantifies and renames only what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coset.engines.symbolic.diagrams import Diagram, Diagrams, Renaming
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.steps import SymbolicStep


@dataclass(frozen=True, slots=True)
class Part:
    """Steps that write the same elements.  `before` and `after` are the variables of these.  `touched` are all elements
    that they read or write."""

    steps: Diagram
    written: frozenset[int]
    touched: frozenset[int]
    before: Diagram
    after: Diagram
    to_before: Renaming
    to_after: Renaming


class Relation:
    """The union of its parts."""

    def __init__(self, encoding: Encoding, steps: Iterable[SymbolicStep]) -> None:
        self.encoding, self.diagrams = encoding, encoding.diagrams
        groups: dict[frozenset[int], list[SymbolicStep]] = {}
        for step in steps:
            groups.setdefault(step.written, []).append(step)
        parts = [part(encoding, row, written) for written, row in groups.items()]
        self.parts = sorted(parts, key=lambda each: -(each.steps.node_level() or 0))
        """Those that reach up least first."""
        self.rivals = [
            [k for k, other in enumerate(self.parts) if each is other or depend(each, other)] for each in self.parts
        ]
        """For each part those whose steps may matter to it."""

    def image(self, part: Part, states: Diagram) -> Diagram:
        """Where steps of a part lead."""
        found = self.diagrams.exists_both(states, part.steps, part.before)
        return self.diagrams.renamed(found, part.to_before)

    def preimage(self, part: Part, states: Diagram) -> Diagram:
        """From where a step of a part leads there."""
        there = self.diagrams.renamed(states, part.to_after)
        return self.diagrams.exists_both(there, part.steps, part.after)

    def following(self, states: Diagram) -> Diagram:
        return self.diagrams.union(self.image(part, states) for part in self.parts)

    def preceding(self, states: Diagram) -> Diagram:
        return self.diagrams.union(self.preimage(part, states) for part in self.parts)


def depend(one: Part, other: Part) -> bool:
    """Whether it may matter which of two steps comes first, or whether one of them comes at all."""
    return not (one.written.isdisjoint(other.touched) and other.written.isdisjoint(one.touched))


def part(encoding: Encoding, steps: Sequence[SymbolicStep], written: frozenset[int]) -> Part:
    diagrams: Diagrams = encoding.diagrams
    before = [bit for element in written for bit in encoding.bits[element]]
    after = [bit for element in written for bit in encoding.next_bits[element]]
    return Part(
        diagrams.union(step.relation for step in steps),
        written,
        written.union(*(step.read for step in steps)),
        diagrams.cube(before),
        diagrams.cube(after),
        diagrams.renaming(list(zip(after, before, strict=True))),
        diagrams.renaming(list(zip(before, after, strict=True))),
    )
