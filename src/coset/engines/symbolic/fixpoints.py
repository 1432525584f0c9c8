"""Sets of states as least and greatest fixpoints: what can be reached, and the operators of computation tree logic.

K. L. McMillan, "Symbolic model checking", 1993.  Least fixpoints are found by chaining: every part of the relation goes on
from what others have found, those near the leaves of the diagrams first, which keeps these small as saturation does
(G. Ciardo, G. Lüttgen, R. Siminiceanu, "Saturation", TACAS 2001).  Fair paths, which meet every one of some sets
infinitely often: E. A. Emerson, C. L. Lei, "Efficient model checking in fragments of the propositional mu-calculus",
LICS 1986.

Paths are infinite, and a state without successors repeats forever, as in `coset.properties.ctl`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.relation import Part, Relation

Watcher = Callable[[Diagram], None]
WATCHED = 64
"""How often those who watch are told."""


def no_watcher(states: Diagram) -> None:
    """For those who do not watch."""


def closed(
    relation: Relation, found: Diagram, more: Callable[[Part, Diagram], Diagram], watch: Watcher = no_watcher
) -> Diagram:
    """The set with everything that parts of the relation add to it, again and again.

    A part that has nothing more to add is tried again only when one that it depends on has added something.  Those
    that it does not depend on can be exchanged with it: what follows its new states by them is there already.  This
    needs that `more` takes all steps, or all within a set that no step leaves.

    Where few parts depend on each other, those that reach up least are tried again first, before the others go on: what
    they find is found once.  If nearly all depend on each other (lines that all modules drive), that would be a thousand
    tries for each that adds something, so that all are tried in turn.
    """
    waiting = [(0, number) for number in range(len(relation.parts))]
    is_waiting = [True] * len(waiting)
    takes_turns = 2 * sum(map(len, relation.rivals)) > len(waiting) ** 2
    rounds = 0
    while waiting:
        turn, number = heappop(waiting)
        is_waiting[number] = False
        before = found
        while (grown := found | more(relation.parts[number], found)) != found:
            found = grown
        relation.diagrams.rest()
        if found == before:
            continue
        for rival in relation.rivals[number]:
            if rival != number and not is_waiting[rival]:
                is_waiting[rival] = True
                heappush(waiting, (turn + (takes_turns and rival < number), rival))
        rounds += 1
        if rounds % WATCHED == 0:
            watch(found)
    watch(found)
    return found


def reachable(relation: Relation, start: Diagram, watch: Watcher = no_watcher) -> Diagram:
    """All states that can be reached; `watch` sees the set grow and may stop it by raising."""
    return closed(relation, start, relation.image, watch)


class Fixpoints:
    """The operators on a set of states that no step leaves."""

    def __init__(self, relation: Relation, states: Diagram) -> None:
        self.relation, self.states = relation, states
        self.ends = states
        """Where no step leads on."""
        for part in relation.parts:
            self.ends = self.ends & ~relation.enabled(part)

    def some_next(self, holds: Diagram) -> Diagram:
        return self.states & (self.relation.preceding(holds) | self.ends & holds)

    def some_until(self, holds: Diagram, reaches: Diagram) -> Diagram:
        if holds == self.states:
            return closed(self.relation, reaches, lambda part, found: holds & self.relation.preimage(part, found))
        found = reaches
        while True:
            before = found
            for part in self.relation.parts:
                found = found | holds & self.relation.preimage(part, found)
                self.relation.diagrams.rest()
            if found == before:
                return found

    def some_always(self, holds: Diagram, fair: Sequence[Diagram] = ()) -> Diagram:
        """Where some path has it always, and meets each of the sets in `fair` infinitely often."""
        found = holds
        while True:
            before = found
            for goal in fair:
                found = found & self.some_next(self.some_until(holds, found & goal))
            if not fair:
                found = found & self.some_next(found)
            self.relation.diagrams.rest()
            if found == before:
                return found

    def rings(self, inside: Diagram, goal: Diagram) -> Iterator[Diagram]:
        """The states that are none, one, two ... steps away from the goal, by states inside (but for the first)."""
        ring = seen = goal
        while ring.satisfiable():
            yield ring
            ring = inside & self.relation.preceding(ring) & ~seen
            seen = seen | ring
            self.relation.diagrams.rest()
