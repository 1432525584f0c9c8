"""The abstraction of a family for some processes in the spotlight and some predicates.

A state has the location of every process in the spotlight and a truth value for every predicate; it stands for all states of
all members of the family that are large enough, in which the definite predicates and the invariants hold.  A step of a process
in the spotlight is a must if its guard follows from that, a may if the guard is possible; afterwards a predicate is known if
its weakest precondition is.  Steps of all others are never a must (`shade`).

A definite verdict holds for all sizes with at least as many processes in each class as there are in the spotlight: every
step of a member is a may here, every must is a step of each member, and labels agree (see `structure`, docs/prove.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from coset.engines.spotlight.context import Context
from coset.engines.spotlight.expressions import Deadlock, after, at_slot, variables_of
from coset.engines.spotlight.kleene import Truth
from coset.engines.spotlight.program import SLOTS, ClassProgram, Move, has_cycle
from coset.engines.spotlight.shade import shade_steps
from coset.engines.spotlight.solver import Setting, Term
from coset.engines.spotlight.state import AbstractState, Cause
from coset.engines.spotlight.structure import Step, Structure
from coset.model import expression as e
from coset.model.rewrite import rewrite

T = TypeVar("T")


class TooLarge(Exception):
    """The abstraction has more states than it may have."""


class Abstraction:
    """The three-valued structure for a spotlight: how many processes of each class, which predicates, and which atoms
    of formulas shall be labels."""

    def __init__(
        self,
        context: Context,
        spotlight: Sequence[int],
        predicates: Sequence[e.Expr],
        labels: Sequence[e.Expr],
        fair: bool = False,
        merges_shade: bool = False,
    ) -> None:
        self.context, self.solver, self.program = context, context.solver, context.program
        self.spotlight, self.predicates = tuple(spotlight), tuple(predicates)
        self.fair, self.merges_shade = fair, merges_shade
        self.slots = tuple(c * SLOTS + k for c, count in enumerate(spotlight) for k in range(count))
        self.data_labels = [atom for atom in labels if not isinstance(atom, e.AtLocation)]
        self.terms = [self.solver.truth(predicate) for predicate in self.predicates]
        self.reads = [variables_of(predicate) for predicate in self.predicates]
        self.states: list[AbstractState] = []
        self.numbers: dict[AbstractState, int] = {}
        self.truths: list[dict[e.Expr, Truth]] = []
        self.abilities: list[dict[int, Truth]] = []
        self.rests: list[bool] = []
        self.views = [{place: context.view(c, place) for place in c.locations} for c in self.program.classes]
        self._answers: dict[object, Any] = {}

    def class_of(self, slot: int) -> ClassProgram:
        return self.program.classes[slot // SLOTS]

    def has_shade(self, class_: ClassProgram) -> bool:
        """Whether there can be processes of a class outside of the spotlight."""
        return not isinstance(class_.size, int) or class_.size > self.spotlight[class_.number]

    # --- the structure ---------------------------------------------------------------------------

    def structure(self, most_states: int, exceeded: Callable[[], str | None] = lambda: None) -> Structure[e.Expr]:
        """All states that may be reached.  Raises `TooLarge`."""
        steps: list[list[Step]] = []
        self.number(self.initial())
        for state in self.states:
            if len(self.states) > most_states:
                raise TooLarge(f"an abstraction has more than {most_states} states")
            if (limit := exceeded()) is not None:
                raise TooLarge(limit)
            steps.append(self.steps(state))
        structure = Structure(steps, self.label, self.slots, lambda state, slot: self.abilities[state][slot])
        if self.context.apart and self.shade_ends():
            structure.rests = self.rests.__getitem__
        return structure

    def shade_ends(self) -> bool:
        """Whether every process outside of the spotlight makes finitely many steps: its program has no cycle."""
        return not any(self.has_shade(class_) and has_cycle(class_) for class_ in self.program.classes)

    def number(self, state: AbstractState) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.states)
            self.states.append(state)
        return self.numbers[state]

    def label(self, state: int, atom: e.Expr) -> Truth:
        if isinstance(atom, e.AtLocation):
            assert isinstance(atom.process, e.Const)
            place = self.states[state].places[self.slots.index(atom.process.value)]
            return Truth.TRUE if place in atom.locations else Truth.FALSE
        return self.truths[state][atom]

    def initial(self) -> AbstractState:
        """The state of the first values, for parameters of any value."""
        places = tuple(self.class_of(slot).start for slot in self.slots)
        first = self.program.initial

        def start(x: e.Expr) -> e.Expr:
            return first.get(x.variable, x) if isinstance(x, e.Get | e.Remote) else x

        conditions = [self.solver.truth(rewrite(predicate, start)) for predicate in self.predicates]
        sizes = [self.context.size(c) >= self.spotlight[c.number] for c in self.program.classes]
        with self.solver.context([*self.context.parameters, *sizes]):
            values = tuple(map(self.solver.decide, conditions))
        return AbstractState(places, values)

    def steps(self, state: AbstractState) -> list[Step]:
        here = Here(self, state)
        self.truths.append({atom: self.truth(atom, here) for atom in self.data_labels})
        found = [*self.lit_steps(here), *shade_steps(self, here), *self.stays(here)]
        if self.fair:
            self.abilities.append({slot: self.can_move([slot], here) for slot in self.slots})
        if self.context.apart:
            self.rests.append(self.truth(Deadlock(), here) is not Truth.FALSE)
        steps: dict[tuple[int, int | None], Step] = {}
        for target, truth, cause in found:
            completed = self.completed(target)
            if completed is not None:
                step = Step(self.number(completed), truth, cause.slot, cause)
                key = step.target, step.mover
                if key not in steps or steps[key].truth < truth:
                    steps[key] = step
        return list(steps.values())

    def lit_steps(self, here: Here) -> list[tuple[AbstractState, Truth, Cause]]:
        """The steps of the processes in the spotlight."""
        found = []
        places, values = here.state
        for position, slot in enumerate(self.slots):
            for move in self.class_of(slot).moves[places[position]]:
                guard = self.guard(move, slot)
                truth = here.decide(guard)
                if truth:
                    target = (*places[:position], move.target, *places[position + 1 :])
                    given = [] if truth is Truth.TRUE else [guard]
                    after = here.ask((move.number, slot), self.values_after, here, values, move, slot, given)
                    found.append((AbstractState(target, after), truth, Cause(move, slot)))
        return found

    def stays(self, here: Here) -> list[tuple[AbstractState, Truth, Cause]]:
        """The step that changes nothing: a process in the shade moves invisibly, or no process can move."""
        truth = Truth.UNKNOWN
        if not any(map(self.has_shade, self.program.classes)):
            truth = ~self.can_move(self.slots, here)
        return [(here.state, truth, Cause(None, None))] if truth else []

    def can_move(self, slots: Sequence[int], here: Here) -> Truth:
        """Whether one of these processes can move."""
        someone: e.Expr = e.FALSE
        for slot in slots:
            for move in self.class_of(slot).moves[here.state.places[self.slots.index(slot)]]:
                guard = self.guard(move, slot)
                someone = guard if someone == e.FALSE else e.Binary("||", someone, guard)
        return here.decide(someone)

    def guard(self, move: Move, slot: int) -> e.Expr:
        return self.known(("guard", move.number, slot), at_slot, move.guard, self.class_of(slot).name, slot)

    # --- predicates ------------------------------------------------------------------------------

    def truth(self, atom: e.Expr, here: Here) -> Truth:
        if isinstance(atom, Deadlock):
            return here.ask(("deadlock", here.state.places), self.deadlock, here)
        return here.decide(atom)

    def deadlock(self, here: Here) -> Truth:
        stuck = self.context.deadlock(self.listed(here.state.places))
        return here.setting.decide(stuck, *here.literals)

    def after(self, number: int, move: Move, slot: int) -> e.Expr:
        """The weakest precondition of a predicate."""
        name = self.class_of(slot).name
        return self.known(("after", number, move.number, slot), after, self.predicates[number], move, name, slot)

    def values_after(
        self, here: Here, values: tuple[Truth, ...], move: Move, slot: int, given: Sequence[e.Expr]
    ) -> tuple[Truth, ...]:
        """What is known of the predicates after a move.  If it does not concern one that is known, that stays so."""
        found = []
        for number, value in enumerate(values):
            before = self.after(number, move, slot)
            if before is self.predicates[number] and (value.definite or not given):
                found.append(value)
            else:
                found.append(here.decide(before, *given))
        return tuple(found)

    def listed(self, places: tuple[int, ...]) -> Mapping[int, int]:
        return dict(zip(self.slots, places, strict=True))

    def view(self, places: tuple[int, ...]) -> tuple[object, ...]:
        """What the facts depend on."""
        return tuple(self.views[slot // SLOTS][place] for slot, place in zip(self.slots, places, strict=True))

    def facts(self, places: tuple[int, ...]) -> list[Term]:
        """What is known if the processes of the spotlight are at these places."""
        return self.known(("facts", self.view(places)), lambda: self.context.facts(self.listed(places)))

    def setting(self, places: tuple[int, ...]) -> Setting:
        return self.context.setting((self.slots, self.view(places)), lambda: self.facts(places))

    def completed(self, state: AbstractState) -> AbstractState | None:
        """The state with everything that follows, None if it stands for nothing."""
        key = "completed", self.view(state.places), state.values
        values = self.known(key, self.completed_values, Here(self, state))
        return None if values is None else AbstractState(state.places, values)

    def completed_values(self, here: Here) -> tuple[Truth, ...] | None:
        if not here.setting.possible(*here.literals):
            return None
        return tuple(
            value if value.definite else here.setting.decide(term, *here.literals)
            for value, term in zip(here.state.values, self.terms, strict=True)
        )

    def known(self, key: object, function: Callable[..., T], *arguments: Any) -> T:
        """The answer to a question, which is asked once."""
        if key not in self._answers:
            self._answers[key] = function(*arguments)
        found: T = self._answers[key]
        return found


class Here:
    """Questions about the states that an abstract one stands for.  States that look alike to the facts share answers."""

    def __init__(self, abstraction: Abstraction, state: AbstractState) -> None:
        self.abstraction, self.state = abstraction, state
        self.key = abstraction.view(state.places), state.values
        self.setting = abstraction.setting(state.places)
        self.literals = self.known_predicates(self.setting)

    def known_predicates(self, setting: Setting) -> list[Term]:
        """The predicates that are known, as literals of a setting."""
        terms = zip(self.abstraction.terms, self.state.values, strict=True)
        return [setting.literal(term, value is Truth.TRUE) for term, value in terms if value.definite]

    def ask(self, question: object, function: Callable[..., T], *arguments: Any) -> T:
        return self.abstraction.known((self.key, question), function, *arguments)

    def decide(self, condition: e.Expr, *given: e.Expr) -> Truth:
        """Whether a condition holds in all of them, or in none, or that is not known."""
        if isinstance(condition, e.Const):
            return Truth.TRUE if condition.value else Truth.FALSE
        return self.ask((condition, given), self._decide, condition, given)

    def _decide(self, condition: e.Expr, given: Sequence[e.Expr]) -> Truth:
        solver = self.abstraction.solver
        more = [self.setting.literal(solver.truth(each)) for each in given]
        return self.setting.decide(solver.truth(condition), *self.literals, *more)
