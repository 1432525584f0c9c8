"""The orbit problem: are two vectors the same up to a group, and which is the least that is (Clarke, Emerson, Jha and
Sistla, Symmetry Reductions in Model Checking, CAV 1998, Sections 4 and 5.1).

A group on the points 0, ..., n - 1 acts on vectors of length n: g takes what is at place i to place g(i).

`same_orbit`      OP: does an element take s to t?  At least as hard as graph isomorphism.
`carrier`         the same, with the element.
`least`           COP (Definition 8): the lexicographically least vector of an orbit.  NP-hard (Babai and Luks 1983).
`into_itself`     SSC: does an element of a coset map a set to itself?  As hard as OP (Theorem 5), to which it is reduced.

For groups that are *easy* it takes polynomial time: symmetric groups by sorting (Lemma 11), also those that are generated
by transpositions, as these are products of such (Lemma 12); products part by part (Lemma 9); wreath products from the
inside out (Lemma 10); rotations and other groups of few elements by trying each.  Other groups are searched through a
stabiliser chain, place by place, with all that is least so far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from coset.symmetry.groups.chain import Chain
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.groups.structure import (
    Columns,
    Cyclic,
    Dihedral,
    Other,
    Product,
    Structure,
    Symmetric,
    Tied,
    Wreath,
)

Vector = tuple[int, ...]

FEW = 64
"""Groups of so many elements are gone through one by one."""


def moved(g: Permutation, s: Sequence[int]) -> Vector:
    """The vector after a permutation of its places.

    >>> moved(Permutation([1, 2, 0]), (7, 8, 9))
    (9, 7, 8)
    """
    images = [0] * len(s)
    for place, value in enumerate(s):
        images[g(place)] = value
    return tuple(images)


def same_orbit(group: Group, s: Sequence[int], t: Sequence[int]) -> bool:
    """Whether an element of the group takes s to t.

    >>> ring = Group(4, [Permutation([1, 2, 3, 0])])
    >>> same_orbit(ring, (0, 0, 1, 1), (1, 0, 0, 1)), same_orbit(ring, (0, 0, 1, 1), (0, 1, 0, 1))
    (True, False)
    """
    fitting(group, s, t)
    if any(Counter(s[x] for x in orbit) != Counter(t[x] for x in orbit) for orbit in group.orbits):
        return False
    structure = describe(group)
    if is_easy(structure):
        return least_of(structure, tuple(s)) == least_of(structure, tuple(t))
    return carrier(group, s, t) is not None


def least(group: Group | Structure, s: Sequence[int]) -> Vector:
    """The lexicographically least image of the vector s under the group.  For repeated calls, pass the structure of the group
    (`describe`), so that it is not recognised again.

    >>> least(Group.symmetric(4), (2, 0, 1, 0)), least(Group(4, [Permutation([1, 2, 3, 0])]), (2, 0, 1, 0))
    ((0, 0, 1, 2), (0, 1, 0, 2))
    """
    if isinstance(group, Structure):
        return least_of(group, tuple(s))
    fitting(group, s)
    return least_of(describe(group), tuple(s))


def fitting(group: Group, *vectors: Sequence[int]) -> None:
    for vector in vectors:
        if len(vector) != group.degree:
            raise ValueError(f"a vector of {len(vector)} places, and a group on {group.degree} points")


# --- easy groups ---------------------------------------------------------------------------------


def is_easy(structure: Structure) -> bool:
    """Whether the least vector takes polynomial time.

    >>> pairs = Symmetric(((0, 1), (2, 3), (4, 5), (6, 7), (8, 9)))
    >>> is_easy(Wreath(pairs, Symmetric(((0,), (1,))))), is_easy(pairs)
    (True, True)
    >>> is_easy(Symmetric(((0, 9), (1, 8), (2, 7), (3, 6), (4, 5))))
    False
    """
    match structure:
        case Product(factors):
            return all(map(is_easy, factors))
        case Cyclic() | Dihedral():
            return True
        case Wreath(Symmetric() | Cyclic() | Dihedral() as top, bottom) if is_aligned(top):
            return is_easy(bottom)
        case Symmetric() if is_aligned(structure):
            return True
    return structure.order <= FEW


def is_aligned(columns: Columns) -> bool:
    """Whether the columns can be put into an order such that their points are in the same order in each of them, and so
    are the i-th points of all: what is least place by place is then least column by column."""
    rows = list(zip(*arranged(columns), strict=True))
    return all(list(row) == sorted(row) for row in rows) and all(
        list(column) == sorted(column) for column in zip(*rows, strict=True)
    )


def arranged(columns: Columns) -> list[tuple[int, ...]]:
    """The columns by their first points, and these in the order that they have in the first of them."""
    places = sorted(range(len(columns.columns[0])), key=lambda i: columns.columns[0][i])
    return sorted(tuple(column[i] for i in places) for column in columns.columns)


def least_of(structure: Structure, s: Vector) -> Vector:
    """The least vector under a group of known structure."""
    match structure:
        case Product(factors):
            for factor in factors:
                s = least_of(factor, s)
            return s
        case Cyclic() | Dihedral():
            return min(turned(structure, s))
        case Symmetric() if is_aligned(structure):
            return refilled(s, structure, sorted(contents(structure, s)))
        case Wreath(Symmetric() | Cyclic() | Dihedral() as top, bottom) if is_aligned(top):
            inside = [least_inside(top, bottom, s, column) for column in top.columns]
            for column, values in zip(top.columns, inside, strict=True):
                s = replaced(s, column, values)
            if isinstance(top, Symmetric):
                return refilled(s, top, sorted(contents(top, s)))
            return min(turned(top, s))
    return searched(structure, s)


def contents(columns: Columns, s: Vector) -> list[Vector]:
    return [tuple(s[x] for x in column) for column in arranged(columns)]


def refilled(s: Vector, columns: Columns, values: Iterable[Vector]) -> Vector:
    for column, held in zip(arranged(columns), values, strict=True):
        s = replaced(s, column, held)
    return s


def replaced(s: Vector, places: Sequence[int], values: Sequence[int]) -> Vector:
    result = list(s)
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return tuple(result)


def least_inside(top: Columns, bottom: Structure, s: Vector, column: tuple[int, ...]) -> Vector:
    """What is least in a column, by what the group does in the first."""
    first = top.columns[0]
    there = least_of(bottom, replaced(s, first, [s[x] for x in column]))
    return tuple(there[x] for x in first)


def turned(ring: Columns, s: Vector) -> Iterable[Vector]:
    """All rotations, and with a dihedral group all reflections."""
    columns, size = ring.columns, len(ring.columns)
    held = [tuple(s[x] for x in column) for column in columns]
    for turn in (1, -1) if isinstance(ring, Dihedral) else (1,):
        for start in range(size):
            image = s
            for j, column in enumerate(columns):
                image = replaced(image, column, held[(start + turn * j) % size])
            yield image


# --- any group -----------------------------------------------------------------------------------


def group_of(structure: Structure, degree: int) -> Group:
    """The group that a structure describes."""
    match structure:
        case Tied(_, group) | Other(group):
            return group
        case Columns(columns):
            return Group(degree, [column_move(degree, columns, targets) for targets in generating(structure)])
        case Wreath(top, bottom):
            inner = group_of(bottom, degree)
            return group_of(top, degree).join(inner)
        case Product(factors):
            return Group(degree).join(*(group_of(factor, degree) for factor in factors))
    raise TypeError(f"unknown structure {type(structure).__name__}")


def generating(columns: Columns) -> list[list[int]]:
    """Permutations of columns that generate those that a structure permits."""
    size = len(columns.columns)
    turn = [*range(1, size), 0]
    match columns:
        case Cyclic():
            return [turn]
        case Dihedral():
            return [turn, list(reversed(range(size)))]
        case Symmetric():
            return [turn, [1, 0, *range(2, size)]]
    return [[1, j, *range(2, j), 0, *range(j + 1, size)] for j in range(2, size)]


def column_move(degree: int, columns: Sequence[tuple[int, ...]], targets: Sequence[int]) -> Permutation:
    images = list(range(degree))
    for j, target in enumerate(targets):
        for x, y in zip(columns[j], columns[target], strict=True):
            images[x] = y
    return Permutation(images)


def searched(structure: Structure, s: Vector) -> Vector:
    """The least vector by a stabiliser chain.

    With k an element such that t[i] = s[k(i)], and the levels at all points in ascending order: what comes to the point of
    a level depends on k at this level and those before, so all products that have given the least so far go on.
    """
    chain = group_of(structure, len(s)).chain_at(sorted(structure.points), ordered=True)
    found = {s: Permutation.identity(len(s))}
    for level in chain.levels:
        leading = [(s[q(x)], x, q) for q in found.values() for x in level.orbit()]
        wanted = min(value for value, _, _ in leading)
        found = {}
        for value, x, q in leading:
            if value == wanted:
                k = level.to_point(x).inverse() * q
                found.setdefault(tuple(s[k(i)] for i in range(len(s))), k)
    return min(found)


def carrier(group: Group, s: Sequence[int], t: Sequence[int]) -> Permutation | None:
    """An element of the group that takes s to t, if there is one.

    >>> ring = Group(4, [Permutation([1, 2, 3, 0])])
    >>> carrier(ring, (0, 0, 1, 1), (1, 0, 0, 1))
    Permutation(4, '(0 1 2 3)')
    """
    fitting(group, s, t)
    if any(s[orbit[0]] != t[orbit[0]] for orbit in group.orbits if len(orbit) == 1):
        return None
    rarest = Counter(t)
    points = sorted(group.support, key=lambda x: (rarest[t[x]], x))
    k = fetched(group.chain_at(points, ordered=True), 0, Permutation.identity(group.degree), s, t)
    return None if k is None else k.inverse()


def fetched(chain: Chain, i: int, q: Permutation, s: Sequence[int], t: Sequence[int]) -> Permutation | None:
    """An element k with t[x] = s[k(x)] for all x, which at the levels before i is as in q."""
    if i == len(chain.levels):
        return q
    level = chain.levels[i]
    for x in level.orbit():
        if s[q(x)] == t[level.point]:
            found = fetched(chain, i + 1, level.to_point(x).inverse() * q, s, t)
            if found is not None:
                return found
    return None


def into_itself(group: Group, by: Permutation, points: Iterable[int]) -> Permutation | None:
    """An element of the coset `group * by` that maps a set of points to itself (Theorem 5: g * by does so if g takes the
    set to its image under by**-1, which is the orbit problem).

    >>> into_itself(Group(4, [Permutation([1, 2, 3, 0])]), Permutation([2, 1, 0, 3]), [0, 1])
    Permutation(4, '(0 1)(2 3)')
    """
    among = set(points)
    back = {by.inverse()(x) for x in among}
    g = carrier(group, *([int(x in each) for x in range(group.degree)] for each in (among, back)))
    return None if g is None else g * by
