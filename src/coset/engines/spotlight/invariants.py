"""Invariants that hold for all sizes: conservation laws, ranges, and lemmas of the user.

A step changes global variables and the locals of one process.  So a condition on globals and on d processes is an invariant of
the whole family if it holds at the start and every step keeps it, where the process that acts is one of the d, or another
one: a finite number of questions, whatever the number of processes is.  `largest` keeps the largest set of
candidates that is inductive: C. Flanagan, K. R. M. Leino, "Houdini, an annotation assistant for ESC/Java" (FME 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from coset.engines.spotlight.candidates import candidates, clauses, conservation_laws, lemma_candidate
from coset.engines.spotlight.context import Context, Invariant, Law, Listed
from coset.engines.spotlight.expressions import Fit, after, at_slot, is_unbounded, moved
from coset.engines.spotlight.linear import difference, expression
from coset.engines.spotlight.program import SLOTS, ClassProgram, FamilyProgram, Move
from coset.engines.spotlight.solver import Solver, Term
from coset.model import expression as e
from coset.model.family import Lemma
from coset.model.rewrite import rewrite
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known of all states of all members of a family; `dropped` are lemmas that could not be proved."""

    context: Context
    dropped: tuple[Lemma, ...] = ()

    def __str__(self) -> str:
        return "; ".join([*map(str, self.context.laws), *(each.text for each in self.context.invariants)])


def knowledge(
    program: FamilyProgram, solver: Solver, apart: bool = False, derive: bool = True, deep: bool = False
) -> Knowledge:
    """The largest inductive set of candidates; without `derive` nothing but the lemmas.  `deep`: with more candidates,
    which take longer."""
    program = with_plain_start(program, solver)
    laws = tuple(conservation_laws(program)) if derive else ()
    ranges = tuple(candidates(program)) if derive else ()
    lemmas = {lemma.name: lemma for lemma in program.family.lemmas}
    ranges += tuple(clauses(program)) if derive and deep else ()
    invariants = (*ranges, *(lemma_candidate(program, lemma) for lemma in lemmas.values()))
    context = with_plain_updates(largest(Context(program, solver, laws, invariants, apart)))
    kept = {each.name for each in context.invariants if each.given}
    return Knowledge(context, tuple(lemma for name, lemma in lemmas.items() if name not in kept))


def with_plain_start(program: FamilyProgram, solver: Solver) -> FamilyProgram:
    """The program with first values that are as they are written, where they fit for all values of the parameters."""
    with solver.context(Context(program, solver).parameters):
        initial = {variable: plain(value, solver) for variable, value in program.initial.items()}
    return replace(program, initial=initial)


def with_plain_updates(context: Context) -> Context:
    """The context with new values that are as they are written, where the invariants say that they fit."""
    solver = context.solver

    def plain_move(move: Move) -> Move:
        if not any(isinstance(x, Fit) for _, value in move.updates for x in value.walk()):
            return move
        class_ = context.program.classes[move.class_]
        slot = move.class_ * SLOTS
        guard = solver.truth(at_slot(move.guard, class_.name, slot))
        with solver.context([*context.facts({slot: move.source}), guard]):
            updates = tuple((v, plain(x, solver, lambda y: at_slot(y, class_.name, slot))) for v, x in move.updates)
        return replace(move, updates=updates)

    classes = tuple(
        replace(class_, moves={place: tuple(map(plain_move, row)) for place, row in class_.moves.items()})
        for class_ in context.program.classes
    )
    program = replace(context.program, classes=classes)
    return Context(program, solver, context.laws, context.invariants, context.apart)


def plain(x: e.Expr, solver: Solver, placed: Callable[[e.Expr], e.Expr] = lambda x: x) -> e.Expr:
    """A value without what brings it into its domain, if it is there anyway."""

    def change(part: e.Expr) -> e.Expr:
        if not isinstance(part, Fit):
            return part
        value, domain = solver.value(placed(part.operand)), part.domain
        fits = domain.low <= value
        if not is_unbounded(domain):
            fits = solver.z3.And(fits, value <= domain.high)
        return part.operand if solver.entails(fits) else part

    return rewrite(x, change)


