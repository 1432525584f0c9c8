"""Which processes and which shared variables of a hypergraph a group exchanges."""

from __future__ import annotations

from coset.model.evaluate import flat
from coset.symmetry.action import Point, Points
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.orbits import Partition
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.hypergraph.diagram import Hypergraph
from coset.symmetry.methods.hypergraph.uses import Element, Target

Numbers = dict[int, int | None]


def orbits(found: Hypergraph, group: Group) -> tuple[Numbers, dict[Target, int | None]]:
    """The number of the orbit of each process and of each hyperedge; None if it stays where it is."""
    points = found.points
    process = points.sorts.process.leader.number
    count = len(points.started.state.processes)
    targets: list[Target] = [Point("value", process, number) for number in range(count)]
    targets += [edge.target for edge in found.edges]
    number = {target: k for k, target in enumerate(targets)}
    place = {point: k for k, point in enumerate(points.points)}
    partition = Partition(range(len(targets)))
    for g in group.generators:
        for target, k in number.items():
            partition.unite(k, number.get(image(points, place, g, target), k))
    orbit: dict[int, int] = {}
    for part in partition.parts():
        if len(part) > 1:
            orbit |= dict.fromkeys(part, len(set(orbit.values())))
    numbers = [orbit.get(k) for k in range(len(targets))]
    return dict(enumerate(numbers[:count])), dict(zip(targets[count:], numbers[count:], strict=True))


def image(points: Points, place: dict[Point, int], g: Permutation, target: Target) -> Target:
    """Where a permutation of the points takes a process, a variable or an element."""

    def moved(point: Point) -> Point:
        return points.points[g(place[point])] if point in place else point

    if isinstance(target, Point):
        return moved(target)
    if not isinstance(target, Element):
        return target
    variable = points.interpreter.model.variables[target.variable]
    indices = [
        moved(Point("value", points.sorts.index(variable, d).number, index)).item
        for d, index in enumerate(variable.indices(target.offset))
    ]
    return Element(moved(Point("global", 0, target.variable)).item, flat(indices, variable.shape))
