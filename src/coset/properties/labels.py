"""Which letters does a conjunction of literals allow?

A letter says of every atom whether it is true.  A *cube* is a conjunction of literals as two bit sets: the atoms that
must be true and those that must be false.  No atom is in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Cube = tuple[int, int]
ANY: Cube = (0, 0)


def cube(label: Iterable[tuple[int, bool]]) -> Cube:
    """The cube of literals (atom index, whether it is true).

    >>> cube({(0, True), (3, False)})
    (1, 8)
    """
    positive = negative = 0
    for atom, value in label:
        if value:
            positive |= 1 << atom
        else:
            negative |= 1 << atom
    return positive, negative


def literals(of: Cube) -> frozenset[tuple[int, bool]]:
    """The literals of a cube.

    >>> sorted(literals((1, 8)))
    [(0, True), (3, False)]
    """
    return frozenset((atom, value) for value, mask in ((True, of[0]), (False, of[1])) for atom in bits(mask))


def bits(mask: int) -> list[int]:
    """The members of a bit set, in increasing order.

    >>> bits(0b1011)
    [0, 1, 3]
    """
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def both(one: Cube, other: Cube) -> Cube | None:
    """The conjunction of two cubes; None if no letter is in both."""
    positive, negative = one[0] | other[0], one[1] | other[1]
    return None if positive & negative else (positive, negative)


def within(one: Cube, other: Cube) -> bool:
    """Whether every letter of `one` is a letter of `other`.

    >>> within((3, 4), (1, 0)), within((1, 0), (3, 4))
    (True, False)
    """
    return not (other[0] & ~one[0] or other[1] & ~one[1])


def covered(one: Cube, others: Sequence[Cube]) -> bool:
    """Whether every letter of `one` is a letter of some of the others, by splitting on an atom until one cube alone
    answers (the recursive tautology check of R. Brayton et al., "Logic Minimization Algorithms for VLSI Synthesis",
    1984).

    >>> covered((1, 0), [(3, 0), (0, 2)]), covered((1, 0), [(3, 0), (0, 4)])
    (True, False)
    """
    overlapping = []
    for other in others:
        if not (one[0] & other[1] or one[1] & other[0]):
            if within(one, other):
                return True
            overlapping.append(other)
    if len(overlapping) < 2:
        return False
    positive = negative = 0
    for other in overlapping:
        positive |= other[0]
        negative |= other[1]
    split = positive & negative & ~one[0] & ~one[1]
    if not split:
        return False  # some letter has every free atom at the value that no cube asks for
    atom = split & -split
    return covered((one[0] | atom, one[1]), overlapping) and covered((one[0], one[1] | atom), overlapping)


def merge(cubes: Iterable[Cube]) -> list[Cube]:
    """Fewer cubes for the same letters: those within another are left out, `a && b` and `a && !b` become `a`.

    >>> merge([(1, 2), (3, 0), (1, 4)])
    [(1, 0)]
    """
    found = sorted(set(cubes))
    while True:
        joined = {
            (one[0] & other[0], one[1] & other[1])
            for i, one in enumerate(found)
            for other in found[i + 1 :]
            if one[0] ^ other[0] == one[1] ^ other[1] and (one[0] ^ other[0]).bit_count() == 1
        }
        every = joined.union(found)
        smaller = sorted(x for x in every if not any(x != y and within(x, y) for y in every))
        if smaller == found:
            return found
        found = smaller
