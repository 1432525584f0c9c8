"""Which edges runs take, by the interpreter: the naive twin of the compiled engine's search."""

from __future__ import annotations

from collections.abc import Iterator

from coset.model import model as m
from coset.model.evaluate import Fault, Now
from coset.model.executable import CompiledEdge
from coset.model.interpreter import Interpreter, Move, is_fault
from coset.model.state import State
from coset.results.coverage import Place, edges, statements
from coset.source.budget import Limits, OutOfBudget


class Recorder(Interpreter):
    """An interpreter that remembers the edges that it has taken, those inside of deterministic steps included."""

    def __init__(self, model: m.Model) -> None:
        super().__init__(model)
        self.taken: set[int] = set()
        """The identities of edges."""

    def perform(self, now: Now, compiled: CompiledEdge) -> None:
        is_offer = compiled.send is not None and self.channel_types[now.channels[compiled.at(now)].type].capacity == 0
        if not is_offer:  # which is a step only if another process answers
            self.taken.add(id(compiled.edge))
        super().perform(now, compiled)

    def handshakes(self, state: State, offered: Now, edge: m.Edge) -> Iterator[Move]:
        before, is_answered = self.taken.copy(), False
        for move in super().handshakes(state, offered, edge):
            is_answered = True
            yield move
        if not is_answered:  # what the sender did after its offer was no step
            self.taken &= before

    def answered(
        self, middle: State, now: Now, edge: m.Edge, sender: int, compiled: CompiledEdge, offered: Now
    ) -> Move:
        self.taken.add(id(edge))
        return super().answered(middle, now, edge, sender, compiled, offered)

    def places(self) -> Iterator[Place]:
        return (place for place, edge in edges(self.model) if id(edge) in self.taken)


ASK_EVERY = 16
"""After so many states it is asked whether everything is covered."""


def taken_edges(model: m.Model, limits: Limits) -> tuple[set[Place], int, bool]:
    """The edges that are taken, how many states that took, and whether nothing more can be found: depth first, which executes
    most statements soon, until each has been executed, all states were visited, or a limit ends it."""
    interpreter, number, count = Recorder(model), 0, 0
    pending = [interpreter.initial()]
    known = {interpreter.key(pending[0])}
    identities = {place: id(edge) for place, edge in edges(model)}
    open_ = [{identities[place] for place in places} for places in statements(model).values()]
    is_complete = True
    try:
        while pending and open_:
            for step in interpreter.steps(pending.pop()):
                key = interpreter.key(step.state)
                if not is_fault(step.moves[-1]) and key not in known:
                    known.add(key)
                    pending.append(step.state)
            number += 1
            if number % ASK_EVERY == 0 and count != len(interpreter.taken):
                count = len(interpreter.taken)
                open_ = [each for each in open_ if each.isdisjoint(interpreter.taken)]
            if limits.exceeded(len(known)) is not None:
                is_complete = False
                break
    except (Fault, OutOfBudget):
        is_complete = False
    found = set(interpreter.places())
    return found, len(known), is_complete or all(not each.isdisjoint(interpreter.taken) for each in open_)
