"""Larger cubes instead of those that are found, as long as no state that is known to be reachable is in them.

S. Conchon, A. Goel, S. Krstic, A. Mebsout, F. Zaidi, "Invariants for finite instances and beyond" (FMCAD 2013): BRAB.  What a few
processes never do is mostly true of any number; if it is not, the search comes to an initial state from the larger cube, which is
then left as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from coset.engines.backward.cube import Cube
from coset.engines.backward.forward import Reached
from coset.engines.spotlight.expressions import variables_of
from coset.engines.spotlight.linear import comparison
from coset.engines.spotlight.program import SLOTS, FamilyProgram
from coset.model import expression as e
from coset.model.rewrite import rewrite


def enlarged(cube: Cube, program: FamilyProgram, reached: Reached, shapes: set[object]) -> Cube:
    """The cube without what is not needed to keep reachable states out.

    Where one of the same shape was found before, which differs in constants only, equations become inequalities: otherwise
    there could be one for each number."""
    found = replace(cube, others=cube.others | equalities(cube))
    if reached.touch(found):
        return cube
    found = least(found, reached, lambda each: without_one(each, program))
    if shape(found) in shapes:
        found = least(found, reached, with_inequalities)
    return found


def least(cube: Cube, reached: Reached, steps: Callable[[Cube], Iterator[Cube]]) -> Cube:
    """The cube after as many steps as possible."""
    while True:
        larger = next((each for each in steps(cube) if not reached.touch(each)), None)
        if larger is None:
            return cube
        cube = larger


def shape(cube: Cube) -> object:
    """What a cube says, but for the constants of comparisons."""
    places = frozenset(cube.places.items()), frozenset(cube.values.items())
    return places, frozenset(
        rewrite(x, lambda part: e.FALSE if isinstance(part, e.Const) else part) for x in cube.others
    )


def with_inequalities(cube: Cube) -> Iterator[Cube]:
    """The cube with an inequality instead of one of its equations."""
    for x in sorted(cube.others, key=repr):
        if isinstance(x, e.Binary) and x.operator == "==":
            for operator in (">=", "<="):
                yield replace(cube, others=cube.others - {x} | {comparison(e.Binary(operator, x.left, x.right))})


def equalities(cube: Cube) -> frozenset[e.Expr]:
    """What follows from pairs of equations with a side in common."""
    equations = [x for x in cube.others if isinstance(x, e.Binary) and x.operator == "=="]
    found: set[e.Expr] = set()
    for one, other in combinations(equations, 2):
        for a, b in ((one.left, one.right), (one.right, one.left)):
            for c, d in ((other.left, other.right), (other.right, other.left)):
                literal = comparison(e.Binary("==", b, d)) if a == c else e.TRUE
                if isinstance(literal, e.Binary):
                    found.add(literal)
    return frozenset(found)


def without_one(cube: Cube, program: FamilyProgram) -> Iterator[Cube]:
    """The cube with less: without a process, or without one of the things that it says."""
    for slot in cube.places:
        if len(cube.places) > 1:
            yield without_process(cube, slot)
    for x in sorted(cube.others, key=repr):
        yield replace(cube, others=cube.others - {x})
    for place in cube.values:
        yield replace(cube, values={k: v for k, v in cube.values.items() if k != place})
    for slot, spots in cube.places.items():
        everywhere = frozenset(program.classes[slot // SLOTS].locations)
        if spots != everywhere:
            yield replace(cube, places={**cube.places, slot: everywhere})


def without_process(cube: Cube, gone: int) -> Cube:
    """The cube without one process and all that is said of it."""
    return Cube(
        {slot: spots for slot, spots in cube.places.items() if slot != gone},
        {(v, slot): allowed for (v, slot), allowed in cube.values.items() if slot != gone},
        frozenset(x for x in cube.others if all(slot != gone for _, slot in variables_of(x))),
    )
