"""Recognise the structure of a group, and certify it.

The steps: orbits on which the group does the same are put into columns; what is independent is separated; and each
part that is left is compared with the groups of `structure`.  Reasoning only proposes.  What decides is the
certificate at the end: the description has the order of the group, and allows each of its generators.  Two finite groups,
one inside the other, of one order are the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from coset.symmetry.groups.group import Group
from coset.symmetry.groups.orbits import Partition, blocks, equivariant_maps, linked
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.structure import (
    Alternating,
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

Orbit = tuple[int, ...]

CHOICES = 64
"""So many ways to put points into columns are tried."""


class NotCertified(Exception):
    """A description was found that is not that of the group: an internal error."""


def describe(group: Group) -> Structure:
    """The structure of a group; `Other` where it is not known.

    Two servers with three clients each, and a ring of four:

    >>> cycles = [[(0, 1)], [(1, 2)], [(0, 3), (1, 4), (2, 5), (6, 7)], [(8, 9, 10, 11)]]
    >>> group = Group(12, [Permutation.of_cycles(12, each) for each in cycles])
    >>> print(describe(group), describe(group).order)
    S3 wr S2 x C4 288
    """
    parts = [recognise(group.projection(part)) for part in independent(group)]
    found = parts[0] if len(parts) == 1 else Product(tuple(parts))
    if found.order != group.order or group.support != set(found.points) or not all(map(found.allows, group.generators)):
        raise NotCertified(f"a group of order {group.order} was taken for {found}")
    return found


def independent(group: Group) -> list[tuple[int, ...]]:
    """The finest partition of the points that move such that the group is the direct product of its actions on the parts.

    Orbits that no generator connects, directly or through others, are independent.  Where one does, orders decide.

    >>> pairs = [[(0, 1), (2, 3)], [(2, 3), (4, 5)], [(6, 7), (8, 9)], [(6, 7)]]
    >>> independent(Group(10, [Permutation.of_cycles(10, each) for each in pairs]))
    [(0, 1, 2, 3, 4, 5), (6, 7), (8, 9)]
    """
    classes = linked(group.generators, group.moved)
    home = {x: i for i, each in enumerate(classes) for x in each[0]}
    partition = Partition(range(len(classes)))
    for g in group.generators:
        touched = [home[x] for x in g.support() if x in home]
        for i in touched:
            partition.unite(touched[0], i)
    atoms = [atom for part in partition.parts() for atom in finest(group, [classes[i] for i in part])]
    return sorted(tuple(sorted(x for each in atom for orbit in each for x in orbit)) for atom in atoms)


def finest(group: Group, classes: Sequence[list[Orbit]]) -> list[list[list[Orbit]]]:
    """The finest partition into independent parts, by orders alone; each class counts by its first orbit.

    One class after another is taken in.  A part that was independent of the others stays so if and only if
    the order is the product of that on the part and that on all the rest; otherwise it joins the new class.
    That each pair is independent would not be enough: see the example of `independent`.
    """

    def order(parts: Iterable[list[list[Orbit]]]) -> int:
        return group.order_on([x for part in parts for each in part for x in each[0]])

    atoms: list[list[list[Orbit]]] = []
    for new in classes:
        joined, kept = [new], []
        for atom in atoms:
            rest = [other for other in atoms if other is not atom] + [[new]]
            if order([atom]) * order(rest) == order([atom, *rest]):
                kept.append(atom)
            else:
                joined += atom
        atoms = [*kept, joined]
    return atoms


def recognise(group: Group) -> Structure:
    """The structure of a group that is not a direct product on disjoint sets of points."""
    if not group.generators:
        return Product(())
    found = on_columns(group)
    if found is not None:
        return found
    for orbit, *_ in linked(group.generators, sorted(group.moved, key=len)):
        base = group.projection(orbit)
        if base.order == group.order and (found := on_columns(base)) is not None:
            return tied(group, list(orbit), found)
    return Other(group)


def tied(group: Group, points: list[int], base: Structure) -> Structure:
    """With a base that is faithful, and as large as can be."""
    for orbit in group.moved:
        if orbit[0] not in points:
            larger = on_columns(group.projection([*points, *orbit]))
            if larger is not None:
                points, base = [*points, *orbit], larger
    return Tied(base, group)


def on_columns(group: Group) -> Structure | None:
    """As a group on columns or a wreath product, if it is one; columns are numbered by an orbit or by blocks of one."""
    classes = linked(group.generators, sorted(group.moved, key=len))
    for orbit, *_ in classes:
        found = numbered_by(group, orbit, group.moved, group.degree)
        if found is not None:
            return found
    for orbit, *_ in classes:
        for system in block_systems(group, orbit):
            larger = with_blocks(group, system)
            found = numbered_by(larger, range(group.degree, larger.degree), group.moved, group.degree)
            if found is not None:
                return found
    return None


def block_systems(group: Group, orbit: Orbit) -> list[list[tuple[int, ...]]]:
    """Partitions of an orbit that the group keeps, those of the fewest parts first.

    The least block with x and y is, up to the stabiliser of x, one for each orbit of that stabiliser.
    """
    x = orbit[0]
    systems = []
    for y, *_ in group.stabiliser(x).orbits:
        if y != x and y in orbit:
            system = blocks(group.generators, orbit, x, y)
            if len(system) > 1 and system not in systems:
                systems.append(system)
    return sorted(systems, key=len)


def with_blocks(group: Group, system: Sequence[tuple[int, ...]]) -> Group:
    """The same group with one more point for each block."""
    home = {x: group.degree + i for i, block in enumerate(system) for x in block}
    generators = [Permutation([*g.images(), *(home[g(block[0])] for block in system)]) for g in group.generators]
    return Group(group.degree + len(system), generators, group.order)


def numbered_by(group: Group, index: Sequence[int], orbits: Sequence[Orbit], degree: int) -> Structure | None:
    """As a group on columns, one for each point of `index`, into which the orbits are put.

    A group that permutes m columns as T does, and in which the elements that keep the first column act on it as K does,
    is contained in the wreath product of K by T, so it is that if it has |K|^m |T| elements.
    """
    size, top_order = len(index), group.order_on(index)
    inner = root(group.order // top_order, size)
    if inner is None:
        return None
    arranged = arrange(group.restriction(index))
    if arranged is None:
        return None
    kind, ring = arranged
    index = [index[i] for i in ring]
    others = [orbit for orbit in orbits if orbit[0] not in index]
    stabiliser = group.stabiliser(index[0])
    leads = group.transversal(index[0])
    choices = [equivariant_maps(group.generators, orbit, index) for orbit in others]
    for maps in itertools.islice(itertools.product(*choices), CHOICES):
        first = sorted(x for each in maps for x, j in each.items() if j == index[0])
        if len(others) < len(orbits):
            first = sorted([index[0], *first])
        if stabiliser.order_on(first) == inner:
            top = kind(tuple(tuple(map(leads[j], first)) for j in index))
            inside = stabiliser.restriction(first)
            bottom = describe(Group(degree, [g.moved(degree, first) for g in inside.generators], inner))
            return top if bottom.order == 1 else Wreath(top, bottom)
    return None


def root(power: int, exponent: int) -> int | None:
    """The number whose power this is, if there is one.

    >>> root(6**500, 500), root(5**3, 2), root(1, 7)
    (6, None, 1)
    """
    low, high = 1, 1 << (power.bit_length() // exponent + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**exponent < power else (low, middle)
    return low if low**exponent == power else None


def arrange(group: Group) -> tuple[type[Columns], Sequence[int]] | None:
    """What a transitive group does on its points, and their order in the ring if it is cyclic or dihedral."""
    size, order = group.degree, group.order
    if order == math.factorial(size):
        return Symmetric, range(size)
    if size > 3 and order == math.factorial(size) // 2:
        return Alternating, range(size)
    if order not in (size, 2 * size):
        return None
    for g in group.elements():
        ring = next(g.cycles(), ())
        if len(ring) == size:
            kind = Cyclic if order == size else Dihedral
            turning = kind(tuple((x,) for x in ring))
            return (kind, ring) if all(h in turning for h in group.generators) else None
    return None
