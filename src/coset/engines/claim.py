"""The automaton of a property in the form that the engine searches together with the model.

Edges carry a condition on the state and marks; a run is accepted, and so violates the property, if it takes edges
of every mark infinitely often.  Formulas come here as the automaton of their negation, never claims as written.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce

from coset.engines.connected import components
from coset.model import expression as e
from coset.model import model as m
from coset.model.fairness import UNFAIR, Fairness
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
    fairness: Fairness = UNFAIR
    """Which runs count."""

    def most_edges(self) -> int:
        """The most edges from one state; there are at most as many initial states."""
        return max([1, len(self.initial), *Counter(edge.source for edge in self.edges).values()])

    def accepting_groups(self) -> list[int]:
        """For each state the number of its strongly connected component, 0 if no run that stays there is accepted.

        >>> edges = ClaimEdge(0, 0, e.TRUE, 0), ClaimEdge(0, 1, e.TRUE, 0), ClaimEdge(1, 1, e.TRUE, 1)
        >>> Claim("p", 2, (0,), edges, 1).accepting_groups()
        [0, 1]
        """
        groups, following = [0] * self.states, [list[int]() for _ in range(self.states)]
        for edge in self.edges:
            following[edge.source].append(edge.target)
        number = 0
        for component in components(range(self.states), following.__getitem__):
            inside = [edge.marks for edge in self.edges if edge.source in component and edge.target in component]
            if inside and not self.required & ~reduce(int.__or__, inside):
                number += 1
                for state in component:
                    groups[state] = number
        return groups

    def is_weak(self) -> bool:
        """Whether all edges inside accepting components have all marks, so that every cycle there is accepted."""
        groups = self.accepting_groups()
        return all(
            not self.required & ~edge.marks
            for edge in self.edges
            if groups[edge.source] and groups[edge.source] == groups[edge.target]
        )


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
    edges = [edge for _, edge in property_.automaton.edges() if edge.target != m.GONE]
    if any(variable.shape for variable in property_.automaton.variables):
        return "a never claim with arrays"
    if any(isinstance(effect, m.Assign) for edge in edges for effect in edge.effects):
        return "a never claim with assignments that processes can see, or of too many values"
    if any(edge.hold or not all(isinstance(effect, m.Print) for effect in edge.effects) for edge in edges):
        return "a never claim with a long atomic sequence"
    if any(location.transient for location in property_.automaton.locations):
        return "a never claim with a long d_step"
    if any(isinstance(x, e.Get) and x.variable.owner == property_.name for edge in edges for x in edge.guard.walk()):
        return "a never claim with variables of too many values"
    return None
