"""A plan for representatives under a group of permutations of literals (see `coset.symmetry.canonical.plan`).

A state is a set of literals, one of each element, and its image the set of their images.  Small groups are stored as a table
of their elements; for others, literals are sorted or searched along a chain, as for groups of objects.  The key of a literal
consists of the *orbitals* that it forms with the literals of the state (orbits of pairs of points; D. G. Higman, Intersection
matrices for finite permutation groups, J. Algebra 1967).
"""

from __future__ import annotations

from coset.source.records import dataclass
from coset.symmetry.canonical.plan import LARGEST_ORDER, GroupPlan, Unplannable, group_plan, is_sortable, numbers
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.literal_action import Point, cycles, names
from coset.symmetry.methods.constraints.carried import CarriedSymmetry
from coset.symmetry.startup import StartedStates

MOST_TABLED, LARGEST_TABLE = 720, 150_000
"""The largest order of a group that is stored as a table, and the largest size of the table."""
MOST_RELATED = 256
"""The most points whose orbitals are computed."""
MOST_POINTS = 1 << 14

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LiteralPlan(GroupPlan):
    """Where the points are literals: those of `moved`, each an element of the sequential form with a value."""

    symmetry: CarriedSymmetry
    moved: tuple[Point, ...]
    table: tuple[Row, ...] = ()
    """All elements of a small group."""
    orbitals: tuple[Row, ...] = ()
    """For two points the number of the orbital that they are in."""

    def exact(self) -> LiteralPlan:
        """A plan for the same group with one representative for each orbit.  Raises `Unplannable`."""
        found = plan_literals(self.symmetry)
        assert found is not None
        return found

    @property
    def started(self) -> StartedStates:
        return self.symmetry.started

    def show(self, number: int) -> str:
        """A generator in cycle notation, by the names of elements and literals."""
        assert self.symmetry.form is not None
        return cycles(Permutation(self.generators[number]), self.moved, names(self.symmetry.form.flat))


def plan_literals(symmetry: CarriedSymmetry, strategy: str = "auto") -> LiteralPlan | None:
    """The plan for a group; None if nothing moves.  Raises `Unplannable`."""
    if symmetry.form is None or symmetry.found is None:
        return None
    points, homes = symmetry.found.points, symmetry.form.flat.homes
    # In a stored state no process holds control, so the holder need not be permuted.
    seen = [x for x in sorted(symmetry.group.support) if homes[points[x][0]].what != "control"]
    group = symmetry.group.projection(seen)
    if group.order == 1:
        return None
    if group.order >= LARGEST_ORDER or len(group.support) > MOST_POINTS:
        raise Unplannable(f"a group of order {group.order:,} on {len(group.support)} literals is too large")
    structure = describe(group)
    size = group.order * len(group.support)
    is_small = group.order <= MOST_TABLED and size <= LARGEST_TABLE
    if strategy == "auto":
        strategy = "sort" if is_sortable(structure) else "enumerate" if is_small else "chain"
    made = group_plan(group, structure, strategy)
    number = numbers(group)
    table: tuple[Row, ...] = ()
    if strategy == "enumerate" and is_small:
        table = tuple(tuple(number[g(x)] for x in number) for g in group.elements())
    return LiteralPlan(
        made.strategy, made.order, made.orbit, made.families, made.levels, made.generators,
        symmetry, tuple(points[x] for x in number), table,
        orbitals(group) if strategy == "chain" and len(number) <= MOST_RELATED else (),
    )  # fmt: skip


def orbitals(group: Group) -> tuple[Row, ...]:
    """The number of the orbital of any two of the points that move.

    >>> from coset.symmetry.groups.permutation import Permutation
    >>> orbitals(Group(3, [Permutation([1, 2, 0])]))
    ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    """
    number = numbers(group)
    moves = [[number[g(x)] for x in number] for g in group.generators]
    size = len(number)
    found = [[-1] * size for _ in range(size)]
    count = 0
    for x in range(size):
        for y in range(size):
            if found[x][y] >= 0:
                continue
            found[x][y] = count
            pending = [(x, y)]
            while pending:
                a, b = pending.pop()
                for move in moves:
                    c, d = move[a], move[b]
                    if found[c][d] < 0:
                        found[c][d] = count
                        pending.append((c, d))
            count += 1
    return tuple(map(tuple, found))
