"""A fixpoint checked again: that no state in a cube is reachable is an inductive invariant, and excludes all violations.

Nothing of the search is used: the cubes become conditions, and Z3 is asked, for every move and every process that may make it,
whether a state of the invariant can lead to one outside.  The hypothesis is the invariant for all choices among the processes
that are listed, which is what a quantified invariant says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from coset.engines.backward.cube import Cube
from coset.engines.backward.identities import grounded
from coset.engines.spotlight.context import Context, Listed, choices
from coset.engines.spotlight.expressions import after, at_slot, moved
from coset.engines.spotlight.program import SLOTS, Move
from coset.engines.spotlight.refine import Question
from coset.engines.spotlight.solver import Term
from coset.model import expression as e
from coset.model.family import Everyone, Someone
from coset.model.rewrite import rewrite


def is_proof(
    cubes: Sequence[Cube],
    context: Context,
    asked: Question,
    condition: e.Expr,
    exceeded: Callable[[], str | None] = lambda: None,
) -> bool:
    """Whether no state in the cubes is initial, every violation is in one, and all steps into them come from them.  False,
    too, if a limit of the user was reached before that was known."""
    invariant = QuantifiedInvariant(cubes, context)
    return (
        all(is_away_from_start(cube, context) for cube in cubes)
        and excludes(invariant, asked, condition)
        and all(
            exceeded() is None and is_kept(number, invariant, move, listed, actor)
            for number, cube in enumerate(cubes)
            for move in context.program.moves()
            for listed, actor in cases(cube, move, context)
        )
    )


class QuantifiedInvariant:
    """That no processes are as in one of the cubes, for every choice among those that are listed."""

    def __init__(self, cubes: Sequence[Cube], context: Context) -> None:
        self.context = context
        self.conditions = [condition_of(cube, context) for cube in cubes]
        self.slots = [sorted(cube.places) for cube in cubes]
        self.terms: dict[tuple[int, tuple[int, ...]], Term] = {}
        self.kept: dict[tuple[tuple[int, int | None], ...], list[Term]] = {}

    def facts(self, listed: Listed) -> list[Term]:
        """Everything that is known if these processes are listed, the invariant among it."""
        key = tuple(listed.items())
        if key not in self.kept:
            places = locations_known(listed, self.context)
            self.kept[key] = [*self.context.facts(listed), *places, *self.instances(listed)]
        return self.kept[key]

    def instances(self, listed: Listed) -> Iterator[Term]:
        for number, slots in enumerate(self.slots):
            for choice in choices([slot // SLOTS for slot in slots], listed):
                key = number, choice
                if key not in self.terms:
                    chosen = moved(self.conditions[number], dict(zip(slots, choice, strict=True)))
                    solver = self.context.solver
                    self.terms[key] = solver.z3.Not(solver.truth(chosen))
                yield self.terms[key]


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
    with solver.context([*context.parameters, *context.identities(cube.places), *counts]):
        return not solver.possible(solver.truth(rewrite(condition_of(cube, context), first)))


def excludes(invariant: QuantifiedInvariant, asked: Question, condition: e.Expr) -> bool:
    context = invariant.context
    listed: Listed = {
        class_.number * SLOTS + k: None
        for class_ in context.program.classes
        for k in range(asked.diameter[class_.number])
    }
    with context.solver.context([*context.facts(listed), *invariant.instances(listed)]):
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


def is_kept(number: int, invariant: QuantifiedInvariant, move: Move, listed: Listed, actor: int) -> bool:
    context, condition = invariant.context, invariant.conditions[number]
    kind = context.program.classes[move.class_].name
    solver = context.solver
    guard = at_slot(move.guard, kind, actor)
    before = after(condition, move, kind, actor)
    if before == condition:
        return True  # the invariant says so
    for known in (listed, *with_witnesses(guard, listed, context)):
        with solver.context(invariant.facts(known)):
            if solver.possible(solver.truth(grounded(guard, known, context.program)), solver.truth(before)):
                return False
    return True


def with_witnesses(guard: e.Expr, listed: Listed, context: Context) -> Iterator[Listed]:
    """The listed processes and another one, where a guard asks for some process."""
    for of in sorted({part.of for part in guard.walk() if isinstance(part, Everyone | Someone)}):
        class_ = context.program.class_(of)
        own = [slot for slot in listed if slot // SLOTS == class_.number]
        if not isinstance(class_.size, int) or len(own) < class_.size:
            yield {**listed, max(own, default=class_.number * SLOTS - 1) + 1: None}
