"""The fixpoint of all cubes that lead to a violation, or the steps from an initial state to one.

Small cubes come first: they are large sets, and cover many others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from heapq import heappop, heappush

from coset.engines.backward.cube import Cube, covers
from coset.engines.backward.literals import alternatives
from coset.engines.backward.preimage import Step, narrowed, preimages
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.expressions import Deadlock, substituted
from coset.engines.spotlight.program import SLOTS
from coset.engines.spotlight.refine import Question
from coset.model import expression as e
from coset.model.rewrite import rewrite
from coset.properties import formula as f
from coset.properties.ctl_formula import Branching
from coset.source.records import dataclass

MOST_CUBES = 1500
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


def backward(context: Context, asked: Question, exceeded: Callable[[], str | None] = lambda: None) -> Found | None:
    """Decide for all sizes whether a condition holds in all reachable states; None if the question is another one."""
    condition = always(asked.formula)
    if condition is None:
        return None
    heap: list[tuple[tuple[int, int], int, Cube, tuple[Step, ...]]] = []
    count = 0
    for cube in violations(context, asked, condition):
        heappush(heap, (cube.weight, count, cube, ()))
        count += 1
    cubes: list[Cube] = []
    seen: set[tuple[object, ...]] = set()
    while heap:
        _, _, cube, run = heappop(heap)
        if any(covers(each, cube, context) for each in cubes):
            continue
        if (limit := exceeded()) is not None:
            return Found(None, reason=limit)
        if not cube.possible(context):
            continue
        if has_initial_state(cube, context):
            return Found(False, run=run, at=cube)
        if len(cubes) >= MOST_CUBES or len(cube.places) > MOST_PROCESSES:
            return Found(None, reason=f"more than {MOST_CUBES} cubes, or one of more than {MOST_PROCESSES} processes")
        cubes = [each for each in cubes if not covers(cube, each, context)]
        cubes.append(cube)
        for step, earlier in preimages(cube, context.program):
            if earlier.key not in seen:
                seen.add(earlier.key)
                heappush(heap, (earlier.weight, count, earlier, (step, *run)))
                count += 1
    return Found(True, cubes)


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
    program, solver = context.program, context.solver
    if any(program.classes[slot // SLOTS].start not in spots for slot, spots in cube.places.items()):
        return False

    def first(x: e.Expr) -> e.Expr:
        return program.initial.get(x.variable, x) if isinstance(x, e.Get | e.Remote) else x

    counts = [
        context.size(class_) >= len(cube.by_class.get(class_.number, ())) for class_ in program.classes
    ]  # fmt: skip
    wanted = [solver.truth(rewrite(x, first)) for x in cube.others]
    for (variable, _), allowed in cube.values.items():
        value = solver.value(program.initial[variable])
        wanted.append(solver.z3.Or(*(value == each for each in sorted(allowed))))
    with solver.context([*context.parameters, *counts, *wanted]):
        return solver.possible()
