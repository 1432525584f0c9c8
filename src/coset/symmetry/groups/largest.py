"""The largest valid subgroup of a group of candidates (Algorithm 1 of the paper).

Valid elements form a group H (Lemma 1 and Theorem 3).  It begins as what the valid generators of the candidates G generate.
Then one element of each right coset of H is tried, but for H itself; one that is valid makes H larger, and the cosets
are counted anew if there are fewer now than remain to be tried.  If none is valid, H is the largest (Lemma 2).

Before that, conjugates of elements of H by random elements of G are tried (Section 5.3): H may exchange 1 with 2 and 4
with 5, and a conjugate of (1 2) has a fair chance to be (2 4).

If the cosets are very many even so, `narrowed` may give a subgroup of G that has all valid elements; the search goes on in it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation

Valid = Callable[[Permutation], bool]
Say = Callable[[str], None]

RANDOM_ELEMENTS = 10
FEW_COSETS = 100
"""With fewer cosets random conjugates are not worth their time."""


@dataclass(frozen=True, slots=True)
class Largest:
    """What was found; `complete` unless time ran out, in which case a larger group may be valid."""

    group: Group
    cosets: int
    complete: bool


TRIES = 5_000
"""Elements that are tried: some seconds.  A count and not a time, so that a busy machine finds the same group."""
MANY_COSETS = 200
"""With more cosets the candidates are narrowed, if they can be."""


def largest_valid_subgroup(
    candidates: Group,
    valid: Valid,
    tries: int = TRIES,
    conjugates: bool = True,
    say: Say = lambda line: None,
    narrowed: Callable[[], Group] | None = None,
) -> Largest:
    """The largest subgroup all of whose elements are valid.

    Of all permutations of five points those that keep the third:

    >>> found = largest_valid_subgroup(Group.symmetric(5), lambda g: g(2) == 2)
    >>> found.group.order, found.cosets, found.complete
    (24, 5, True)
    """
    return Search(candidates, valid, tries, say, narrowed).run(conjugates)


class Search:
    def __init__(
        self, candidates: Group, valid: Valid, tries: int, say: Say, narrowed: Callable[[], Group] | None = None
    ) -> None:
        self.candidates, self.valid, self.say, self.narrowed = candidates, valid, say, narrowed
        self.all_candidates = candidates
        self.left = tries
        self.group = Group(candidates.degree, (), 1)

    def run(self, conjugates: bool) -> Largest:
        generators = [g for g in self.candidates.generators if not self.is_late() and self.valid(g)]
        everything = len(generators) == len(self.candidates.generators)
        self.group = self.candidates if everything else Group(self.candidates.degree, generators)
        self.say(
            f"{len(generators)} of {len(self.candidates.generators)} generators are valid: a group of order "
            f"{self.group.order:,}."
        )
        if conjugates and self.index() > FEW_COSETS and generators:
            self.try_conjugates()
        if self.index() > MANY_COSETS:
            self.narrow(conjugates)
        self.try_cosets()
        cosets = self.all_candidates.order // self.group.order
        return Largest(self.group, cosets, self.left >= 0 or self.index() == 1)

    def narrow(self, conjugates: bool) -> None:
        """Go on in a smaller group that has all valid elements."""
        fewer = None if self.narrowed is None else self.narrowed()
        if fewer is None or fewer.order >= self.candidates.order:
            return
        self.candidates = fewer
        self.say(f"What the text says of each process and channel leaves {fewer.order:,} candidates.")
        for g in fewer.generators:
            if not self.is_late():
                self.grow(g)
        if conjugates and self.index() > FEW_COSETS and self.group.order > 1:
            self.try_conjugates()

    def is_late(self) -> bool:
        current_budget().demand()
        self.left -= 1
        return self.left < 0

    def index(self) -> int:
        return self.candidates.order // self.group.order

    def grow(self, g: Permutation) -> bool:
        """Add an element if it is valid and new; whether it was."""
        if g in self.group or not self.valid(g):
            return False
        self.group = self.group.join(g)
        return True

    def try_conjugates(self) -> None:
        rng, before = random.Random(1), self.group.order
        for _ in range(RANDOM_ELEMENTS):
            by = self.candidates.random(rng)
            for g in self.group.generators:
                if self.is_late():
                    return
                self.grow(g.conjugate(by))
        if self.group.order > before:
            self.say(f"Random conjugates make it a group of order {self.group.order:,}.")

    def try_cosets(self) -> None:
        """Try an element of each coset, until all have been tried."""
        while (count := self.index()) > 1:
            self.say(f"It has {count:,} cosets, of which one element each is tried.")
            if not self.go_through(count):
                return

    def go_through(self, count: int) -> bool:
        """Try one element of each of so many cosets; whether they have to be counted anew."""
        representatives = islice(self.candidates.right_cosets(self.group), 1, None)  # the first is H itself
        for tried, g in enumerate(representatives, 2):
            if self.is_late():
                self.say(f"The search ends after {tried - 2:,} of them: there may be more symmetry.")
                return False
            if self.grow(g):
                self.say(f"One is valid, which makes a group of order {self.group.order:,}.")
                if self.index() < count - tried:
                    return True
        return False
