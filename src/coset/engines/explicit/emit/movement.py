"""How a symmetry acts on the components of a state.

It moves every component as a whole, an element of an array, a process, or the contents of a channel, and renames what is inside
of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from coset.engines.explicit.components import Components
from coset.model.model import GONE
from coset.model.state import State, offsets
from coset.symmetry.action import Action
from coset.symmetry.canonical.plan import SymmetryPlan, numbers
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.startup import StartedStates


def action(plan: SymmetryPlan, element: Sequence[int]) -> Action:
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


def unchanged(components: Components, actions: Sequence[Action], states: Sequence[State]) -> set[int]:
    """The components that are the same in all states and in all their images: variables that are never assigned.  (A symmetry may
    change values of started states: `dead_starts`.)"""
    layout = components.layout
    start = offsets(layout.interpreter.model.variables)
    positions = [start[v] + k for v, array in layout.variables.items() for k in range(array.count)]
    images = [(state, each(state)) for state in states for each in actions]
    return {
        k
        for k, position in zip(components.globals, positions, strict=True)
        if components.all[k].most == 0 and all(a.values[position] == b.values[position] for a, b in images)
    }


def component_orbits(components: Components, plan: SymmetryPlan) -> list[list[int]]:
    """The components that symmetries move to one another; none if components do not move as a whole."""
    leader = list(range(len(components.all)))

    def find(k: int) -> int:
        while leader[k] != k:
            k = leader[k]
        return k

    for generator in plan.generators:
        move = Movement(components, action(plan, generator))
        if not move.is_whole:
            return []
        for source, target in move.image.items():
            leader[find(source)] = find(target)
    orbits: dict[int, list[int]] = {}
    for k in range(len(leader)):
        orbits.setdefault(find(k), []).append(k)
    return [orbit for orbit in orbits.values() if len(orbit) > 1]


def are_confused_with_none(components: Components, moves: Sequence[Movement], started: StartedStates) -> bool:
    """Whether symmetries rename something in a process that may end: what is left of it is zeros, in which nothing is renamed,
    and the same number may stand for a process in its first location whose variables are 0.  (Processes that move do not
    end, and in states in which symmetries act all processes have been started.)"""
    renamed = [pid for pid, core in enumerate(components.cores) if any(core in each.renamed for each in moves)]
    return components.layout.count is not None and any(may_end(components, started, pid) for pid in renamed)


def may_end(components: Components, started: StartedStates, pid: int) -> bool:
    (kind,) = components.layout.plan.slots[pid]
    locations = components.layout.interpreter.model.kinds[kind].locations
    return any(edge.target == GONE for spot in started.locations[pid] for edge in locations[spot].edges)


def braced(numbers: Sequence[int]) -> str:
    """The initialiser of an array in C."""
    return f"{{{', '.join(map(str, numbers))}}}"
