"""What leads into a cube in one step: weakest preconditions of the moves of its processes, and of one that it does not speak of.

A move of another process matters only if it changes a global variable that the cube speaks of; the states before all other
moves are in the cube already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from coset.engines.backward.cube import Cube
from coset.engines.backward.identities import asks_for_others, grounded
from coset.engines.backward.literals import Place, alternatives, only_finite, value_of, values_with, without_fits
from coset.engines.spotlight.expressions import after, at_slot, variables_of
from coset.engines.spotlight.linear import comparison
from coset.engines.spotlight.program import FamilyProgram, Move
from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.model.family import Everyone, Someone
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A move of the process in a slot."""

    move: Move
    slot: int


def preimages(cube: Cube, program: FamilyProgram) -> Iterator[tuple[Step, Cube]]:
    """The cubes of the states from which one step leads into a cube."""
    spoken_of = set(cube.values) | {place for x in cube.others for place in variables_of(x)}
    for move in program.moves():
        class_ = program.classes[move.class_]
        for slot in cube.by_class.get(move.class_, ()):
            if move.target in cube.places[slot]:
                yield from before(cube, Step(move, slot), program)
        slot = cube.free_slot(move.class_)
        has_room = not isinstance(class_.size, int) or len(cube.by_class.get(move.class_, ())) < class_.size
        if has_room and any((variable, None) in spoken_of for variable, _ in move.updates):
            yield from before(cube, Step(move, slot), program)


def before(cube: Cube, step: Step, program: FamilyProgram) -> Iterator[tuple[Step, Cube]]:
    """The states from which this step leads into the cube."""
    move, slot = step.move, step.slot
    kind = program.classes[move.class_].name
    updates: dict[Place, e.Expr] = {
        (variable, None if variable.owner is None else slot): at_slot(value, kind, slot)
        for variable, value in move.updates
    }
    kept = {place: allowed for place, allowed in cube.values.items() if place not in updates}
    places = {**cube.places, slot: frozenset((move.source,))}
    parts: list[Cube] = [Cube(places, kept)]
    for place, allowed in cube.values.items():
        if place in updates:
            parts = [found for part in parts for found in with_value(part, updates[place], allowed)]
    for condition in [after(x, move, kind, slot) for x in cube.others]:
        parts = [found for part in parts for found in with_condition(part, condition)]
    for part in parts:
        yield from ((step, found) for found in enabled(part, step, program))


def enabled(cube: Cube, step: Step, program: FamilyProgram) -> Iterator[Cube]:
    """The part of a cube in which a move can be made.  What is asked of all processes is asked of those of the cube only; what is
    asked of some process may be true of one of them or of another one."""
    move = step.move
    guard = at_slot(move.guard, program.classes[move.class_].name, step.slot)
    if not asks_for_others(guard):
        yield from with_condition(cube, guard)
        return
    yield from with_condition(cube, grounded(guard, cube.places, program))
    for witness in witnesses(guard, cube, program):
        larger = cube.with_process(witness, program)
        yield from with_condition(larger, grounded(guard, larger.places, program))


def witnesses(guard: e.Expr, cube: Cube, program: FamilyProgram) -> Iterator[int]:
    """Processes that a cube does not speak of, one of each class of which some process is asked for."""
    for of in sorted({part.of for part in guard.walk() if isinstance(part, Everyone | Someone)}):
        class_ = program.class_(of)
        if not isinstance(class_.size, int) or len(cube.by_class.get(class_.number, ())) < class_.size:
            yield cube.free_slot(class_.number)


def with_condition(cube: Cube, condition: e.Expr) -> Iterator[Cube]:
    """The part of a cube in which a condition holds, as cubes."""
    for case in without_fits(condition):
        for row in alternatives(case):
            found = narrowed(cube, row)
            if found is not None:
                yield found


def narrowed(cube: Cube, literals: Iterable[e.Expr]) -> Cube | None:
    found: Cube | None = cube
    for literal in literals:
        found = None if found is None else found.where(literal)
    return found


def with_value(cube: Cube, x: e.Expr, allowed: frozenset[int]) -> Iterator[Cube]:
    """The part of a cube in which an expression has one of these values, as cubes."""
    place = only_finite(x)
    if place is not None:
        found = cube.within(place, values_with(x, place, allowed))
        if found is not None:
            yield found
    elif not variables_of(x):
        try:
            if value_of(x, {}) in allowed:
                yield cube
        except Fault:
            return
    else:
        for value in sorted(allowed):
            yield from with_condition(cube, comparison(e.Binary("==", x, e.Const(value))))
