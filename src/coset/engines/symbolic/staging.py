"""From a group to stages that bring states to representatives, and to a good order of elements.

A group that acts on the elements of a sequential model is looked at for *families* of columns any two of which it
exchanges (a symmetric group, in a product or at the bottom of a wreath product): these are sorted, as far as it is
wanted.  What else it does is used for one stage: the elements of an orbit are the places, and a transversal of the
stabiliser of one of them brings the least to it (rotations of a ring, say).

The key of a place are the elements of its column whose values stay as they are when columns move: no references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import factorial, prod

from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.representatives import Key, Stage
from coset.model.sequential import SequentialModel
from coset.source.records import dataclass
from coset.symmetry.action import Action
from coset.symmetry.canonical.plan import Family, exchangeable
from coset.symmetry.elements import ElementAction, on_elements, on_literals
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.orbits import equivariant_maps
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.groups.recognition import describe
from coset.symmetry.literal_action import LiteralAction
from coset.symmetry.methods.constraints.carried import CarriedSymmetry
from coset.symmetry.symmetry import Symmetry

MOST_KEYS = 256
"""Values of a key that are told apart: of a column with more, only some elements are looked at."""


@dataclass(frozen=True)
class Acting:
    """A group, and what each of its elements does with the elements of a sequential model."""

    group: Group
    action: Callable[[Permutation], ElementAction]
    on_processes: Callable[[Permutation], Mapping[int, int]] = lambda g: {}

    @cached_property
    def generators(self) -> list[ElementAction]:
        return [self.action(g) for g in self.group.generators]

    @cached_property
    def families(self) -> list[Family]:
        """Those inside others first."""
        return list(exchangeable(describe(self.group)))[::-1]

    @cached_property
    def is_sorted(self) -> bool:
        """Whether the group is no more than the product of what it does with its families."""
        return prod(factorial(len(family)) for family in self.families) == self.group.order

    def swap(self, one: Sequence[int], other: Sequence[int]) -> ElementAction:
        """The exchange of two columns of a family."""
        return self.action(Permutation.of_cycles(self.group.degree, list(zip(one, other, strict=True))))


def acting(form: SequentialModel, symmetry: Symmetry | CarriedSymmetry) -> Acting:
    """What the symmetries of a concurrent model do with its sequential form; those that were found by constraints are
    permutations of its literals."""
    if isinstance(symmetry, CarriedSymmetry):
        assert symmetry.found is not None
        literals, size = symmetry.found.points, len(form.elements)
        return Acting(symmetry.group, lambda g: on_literals(LiteralAction(literals, g, size)))
    points = symmetry.points
    assert points is not None
    state = points.started.state
    return Acting(
        symmetry.group,
        lambda g: on_elements(form, state, Action(points, g)),
        lambda g: Action(points, g).process,
    )


def neighbours(acting: Acting) -> list[Permutation]:
    """The exchanges of neighbouring columns.  They generate the group if it `is_sorted`."""
    pairs = [pair for family in acting.families for pair in pairwise(family)]
    return [Permutation.of_cycles(acting.group.degree, list(zip(*pair, strict=True))) for pair in pairs]


# --- columns -------------------------------------------------------------------------------------


def columns(acting: Acting, family: Family, plain: bool = True) -> tuple[Key, ...]:
    """For each column of a family the elements that go with it, and (if `plain`) whose values stay."""
    swaps = [acting.swap(one, other) for one, other in pairwise(family)]
    return aligned([(swap, pair(k, len(family))) for k, swap in enumerate(swaps)], len(family), plain)


def pair(k: int, size: int) -> Permutation:
    return Permutation.of_cycles(size, [(k, k + 1)])


def aligned(
    generators: Sequence[tuple[ElementAction, Permutation]], places: int, plain: bool = True
) -> tuple[Key, ...]:
    """For each of some places the elements that go where the place goes.

    A generator says what becomes of the elements, and what of the places.  On places and elements together, an orbit of
    elements belongs to the places if there is a map between them that commutes with all generators.
    """
    if not generators:
        return ((),) * places
    together = [Permutation([*on.images(), *(places + x for x in action.targets)]) for action, on in generators]
    found: list[list[int]] = [[] for _ in range(places)]
    for orbit in Group(together[0].degree, together).moved:
        members = [x - places for x in orbit]
        if members[0] < 0 or (plain and any(action.values[x] for action, _ in generators for x in members)):
            continue
        belongs = next(equivariant_maps(together, orbit, range(places)), None)
        if belongs is not None and len(orbit) == places and len(set(belongs.values())) == places:
            for x, place in belongs.items():
                found[place].append(x - places)
    return tuple(map(tuple, found))


# --- stages --------------------------------------------------------------------------------------


def stages(encoding: Encoding, acting: Acting, depth: int | None = None) -> Iterator[Stage]:
    """The stages for a group: at most `depth` for each family, by default all."""
    if not acting.is_sorted:
        yield from turning(encoding, acting)
    for family in acting.families:
        keys = shortened(encoding, columns(acting, family))
        if not keys[0]:
            continue
        count = len(family) - 1
        for first in range(count if depth is None else min(depth, count)):
            actions = tuple(acting.swap(family[first], other) for other in family[first + 1 :])
            yield Stage(encoding, keys[first:], actions)


def turning(encoding: Encoding, acting: Acting) -> Iterator[Stage]:
    """A stage by a transversal of the stabiliser of the most telling element."""
    extended = on_both(encoding, acting)
    degree = acting.group.degree
    best: tuple[int, tuple[int, ...]] | None = None
    for orbit in extended.moved:
        elements = [x - degree for x in orbit]
        if elements[0] >= 0 and not any(action.values[x] for action in acting.generators for x in elements):
            weight = len(orbit) * len(encoding.values[elements[0]])
            if best is None or weight > best[0]:
                best = weight, orbit
    if best is None:
        return
    first, *others = best[1]
    leads = extended.transversal(first)
    inner = range(degree)
    actions = tuple(acting.action(leads[x].inverse().restricted(inner)) for x in others)
    generators = [(action, g.restricted(best[1])) for action, g in zip(acting.generators, extended.generators)]
    keys = shortened(encoding, aligned(generators, len(best[1])))
    yield Stage(encoding, keys, actions)


def on_both(encoding: Encoding, acting: Acting) -> Group:
    """The group on its own points and on the elements."""
    degree = acting.group.degree
    generators = [
        Permutation([*g.images(), *(degree + x for x in action.targets)])
        for g, action in zip(acting.group.generators, acting.generators, strict=True)
    ]
    return Group(degree + len(encoding.values), generators, acting.group.order)


def shortened(encoding: Encoding, keys: tuple[Key, ...], most: int = MOST_KEYS) -> tuple[Key, ...]:
    """Keys of as many elements as can be told apart, those with the fewest values first, so that there are many."""
    order = sorted(range(len(keys[0])), key=lambda k: (len(encoding.values[keys[0][k]]), k))
    room, kept = most, []
    for k in order:
        size = len(encoding.values[keys[0][k]])
        if 1 < size <= room:
            room //= size
            kept.append(k)
    return tuple(tuple(key[k] for k in kept) for key in keys)


# --- order ---------------------------------------------------------------------------------------


def column_order(acting: Acting, order: Sequence[int]) -> list[int]:
    """An order in which the elements of a column are next to each other, and so are columns that can be exchanged: a
    set that a group keeps is then a small diagram, as it only counts how many columns there are of each sort."""
    family_of: dict[int, tuple[Key, ...]] = {}
    for family in reversed(acting.families):
        found = columns(acting, family, plain=False)
        for element in (x for column in found for x in column):
            family_of.setdefault(element, found)
    placed: dict[int, None] = {}
    for element in order:
        for column in family_of.get(element, ((element,),)):
            rank = {x: order.index(x) for x in column}
            placed.update(dict.fromkeys(sorted(column, key=rank.__getitem__)))
    return list(placed)
