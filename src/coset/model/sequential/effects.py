"""What the effects of an edge do to the variables of the sequential form, and where a process goes by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from coset.model import expression as e
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.model.sequential.terms import Terms
from coset.model.sequential_model import Assign, If, Inexpressible, Statement
from coset.model.state import State

MOST_STATEMENTS = 10_000
"""Of a deterministic step, when its branches are written out."""


class Effects:
    def __init__(self, interpreter: Interpreter, states: Sequence[State], locations: Sequence[frozenset[int]]) -> None:
        self.terms = Terms(interpreter, states, locations)
        self.numbers = range(len(self.terms.kinds))

    def target(self, p: int, place: e.Place) -> e.Place:
        assert place.variable is not None
        owner = p if place.variable.owner is not None else None
        indices = tuple(self.terms.expression(index, p) for index in place.indices)
        return e.Place(self.terms.own[owner, place.variable], indices)

    def assign(self, p: int, place: e.Place, value: e.Expr) -> Statement:
        return Assign(self.target(p, place), value)

    def effect(self, p: int, effect: m.Effect, edge: m.Edge) -> Iterator[Statement]:
        match effect:
            case m.Assign(place, value):
                if place.variable is not None:
                    yield self.assign(p, place, self.terms.expression(value, p))
            case m.Assert() | m.Print():
                return
            case m.Exit():
                for (owner, _), variable in self.terms.own.items():
                    if owner == p:
                        for offset in range(variable.size):
                            index = tuple(map(e.Const, variable.indices(offset)))
                            yield Assign(e.Place(variable, index), e.Const(0))
            case _:
                raise Inexpressible(f"`{effect}`", edge.span)

    def is_transient(self, p: int, target: int) -> bool:
        return target != m.GONE and self.terms.kinds[p].locations[target].transient

    def move(self, p: int, target: int, depth: int) -> list[Statement]:
        """To a location, and on from one that is left at once."""
        at = e.Place(self.terms.at[p])
        if not self.is_transient(p, target):
            return [Assign(at, e.Const(self.terms.gone(p) if target == m.GONE else target))]
        if depth > len(self.terms.kinds[p].locations):
            raise Inexpressible("a loop inside of a d_step")
        result: list[Statement] | None = None
        for edge in reversed(self.terms.kinds[p].locations[target].edges):
            if any(isinstance(x, m.Send | m.Receive | m.Assert) for x in edge.effects):
                raise Inexpressible("messages and assertions inside of a d_step", edge.span)
            guard = self.terms.expression(edge.guard, p)
            program = [statement for x in edge.effects for statement in self.effect(p, x, edge)]
            program += self.move(p, edge.target, depth + 1)
            if guard == e.TRUE:
                result = program
            elif result is None:
                raise Inexpressible("a d_step that may block in the middle", edge.span)
            else:
                result = [If(guard, tuple(program), tuple(result))]
            if size(result) > MOST_STATEMENTS:
                raise Inexpressible("a d_step with too many branches", edge.span)
        if result is None:
            raise Inexpressible("a d_step that may block in the middle")
        return result


def size(program: Sequence[Statement]) -> int:
    return sum(1 if isinstance(x, Assign) else 1 + size(x.yes) + size(x.no) for x in program)
