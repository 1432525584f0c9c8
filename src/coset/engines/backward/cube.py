"""Sets of states of all sizes: some processes at such locations with such data, whatever all others do.

    P 0 at crit, P 1 at crit                           two processes are in the critical section
    P 0 at try, P 1 at crit, v in {0}                  one is, another one may enter

The locations of a process are a set, and so are the values of a variable that has few of them; everything else is said by
comparisons.  A cube covers another one if its processes can be mapped to different ones of the other, of the same classes, such
that all that it says follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import permutations, product

from coset.engines.backward.literals import Place, only_finite, value_of, values_with
from coset.engines.spotlight.context import Context, Listed, is_own
from coset.engines.spotlight.expressions import moved, variables_of
from coset.engines.spotlight.program import SLOTS, FamilyProgram
from coset.engines.spotlight.solver import Term
from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.source.records import dataclass


@dataclass(frozen=True)
class Cube:
    """`places`: the locations of each process; `values`: those of each variable with few values that is limited; `others`:
    comparisons."""

    places: Mapping[int, frozenset[int]] = field(default_factory=dict)
    values: Mapping[Place, frozenset[int]] = field(default_factory=dict)
    others: frozenset[e.Expr] = frozenset()

    @cached_property
    def by_class(self) -> dict[int, list[int]]:
        """The processes of each class."""
        found: dict[int, list[int]] = {}
        for slot in sorted(self.places):
            found.setdefault(slot // SLOTS, []).append(slot)
        return found

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for equal cubes."""
        return frozenset(self.places.items()), frozenset(self.values.items()), self.others

    @property
    def weight(self) -> tuple[int, int]:
        """Smaller cubes are larger sets, and are looked at first."""
        return len(self.places), len(self.values) + len(self.others)

    def listed(self) -> Listed:
        """Its processes, with the location of each that has one."""
        return {slot: next(iter(spots)) if len(spots) == 1 else None for slot, spots in self.places.items()}

    def free_slot(self, class_: int) -> int:
        """The slot of one more process of a class."""
        slot = class_ * SLOTS
        while slot in self.places:
            slot += 1
        return slot

    # --- narrowing down --------------------------------------------------------------------------

    def at(self, slot: int, locations: frozenset[int]) -> Cube | None:
        """The part with a process, which may be a new one, at these locations; None if there is none."""
        spots = self.places[slot] & locations if slot in self.places else locations
        return replace(self, places={**self.places, slot: spots}) if spots else None

    def within(self, place: Place, allowed: frozenset[int]) -> Cube | None:
        """The part with a variable that has one of these values; None if there is none."""
        left = self.values[place] & allowed if place in self.values else allowed
        if not left:
            return None
        if len(left) == place[0].domain.high - place[0].domain.low + 1:
            return self
        return replace(self, values={**self.values, place: left})

    def where(self, literal: e.Expr) -> Cube | None:
        """The part in which a literal holds; None if there is none."""
        match literal:
            case e.AtLocation(_, e.Const(slot), _, locations):
                return self.at(slot, frozenset(locations))
            case e.Unary("!", e.AtLocation(_, e.Const(slot), _, locations)):
                left = self.places[slot] - frozenset(locations)
                return replace(self, places={**self.places, slot: left}) if left else None
            case e.Binary("==" | "!=" as operator, e.Remote(_, e.Const(one), a), e.Remote(_, e.Const(other), b)):
                if is_own(a) and is_own(b):
                    return self if (one == other) is (operator == "==") else None
        place = only_finite(literal)
        if place is not None:
            return self.within(place, values_with(literal, place))
        if not variables_of(literal):
            try:
                return self if value_of(literal, {}) else None
            except Fault:
                return None
        return replace(self, others=self.others | {literal})

    def with_process(self, slot: int, program: FamilyProgram) -> Cube:
        """The same states, of which those are meant that have one more process, anywhere."""
        everywhere = frozenset(program.classes[slot // SLOTS].locations)
        return replace(self, places={**self.places, slot: everywhere})

    # --- in the words of the solver --------------------------------------------------------------

    def terms(self, context: Context) -> Iterator[Term]:
        """What it says, but for the locations that `listed` has."""
        solver = context.solver
        for slot, spots in self.places.items():
            if len(spots) > 1:
                yield solver.z3.Or(*(solver.location(slot) == spot for spot in sorted(spots)))
        for (variable, at), allowed in self.values.items():
            value = solver.value(
                e.Get(variable) if at is None else e.Remote(variable.owner or "", e.Const(at), variable)
            )
            yield solver.z3.Or(*(value == each for each in sorted(allowed)))
        yield from map(solver.truth, self.others)

    def possible(self, context: Context) -> bool:
        """Whether it has states that what is known of all reachable ones allows."""
        with context.solver.context([*known(self, context), *self.terms(context)]):
            return context.solver.possible()


def relevant(cube: Cube, context: Context) -> Cube:
    """The cube without comparisons that are always true."""
    if not cube.others:
        return cube
    with context.solver.context(known(cube, context)):
        kept = frozenset(x for x in cube.others if not context.solver.entails(context.solver.truth(x)))
    return replace(cube, others=kept) if len(kept) < len(cube.others) else cube


def known(cube: Cube, context: Context) -> list[Term]:
    """What is known of all reachable states with the processes of a cube."""
    listed = cube.listed()
    key = "facts", tuple(sorted(listed.items(), key=str))
    if key not in context.kept:
        context.kept[key] = context.facts(listed)
    return context.kept[key]


def covers(one: Cube, other: Cube, context: Context) -> bool:
    """Whether every state of the other cube is one of the first."""
    for slots in ways(one, other):
        wanted = [moved(x, slots) for x in one.others]
        missing = [x for x in wanted if x not in other.others]
        if not missing:
            return True
        if not other.others and not any(place in other.values for x in missing for place in variables_of(x)):
            continue  # nothing is known that it could follow from
        with context.solver.context([*known(other, context), *other.terms(context)]):
            if all(context.solver.entails(context.solver.truth(x)) for x in missing):
                return True
    return False


def ways(one: Cube, other: Cube) -> Iterator[dict[int, int]]:
    """The maps of processes such that the locations and values of the first cube are those of the second, or more."""
    if any(len(slots) > len(other.by_class.get(class_, ())) for class_, slots in one.by_class.items()):
        return
    for (variable, slot), allowed in one.values.items():
        if slot is None and not other.values.get((variable, None), NOTHING_KNOWN) <= allowed:
            return
    local = [(variable, slot, allowed) for (variable, slot), allowed in one.values.items() if slot is not None]
    order = sorted(one.by_class)
    rows = (permutations(other.by_class[class_], len(one.by_class[class_])) for class_ in order)
    for way in product(*rows):
        slots = {
            mine: theirs
            for class_, chosen in zip(order, way, strict=True)
            for mine, theirs in zip(one.by_class[class_], chosen, strict=True)
        }
        if all(other.places[slots[slot]] <= spots for slot, spots in one.places.items()) and all(
            other.values.get((variable, slots[slot]), NOTHING_KNOWN) <= allowed for variable, slot, allowed in local
        ):
            yield slots


class Everything(frozenset[int]):
    """The values of a variable of which nothing is known: a part of no set that a cube has."""

    def __le__(self, other: object) -> bool:
        return False


NOTHING_KNOWN = Everything()
