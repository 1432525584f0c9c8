"""What a group is: a tree of symmetric, alternating, cyclic and dihedral groups, wreath and direct products.

A *column* is a tuple of points that move together: a client, its box and its link are the first, the second and the third point
of one column.  A group on columns permutes them whole: it maps the i-th point of a column to the i-th point of a column.

Every description can say what it contains, directly from its definition; `recognition` certifies with that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from coset.source.records import dataclass
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation


@dataclass(frozen=True, slots=True)
class Structure:
    """A group of permutations of some points."""

    @property
    def points(self) -> tuple[int, ...]:
        """What it is a group on; it fixes everything else."""
        raise NotImplementedError

    @property
    def order(self) -> int:
        raise NotImplementedError

    def allows(self, g: Permutation) -> bool:
        """Whether g does on the points what some element does."""
        raise NotImplementedError

    def __contains__(self, g: Permutation) -> bool:
        return set(g.support()) <= set(self.points) and self.allows(g)

    def __str__(self) -> str:
        return name(self)


@dataclass(frozen=True)
class Columns(Structure):
    """A group that permutes columns; it is transitive on them."""

    columns: tuple[tuple[int, ...], ...]

    letter: ClassVar[str] = "?"

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(x for column in self.columns for x in column)

    @cached_property
    def home(self) -> dict[int, int]:
        """The number of the column of each point."""
        return {x: j for j, column in enumerate(self.columns) for x in column}

    def targets(self, g: Permutation) -> list[int] | None:
        """For each column the number of the one that g maps it to, whatever the order of its points."""
        found = list(range(len(self.columns)))
        for j in self.touched(g):
            reached = {self.home.get(g(x), -1) for x in self.columns[j]}
            found[j] = reached.pop()
            if reached or found[j] < 0:
                return None
        return found

    def touched(self, g: Permutation) -> set[int]:
        """The columns in which something moves."""
        return {self.home[x] for x in g.support() if x in self.home}

    def allows(self, g: Permutation) -> bool:
        targets = self.targets(g)
        return (
            targets is not None
            and self.permits(targets)
            and all(tuple(map(g, self.columns[j])) == self.columns[targets[j]] for j in self.touched(g))
        )

    def permits(self, targets: Sequence[int]) -> bool:
        """Whether the columns may be permuted like this."""
        raise NotImplementedError


@dataclass(frozen=True)
class Symmetric(Columns):
    """All permutations of the columns.

    >>> clients = Symmetric(((0, 3), (1, 4), (2, 5)))
    >>> clients.order, Permutation([1, 0, 2, 4, 3, 5]) in clients, Permutation([1, 0, 2, 3, 4, 5]) in clients
    (6, True, False)
    """

    letter: ClassVar[str] = "S"

    @property
    def order(self) -> int:
        return math.factorial(len(self.columns))

    def permits(self, targets: Sequence[int]) -> bool:
        return True


@dataclass(frozen=True)
class Alternating(Columns):
    """The even permutations of four columns or more."""

    letter: ClassVar[str] = "A"

    @property
    def order(self) -> int:
        return math.factorial(len(self.columns)) // 2

    def permits(self, targets: Sequence[int]) -> bool:
        return Permutation(targets).is_even()


@dataclass(frozen=True)
class Cyclic(Columns):
    """The rotations of columns in a ring."""

    letter: ClassVar[str] = "C"

    @property
    def order(self) -> int:
        return len(self.columns)

    def permits(self, targets: Sequence[int]) -> bool:
        size = len(self.columns)
        return all((target - targets[0] - j) % size == 0 for j, target in enumerate(targets))


@dataclass(frozen=True)
class Dihedral(Columns):
    """The rotations and reflections of columns in a ring; D5 has five columns and ten elements."""

    letter: ClassVar[str] = "D"

    @property
    def order(self) -> int:
        return 2 * len(self.columns)

    def permits(self, targets: Sequence[int]) -> bool:
        size = len(self.columns)
        return any(
            all((target - targets[0] - turn * j) % size == 0 for j, target in enumerate(targets)) for turn in (1, -1)
        )


@dataclass(frozen=True, slots=True)
class Wreath(Structure):
    """Columns that `top` permutes, and inside each of them, independently, the elements of `bottom`.

    `bottom` is given on the first column, and acts on the i-th points of the others as it does on the i-th of the first.
    Points of a column that `bottom` does not move are heads: a server with its clients.

    >>> two = Wreath(Symmetric(((0, 1, 2, 3), (4, 5, 6, 7))), Symmetric(((1,), (2,), (3,))))
    >>> two.order, str(two), Permutation.of_cycles(8, [(0, 4), (1, 5, 2, 6), (3, 7)]) in two
    (72, 'S3 wr S2', True)
    """

    top: Columns
    bottom: Structure

    @property
    def points(self) -> tuple[int, ...]:
        return self.top.points

    @property
    def order(self) -> int:
        return math.prod([self.top.order, *[self.bottom.order] * len(self.top.columns)])

    def allows(self, g: Permutation) -> bool:
        columns = self.top.columns
        targets = self.top.targets(g)
        if targets is None or not self.top.permits(targets):
            return False
        for j in self.top.touched(g):
            images, target = tuple(map(g, columns[j])), columns[targets[j]]
            if images != target:
                place = {x: i for i, x in enumerate(target)}
                if Permutation([place[x] for x in images]).moved(g.degree, columns[0]) not in self.bottom:
                    return False
        return True


@dataclass(frozen=True, slots=True)
class Product(Structure):
    """A direct product of groups on disjoint sets of points; of none, the trivial group."""

    factors: tuple[Structure, ...]

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(x for factor in self.factors for x in factor.points)

    @property
    def order(self) -> int:
        return math.prod(factor.order for factor in self.factors)

    def allows(self, g: Permutation) -> bool:
        return all(factor.allows(g) for factor in self.factors)


@dataclass(frozen=True, slots=True)
class Tied(Structure):
    """What happens on the points of `base` decides what happens on other points, but these do not form columns.

    So with a channel for each pair of clients: the clients are permuted at will, and the channels follow.
    """

    base: Structure
    group: Group

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(x for orbit in self.group.moved for x in orbit)

    @property
    def order(self) -> int:
        return self.base.order

    def allows(self, g: Permutation) -> bool:
        return self.base.allows(g) and allowed(self.group, self.points, g)


@dataclass(frozen=True, slots=True)
class Other(Structure):
    """A group about whose structure nothing is known."""

    group: Group

    @property
    def points(self) -> tuple[int, ...]:
        return tuple(x for orbit in self.group.moved for x in orbit)

    @property
    def order(self) -> int:
        return self.group.order

    def allows(self, g: Permutation) -> bool:
        return allowed(self.group, self.points, g)


def allowed(group: Group, points: Sequence[int], g: Permutation) -> bool:
    """Whether g does on the points what an element of the group does, which moves nothing else."""
    return {g(x) for x in points} == set(points) and g.restricted(points).moved(g.degree, points) in group


def name(structure: Structure, names: Sequence[str] | None = None, kinds: Sequence[str] | None = None) -> str:
    """In words.  With names of the points it says what is permuted, and with kinds in short.

    >>> clients = Symmetric(((0, 3), (1, 4)))
    >>> name(clients), name(clients, ["1", "2", "3", "a", "b"])
    ('S2', 'S2 on {1,2}')
    >>> name(clients, ["client1", "client2", "client3", "box1", "box2"])
    'S2 on client{1,2}'
    >>> name(Product((clients,)), ["1", "2", "3", "a", "b"], ["client", "client", "server", "box", "box"])
    'S2 on client'
    >>> name(Product(()))
    'trivial'
    """
    match structure:
        case Product(factors):
            return " x ".join(name(factor, names, kinds) for factor in factors) or "trivial"
        case Columns():
            text = f"{structure.letter}{len(structure.columns)}"
        case Wreath(top, bottom):
            inner = name(bottom)
            text = f"({inner}) wr {name(top)}" if " " in inner else f"{inner} wr {name(top)}"
        case Tied(base):
            text = name(base)
        case _:
            text = f"order {structure.order} on {len(structure.points)} points"
    return text if names is None else f"{text} on {where(sorted(shown(structure)), names, kinds)}"


def shown(structure: Structure) -> tuple[int, ...]:
    """The points by which a group is named: one of each column, and the clients rather than the servers."""
    match structure:
        case Columns(columns):
            return tuple(column[0] for column in columns)
        case Wreath(top, bottom):
            places = [top.columns[0].index(x) for x in shown(bottom)]
            return tuple(column[i] for column in top.columns for i in places)
        case Product(factors):
            return max(map(shown, factors), key=len)
        case Tied(base):
            return shown(base)
    return structure.points


def where(points: Sequence[int], names: Sequence[str], kinds: Sequence[str] | None) -> str:
    """The points by kind, as `client{1,2}`, or `client` if these are all of the kind."""
    if kinds is None:
        kinds = [found[1] if (found := re.fullmatch(r"(.*?)(\d+|\[\d+\])", each)) else "" for each in names]
    texts = []
    for kind in dict.fromkeys(kinds[x] for x in points):
        among = [x for x in points if kinds[x] == kind]
        labels = [names[x].removeprefix(kind).strip("[]") or names[x] for x in among]
        texts.append(kind if kind and len(among) == kinds.count(kind) else f"{kind}{{{spans(labels)}}}")
    return ", ".join(texts)


def spans(labels: Sequence[str]) -> str:
    """A list of labels; long ones with runs of numbers put together.

    >>> spans(["1", "2", "4", "5"]), spans([*map(str, range(1, 100)), "200"])
    ('1,2,4,5', '1..99,200')
    """
    if len(labels) <= 12 or not all(label.isdecimal() for label in labels):
        return ",".join(labels)
    runs: list[list[int]] = []
    for number in map(int, labels):
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ",".join("..".join(map(str, run)) for run in runs)
