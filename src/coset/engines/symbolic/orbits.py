"""Sets of whole orbits, and one process that moves for all that are like it.

A set of states that a group keeps is a set of orbits, which are the states of the quotient: there is no representative to
be looked for, and as a diagram it is small, as it only counts.  A symmetry g takes the steps of process p to those of
g(p), so that from such a set S all steps of the processes in the orbit of p lead to

    the union of g(image of S by the steps of p), with one g for each process g(p).

Which g is taken does not matter: what keeps p keeps the image.  So only one process of each orbit has a relation, and the
others are reached by a tree of symmetries in which neighbours are exchanged (Schreier's), which is cheap where they are
neighbours in the diagram.  The same for what precedes a set, so that every operator of computation tree logic leads from sets
of orbits to sets of orbits, and to the very sets that it leads to without symmetry.

E. A. Emerson, A. P. Sistla, "Symmetry and model checking", Formal Methods in System Design 9 (1996), on the quotient.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from coset.engines.symbolic.diagrams import Diagram
from coset.engines.symbolic.encoding import Encoding, Row
from coset.engines.symbolic.fixpoints import Watcher
from coset.engines.symbolic.permuting import Permuting
from coset.engines.symbolic.quotient import Folded, Reaching
from coset.engines.symbolic.relation import Part, merged, repeated
from coset.engines.symbolic.representatives import Key
from coset.engines.symbolic.staging import Acting, columns, neighbours, shortened
from coset.engines.symbolic.steps import Steps
from coset.symmetry.canonical.plan import is_sortable
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.methods.constraints.carried import CarriedSymmetry
from coset.symmetry.symmetry import Symmetry

Tree = tuple[tuple[int, Permuting], ...]
"""What takes a process to the others of its orbit: for each of these the number of one before it (the process itself is
0), and the symmetry that leads from there to it."""
MOST_COMPARED = 4096
"""Values of a column that are told apart when orbits are counted."""


class MovesForAll(Reaching):
    """The steps of all processes, between sets that the group keeps.  Each part has the steps of one process."""

    def __init__(self, encoding: Encoding, parts: Sequence[Part], trees: Sequence[Tree]) -> None:
        self.encoding, self.diagrams, self.parts, self.trees = encoding, encoding.diagrams, list(parts), trees
        self.rivals = [list(range(len(parts))) for _ in parts]

    def image(self, part: Part, states: Diagram) -> Diagram:
        return self.spread(part, super().image(part, states))

    def preimage(self, part: Part, states: Diagram) -> Diagram:
        return self.spread(part, super().preimage(part, states))

    def enabled(self, part: Part) -> Diagram:
        return self.spread(part, super().enabled(part))

    def spread(self, part: Part, states: Diagram) -> Diagram:
        """The union of what is said of each process.  It does not harm to move on what was moved already: the group
        moves it to nowhere else in the end, and one set is kept instead of many."""
        for _, permuting in self.trees[self.parts.index(part)]:
            states = states | permuting(states)
        return states

    def reachable(self, start: Diagram, watch: Watcher) -> Diagram:
        """All states that can be reached from a set that the group keeps.  The processes of an orbit go on until they have
        nothing to add, each time as many steps of one of them as it can take while the others wait."""
        found, before = start, self.diagrams.false
        runs = [repeated(self.encoding, part) for part in self.parts]
        while found != before:
            before = found
            for part, run in zip(self.parts, runs, strict=True):
                ring = found
                while (more := super().image(run, ring) & ~found).satisfiable():
                    ring = self.spread(part, more) & ~found
                    found = found | ring
                    self.diagrams.rest()
                    watch(found)
        watch(found)
        return found


class Orbits(Folded):
    """The orbits of a group in one encoding, and the processes that move for others."""

    def __init__(self, encoding: Encoding, acting: Acting, processes: Sequence[int]) -> None:
        self.exchanges = neighbours(acting)
        super().__init__(encoding, [acting.action(g) for g in self.exchanges])
        self.acting, self.processes = acting, processes

    def relation(self, steps: Sequence[Steps]) -> MovesForAll:
        return MovesForAll(self.encoding, [merged(self.encoding, each.taken) for each in steps], self.trees)

    def of(self, states: Diagram) -> Diagram:
        return self.unfolded(states)

    def everywhere(self, number: int, one: Diagram) -> Sequence[Diagram]:
        found = [one]
        for before, permuting in self.trees[number]:
            found.append(permuting(found[before]))
        return found

    def contains(self, states: Diagram, row: Row) -> bool:
        return self.encoding.contains(states, row)

    @cached_property
    def trees(self) -> list[Tree]:
        """For each process that moves, how the others of its orbit are reached."""
        tables = [self.acting.on_processes(g) for g in self.exchanges]
        found = []
        for process in self.processes:
            met, tree = [process], []
            for number, one in enumerate(met):
                for permuting, table in zip(self.generators, tables, strict=True):
                    if (other := table.get(one, one)) not in met:
                        met.append(other)
                        tree.append((number, permuting))
            found.append(tuple(tree))
        return found

    # --- one state of each orbit -----------------------------------------------------------------

    @cached_property
    def columns(self) -> list[tuple[Key, ...]]:
        return [columns(self.acting, family) for family in self.acting.families]

    @cached_property
    def is_exact(self) -> bool:
        """Whether columns have all that moves, so that an orbit has one state in which they are sorted."""
        held = {element for family in self.columns for column in family for element in column}
        return all(element in held for each in self.generators for element in each.action.moved)

    def counted(self, states: Diagram) -> Diagram:
        """Those with sorted columns."""
        for family in self.columns:
            for one, other in pairwise(shortened(self.encoding, family, MOST_COMPARED)):
                states = states & self.ordered(one, other)
        return states

    def ordered(self, one: Key, other: Key) -> Diagram:
        """Where a column is not greater than another."""
        bits = self.encoding.bits
        result = self.encoding.diagrams.true
        for x, y in reversed(
            [pair for a, b in zip(one, other, strict=True) for pair in zip(bits[a], bits[b], strict=True)]
        ):
            left, right = self.encoding.diagrams.variable(x), self.encoding.diagrams.variable(y)
            result = ~left & right | left.equiv(right) & result
        return result

    def canonical(self, row: Row) -> Row:
        if not self.is_exact:
            return super().canonical(row)
        result = list(row)
        for family in self.columns:
            sorted_ = sorted(tuple(result[element] for element in column) for column in family)
            for column, values in zip(family, sorted_, strict=True):
                for element, value in zip(column, values, strict=True):
                    result[element] = value
        return tuple(result)


def moves_for_all(symmetry: Symmetry | CarriedSymmetry) -> bool:
    """Whether processes can be exchanged at will, so that some move for others."""
    if not isinstance(symmetry, Symmetry) or symmetry.points is None:
        return False
    return is_sortable(describe(symmetry.group)) and len(leaders(symmetry)) < process_count(symmetry)


def pays(symmetry: Symmetry | CarriedSymmetry) -> bool:
    """Whether one process should move for all: where no element holds what is moved (references to processes, say).  With such
    elements sets of orbits are no small diagrams, as it matters who is meant, and exchanges are no mere renaming."""
    if not isinstance(symmetry, Symmetry) or not moves_for_all(symmetry):
        return False
    for action in symmetry.actions:
        rows = [*action.shared, *(pair for row in action.own for pair in row)]
        if any(table for _, table in rows) or any(action.location) or any(map(any, action.messages.values())):
            return False
    return True


def leaders(symmetry: Symmetry) -> list[int]:
    """The first process of each orbit."""
    count = process_count(symmetry)
    tables = [action.process for action in symmetry.actions]
    images = [Permutation([table.get(p, p) for p in range(count)]) for table in tables]
    return [orbit[0] for orbit in Group(count, images).orbits]


def process_count(symmetry: Symmetry) -> int:
    assert symmetry.points is not None
    return len(symmetry.points.started.state.processes)