# --- the largest inductive subset ----------------------------------------------------------------


def largest(context: Context) -> Context:
    """The context with those laws and invariants only that are true at the start and kept by every step."""
    begun = tuple(each for each in context.invariants if holds_at_start(context, each))
    context = Context(context.program, context.solver, context.laws, begun, context.apart)
    while True:
        laws, invariants = kept_by_all(context)
        if len(laws) == len(context.laws) and len(invariants) == len(context.invariants):
            return context
        context = Context(context.program, context.solver, laws, invariants, context.apart)


def holds_at_start(context: Context, invariant: Invariant) -> bool:
    """Whether a condition is true of the initial values, whatever the parameters are."""
    program = context.program

    def first(x: e.Expr) -> e.Expr:
        match x:
            case e.Get(variable) | e.Remote(_, _, variable, _):
                return program.initial.get(variable, x)
            case e.AtLocation(kind, _, _, locations):
                return e.TRUE if program.class_(kind).start in locations else e.FALSE
        return x

    with context.solver.context(context.parameters):
        return context.solver.entails(context.solver.truth(rewrite(invariant.condition, first)))


def kept_by_all(context: Context) -> tuple[tuple[Law, ...], tuple[Invariant, ...]]:
    laws, invariants = list(context.laws), list(context.invariants)
    solver = context.solver
    for move in context.program.moves():
        class_ = context.program.classes[move.class_]
        actor = move.class_ * SLOTS
        if any(move.changes_globals() or law_moves(law, move) for law in laws):
            given = solver.truth(at_slot(move.guard, class_.name, actor))
            with solver.context([*context.facts({actor: move.source}), given]):
                laws = [law for law in laws if solver.entails(kept(law, move, class_, actor, solver))]
        for invariant in list(invariants):
            if not all(keeps(context, invariant, move, listed, slot) for listed, slot in cases(invariant, move)):
                invariants.remove(invariant)
    return tuple(laws), tuple(invariants)


def law_moves(law: Law, move: Move) -> bool:
    """Whether a step changes what a process holds."""
    heights = law.heights[move.class_]
    return heights.get(move.source, {}) != heights.get(move.target, {})


def kept(law: Law, move: Move, class_: ClassProgram, actor: int, solver: Solver) -> Term:
    """That a step adds as much to the sum as to what the process holds."""
    heights = law.heights[move.class_]
    gained = difference(heights.get(move.target, {}), heights.get(move.source, {}))
    new = solver.value(after(law.left, move, class_.name, actor))
    return new - solver.value(law.left) == solver.value(expression(gained))


def cases(invariant: Invariant, move: Move) -> Iterator[tuple[Listed, int]]:
    """Who may act: one of the processes that an invariant speaks of, or another one.  The processes that are listed
    then, those of the invariant first in their classes, and the slot of the one that acts."""
    slots = slots_of(invariant.classes)
    for position, class_ in enumerate(invariant.classes):
        if class_ == move.class_:
            yield {slot: move.source if k == position else None for k, slot in enumerate(slots)}, slots[position]
    other = move.class_ * SLOTS + invariant.classes.count(move.class_)
    yield {**dict.fromkeys(slots), other: move.source}, other


def slots_of(classes: Sequence[int]) -> list[int]:
    """Slots for processes of these classes.

    >>> slots_of((0, 1, 0))
    [0, 1000, 1]
    """
    return [class_ * SLOTS + list(classes[:k]).count(class_) for k, class_ in enumerate(classes)]


def keeps(context: Context, invariant: Invariant, move: Move, listed: Listed, actor: int) -> bool:
    class_ = context.program.classes[move.class_]
    condition = moved(invariant.condition, dict(enumerate(slots_of(invariant.classes))))
    wanted = after(condition, move, class_.name, actor)
    if wanted == condition:
        return True
    if any(
        isinstance(class_.size, int) and sum(slot // SLOTS == class_.number for slot in listed) > class_.size
        for class_ in context.program.classes
    ):
        return True
    guard = context.solver.truth(at_slot(move.guard, class_.name, actor))
    with context.solver.context(context.facts(listed)):
        return context.solver.entails(context.solver.truth(wanted), guard)
