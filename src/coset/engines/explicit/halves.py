"""Where a state is cut into two halves.

A large state is stored as a pair of numbers, one for each half (`runtime/store.h`).  The fewer halves there are, the less
memory, and the less often a new one has to be looked up.  So parts that change together belong together: a process with
the channels that it uses.  What changes together is known from footprints; the words of the state are divided into two
groups of about the same number of bits such that few footprints reach into both (after B. W. Kernighan, S. Lin, "An
efficient heuristic procedure for partitioning graphs", 1970, with footprints in place of edges).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Group = frozenset[int]


def arranged(bits: Sequence[int], footprints: Iterable[frozenset[int]]) -> list[int]:
    """An order of some words, of which `bits` tells the sizes, so that a cut in the middle separates few footprints.

    >>> arranged([8, 8, 8, 8], [frozenset({0, 2}), frozenset({1, 3}), frozenset({1, 3})])
    [0, 2, 1, 3]
    """
    together = sorted({each for each in footprints if len(each) > 1}, key=sorted)
    every = frozenset(k for k, size in enumerate(bits) if size)
    starts = [grown(start, every, bits, together) for start in sorted(every)]
    halves = [improved(start, every, bits, together) for start in starts]
    best = min(halves, key=lambda half: (cut(half, together), sorted(half)), default=frozenset[int]())
    return [*sorted(best), *sorted(set(range(len(bits))) - best)]


def cut(half: Group, together: Sequence[Group]) -> int:
    return sum(bool(each & half) and not each <= half for each in together)


def grown(start: int, every: Group, bits: Sequence[int], together: Sequence[Group]) -> Group:
    """A half that begins with one word: the next one is that which shares most with those that are in."""
    half, wanted = {start}, sum(bits[k] for k in every) / 2
    while True:
        left = sorted(k for k in every - half if sum(bits[j] for j in half) + bits[k] / 2 <= wanted)
        if not left:
            return frozenset(half)
        half.add(max(left, key=lambda k: sum(k in each and bool(each & half) for each in together)))


def improved(half: Group, every: Group, bits: Sequence[int], together: Sequence[Group]) -> Group:
    """Words are exchanged as long as that helps."""
    while True:
        now = cut(half, together)
        others = (
            half - {a} | {b}
            for a in sorted(half)
            for b in sorted(every - half)
            if abs(bits[a] - bits[b]) <= max(bits) // 4
        )
        better = next((each for each in others if cut(each, together) < now), None)
        if better is None:
            return half
        half = better
