"""The tables of a small group that acts on packed states, in C (numbered.h).

A symmetry moves every component of a state as a whole: an element of an array, a process, the contents of a channel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.engines.explicit.components import Coding, Components
from coset.model.state import offsets
from coset.source.records import dataclass
from coset.symmetry.action import Action
from coset.symmetry.canonical.literal_plan import LiteralPlan
from coset.symmetry.canonical.plan import SymmetryPlan, chain, numbers
from coset.symmetry.groups.permutation import Permutation

LARGEST = 64
"""The largest group whose elements are all tried; other methods are faster for larger ones."""

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


def number(components: Components, plan: SymmetryPlan | LiteralPlan) -> Numbering | None:
    """How a group acts on components; None if it is too large, or if its symmetries do not move components as a whole."""
    if not isinstance(plan, SymmetryPlan) or not plan.is_exact or plan.order > LARGEST:
        return None
    elements = list(elements_of(plan))
    moves = [Movement(components, action(plan, element)) for element in elements]
    if not all(each.is_whole for each in moves) or are_confused_with_none(components, moves):
        return None
    active = [k for k in order(components) if any(each.touches(k) for each in moves)]
    place = {k: n for n, k in enumerate(active)}
    sources = []
    for each in moves:
        came_from = {each.image.get(k, k): k for k in active}
        if set(came_from) != set(active):
            return None
        sources.append([place[came_from[k]] for k in active])
    starter = plan.started.starter
    return Numbering(elements, active, sources, -1 if starter is None else starter)


def are_confused_with_none(components: Components, moves: Sequence[Movement]) -> bool:
    """Whether symmetries rename something in a process that may have ended: what is left of it is zeros, in which nothing is
    renamed, and the same number may stand for a process in its first location whose variables are 0.  Processes that move
    exist in all states in which symmetries act, and so do those before them."""
    if components.layout.count is None:
        return False
    cores = components.cores
    last = max((pid for pid, core in enumerate(cores) if any(core in each.image for each in moves)), default=-1)
    return any(core in each.renamed for core in cores[last + 1 :] for each in moves)


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


def action(plan: SymmetryPlan, element: Element) -> Action:
    """The action of an element on states."""
    original = list(numbers(plan.symmetry.group))
    table = list(range(len(plan.points.points)))
    for x, y in enumerate(element):
        table[original[x]] = original[y]
    return Action(plan.points, Permutation(table))


class Movement:
    """Where one symmetry moves components, and in which ones it renames something."""

    def __init__(self, components: Components, action: Action) -> None:
        self.image: dict[int, int] = {}
        self.renamed: set[int] = set()
        self.is_whole = True
        self.move_variables(components, action)
        self.move_processes(components, action)
        self.move_channels(components, action)

    def touches(self, component: int) -> bool:
        return self.image.get(component, component) != component or component in self.renamed

    def move(self, source: int, target: int | None, renames: bool) -> None:
        if target is None:
            self.is_whole = False
        elif source != target:
            self.image[source] = target
        if renames:
            self.renamed.add(source)

    def move_variables(self, components: Components, action: Action) -> None:
        layout = components.layout
        start = offsets(layout.interpreter.model.variables)
        positions = [start[v] + k for v, array in layout.variables.items() for k in range(array.count)]
        component = dict(zip(positions, components.globals, strict=True))
        for position, (target, values) in enumerate(action.shared):
            if position in component:
                self.move(component[position], component.get(target), bool(values))
            elif target != position:
                self.is_whole = False

    def move_processes(self, components: Components, action: Action) -> None:
        for pid, (kind,) in enumerate(components.layout.plan.slots):
            renames = bool(action.location[kind]) or any(
                target != place or values for place, (target, values) in enumerate(action.own[kind])
            )
            target = action.process.get(pid, pid)
            self.move(
                components.cores[pid], components.cores[target] if target < len(components.cores) else None, renames
            )

    def move_channels(self, components: Components, action: Action) -> None:
        for number, source in enumerate(components.channels, 1):
            target = components.channels[action.channel.get(number, number) - 1]
            if source is None:
                self.is_whole &= target is None
            else:
                self.move(source, target, any(action.messages.get(number, ())))


# --- C -------------------------------------------------------------------------------------------


def constants_of(numbering: Numbering, coding: Coding) -> list[str]:
    """Constants for the header."""
    widest = max((coding.bit_fields[k].width for k in numbering.active), default=0)
    return [
        "#define MODEL_NUMBERED 1",
        f"#define ELEMENTS {len(numbering.elements)}",
        f"#define ACTIVE {len(numbering.active)}",
        f"#define IMAGE uint{16 if widest < 16 else 32}_t",
    ]


def tables_of(numbering: Numbering) -> str:
    elements = ", ".join(braced(each) for each in numbering.elements)
    sources = ", ".join(braced(each) for each in numbering.sources)
    return "\n".join([
        '#include "numbered.h"',
        f"static const u16 elements[ELEMENTS][POINTS] = {{{elements}}};",
        f"const uint16_t model_active[ACTIVE] = {braced(numbering.active)};",
        f"const uint16_t model_source[ELEMENTS][ACTIVE] = {{{sources}}};",
        f"const uint16_t model_first[ELEMENTS] = {braced([each[0] for each in numbering.sources])};",
        f"const int model_starter = {numbering.starter};",
        "void model_element(const u8 *s, int element, u8 *t) { model_permute(s, elements[element], t); }",
    ])  # fmt: skip


def braced(numbers: list[int] | Element) -> str:
    return f"{{{', '.join(map(str, numbers))}}}"
