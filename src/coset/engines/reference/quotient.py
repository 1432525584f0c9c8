"""The state graph of a small model modulo symmetry, by the reference interpreter: to be looked at, not to be searched."""

from __future__ import annotations

from coset.model.evaluate import Fault
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.quotient import Orbit, Passage, Quotient
from coset.results.symmetry import SymmetryUsed
from coset.symmetry.canonical.representative import Representatives


class TooManyOrbits(Exception):
    """There are more orbits than were asked for."""


def quotient(model: Model, representatives: Representatives | None, used: SymmetryUsed, most: int) -> Quotient:
    """One node for each orbit, or for each state without `representatives`; raises `TooManyOrbits` beyond `most`."""
    return Walk(Interpreter(model), representatives, most).run(used)


class Walk:
    """Breadth first.  Of each orbit the state that was met first is looked at, so that neighbours in the picture differ by
    little; a step of it stands for the steps of all its images (Clarke, Enders, Filkorn, Jha, "Exploiting symmetry in
    temporal logic model checking", Formal Methods in System Design 9, 1996)."""

    def __init__(self, interpreter: Interpreter, representatives: Representatives | None, most: int) -> None:
        self.interpreter, self.representatives, self.most = interpreter, representatives, most
        self.number: dict[State, int] = {}
        self.met: list[State] = []
        self.orbits: list[Orbit] = []
        self.passages: list[Passage] = []

    def run(self, used: SymmetryUsed) -> Quotient:
        first = tuple(dict.fromkeys(map(self.place, self.first_states())))
        while len(self.orbits) < len(self.met):
            self.orbits.append(self.orbit(len(self.orbits)))
        return Quotient(self.interpreter.model, tuple(self.orbits), tuple(self.passages), first, used)

    def first_states(self) -> list[State]:
        initial = self.interpreter.initial()
        return [step.state for step in self.interpreter.steps(initial)] if self.interpreter.model.prelude else [initial]

    def place(self, state: State) -> int:
        """The number of the orbit of a state, which may be a new one."""
        key = self.interpreter.key(state) if self.representatives is None else self.representatives(state)
        if key not in self.number:
            if len(self.met) == self.most:
                raise TooManyOrbits
            self.number[key] = len(self.met)
            self.met.append(state)
        return self.number[key]

    def orbit(self, number: int) -> Orbit:
        """The orbit with what can go wrong at the state that shows it; its steps are added to the graph."""
        state = self.met[number]
        problems: dict[str, None] = {}
        is_stuck = True
        try:
            for step in self.interpreter.steps(state):
                is_stuck = is_stuck and self.interpreter.is_idle(state, step.moves[-1:])
                problems |= dict.fromkeys(message for move in step.moves for _, message in move.errors)
                if not is_fault(step.moves[-1]):
                    self.passages.append(Passage(number, self.place(step.state), step.moves))
        except Fault as fault:
            is_stuck = False
            problems[fault.message] = None
        is_stuck = is_stuck and self.interpreter.is_idle(state, ())
        over = is_stuck and self.interpreter.valid_end(state)
        if is_stuck and not over:
            problems["invalid end state"] = None
        size = 1 if self.representatives is None else self.representatives.size(self.representatives(state))
        return Orbit(state, size, tuple(problems), over)
