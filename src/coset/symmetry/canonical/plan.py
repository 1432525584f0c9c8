"""From a group to a plan for computing representatives of orbits.

Only the points that move matter; they are renumbered.  There are two ways to search for the representative:

`sort`    The group is a direct product of symmetric groups on columns (a process with its channel, its array element,
          ...).  Columns are sorted by invariant keys.  Columns with equal keys are tried in every order, unless
          exchanging them changes nothing.
`chain`   Any group, by a stabiliser chain: which point is mapped to the first base point, which then to the second, and
          so on; at each level only the points with the least key are pursued.

Both are exact.  `enumerate` is `chain` without keys, so that every element is tried: slow, for small groups and for tests.
`local` moves to a smaller image under a generator until there is none: an orbit may have several representatives.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.source.records import dataclass
from coset.symmetry.action import Point, Points
from coset.symmetry.canonical.strategies import STRATEGIES
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.groups.structure import Columns, Product, Structure, Symmetric, Wreath
from coset.symmetry.startup import StartedStates
from coset.symmetry.symmetry import Symmetry

LARGEST_TABLES = 2_000_000
"""The most entries of the tables of a chain; for a group that needs more, only `sort` is possible."""
MOST_ENUMERATED = 100_000
LARGEST_ORDER = 1 << 128


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a stabiliser chain: for each point of the orbit of `base` an element that maps the base to it."""

    base: int
    orbit: tuple[int, ...]
    leads: tuple[tuple[int, ...], ...]


Family = tuple[tuple[int, ...], ...]
"""Interchangeable columns."""


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A plan for representatives under a group of permutations of points; only points that move have numbers."""

    strategy: str
    order: int
    orbit: tuple[int, ...]
    """For each moved point the number of its orbit."""
    families: tuple[Family, ...]
    levels: tuple[Level, ...]
    generators: tuple[tuple[int, ...], ...]

    @property
    def is_exact(self) -> bool:
        """Whether there is one representative for each orbit."""
        return STRATEGIES[self.strategy].exact

    @property
    def has_runs(self) -> bool:
        """Whether each path of representatives is one of some run of the model, step by step."""
        return True

    @property
    def counts(self) -> bool:
        """Whether the sizes of orbits are known: there is one representative per orbit, and the sizes fit into the 128 bits
        that the compiled engine counts in."""
        return self.is_exact and self.order < LARGEST_ORDER


@dataclass(frozen=True, slots=True)
class SymmetryPlan(GroupPlan):
    """A plan whose points are objects of a model: those of `moved`."""

    symmetry: Symmetry
    moved: tuple[Point, ...]

    @property
    def counts(self) -> bool:
        """Whether the sizes of orbits are known, and add up to the number of reachable states."""
        return GroupPlan.counts.__get__(self) and self.symmetry.sums

    def exact(self) -> SymmetryPlan:
        """A plan for the same group with one representative for each orbit.  Raises `Unplannable`."""
        found = plan(self.symmetry)
        assert found is not None
        return found

    @property
    def points(self) -> Points:
        assert self.symmetry.points is not None
        return self.symmetry.points

    @property
    def started(self) -> StartedStates:
        return self.points.started

    def show(self, number: int) -> str:
        """A generator in cycle notation, by name."""
        return self.symmetry.show(self.symmetry.group.generators[number])


class Unplannable(Exception):
    """The strategy cannot be used with this group; the message says why."""


def plan(symmetry: Symmetry, strategy: str = "auto") -> SymmetryPlan | None:
    """The plan for a group; None if nothing moves."""
    if symmetry.points is None or symmetry.order == 1:
        return None
    group = symmetry.group
    number = numbers(group)
    structure = describe(group)
    is_sorted = is_sortable(structure)
    if strategy == "auto":
        strategy = "sort" if is_sorted else "chain"
    made = group_plan(group, structure, strategy)
    return SymmetryPlan(
        made.strategy, made.order, made.orbit, made.families, made.levels, made.generators,
        symmetry, tuple(symmetry.points.points[x] for x in number),
    )  # fmt: skip


def numbers(group: Group) -> dict[int, int]:
    """The points that move, with their new numbers."""
    return {x: k for k, x in enumerate(sorted(x for orbit in group.moved for x in orbit))}


def group_plan(group: Group, structure: Structure, strategy: str) -> GroupPlan:
    """The plan for a group of this structure by the given strategy.  Raises `Unplannable`."""
    if strategy == "sort" and not is_sortable(structure):
        raise Unplannable(f"'sort' is for products of symmetric groups, and this group is {structure}; try 'chain'")
    if strategy == "enumerate" and group.order > MOST_ENUMERATED:
        raise Unplannable(f"a group of order {group.order:,} is too large to be enumerated; try 'auto'")
    number = numbers(group)
    orbit = {x: k for k, found in enumerate(group.moved) for x in found}
    return GroupPlan(
        strategy,
        group.order,
        tuple(orbit[x] for x in number),
        tuple(tuple(tuple(number[x] for x in column) for column in family) for family in exchangeable(structure)),
        tuple(chain(group, number)) if strategy in ("chain", "enumerate") else (),
        tuple(renumbered(g, number) for g in group.generators),
    )


def renumbered(g: Permutation, number: dict[int, int]) -> tuple[int, ...]:
    """A permutation of the moved points, by their new numbers."""
    return tuple(number[g(x)] for x in number)


def chain(group: Group, number: dict[int, int]) -> Iterator[Level]:
    """The levels of a stabiliser chain; base points are processes first, as their keys differ most."""
    found = group.chain_at(sorted(number), ordered=False)
    size = sum(len(level) for level in found.levels) * len(number)
    if size > LARGEST_TABLES:
        raise Unplannable(f"the stabiliser chain of a group of order {group.order:,} is too large")
    for level in found.levels:
        if len(level) > 1:
            points = level.orbit()
            leads = tuple(renumbered(level.to_point(x).inverse(), number) for x in points)
            yield Level(number[level.point], tuple(number[x] for x in points), leads)


def is_sortable(structure: Structure) -> bool:
    """Whether a group is a direct product of symmetric groups on columns."""
    match structure:
        case Product(factors):
            return all(map(is_sortable, factors))
    return isinstance(structure, Symmetric)


def exchangeable(structure: Structure) -> Iterator[Family]:
    """Families of columns any two of which the group exchanges while it fixes all other points."""
    match structure:
        case Product(factors):
            for factor in factors:
                yield from exchangeable(factor)
        case Symmetric(columns):
            yield columns
        case Wreath(top, bottom):
            if isinstance(top, Symmetric):
                yield top.columns
            first = top.columns[0]
            for column in top.columns:
                place = dict(zip(first, column, strict=True))
                for family in exchangeable(bottom):
                    yield tuple(tuple(place[x] for x in inner) for inner in family)
        case Columns():
            return
