"""More predicates and more processes, until a formula is true or false.

The spotlight begins with the processes that the formula speaks of, and the predicates are its conditions on data.  As long as
the formula is unknown, its evidence leads to the first thing that is not known:

* a guard or condition with parts that are no predicates yet: they become some;
* a predicate that was lost on the way by a step of the spotlight: the parts of its weakest precondition do;
* a step of the shade: one more process of that class comes into the spotlight, or one of another class.

Every round adds something, and both predicates and processes are limited, so that it ends; unknown is always allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from heapq import heappop, heappush

from coset.engines.spotlight.abstraction import Abstraction, TooLarge
from coset.engines.spotlight.candidates import bound, quantified
from coset.engines.spotlight.context import Context
from coset.engines.spotlight.ctl import Evaluation
from coset.engines.spotlight.evidence import Evidence, explain
from coset.engines.spotlight.expressions import Deadlock, Fit, at_slot, atoms, split, substituted, variables_of
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.linear import comparison
from coset.engines.spotlight.program import SLOTS, FamilyProgram, has_cycle
from coset.engines.spotlight.state import Cause
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import FamilyProperty
from coset.model.rewrite import rewrite
from coset.properties import formula as f
from coset.properties.ctl_formula import existential_form
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to go: processes in the spotlight beyond those of the formula, predicates, and states of one abstraction;
    `exceeded` says which limit of the user has been reached, if any."""

    growth: int = 2
    predicates: int = 10
    states: int = 1000
    exceeded: Callable[[], str | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Round:
    """One abstraction that was checked: what it was, what came out, and what is to be done about it."""

    spotlight: tuple[int, ...]
    predicates: tuple[e.Expr, ...]
    states: int
    truth: Truth
    cause: str
    new: tuple[e.Expr, ...] = ()
    """The predicates that come next."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`truth` for all sizes with at least `spotlight` processes in each class; `reason` if it is unknown."""

    truth: Truth
    spotlight: tuple[int, ...]
    diameter: tuple[int, ...]
    predicates: tuple[e.Expr, ...]
    rounds: tuple[Round, ...]
    reason: str | None = None
    run: tuple[Cause, ...] = ()
    """For "false" of `A` and "true" of `E`: steps of the spotlight alone that show it in every member."""
    loop: int | None = None
    """Where the run returns to at its end, if it does."""
    depends: e.Expr | None = None
    """If it is unknown, a condition on parameters that may be to blame."""


@dataclass(frozen=True, slots=True)
class Question:
    """A property about the processes in the first slots of their classes."""

    formula: f.Formula[e.Expr]
    diameter: tuple[int, ...]

    @property
    def atoms(self) -> list[e.Expr]:
        return list(dict.fromkeys(self.formula.atoms()))


def question(program: FamilyProgram, property_: FamilyProperty) -> Question:
    """By symmetry, what holds of the first processes of each class holds of all choices of different ones."""
    classes, variables = quantified(program, property_.quantifiers)
    diameter = [0] * len(program.classes)
    slots: dict[m.Variable, int] = {}
    for number, variable in zip(classes, variables, strict=True):
        slots[variable] = number * SLOTS + diameter[number]
        diameter[number] += 1

    conditions = {
        atom: substituted(bound(atom, slots, property_.span), program.constants) for atom in property_.formula.atoms()
    }
    return Question(split(with_atoms(property_.formula, conditions)), tuple(diameter))


def with_atoms(formula: f.Formula[e.Expr], images: Mapping[e.Expr, e.Expr]) -> f.Formula[e.Expr]:
    """A formula with other conditions."""
    if isinstance(formula, f.Atom):
        return f.Atom(images[formula.value])
    parts = {each.name: getattr(formula, each.name) for each in fields(formula)}
    return replace(formula, **{k: with_atoms(x, images) for k, x in parts.items() if isinstance(x, f.Formula)})


# --- the loop ------------------------------------------------------------------------------------


class Refinement:
    """The search for a definite verdict on one property."""

    def __init__(
        self,
        context: Context,
        asked: Question,
        bounds: Bounds,
        fair: bool = False,
        merges_shade: bool = False,
        listener: Callable[[Round], None] = lambda each: None,
        made: type[Abstraction] = Abstraction,
    ) -> None:
        # whether a run may come to rest is worth knowing if others cannot go on forever
        apart = any(isinstance(atom, Deadlock) for atom in asked.atoms) or not all(
            map(has_cycle, context.program.classes)
        )
        self.context, self.asked, self.bounds = replace(context, apart=apart, settings={}), asked, bounds
        self.fair, self.merges_shade, self.listener, self.made = fair, merges_shade, listener, made
        self.form = existential_form(asked.formula)
        self.predicates: list[e.Expr] = []
        self.rounds: list[Round] = []
        self.add(atom for atom in asked.atoms if not isinstance(atom, e.AtLocation | Deadlock))

    def outcome(self) -> Outcome:
        """The verdict with the smallest spotlight that gives one."""
        start = self.asked.diameter
        heap: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, start)]
        seen, reason, depends = {start}, "no limit was reached", None
        while heap:
            grown, _, spotlight = heappop(heap)
            found, cause = self.with_spotlight(spotlight)
            if found is not None:
                return found
            reason, depends = cause.reason, depends or cause.depends
            if cause.final:
                break
            for number in self.wanted(spotlight, cause.class_) if cause.larger else ():
                larger = tuple(count + (each == number) for each, count in enumerate(spotlight))
                if larger not in seen and grown < self.bounds.growth:
                    seen.add(larger)
                    heappush(heap, (grown + 1, len(seen), larger))
        return Outcome(
            Truth.UNKNOWN, spotlight, start, tuple(self.predicates), tuple(self.rounds), reason, depends=depends
        )  # fmt: skip

    def wanted(self, spotlight: tuple[int, ...], first: int | None) -> list[int]:
        """The classes of which one more process could be in the spotlight, the one that is asked for first."""
        sizes = [class_.size for class_ in self.context.program.classes]
        possible = [k for k, size in enumerate(sizes) if not isinstance(size, int) or size > spotlight[k]]
        return sorted(possible, key=lambda number: number != first)

    def with_spotlight(self, spotlight: tuple[int, ...]) -> tuple[Outcome | None, NotKnown]:
        """The verdict with more and more predicates, or why there is none."""
        while True:
            limit = self.bounds.exceeded()
            if limit is not None:
                return None, NotKnown(limit, final=True)
            abstraction = self.made(
                self.context, spotlight, self.predicates, self.asked.atoms, self.fair, self.merges_shade
            )
            try:
                structure = abstraction.structure(self.bounds.states, self.bounds.exceeded)
            except TooLarge as large:
                self.note(abstraction, Truth.UNKNOWN, str(large))
                return None, NotKnown(str(large), larger=False)
            known = Evaluation(structure, self.fair)
            evidence = explain(self.asked.formula, known)
            if evidence.truth.definite:
                self.note(abstraction, evidence.truth, "")
                return self.definite(evidence, spotlight), NotKnown("")
            cause = self.cause(abstraction, evidence)
            if isinstance(cause, NotKnown):
                self.note(abstraction, Truth.UNKNOWN, cause.reason)
                return None, cause
            self.note(abstraction, Truth.UNKNOWN, "", tuple(cause))
            if not self.add(cause):
                return None, NotKnown(f"more than {self.bounds.predicates} predicates would be needed")

    def definite(self, evidence: Evidence[e.Expr], spotlight: tuple[int, ...]) -> Outcome:
        run = tuple(step.cause for step in evidence.steps)
        predicates, rounds = tuple(self.predicates), tuple(self.rounds)
        return Outcome(
            evidence.truth, spotlight, self.asked.diameter, predicates, rounds, None, run, evidence.loop
        )  # fmt: skip

    def note(self, abstraction: Abstraction, truth: Truth, cause: str, new: tuple[e.Expr, ...] = ()) -> None:
        each = Round(abstraction.spotlight, abstraction.predicates, len(abstraction.states), truth, cause, new)
        self.rounds.append(each)
        self.listener(each)

    # --- predicates ------------------------------------------------------------------------------

    def add(self, conditions: Iterable[e.Expr]) -> bool:
        """Make predicates of conditions; false if there is no room, or nothing new."""
        before = len(self.predicates)
        for condition in conditions:
            if self.tracked(condition) is None and len(self.predicates) < self.bounds.predicates:
                self.predicates.append(comparison(condition))
        return len(self.predicates) > before

    def tracked(self, condition: e.Expr) -> int | None:
        """The number of the predicate that is the condition, or its negation."""
        normal = comparison(condition)
        if normal in self.predicates:
            return self.predicates.index(normal)
        solver = self.context.solver
        reads = variables_of(normal)
        same_reads = [k for k, each in enumerate(self.predicates) if variables_of(each) == reads]
        if same_reads:
            term = solver.truth(normal)
            slots = {slot: None for _, slot in reads if slot is not None}
            with solver.context(self.context.facts(slots)):
                for number in same_reads:
                    other = solver.truth(self.predicates[number])
                    if solver.entails(term == other) or solver.entails(term != other):
                        return number
        return None

    # --- causes ----------------------------------------------------------------------------------

    def cause(self, abstraction: Abstraction, evidence: Evidence[e.Expr]) -> list[e.Expr] | NotKnown:
        """What would make known the first thing that is not: new predicates, or else another spotlight."""
        path = Path(abstraction, evidence.states, [step.cause for step in evidence.steps])
        if evidence.step is not None:
            cause: Cause = evidence.step.cause
            if cause.slot is None:
                if cause.move is None and self.context.apart and abstraction.shade_ends():
                    found = self.lost(path, guards(abstraction, evidence.last))
                    if isinstance(found, list):
                        return found
                return in_shade(abstraction, cause)
            assert cause.move is not None
            name = abstraction.class_of(cause.slot).name
            return self.lost(path, at_slot(cause.move.guard, name, cause.slot))
        if isinstance(evidence.atom, Deadlock):
            return self.lost(path, guards(abstraction, evidence.last))
        if evidence.atom is not None:
            return self.lost(path, evidence.atom)
        return NotKnown("runs that may be fair cannot be excluded")

    def lost(self, path: Path, condition: e.Expr) -> list[e.Expr] | NotKnown:
        """How a condition got lost on a path: it was never known, or a step made it unknown."""
        conditions = [x for x in dict.fromkeys(map(comparison, atoms(condition))) if variables_of(x)]
        new = [x for x in conditions if self.tracked(x) is None]
        if new:
            return new
        numbers = [number for x in conditions if (number := self.tracked(x)) is not None]
        for number in numbers:
            if path.value(len(path.causes), number) is not Truth.UNKNOWN:
                continue
            for at in reversed(range(len(path.causes))):
                cause = path.causes[at]
                untouched = cause.move is None or not path.touches(cause, number)
                if untouched and path.value(at, number) is Truth.UNKNOWN:
                    continue
                if cause.slot is None or cause.move is None:
                    return in_shade(path.abstraction, cause)
                name = path.abstraction.class_of(cause.slot).name
                before = e.Binary(
                    "&&",
                    path.abstraction.after(number, cause.move, cause.slot),
                    at_slot(cause.move.guard, name, cause.slot),
                )
                return self.lost(path.up_to(at), before)
            first = at_start(self.context.program, self.predicates[number])
            return NotKnown(f"{shown(self.predicates[number])} depends on a parameter", depends=first)
        return NotKnown("what is known of the data does not suffice")


