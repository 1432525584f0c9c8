"""Which declared types have values that can all be exchanged, whatever the program says about them.

A *scalarset* is a type whose values may be permuted in every way, in all variables and indices at once (Ip and Dill, Better
verification through symmetry, Formal Methods in System Design 9, 1996).  The group is found without declarations; so a
range that is treated like a scalarset can be named, and so can a scalarset that is not one.
"""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import model as m
from coset.model.declared import DeclaredType
from coset.symmetry.action import Point, Points
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.sorts import Sort
from coset.symmetry.symmetry import Finding, Symmetry

MOST_VALUES = 64
"""Nothing is said of types with more values."""


def declared_types(found: Symmetry) -> tuple[Finding, ...]:
    """A remark about each range that could be a scalarset, and each scalarset that is none."""
    points = found.points
    if points is None:
        return ()
    remarks = []
    for type_ in points.interpreter.model.declared:
        size = type_.greatest - type_.least + 1
        if not 1 < size <= MOST_VALUES or not (type_.indexed or type_.holding):
            continue
        if is_scalarset(type_, points, found.group):
            if not type_.is_scalarset:
                text = f"the values of `{type_.name}` can all be exchanged: it could be declared `scalarset({size})`"
                remarks.append(Finding(text, type_.span))
        elif type_.is_scalarset:
            text = f"the values of the scalarset `{type_.name}` cannot all be exchanged: the model tells them apart"
            remarks.append(Finding(text, type_.span))
    return tuple(remarks)


def is_scalarset(type_: DeclaredType, points: Points, group: Group) -> bool:
    """Whether the group has all permutations of the values, with everything else fixed but locations.  Exchanges of
    neighbours generate them."""
    sorts = list(sorts_of(type_, points))
    if not sorts or any(sort is None for sort, _ in sorts):
        return False
    number = {point: k for k, point in enumerate(points.points)}
    data = [k for k, point in enumerate(points.points) if point.what != "location"]
    acting = group.projection(data)
    for value in range(type_.least, type_.greatest):
        images = list(range(len(points.points)))
        for sort, shift in sorts:
            assert sort is not None
            one, other = (number.get(Point("value", sort.number, v - shift)) for v in (value, value + 1))
            if one is None or other is None:
                if {value - shift, value + 1 - shift} & sort.values:
                    return False
                continue
            images[one], images[other] = other, one
        if Permutation(images) not in acting:
            return False
    return True


def sorts_of(type_: DeclaredType, points: Points) -> Iterator[tuple[Sort | None, int]]:
    """The sorts of the values of a type, each with what is subtracted from a value; None if a sort is of other types, too."""
    model = points.interpreter.model
    by_name = {variable.name: variable for variable in model.variables}
    places = {(name, dimension) for name, dimension, _ in type_.indexed}
    found: dict[tuple[int, int], Sort] = {}
    for name in type_.holding & by_name.keys():
        sort = points.sorts.of_variable[by_name[name]].leader
        found[sort.number, 0] = sort
    for name, dimension, shift in type_.indexed:
        if name in by_name:
            sort = points.sorts.index(by_name[name], dimension)
            found[sort.number, shift] = sort
    for (_, shift), sort in found.items():
        yield (sort if is_own(sort, type_, places, model) else None), shift


def is_own(sort: Sort, type_: DeclaredType, places: set[tuple[str, int]], model: m.Model) -> bool:
    """Whether the places of a sort are of the type."""
    shared = set(model.variables)
    return all(cell.name in type_.holding for cell in sort.cells if cell in shared) and all(
        (variable.name, dimension) in places for variable, dimension in sort.dimensions if variable in shared
    )
