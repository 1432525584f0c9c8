"""What a permutation of literals does to states, and to the names that people know.

A literal is an element with one of its values.  A permutation of literals that maps the literals of an element to those of one
element maps states to states: if g maps (x = v) to (y = w), and x is v in a state, then y is w in its image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coset.model.sequential_model import SequentialModel
from coset.symmetry.groups.permutation import Permutation

State = tuple[int, ...]
Point = tuple[int, int]


class LiteralAction:
    """A permutation of literals, ready to be applied.

    >>> swap = LiteralAction([(0, 0), (0, 1), (1, 0), (1, 1)], Permutation([3, 2, 1, 0]), 2)
    >>> swap.on_state((0, 0)), swap.on_state((0, 1))
    ((1, 1), (0, 1))
    """

    def __init__(self, points: Sequence[Point], permutation: Permutation, size: int) -> None:
        self.points, self.permutation, self.size = points, permutation, size
        self.images: dict[Point, Point] = {
            points[k]: points[permutation(k)] for k in range(len(points)) if permutation(k) != k
        }
        targets: dict[int, set[int]] = {}
        for k, (element, _) in enumerate(points):
            targets.setdefault(element, set()).add(points[permutation(k)][0])
        if any(len(each) > 1 for each in targets.values()):
            raise ValueError("literals of one element are mapped to several")

    def on_state(self, state: State) -> State:
        """The image of a state; elements without literals, which never change, stay as they are."""
        image = list(state)
        for literal in enumerate(state):
            to = self.images.get(literal, literal)
            image[to[0]] = to[1]
        return tuple(image)


def names(model: SequentialModel) -> list[str]:
    """The names of all elements."""
    return [variable.element(offset) for variable, offset in model.elements]


def cycles(permutation: Permutation, points: Sequence[Point], names: Sequence[str]) -> str:
    """In cycle notation: elements where they move with all of their values unchanged, literals otherwise.

    >>> cycles(Permutation([2, 3, 0, 1]), [(0, 0), (0, 1), (1, 0), (1, 1)], ["x", "y"])
    '(x y)'
    >>> cycles(Permutation([1, 0, 2, 3]), [(0, 0), (0, 1), (1, 0), (1, 1)], ["x", "y"])
    '(x=0 x=1)'
    """
    moved: dict[int, int] = {}
    whole: dict[int, bool] = {}
    for k, (element, value) in enumerate(points):
        target, image = points[permutation(k)]
        moved[element] = target
        whole[element] = whole.get(element, True) and value == image
    text = [f"({' '.join(names[x] for x in cycle)})" for cycle in orbits_of(moved) if all(whole[x] for x in cycle)]
    seen: set[int] = set()
    for k, (element, _) in enumerate(points):
        cycle = [k]
        while (following := permutation(cycle[-1])) != k:
            cycle.append(following)
        plain = all(whole[x] for x in around(moved, element))
        if len(cycle) > 1 and not plain and k not in seen:
            seen |= set(cycle)
            text.append(f"({' '.join(f'{names[points[x][0]]}={points[x][1]}' for x in cycle)})")
    return "".join(text) or "()"


def around(moved: Mapping[int, int], element: int) -> list[int]:
    """The cycle of an element."""
    cycle = [element]
    while (following := moved[cycle[-1]]) != element:
        cycle.append(following)
    return cycle


def orbits_of(moved: Mapping[int, int]) -> list[list[int]]:
    """The cycles of two elements and more."""
    seen: set[int] = set()
    found = []
    for element in moved:
        if element not in seen:
            cycle = around(moved, element)
            seen |= set(cycle)
            if len(cycle) > 1:
                found.append(cycle)
    return found
