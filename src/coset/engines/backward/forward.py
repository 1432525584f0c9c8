"""Reachable states of small members of a family: no cube that has one of them can be part of an invariant.

Processes of one class are interchangeable, so their order is left out of states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from coset.engines.backward.cube import Cube
from coset.engines.backward.identities import asks_for_others, grounded
from coset.engines.backward.literals import Place, value_of
from coset.engines.spotlight.expressions import at_slot
from coset.engines.spotlight.members import small_members
from coset.engines.spotlight.program import SLOTS, FamilyProgram
from coset.engines.spotlight.solver import Solver
from coset.model import expression as e
from coset.model import model as m
from coset.model.evaluate import Fault
from coset.model.rewrite import rewrite
from coset.source.records import dataclass

Local = tuple[int, tuple[int, ...]]
"""The location of a process and the values of its variables."""


@dataclass(frozen=True, slots=True)
class State:
    """The values of globals and parameters, and for every class its processes, sorted."""

    globals: tuple[int, ...]
    processes: tuple[tuple[Local, ...], ...]


class Member:
    """The states of a member, as far as they are wanted."""

    def __init__(self, program: FamilyProgram, values: Mapping[m.Variable, int]) -> None:
        self.program = program
        self.names = (*values, *program.variables)
        self.fixed = tuple(values.values())
        self.own = [tuple(class_.variables) for class_ in program.classes]

    def initial(self, sizes: Sequence[int]) -> State:
        known: dict[Place, int] = {(name, None): value for name, value in zip(self.names, self.fixed, strict=False)}
        first = {variable: value_of(x, known) for variable, x in self.program.initial.items()}
        processes = tuple(
            tuple(
                (class_.start, tuple(first.get(v, class_.number * SLOTS + k) for v in self.own[class_.number]))
                for k in range(size)
            )
            for class_, size in zip(self.program.classes, sizes, strict=True)
        )
        return State((*self.fixed, *(first[v] for v in self.program.variables)), processes)

    def states(self, sizes: Sequence[int], most: int) -> list[State]:
        """The first states in breadth-first order."""
        found = [self.initial(sizes)]
        seen = set(found)
        for state in found:
            for following in self.successors(state):
                if following not in seen and len(found) < most:
                    seen.add(following)
                    found.append(following)
        return found

    def successors(self, state: State) -> Iterator[State]:
        for class_ in self.program.classes:
            row = state.processes[class_.number]
            for k, (place, values) in enumerate(row):
                if k and row[k - 1] == row[k]:
                    continue  # its steps are those of the one before
                slot = class_.number * SLOTS + k
                known = self.known(state, {slot: (place, values)})
                for move in class_.moves[place]:
                    try:
                        if not self.holds(at_slot(move.guard, class_.name, slot), state, known):
                            continue
                        new = {v: value_of(at_slot(x, class_.name, slot), known) for v, x in move.updates}
                    except Fault:
                        continue
                    whole = tuple(new.get(v, old) for v, old in zip(self.names, state.globals, strict=True))
                    own = tuple(new.get(v, old) for v, old in zip(self.own[class_.number], values, strict=True))
                    moved = tuple(sorted((*row[:k], (move.target, own), *row[k + 1 :])))
                    rows = (*state.processes[: class_.number], moved, *state.processes[class_.number + 1 :])
                    yield State(whole, rows)

    def holds(self, guard: e.Expr, state: State, known: Mapping[Place, int]) -> bool:
        """Whether a guard is true; it may ask for all processes."""
        if not asks_for_others(guard):
            return bool(value_of(guard, known))
        everyone = {
            number * SLOTS + k: process for number, row in enumerate(state.processes) for k, process in enumerate(row)
        }

        def located(x: e.Expr) -> e.Expr:
            match x:
                case e.AtLocation(_, e.Const(slot), _, locations):
                    return e.Const(int(everyone[slot][0] in locations))
            return x

        asked = rewrite(grounded(guard, everyone, self.program), located)
        return bool(value_of(asked, self.known(state, everyone)))

    def known(self, state: State, listed: Mapping[int, Local]) -> dict[Place, int]:
        found: dict[Place, int] = {(name, None): value for name, value in zip(self.names, state.globals, strict=True)}
        for slot, (_, values) in listed.items():
            found.update(((v, slot), value) for v, value in zip(self.own[slot // SLOTS], values, strict=True))
        return found

    def satisfies(self, state: State, cube: Cube) -> bool:
        """Whether a state is in a cube."""
        whole = self.known(state, {})
        if any(slot is None and whole[v, slot] not in allowed for (v, slot), allowed in cube.values.items()):
            return False
        order = sorted(cube.by_class)
        if any(len(cube.by_class[each]) > len(state.processes[each]) for each in order):
            return False
        rows = (permutations(state.processes[each], len(cube.by_class[each])) for each in order)
        for way in product(*rows):
            listed = {
                slot: local
                for each, chosen in zip(order, way, strict=True)
                for slot, local in zip(cube.by_class[each], chosen, strict=True)
            }
            if any(listed[slot][0] not in spots for slot, spots in cube.places.items()):
                continue
            known = self.known(state, listed)
            if any(known[place] not in allowed for place, allowed in cube.values.items()):
                continue
            try:
                if all(value_of(x, known) for x in cube.others):
                    return True
            except Fault:
                continue
        return False


@dataclass(frozen=True, slots=True)
class Reached:
    """States that are reachable in some members."""

    states: tuple[tuple[Member, State], ...]

    def touch(self, cube: Cube) -> bool:
        """Whether one of them is in a cube."""
        return any(member.satisfies(state, cube) for member, state in self.states)


MOST_MEMBERS, LARGEST_SIZE, MOST_STATES = 6, 3, 400


def reached_by_members(program: FamilyProgram, solver: Solver) -> Reached:
    """The first states of some small members."""
    family = program.family
    parameters = {each.name: each for each in family.parameters}
    found: list[tuple[Member, State]] = []
    tried = 0
    for values in small_members(family, solver, {}):
        sizes = family.sizes(values)
        if any(size > LARGEST_SIZE and not isinstance(family.class_(name).size, int) for name, size in sizes.items()):
            continue
        member = Member(program, {parameters[name]: value for name, value in values.items()})
        found += ((member, state) for state in member.states(tuple(sizes.values()), MOST_STATES))
        tried += 1
        if tried == MOST_MEMBERS:
            break
    return Reached(tuple(found))
