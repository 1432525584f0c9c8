"""A fixpoint checked again: that no state in a cube is reachable is an inductive invariant, and excludes all violations.

Nothing of the search is used: the cubes become conditions, and Z3 is asked, for every move and every process that may make it,
whether a state of the invariant can lead to one outside.  The hypothesis is the invariant for all choices among the processes
that are listed, which is what a quantified invariant says of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.engines.backward.cube import Cube
from coset.engines.spotlight.context import Context, Listed, choices
from coset.engines.spotlight.expressions import after, at_slot, moved
from coset.engines.spotlight.program import SLOTS, Move
from coset.engines.spotlight.refine import Question
from coset.engines.spotlight.solver import Term
from coset.model import expression as e
from coset.model.rewrite import rewrite


def is_proof(cubes: Sequence[Cube], context: Context, asked: Question, condition: e.Expr) -> bool:
    """Whether no state in the cubes is initial, every violation is in one, and all steps into them come from them."""
    return (
        all(is_away_from_start(cube, context) for cube in cubes)
        and excludes(cubes, context, asked, condition)
        and all(
            is_kept(cube, cubes, move, listed, actor, context)
            for cube in cubes
            for move in context.program.moves()
            for listed, actor in cases(cube, move, context)
        )
    )


def condition_of(cube: Cube, context: Context) -> e.Expr:
    """A cube as a condition on the processes in its slots."""
    found = e.TRUE
    for process, spots in sorted(cube.places.items()):
        kind = context.program.classes[process // SLOTS].name
        found = e.conjunction(found, e.AtLocation(kind, e.Const(process), "", frozenset(spots)))
    for (variable, slot), allowed in cube.values.items():
        read = e.Get(variable) if slot is None else e.Remote(variable.owner or "", e.Const(slot), variable)
        some = e.FALSE
        for value in sorted(allowed):
            each = e.Binary("==", read, e.Const(value))
            some = each if some == e.FALSE else e.Binary("||", some, each)
        found = e.conjunction(found, some)
    for x in sorted(cube.others, key=repr):
        found = e.conjunction(found, x)
    return found


def locations_known(listed: Listed, context: Context) -> Iterator[Term]:
    """Where the listed processes are, in words of the solver that every condition shares."""
    for slot, place in listed.items():
        if place is not None:
            yield context.solver.location(slot) == place


def instances(cubes: Sequence[Cube], listed: Listed, context: Context) -> Iterator[Term]:
    """The invariant, for all choices among the listed processes."""
    for cube in cubes:
        slots = sorted(cube.places)
        condition = condition_of(cube, context)
        for choice in choices([slot // SLOTS for slot in slots], listed):
            yield context.solver.z3.Not(context.solver.truth(moved(condition, dict(zip(slots, choice, strict=True)))))


def is_away_from_start(cube: Cube, context: Context) -> bool:
    program, solver = context.program, context.solver

    def first(x: e.Expr) -> e.Expr:
        match x:
            case e.Get(variable) | e.Remote(_, _, variable, _):
                return program.initial.get(variable, x)
            case e.AtLocation(kind, _, _, locations):
                return e.TRUE if program.class_(kind).start in locations else e.FALSE
        return x

    counts = [context.size(class_) >= len(cube.by_class.get(class_.number, ())) for class_ in program.classes]
    with solver.context([*context.parameters, *counts]):
        return not solver.possible(solver.truth(rewrite(condition_of(cube, context), first)))


def excludes(cubes: Sequence[Cube], context: Context, asked: Question, condition: e.Expr) -> bool:
    listed: Listed = {
        class_.number * SLOTS + k: None
        for class_ in context.program.classes
        for k in range(asked.diameter[class_.number])
    }
    with context.solver.context([*context.facts(listed), *instances(cubes, listed, context)]):
        return context.solver.entails(context.solver.truth(condition))


def cases(cube: Cube, move: Move, context: Context) -> Iterator[tuple[Listed, int]]:
    """Who may make a move: one of the cube's processes, or another one."""
    listed: dict[int, int | None] = dict.fromkeys(sorted(cube.places))
    own = cube.by_class.get(move.class_, [])
    for slot in own:
        yield {**listed, slot: move.source}, slot
    class_ = context.program.classes[move.class_]
    if not isinstance(class_.size, int) or class_.size > len(own):
        yield {**listed, cube.free_slot(move.class_): move.source}, cube.free_slot(move.class_)


def is_kept(cube: Cube, cubes: Sequence[Cube], move: Move, listed: Listed, actor: int, context: Context) -> bool:
    kind = context.program.classes[move.class_].name
    solver = context.solver
    guard = solver.truth(at_slot(move.guard, kind, actor))
    then = solver.truth(after(condition_of(cube, context), move, kind, actor))
    facts = [*context.facts(listed), *locations_known(listed, context), *instances(cubes, listed, context)]
    with solver.context(facts):
        return not solver.possible(guard, then)
