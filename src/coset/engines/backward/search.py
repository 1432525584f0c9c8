"""The fixpoint of all cubes that lead to a violation, or the steps from an initial state to one.

Small cubes come first: they are large sets, and cover many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from heapq import heappop, heappush
from itertools import count

from coset.engines.backward.approximate import enlarged, shape
from coset.engines.backward.cube import Cube, covers, relevant
from coset.engines.backward.forward import Reached
from coset.engines.backward.literals import alternatives
from coset.engines.backward.preimage import Step, narrowed, preimages
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.expressions import Deadlock, substituted
from coset.engines.spotlight.program import SLOTS
from coset.engines.spotlight.refine import Question
from coset.engines.spotlight.solver import Term
from coset.model import expression as e
from coset.model.family import Everyone
from coset.model.rewrite import rewrite
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching
from coset.source.records import dataclass

MOST_PROCESSES = 6
"""The most processes in a cube: more would mean that counting, not locations, decides."""


@dataclass(slots=True)
class Found:
    """`holds` is None if it is not known, for a reason; `cubes` are the fixpoint, or `run` leads to a violation."""

    holds: bool | None
    cubes: list[Cube] = field(default_factory=list)
    run: tuple[Step, ...] = ()
    at: Cube | None = None
    """The cube with an initial state, if there is one."""
    reason: str | None = None


def always(formula: f.Formula[e.Expr]) -> e.Expr | None:
    """The condition that a formula demands of all reachable states; None if it demands something else."""
    match formula:
        case Branching("A", "G", operand):
            return condition_of(operand) if (inner := always(operand)) is None else inner
        case f.Logic("&&", left, right):
            one, other = always(left), always(right)
            return None if one is None or other is None else e.Binary("&&", one, other)
    return None


def condition_of(formula: f.Formula[e.Expr]) -> e.Expr | None:
    """A formula without temporal operators as a condition on states; None if it is none."""
    match formula:
        case f.Constant(value):
            return e.TRUE if value else e.FALSE
        case f.Atom(x):
            return None if any(isinstance(part, Deadlock | e.Timeout) for part in x.walk()) else x
        case f.Not(operand):
            inner = condition_of(operand)
            return None if inner is None else e.Unary("!", inner)
        case f.Logic(operator, left, right):
            one, other = condition_of(left), condition_of(right)
            if one is None or other is None:
                return None
            if operator == "->":
                return e.Binary("||", e.Unary("!", one), other)
            if operator == "<->":
                both = e.Binary("&&", one, other)
                return e.Binary("||", both, e.Binary("&&", e.Unary("!", one), e.Unary("!", other)))
            return e.Binary(operator, one, other)
    return None


@dataclass(frozen=True, slots=True)
class Effort:
    """How many cubes are found at most, questions asked of the solver, and approximations taken back."""

    cubes: int
    checks: int
    retries: int = 0


FIRST = Effort(60, 600)
APPROXIMATE = Effort(300, 3_000, 30)
WHOLE = Effort(1500, 3_000)


@dataclass(slots=True)
class Entry:
    """A cube that is to be looked at, the steps from it to a violation, and those cubes on the way that were enlarged."""

    cube: Cube
    run: tuple[Step, ...] = ()
    enlarged: tuple[tuple[object, ...], ...] = ()


def backward(
    context: Context,
    asked: Question,
    members: Callable[[], Reached] = lambda: Reached(()),
    exceeded: Callable[[], str | None] = lambda: None,
) -> Found | None:
    """Decide for all sizes whether a condition holds in all reachable states; None if the question is another one.  `members`
    gives reachable states of small members."""
    condition = always(asked.formula)
    if condition is None:
        return None
    start = list(violations(context, asked, condition))
    found = Fixpoint(context, start, FIRST, None, exceeded).found()
    if found.holds is None:
        found = Fixpoint(context, start, APPROXIMATE, members(), exceeded).found()
    if found.holds is None:
        found = Fixpoint(context, start, WHOLE, None, exceeded).found()
    return found


class Fixpoint:
    """The search with some effort; with states that are known to be reachable, cubes are enlarged."""

    def __init__(
        self,
        context: Context,
        start: Sequence[Cube],
        effort: Effort,
        reached: Reached | None,
        exceeded: Callable[[], str | None],
    ) -> None:
        self.context, self.start, self.effort, self.reached, self.exceeded = context, start, effort, reached, exceeded
        self.kept: set[tuple[object, ...]] = set()
        """The cubes that are not enlarged."""
        self.shapes: set[object] = set()
        self.is_exact = not any(isinstance(x, Everyone) for move in context.program.moves() for x in move.guard.walk())
        """What is asked of all processes is asked of few here.  (Of a denied condition on some, too.)"""
        self.most_checks = context.solver.checks + effort.checks

    def found(self) -> Found:
        for _ in range(self.effort.retries + 1):
            outcome = self.attempt()
            if isinstance(outcome, Found):
                return outcome
            self.kept.add(outcome)
        return Found(None, reason="approximations were taken back too often")

    def attempt(self) -> Found | tuple[object, ...]:
        """The outcome, or a cube that should not have been enlarged."""
        self.shapes = set()
        heap: list[tuple[tuple[int, int], int, Entry]] = []
        numbers = count()
        for cube in self.start:
            heappush(heap, (cube.weight, next(numbers), Entry(cube)))
        cubes: list[Cube] = []
        seen: set[tuple[object, ...]] = set()
        while heap:
            _, _, entry = heappop(heap)
            if any(covers(each, entry.cube, self.context) for each in cubes) or not entry.cube.possible(self.context):
                continue
            if has_initial_state(entry.cube, self.context):
                if not entry.enlarged and not self.is_exact:
                    return Found(None, reason="a run to a violation leaves some processes out of account")
                return entry.enlarged[0] if entry.enlarged else Found(False, run=entry.run, at=entry.cube)
            reason = self.exceeded() or self.too_much(entry.cube, cubes)
            if reason is not None:
                return Found(None, reason=reason)
            entry.cube = relevant(entry.cube, self.context)
            cube, enlarged = self.enlarged(entry)
            cubes = [each for each in cubes if not covers(cube, each, self.context)]
            cubes.append(cube)
            for step, earlier in preimages(cube, self.context.program):
                if earlier.key not in seen:
                    seen.add(earlier.key)
                    heappush(heap, (earlier.weight, next(numbers), Entry(earlier, (step, *entry.run), enlarged)))
        return Found(True, cubes)

    def enlarged(self, entry: Entry) -> tuple[Cube, tuple[tuple[object, ...], ...]]:
        """The cube as it is to be kept, and those that were enlarged on the way to it."""
        if self.reached is None or entry.cube.key in self.kept:
            return entry.cube, entry.enlarged
        larger = enlarged(entry.cube, self.context.program, self.reached, self.shapes)
        if larger.key == entry.cube.key or has_initial_state(larger, self.context):
            return entry.cube, entry.enlarged
        self.shapes.add(shape(larger))
        return larger, (*entry.enlarged, entry.cube.key)

    def too_much(self, cube: Cube, cubes: Sequence[Cube]) -> str | None:
        if len(cubes) >= self.effort.cubes:
            return f"more than {self.effort.cubes} sets of states lead to a violation"
        if len(cube.places) > MOST_PROCESSES:
            return f"more than {MOST_PROCESSES} processes may be needed for a violation"
        if self.context.solver.checks > self.most_checks:
            return "too many questions were asked"
        return None


def violations(context: Context, asked: Question, condition: e.Expr) -> Iterator[Cube]:
    """The states that violate the condition, as cubes."""
    program = context.program
    places = {
        class_.number * SLOTS + k: frozenset(class_.locations)
        for class_ in program.classes
        for k in range(asked.diameter[class_.number])
    }
    for row in alternatives(substituted(condition, program.constants), holds=False):
        cube = narrowed(Cube(places), row)
        if cube is not None:
            yield cube


def has_initial_state(cube: Cube, context: Context) -> bool:
    """Whether the initial state of some member is in a cube."""
    conditions = at_start(cube, context)
    if conditions is None:
        return False
    with context.solver.context(
        [*context.parameters, *context.identities(cube.places), *large_enough(cube, context), *conditions]
    ):
        return context.solver.possible()


def always_begins(cube: Cube, context: Context) -> bool:
    """Whether the initial states of all members with enough processes are in a cube."""
    conditions = at_start(cube, context)
    if conditions is None:
        return False
    with context.solver.context([*context.parameters, *context.identities(cube.places), *large_enough(cube, context)]):
        return all(map(context.solver.entails, conditions))


def large_enough(cube: Cube, context: Context) -> list[Term]:
    """That a member has the processes of a cube."""
    classes = context.program.classes
    return [context.size(class_) >= len(cube.by_class.get(class_.number, ())) for class_ in classes]


def at_start(cube: Cube, context: Context) -> list[Term] | None:
    """What a cube says of the initial state, as conditions on parameters; None if its processes are elsewhere."""
    program, solver = context.program, context.solver
    if any(program.classes[slot // SLOTS].start not in spots for slot, spots in cube.places.items()):
        return None

    def first(x: e.Expr) -> e.Expr:
        return program.initial.get(x.variable, x) if isinstance(x, e.Get | e.Remote) else x

    found = [solver.truth(rewrite(x, first)) for x in cube.others]
    for (variable, _), allowed in cube.values.items():
        value = solver.value(program.initial[variable])
        found.append(solver.z3.Or(*(value == each for each in sorted(allowed))))
    return found
