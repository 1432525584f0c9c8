"""The steps of a model as relations in parts: each has only what it reads before the step and what it writes after it.

J. R. Burch, E. M. Clarke, D. E. Long, "Symbolic model checking with partitioned transition relations", VLSI 1991.  What a
part does not write stays as it is without being mentioned, so that an image quantifies and renames only what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from coset.engines.symbolic.diagrams import Diagram, Diagrams, Renaming
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.steps import SymbolicStep
from coset.source.records import dataclass


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


P = TypeVar("P", bound=Part)
LARGER, SMALL_PART, FEW_WRITTEN = 4, 1000, 10
"""How many times as large as a part its closure may be, what is not large, and how many variables it may write."""


class Relation:
    """The union of its parts."""

    def __init__(self, encoding: Encoding, steps: Iterable[SymbolicStep]) -> None:
        self.encoding, self.diagrams = encoding, encoding.diagrams
        parts = [part(encoding, row, written) for written, row in by_writing(steps).items()]
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

    def enabled(self, part: Part) -> Diagram:
        """Where steps of a part begin."""
        return part.steps.exists(part.after)

    def following(self, states: Diagram) -> Diagram:
        return self.diagrams.union(self.image(part, states) for part in self.parts)

    def preceding(self, states: Diagram) -> Diagram:
        return self.diagrams.union(self.preimage(part, states) for part in self.parts)


def depend(one: Part, other: Part) -> bool:
    """Whether it may matter which of two steps comes first, or whether one of them comes at all."""
    return not (one.written.isdisjoint(other.touched) and other.written.isdisjoint(one.touched))


def by_writing(steps: Iterable[SymbolicStep]) -> dict[frozenset[int], list[SymbolicStep]]:
    """Steps by what they write."""
    found: dict[frozenset[int], list[SymbolicStep]] = {}
    for step in steps:
        found.setdefault(step.written, []).append(step)
    return found


def merged(encoding: Encoding, steps: Sequence[SymbolicStep]) -> Part:
    """All steps as one part: what one of them does not write, but others do, stays as it is."""
    written = frozenset[int]().union(*(step.written for step in steps))
    rows = []
    for own, row in by_writing(steps).items():
        kept = sorted(bit for element in written - own for bit in encoding.bits[element])
        rows.append(encoding.diagrams.union(step.relation for step in row) & same(encoding, kept))
    touched = written.union(*(step.read for step in steps))
    return made(encoding, encoding.diagrams.union(rows), written, touched)


def same(encoding: Encoding, bits: Sequence[int]) -> Diagram:
    """That variables have the same value after a step."""
    result = encoding.diagrams.true
    for bit in reversed(bits):
        result = encoding.diagrams.variable(bit).equiv(encoding.diagrams.variable(bit + 1)) & result
    return result


def repeated(encoding: Encoding, part: P) -> P:
    """Steps of a part, one or more in a row: its transitive closure by squaring.

    The states in the middle need variables.  Those of what the part does not write are not used after a step.  They are not
    next to those that they stand for, so that what stays as it is costs nodes exponentially: a part that writes more than
    a few variables remains as it is, and so does one with a much larger closure.
    """
    diagrams = encoding.diagrams
    before = sorted(bit for element in part.written for bit in encoding.bits[element])
    free = [bit for element, row in enumerate(encoding.next_bits) if element not in part.written for bit in row]
    if not 0 < len(before) <= min(FEW_WRITTEN, len(free)):
        return part
    middle = sorted(sorted(free, key=lambda bit: abs(bit - before[0]))[: len(before)])
    from_middle = diagrams.renaming(list(zip(before, middle, strict=True)))
    to_middle = diagrams.renaming([(bit + 1, there) for bit, there in zip(before, middle, strict=True)])
    cube, most = diagrams.cube(middle), LARGER * (part.steps.node_count() + SMALL_PART)
    found, last = part.steps, diagrams.false
    while found != last:
        if found.node_count() > most:
            return part
        one, other = diagrams.renamed(found, to_middle), diagrams.renamed(found, from_middle)
        last, found = found, found | diagrams.exists_both(one, other, cube)
        diagrams.rest()
    return replace(part, steps=found)


def part(encoding: Encoding, steps: Sequence[SymbolicStep], written: frozenset[int]) -> Part:
    relation = encoding.diagrams.union(step.relation for step in steps)
    return made(encoding, relation, written, written.union(*(step.read for step in steps)))


def made(encoding: Encoding, relation: Diagram, written: frozenset[int], touched: frozenset[int]) -> Part:
    diagrams: Diagrams = encoding.diagrams
    before = [bit for element in written for bit in encoding.bits[element]]
    after = [bit for element in written for bit in encoding.next_bits[element]]
    return Part(
        relation,
        written,
        touched,
        diagrams.cube(before),
        diagrams.cube(after),
        diagrams.renaming(list(zip(after, before, strict=True))),
        diagrams.renaming(list(zip(before, after, strict=True))),
    )
