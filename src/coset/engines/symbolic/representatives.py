"""Several representatives for an orbit (Clarke, Emerson, Jha and Sistla, CAV 1998, Section 5.2).

A set C of symmetries brings every state to a representative; which, is a relation or a function xi with xi(s) in the
orbit of s.  Theorem 13: then CTL* holds in a state just if it holds in its representatives, in the structure whose steps
are steps with representatives put in the place of what they lead to.

`Chosen`   C and the set of representatives are given, as in the paper.
`Staged`   they are made from the group.  A stage has *places* which the group can bring to the first of them, each by
           one symmetry: a transversal of the stabiliser of the first place.  A place has a *key*, the values of some
           elements, which go with the place as it moves.  A state goes to where the least key comes first.  The next
           stage goes on with the stabiliser: with columns that can be exchanged at will and all stages columns are
           sorted, and if the keys are all that there is of a column, each orbit has one representative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Protocol

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.permuting import Permuting
from coset.source.records import dataclass
from coset.symmetry.elements import ElementAction

Key = tuple[int, ...]
"""Elements; the values of those of one place are compared with those of another, in this order."""


class Representatives(Protocol):
    """What takes states to representatives."""

    def of(self, states: Diagram) -> Diagram:
        """The representatives of the states of a set."""

    def back(self, states: Diagram) -> Diagram:
        """The states that have one of their representatives in a set."""


class NotRepresentatives(ValueError):
    """What was given as representatives is none; the message says why."""


class Chosen:
    """All that C makes of a state, as far as it is in the set of representatives.

    C must have the identity and its inverses, and every state must have a representative.
    """

    def __init__(self, encoding: Encoding, actions: Sequence[ElementAction], among: Diagram) -> None:
        self.among = among
        everything = {(action.targets, frozen(action)) for action in actions}
        if any((each.targets, frozen(each)) not in everything for each in map(ElementAction.inverse, actions)):
            raise NotRepresentatives("the set of symmetries has not all of its inverses")
        if all(action.moved for action in actions):
            raise NotRepresentatives("the set of symmetries has no identity")
        self.permuting = [Permuting(encoding, action) for action in actions]
        missed = encoding.valid & ~self.back(among)
        if missed.satisfiable():
            raise NotRepresentatives(f"no symmetry takes {encoding.some(missed)} to a representative")

    def of(self, states: Diagram) -> Diagram:
        return self.among & union(permuting(states) for permuting in self.permuting)

    def back(self, states: Diagram) -> Diagram:
        return union(permuting(states & self.among) for permuting in self.permuting)


def frozen(action: ElementAction) -> tuple[frozenset[tuple[int, int]], ...]:
    return tuple(frozenset(table.items()) for table in action.values)


def union(parts: Iterable[Diagram]) -> Diagram:
    found: Diagram | None = None
    for part in parts:
        found = part if found is None else found | part
    assert found is not None
    return found


@dataclass(frozen=True)
class Stage:
    """Places by their keys, the first place first, and what brings each of the others to the first."""

    encoding: Encoding
    keys: tuple[Key, ...]
    actions: tuple[ElementAction, ...]

    @cached_property
    def moves(self) -> list[tuple[Diagram, Permuting, Permuting]]:
        """For each place but the first: the states in which it has the least key (and none before it), and the symmetry
        with its inverse."""
        found = []
        for where, action in zip(self.least[1:], self.actions, strict=True):
            found.append((where, Permuting(self.encoding, action), Permuting(self.encoding, action.inverse())))
        return found

    @cached_property
    def least(self) -> list[Diagram]:
        """For each place the states in which it is the first with the least key."""
        encoding, diagrams = self.encoding, self.encoding.diagrams
        values = sorted(product(*(range(len(encoding.values[element])) for element in self.keys[0])))
        count = len(self.keys)
        found: list[list[Diagram]] = [[] for _ in self.keys]
        above = [diagrams.true] * count
        """Where a key is not less than the value at hand."""
        for value in values:
            equal = [self.has(key, value) for key in self.keys]
            greater = [one & ~other for one, other in zip(above, equal, strict=True)]
            after = [diagrams.true] * (count + 1)
            for place in reversed(range(count)):
                after[place] = after[place + 1] & above[place]
            before = diagrams.true
            for place in range(count):
                found[place].append(before & equal[place] & after[place + 1])
                before = before & greater[place]
            above = greater
        return [diagrams.union(parts) for parts in found]

    def has(self, key: Key, codes: Sequence[int]) -> Diagram:
        result = self.encoding.diagrams.true
        for element, code in zip(key, codes, strict=True):
            result = result & self.encoding.number(self.encoding.bits[element], code)
        return result

    def of(self, states: Diagram) -> Diagram:
        return union([states & self.least[0], *(move(states & where) for where, move, _ in self.moves)])

    def back(self, states: Diagram) -> Diagram:
        return union([states & self.least[0], *(where & undo(states) for where, _, undo in self.moves)])


class Staged:
    """One stage after another."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = stages

    def of(self, states: Diagram) -> Diagram:
        for stage in self.stages:
            states = stage.of(states)
        return states

    def back(self, states: Diagram) -> Diagram:
        for stage in reversed(self.stages):
            states = stage.back(states)
        return states
