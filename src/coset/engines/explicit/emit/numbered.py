"""The tables of a small group that acts on packed states, in C (by_elements.h)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from coset.engines.explicit.components import Coding, Components
from coset.engines.explicit.emit.equivariant import equivariant_tables, template_table
from coset.engines.explicit.emit.movement import Movement, action, are_confused_with_none, braced
from coset.model.state import State
from coset.source.records import dataclass
from coset.symmetry.canonical.anonymous_plan import AnonymousPlan
from coset.symmetry.canonical.literal_plan import LiteralPlan
from coset.symmetry.canonical.plan import SymmetryPlan, chain, numbers

LARGEST = 64
"""The largest group whose elements are all tried: each is a bit of a word.  With 384, as in a hypercube of four dimensions, it
takes longer to fill the tables than to search with whole states; and with tables for a transversal and a stabiliser only
(16 + 24), comparing the images takes a microsecond, as a stabiliser chain on whole states does."""

Element = tuple[int, ...]
"""A permutation of the moved points, by their numbers."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the elements of a group move the components of a state.  The first element is the identity."""

    elements: list[Element]
    active: list[int]
    """The components that some symmetry moves, or in which it renames something."""
    sources: list[list[int]]
    """For each element and each active component: the active component (by its place in `active`) that moves there."""
    starter: int
    ring: list[list[int]]
    """The columns of a ring, each with its components: the k-th element moves each column by k.  None if the group is not
    cyclic."""
    template: State
    """A state in which symmetries act."""

    @property
    def orbits(self) -> list[list[int]]:
        """Places of components that are moved to one another.  Where each element moves the first place to another one, as in a
        ring, only the first orbit: its greatest images are few."""
        found = list[list[int]]()
        for place in range(len(self.active)):
            if not any(place in orbit for orbit in found):
                mine = {source[place] for source in self.sources}
                found.append([place, *sorted(mine - {place})])
        moved = [each for each in found if len(each) > 1]
        return moved if moved and len(moved[0]) < len(self.elements) else found[:1]

    def constants(self, coding: Coding) -> list[str]:
        """C constants for the header."""
        widest = max((coding.bit_fields[k].width for k in self.active), default=0)
        return [
            "#define MODEL_NUMBERED 1",
            "#define MODEL_SORTED 0",
            f"#define MODEL_ROTATED {int(self.is_rotated(coding))}",
            f"#define MODEL_EQUIVARIANT {int(self.is_rotated(coding))}",
            f"#define ELEMENTS {len(self.elements)}",
            f"#define ORBITS {len(self.orbits)}",
            f"#define FIRST_ORBIT {len(self.orbits[0])}",
            f"#define ACTIVE {len(self.active)}",
            f"#define IMAGE uint{16 if widest < 16 else 32}_t",
        ]

    def is_rotated(self, coding: Coding) -> bool:
        """Whether elements rotate bits of a packed state (rotation.h): those of one word, so that no column may be in another."""
        words = {coding.bit_fields[k].word for column in self.ring for k in column}
        return coding.is_aligned and len(words) == 1

    def tables(self, coding: Coding) -> str:
        """The tables in C."""
        elements = ", ".join(map(braced, self.elements))
        sources = ", ".join(map(braced, self.sources))
        orbits = ", ".join(f"{{{len(each)}, {braced(each)}}}" for each in self.orbits)
        return "\n".join([
            '#include "numbered.h"',
            f"static const u16 elements[ELEMENTS][POINTS] = {{{elements}}};",
            f"const uint16_t model_active[ACTIVE] = {braced(self.active)};",
            f"const uint16_t model_source[ELEMENTS][ACTIVE] = {{{sources}}};",
            f"const uint16_t model_first[ELEMENTS] = {braced([each[0] for each in self.sources])};",
            f"const struct component_orbit model_orbits[ORBITS] = {{{orbits}}};",
            f"const int model_starter = {self.starter};",
            "void model_element(const u8 *s, int element, u8 *t) { model_permute(s, elements[element], t); }",
            *(self.ring_tables(coding.components) if self.is_rotated(coding) else ()),
        ])  # fmt: skip

    def ring_tables(self, components: Components) -> list[str]:
        """The tables for rotation.h."""
        inside = {k for column in self.ring for k in column}
        others = [place for place, k in enumerate(self.active) if k not in inside]
        return [
            f"const int model_ring[2] = {{{self.ring[0][0]}, {self.ring[1][0]}}};",
            f"const int model_other_count = {len(others)};",
            f"const uint16_t model_others[] = {braced(others or [0])};",
            *equivariant_tables(components, [self.ring]),
            template_table(components, self.template),
            '#include "ring_of_model.h"',
        ]


def number(components: Components, plan: SymmetryPlan | LiteralPlan | AnonymousPlan) -> Numbering | None:
    """How a group acts on components; None if it is too large, or if its symmetries do not move components as a whole."""
    if not isinstance(plan, SymmetryPlan) or not plan.is_exact or plan.order > LARGEST:
        return None
    elements = powers(list(elements_of(plan)))
    moves = [Movement(components, action(plan, element)) for element in elements]
    if not all(each.is_whole for each in moves) or are_confused_with_none(components, moves, plan.started):
        return None
    active = [k for k in order(components) if any(each.touches(k) for each in moves)]
    if not active:
        return None
    place = {k: n for n, k in enumerate(active)}
    sources = []
    for each in moves:
        came_from = {each.image.get(k, k): k for k in active}
        if set(came_from) != set(active):
            return None
        sources.append([place[came_from[k]] for k in active])
    starter = plan.started.starter
    ring = ring_of(elements, moves, active)
    return Numbering(elements, active, sources, -1 if starter is None else starter, ring, plan.started.state)


def powers(elements: list[Element]) -> list[Element]:
    """The elements of a cyclic group as the powers of one of them; those of another group as they are.

    >>> powers([(0, 1, 2), (2, 0, 1), (1, 2, 0)])
    [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    """
    for generator in elements:
        found = elements[:1]
        while (following := tuple(generator[x] for x in found[-1])) != found[0]:
            found.append(following)
        if len(found) == len(elements):
            return found
    return elements


def ring_of(elements: list[Element], moves: list[Movement], active: list[int]) -> list[list[int]]:
    """The columns of a ring: the components of a column are moved to the next one by the first power of a cyclic group, and come
    back after all of them."""
    if len(elements) < 3 or len(set(elements)) != len(elements) or not is_cyclic(elements):
        return []
    columns: list[list[int]] = [[] for _ in elements]
    done = set[int]()
    for k in active:
        orbit = [each.image.get(k, k) for each in moves]
        if k not in done and len(set(orbit)) == len(elements):
            for column, component in zip(columns, orbit, strict=True):
                column.append(component)
        done.update(orbit)
    return columns if columns[0] else []


def is_cyclic(elements: list[Element]) -> bool:
    """Whether these are the powers of the second one, in order."""
    return all(tuple(elements[1][x] for x in one) == other for one, other in pairwise([*elements, elements[0]]))


def order(components: Components) -> Iterator[int]:
    """Processes first, as they differ most."""
    yield from components.cores
    yield from (k for k in range(len(components.all)) if k not in set(components.cores))


def elements_of(plan: SymmetryPlan) -> Iterator[Element]:
    """All elements of the group, the identity first: each is a product of one element from every level of a stabiliser chain."""
    group, identity = plan.symmetry.group, tuple(range(len(plan.moved)))
    found = [identity]
    for level in chain(group, numbers(group)):
        found = [tuple(element[x] for x in lead) for element in found for lead in level.leads]
    yield identity
    yield from (element for element in found if element != identity)
