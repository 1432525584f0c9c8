"""What is known of some listed processes and of all the others, whose number is not known.

Of every class, some processes are listed: those in the spotlight, and the one that acts.  All others are counted by
location, and the laws tie these counts to the global variables:

    y = 1 - [i in 2, 3] - [j in 2, 3] - (others at 2 or 3)

Locations that no law tells apart share a count.  The count of a location times a parameter is not linear; of such a
product only bounds are given to the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import permutations, product

from coset.engines.spotlight.expressions import at_slot, is_unbounded, moved
from coset.engines.spotlight.linear import ONE, Sum, expression
from coset.engines.spotlight.program import SLOTS, ClassProgram, FamilyProgram
from coset.engines.spotlight.solver import Setting, Solver, Term
from coset.model import expression as e
from coset.model import model as m
from coset.model.domain import Domain
from coset.source.records import dataclass

OWN = Domain("identity", 0, 2**31 - 1)
"""The domain of the identities of processes (`backward/identities`): no two processes have the same one."""

Listed = Mapping[int, int | None]
"""Slots with locations; None where the location is not known."""


@dataclass(frozen=True, slots=True)
class Law:
    """A conservation law: the sum of multiples of globals is `total`, what it is at the start, and what the processes
    hold: the sum of their `heights` by class and location, which are sums of multiples of parameters."""

    factors: tuple[tuple[m.Variable, int], ...]
    total: e.Expr
    heights: tuple[Mapping[int, Sum], ...]
    classes: tuple[ClassProgram, ...] = field(compare=False, repr=False)

    @property
    def left(self) -> e.Expr:
        return expression({e.Get(variable): factor for variable, factor in self.factors})

    def __str__(self) -> str:
        held = []
        for class_, heights in zip(self.classes, self.heights, strict=True):
            places: dict[str, list[str]] = {}
            for location, height in sorted(heights.items()):
                if height:
                    places.setdefault(str(expression(height)), []).append(class_.labels[location])
            held += [f" + {height} * #{class_.name}@{'|'.join(labels)}" for height, labels in places.items()]
        text = f"{self.left} == {self.total}{''.join(held)}"
        return text.replace(" + -", " - ").replace(" 1 * ", " ")


@dataclass(frozen=True, slots=True)
class Invariant:
    """A condition on every choice of different processes of these classes, in slots 0, 1, ... of the condition."""

    name: str
    classes: tuple[int, ...]
    condition: e.Expr
    text: str = ""
    given: bool = False
    """Whether the user has stated it."""


@dataclass(frozen=True, eq=False)
class Context:
    """A program with what is known of all its states; `apart`: every location has a count of its own."""

    program: FamilyProgram
    solver: Solver
    laws: tuple[Law, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    apart: bool = False
    settings: dict[object, Setting] = field(default_factory=dict, repr=False)
    """Solvers that are kept, by whatever their facts depend on."""
    kept: dict[object, list[Term]] = field(default_factory=dict, init=False, repr=False)
    """Facts that are needed again, by whatever they depend on."""
    terms: dict[tuple[int, tuple[int, ...]], Term] = field(default_factory=dict, repr=False)
    """The invariants for choices of processes."""

    def setting(self, key: object, facts: Callable[[], list[Term]]) -> Setting:
        """A solver that knows some facts; it is made once for each key."""
        if key not in self.settings:
            self.settings[key] = self.solver.setting(facts())
        return self.settings[key]

    def facts(self, listed: Listed) -> list[Term]:
        """Everything that is known if these processes are listed, of any number of others."""
        return [
            *self.parameters,
            *self.product_facts,
            *self.ranges(self.program.variables, None),
            *(fact for slot, place in listed.items() for fact in self.process_facts(slot, place)),
            *self.count_facts(listed),
            *(self.law_fact(law, listed) for law in self.laws),
            *self.instances(listed),
            *self.identities(listed),
        ]

    def guest_facts(self, listed: Listed, slot: int, place: int) -> list[Term]:
        """What more is known if one of the others is looked at: it is counted, and the invariants hold of it."""
        class_ = self.program.classes[slot // SLOTS]
        facts = [*self.process_facts(slot, place), self.count(class_.number, place) >= 1]
        return [*facts, *self.instances({**listed, slot: place}, slot)]

    # --- parameters and variables ----------------------------------------------------------------

    @cached_property
    def parameters(self) -> list[Term]:
        """What is known of the parameters: classes are not empty, and the assumptions."""
        family = self.program.family
        sizes = [self.size(each) >= 1 for each in self.program.classes if not isinstance(each.size, int)]
        return [*sizes, *self.ranges(family.parameters, None), *map(self.solver.truth, family.assumptions)]

    def size(self, class_: ClassProgram) -> Term:
        if isinstance(class_.size, int):
            return self.solver.z3.IntVal(class_.size)
        return self.solver.value(e.Get(class_.size))

    def ranges(self, variables: Sequence[m.Variable], slot: int | None) -> Iterator[Term]:
        """That values are in the domains of their variables, which assignments guarantee."""
        for variable in variables:
            place = e.Get(variable) if slot is None else e.Remote(variable.owner or "", e.Const(slot), variable)
            term = self.solver.value(place)
            if not is_unbounded(variable.domain):
                yield variable.domain.low <= term
                yield term <= variable.domain.high
            elif variable.domain.low >= 0:
                yield variable.domain.low <= term

    def process_facts(self, slot: int, place: int | None) -> Iterator[Term]:
        class_ = self.program.classes[slot // SLOTS]
        at = self.solver.location(slot)
        if place is None:
            yield self.solver.z3.Or(*(at == number for number in class_.locations))
        elif class_.name in self.located:
            yield at == place
        yield from self.ranges(class_.variables, slot)

    @cached_property
    def located(self) -> set[str]:
        """The classes of whose locations some invariant speaks."""
        parts = (x for invariant in self.invariants for x in invariant.condition.walk())
        return {x.kind for x in parts if isinstance(x, e.AtLocation)}

    def view(self, class_: ClassProgram, place: int) -> object:
        """What the facts depend on: two locations with the same view are alike to them."""
        return place if class_.name in self.located else self.heights(class_, place)

    def heights(self, class_: ClassProgram, place: int) -> tuple[frozenset[tuple[e.Expr, int]], ...]:
        """What a process at a location holds, by each law."""
        return tuple(frozenset(law.heights[class_.number].get(place, {}).items()) for law in self.laws)

    def identities(self, listed: Iterable[int]) -> Iterator[Term]:
        """That listed processes are different, where they have identities."""
        terms = []
        for slot in listed:
            class_ = self.program.classes[slot // SLOTS]
            terms += [self.solver.value(e.Remote(class_.name, e.Const(slot), v)) for v in class_.variables if is_own(v)]
        yield from (term >= 0 for term in terms)
        if len(terms) > 1:
            yield self.solver.z3.Distinct(*terms)

    # --- counts and laws -------------------------------------------------------------------------

    @cached_property
    def groups(self) -> list[dict[int, int]]:
        """For every class the group of each location: those that no law tells apart."""
        found = []
        for class_ in self.program.classes:
            keys: dict[object, int] = {}
            row = {}
            for place in class_.locations:
                row[place] = keys.setdefault(place if self.apart else self.heights(class_, place), place)
            found.append(row)
        return found

    def count(self, class_: int, place: int) -> Term:
        """How many processes that are not listed are at a location, or at others that count the same."""
        return self.solver.number(f"#{class_}@{self.groups[class_][place]}")

    def count_facts(self, listed: Listed) -> Iterator[Term]:
        for class_ in self.program.classes:
            counts = [self.count(class_.number, place) for place in sorted(set(self.groups[class_.number].values()))]
            yield from (count >= 0 for count in counts)
            yield self.solver.z3.Sum(counts) == self.size(class_) - sum(
                slot // SLOTS == class_.number for slot in listed
            )

    def law_fact(self, law: Law, listed: Listed) -> Term:
        held: list[Term] = [self.solver.value(law.total)]
        for slot, place in listed.items():
            heights = law.heights[slot // SLOTS]
            if place is not None:
                held.append(self.solver.value(expression(heights.get(place, {}))))
                continue
            term: Term = self.solver.z3.IntVal(0)
            for spot, height in heights.items():
                at_spot = self.solver.location(slot) == spot
                term = self.solver.z3.If(at_spot, self.solver.value(expression(height)), term)
            held.append(term)
        for class_ in self.program.classes:
            for place in set(self.groups[class_.number].values()):
                height = law.heights[class_.number].get(place, {})
                held += [self.multiple(term, factor, class_.number, place) for term, factor in height.items()]
        return self.solver.value(law.left) == self.solver.z3.Sum(held)

    def multiple(self, term: e.Expr, factor: int, class_: int, place: int) -> Term:
        """A height times a count."""
        count = self.count(class_, place)
        return factor * (count if term == ONE else self.product(term, class_, place))

    def product(self, parameter: e.Expr, class_: int, place: int) -> Term:
        return self.solver.number(f"{self.solver.value(parameter)} * #{class_}@{place}")

    @cached_property
    def product_facts(self) -> list[Term]:
        """Bounds of the products of parameters that are not negative with counts."""
        facts: list[Term] = []
        implies = self.solver.z3.Implies
        pairs = {
            (term, class_.number, self.groups[class_.number][place])
            for law in self.laws
            for class_ in self.program.classes
            for place, height in law.heights[class_.number].items()
            for term in height
            if term != ONE
        }
        for term, class_number, place in pairs:
            count, parameter = self.count(class_number, place), self.solver.value(term)
            both = self.product(term, class_number, place)
            facts.append(implies(count == 0, both == 0))
            facts.append(implies(count == 1, both == parameter))
            with self.solver.context(self.parameters):
                positive = self.solver.entails(parameter >= 1)
            if positive:
                facts += [implies(count >= 2, both >= 2 * parameter), both >= count]
        return facts

    # --- invariants ------------------------------------------------------------------------------

    def instances(self, listed: Listed, about: int | None = None) -> Iterator[Term]:
        """The invariants for all choices among the listed processes, or for those in which one of them is."""
        for number, invariant in enumerate(self.invariants):
            for choice in choices(invariant.classes, listed):
                if about is None or about in choice:
                    key = number, choice
                    if key not in self.terms:
                        condition = moved(invariant.condition, dict(enumerate(choice)))
                        self.terms[key] = self.solver.truth(condition)
                    yield self.terms[key]

    # --- deadlock --------------------------------------------------------------------------------

    def deadlock(self, listed: Listed) -> Term:
        """That no process can move; of one that is not listed, a guard over its own variables may be anything."""
        if not self.apart:
            raise ValueError("locations must be counted separately to decide which processes can move")
        z3 = self.solver.z3
        stuck: list[Term] = []
        for slot, place in listed.items():
            class_ = self.program.classes[slot // SLOTS]
            assert place is not None
            stuck += [z3.Not(self.solver.truth(at_slot(move.guard, class_.name, slot))) for move in class_.moves[place]]
        for class_ in self.program.classes:
            for place in class_.locations:
                blocked = []
                for move in class_.moves[place]:
                    own = any(isinstance(x, e.Get) and x.variable.owner for x in move.guard.walk())
                    guard = z3.Bool(f"someone can {move.number}") if own else self.solver.truth(move.guard)
                    blocked.append(z3.Not(guard))
                if blocked:
                    stuck.append(z3.Implies(self.count(class_.number, place) > 0, z3.And(*blocked)))
        return z3.And(*stuck)


def is_own(variable: m.Variable) -> bool:
    """Whether a variable is the identity of its process."""
    return variable.domain is OWN or variable.domain == OWN


def choices(classes: Sequence[int], listed: Listed) -> Iterator[tuple[int, ...]]:
    """All ways to choose different listed processes of these classes.

    >>> list(choices((0, 1), {0: None, 1: None, 1000: None}))
    [(0, 1000), (1, 1000)]
    """
    by_class: dict[int, list[int]] = {}
    for slot in listed:
        by_class.setdefault(slot // SLOTS, []).append(slot)
    order = sorted(set(classes))
    for way in product(*(permutations(by_class.get(each, ()), list(classes).count(each)) for each in order)):
        rows = {each: iter(chosen) for each, chosen in zip(order, way, strict=True)}
        yield tuple(next(rows[each]) for each in classes)
