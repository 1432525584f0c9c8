"""How a state is divided into two halves.

A large state is stored as a pair of numbers, one for each half (`runtime/store/store.h`).  Fewer distinct halves take less
memory and fewer lookups.  So parts that change together belong into one half: a process with the channels that it uses.
Footprints tell which parts these are: the words of the state are divided into two groups of about the same number of bits
such that few footprints reach into both (after B. W. Kernighan, S. Lin, "An efficient heuristic procedure for partitioning
graphs", 1970, with footprints in place of edges).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from coset.source.budget import current_budget

Group = frozenset[int]

STARTS = 8
"""The number of words with which a half is tried to begin."""
PASSES = 64
"""The most exchanges to improve a half."""


def arranged(bits: Sequence[int], footprints: Iterable[frozenset[int]]) -> list[int]:
    """An order of words with these numbers of bits, such that a cut in the middle separates few footprints.

    >>> arranged([8, 8, 8, 8], [frozenset({0, 2}), frozenset({1, 3}), frozenset({1, 3})])
    [0, 2, 1, 3]
    """
    division = Division(bits, footprints)
    words = division.words
    starts = words[:: -(-len(words) // STARTS)] if words else []
    halves = [division.improved(division.grown(start)) for start in starts]
    best = min(halves, key=lambda half: (division.cut(half), sorted(half)), default=frozenset[int]())
    return [*sorted(best), *sorted(set(range(len(bits))) - best)]


class Division:
    """The words to divide, with the footprints that each one belongs to."""

    def __init__(self, bits: Sequence[int], footprints: Iterable[frozenset[int]]) -> None:
        self.bits = bits
        self.words = [k for k, size in enumerate(bits) if size]
        known = frozenset(self.words)
        self.footprints = sorted({each & known for each in footprints if len(each & known) > 1}, key=sorted)
        self.having: list[list[int]] = [[] for _ in bits]
        for number, footprint in enumerate(self.footprints):
            for word in footprint:
                self.having[word].append(number)

    def cut(self, half: Group) -> int:
        """How many footprints reach into both halves."""
        return sum(bool(each & half) and not each <= half for each in self.footprints)

    def grown(self, start: int) -> Group:
        """A half grown from one word: the next word is the one that shares most footprints with the half."""
        wanted = sum(self.bits) / 2
        half, size = set[int](), 0
        touched: set[int] = set()
        shared = dict.fromkeys(self.words, 0)
        word: int | None = start
        while word is not None:
            current_budget().check()
            half.add(word)
            size += self.bits[word]
            for number in self.having[word]:
                if number not in touched:
                    touched.add(number)
                    for each in self.footprints[number]:
                        shared[each] += 1
            left = (k for k in self.words if k not in half and size + self.bits[k] / 2 <= wanted)
            word = max(left, key=shared.__getitem__, default=None)
        return frozenset(half)

    def improved(self, half: Group) -> Group:
        """Exchange words as long as that cuts fewer footprints."""
        inside = [len(each & half) for each in self.footprints]
        current = set(half)
        for _ in range(PASSES):
            exchange = self.exchange(current, inside)
            if exchange is None:
                break
            out, new = exchange
            current ^= {out, new}
            for number in self.having[out]:
                inside[number] -= 1
            for number in self.having[new]:
                inside[number] += 1
        return frozenset(current)

    def exchange(self, half: set[int], inside: Sequence[int]) -> tuple[int, int] | None:
        """A word of the half and another one of similar size whose exchange cuts fewer footprints, if there are any."""
        slack = max(self.bits) // 4
        for out in sorted(half):
            current_budget().check()
            leaving = set(self.having[out])
            for new in self.words:
                if new in half or abs(self.bits[out] - self.bits[new]) > slack:
                    continue
                coming = set(self.having[new])
                gain = sum(self.gain(number, inside[number], -1) for number in leaving - coming)
                gain += sum(self.gain(number, inside[number], 1) for number in coming - leaving)
                if gain > 0:
                    return out, new
        return None

    def gain(self, number: int, inside: int, change: int) -> int:
        """1 if a footprint is no longer cut after `change` more of its words are in the half, -1 if it is cut only then."""
        size = len(self.footprints[number])
        return (0 < inside < size) - (0 < inside + change < size)
