"""Wreath products of symmetric groups as forests of columns.

The clients of a server move with it, and among themselves: a server is a column, and its clients are its children.

    S3 wr S2     server 0: clients 2 3 4      server 1: clients 5 6 7

All columns at the same place in the description of a group are a *generation*.  A symmetry permutes the columns of a generation
so that children of one column become children of one column; apart from that, it may permute the children of each at will.
"""

from __future__ import annotations

from coset.source.records import dataclass
from coset.symmetry.groups.structure import Product, Structure, Symmetric, Wreath

Column = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Generation:
    """Columns of points, the children of one parent side by side, in the order of their parents."""

    columns: tuple[Column, ...]
    parents: int | None
    """The number of the generation that has their parents, which comes before; None if each is a root."""


def forest(structure: Structure) -> list[Generation] | None:
    """The generations of a direct product of iterated wreath products of symmetric groups; None for other groups.

    Two servers, each with three clients:

    >>> clients = Symmetric(((1,), (2,), (3,)))
    >>> for each in forest(Wreath(Symmetric(((0, 1, 2, 3), (4, 5, 6, 7))), clients)):
    ...     print(each.columns, each.parents)
    ((0,), (4,)) None
    ((1,), (2,), (3,), (5,), (6,), (7,)) 0
    """
    found = list[Generation]()
    return found if grow(structure, [{x: x for x in structure.points}], None, found) else None


def grow(structure: Structure, copies: list[dict[int, int]], parents: int | None, found: list[Generation]) -> bool:
    """Add the generations of a group and of its copies, which are given by where its points are in each; returns whether it is
    such a group."""
    match structure:
        case Product(factors):
            return all(grow(factor, copies, parents, found) for factor in factors)
        case Symmetric(columns):
            found.append(
                Generation(tuple(tuple(copy[x] for x in each) for copy in copies for each in columns), parents)
            )
            return True
        case Wreath(Symmetric(columns), bottom):
            below, number = set(bottom.points), len(found)
            heads = [k for k, x in enumerate(columns[0]) if x not in below]
            found.append(
                Generation(tuple(tuple(copy[each[k]] for k in heads) for copy in copies for each in columns), parents)
            )
            inner = [{x: copy[y] for x, y in zip(columns[0], each, strict=True)} for copy in copies for each in columns]
            return grow(bottom, inner, number, found)
    return False
