"""The automaton of a property in the form that the engine searches together with the model.

Edges carry a condition on the state and marks; a run is accepted, and so violates the property, if it takes edges
of every mark infinitely often.  Formulas come here as the automaton of their negation, never claims as written.
"""

from __future__ import annotations

from functools import reduce

from coset.model import expression as e
from coset.model import model as m
from coset.properties.buchi import translate
from coset.properties.formula import Not
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class ClaimEdge:
    source: int
    target: int
    guard: e.Expr
    marks: int


@dataclass(frozen=True, slots=True)
class Claim:
    """States are 0 to `states` - 1; `required` has a bit for each mark that must come again and again."""

    name: str
    states: int
    initial: tuple[int, ...]
    edges: tuple[ClaimEdge, ...]
    required: int
    observes: bool = False
    """Whether it only evaluates conditions: an edge can be taken if its condition holds, and has its number as target."""


def claim_of(property_: m.Claim | m.LtlProperty) -> Claim:
    """What must not be, as an automaton."""
    return of_formula(property_) if isinstance(property_, m.LtlProperty) else of_never(property_)


def of_formula(property_: m.LtlProperty) -> Claim:
    automaton = translate(Not(property_.formula))
    edges = []
    for edge in automaton.edges:
        literals = [
            automaton.atoms[atom] if positive else e.Unary("!", automaton.atoms[atom])
            for atom, positive in sorted(edge.label)
        ]
        guard = reduce(e.conjunction, literals, e.TRUE)
        edges.append(ClaimEdge(edge.source, edge.target, guard, sum(1 << mark for mark in edge.marks)))
    return Claim(property_.name, automaton.states, automaton.initial, tuple(edges), (1 << automaton.sets) - 1)


def of_never(property_: m.Claim) -> Claim:
    """A never claim: runs that pass `accept` locations again and again, or bring the claim to its end, must not be."""
    kind = property_.automaton
    over = len(kind.locations)
    edges = [ClaimEdge(over, over, e.TRUE, 1)]
    for number, location in enumerate(kind.locations):
        marks = int(location.accept)
        others: list[e.Expr] = []
        ends = any(edge.target == m.GONE for edge in location.edges)
        if ends:
            edges.append(ClaimEdge(number, over, e.TRUE, 1))
            continue
        for edge in location.edges:
            guard = edge.guard
            if isinstance(guard, e.Otherwise):
                guard = reduce(e.conjunction, (e.Unary("!", other) for other in others), e.TRUE)
            others.append(guard)
            edges.append(ClaimEdge(number, edge.target, guard, marks))
    return Claim(property_.name, over + 1, (kind.start,), tuple(edges), 1)


def unsupported_in(property_: m.Claim | m.LtlProperty) -> str | None:
    """What a never claim does that cannot be searched yet, if anything."""
    if isinstance(property_, m.LtlProperty):
        return None
    for _, edge in property_.automaton.edges():
        if edge.target != m.GONE and edge.effects and not all(isinstance(x, m.Print) for x in edge.effects):
            return "a never claim with assignments or assertions"
        if any(isinstance(x, e.Get) and x.variable in property_.automaton.variables for x in edge.guard.walk()):
            return "a never claim with variables of its own"
    if any(location.transient for location in property_.automaton.locations):
        return "a never claim with d_step"
    return None