@dataclass(frozen=True, slots=True)
class NotKnown:
    """Why there is no verdict yet; `class_` is the class whose processes in the shade are to blame, if any.  `larger`
    tells whether more processes in the spotlight might help, `final` that there is no time left for anything."""

    reason: str
    class_: int | None = None
    final: bool = False
    larger: bool = True
    depends: e.Expr | None = None
    """A condition on parameters that would have to be known."""


@dataclass(frozen=True, slots=True)
class Path:
    """States of an abstraction with the causes of the steps between them."""

    abstraction: Abstraction
    states: tuple[int, ...]
    causes: list[Cause]

    def value(self, at: int, predicate: int) -> Truth:
        return self.abstraction.states[self.states[at]].values[predicate]

    def touches(self, cause: Cause, predicate: int) -> bool:
        changed = {variable for variable, _ in cause.move.updates} if cause.move is not None else set()
        return any(
            variable in changed and (slot is None or slot == cause.slot)
            for variable, slot in self.abstraction.reads[predicate]
        )

    def up_to(self, at: int) -> Path:
        return Path(self.abstraction, self.states[: at + 1], self.causes[:at])


def in_shade(abstraction: Abstraction, cause: Cause) -> NotKnown:
    """A step of the shade is to blame, of a certain class if it is one that changes something."""
    if cause.move is None:
        return NotKnown("processes in the shade may move, or may not")
    class_ = abstraction.program.classes[cause.move.class_]
    return NotKnown(f"a process of {class_.name} in the shade may do `{cause.move.text or 'a step'}`", class_.number)


def guards(abstraction: Abstraction, state: int) -> e.Expr:
    """All conditions on globals that processes may wait for, and those of the spotlight on their own variables."""
    found: e.Expr = e.TRUE
    for move in abstraction.program.moves():
        if not any(isinstance(x, e.Get) and x.variable.owner for x in move.guard.walk()):
            found = e.conjunction(found, move.guard)
    places = abstraction.states[state].places
    for slot, place in zip(abstraction.slots, places, strict=True):
        class_ = abstraction.class_of(slot)
        for move in class_.moves[place]:
            found = e.conjunction(found, at_slot(move.guard, class_.name, slot))
    return found


def at_start(program: FamilyProgram, x: e.Expr) -> e.Expr:
    """A condition on the first values of variables, as one on parameters."""

    def first(part: e.Expr) -> e.Expr:
        return program.initial.get(part.variable, part) if isinstance(part, e.Get | e.Remote) else part

    return comparison(rewrite(x, first))


def shown(x: e.Expr) -> str:
    """A condition about slots, as a person would write it."""

    def plain(part: e.Expr) -> e.Expr:
        return part.operand if isinstance(part, Fit) else part

    return str(rewrite(x, plain))
