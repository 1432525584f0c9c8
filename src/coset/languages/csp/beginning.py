"""A process that does something by itself before its sides exist: `Init(); (|||i:{0..N-1}@P(i))`, or `start -> (P ||| Q)`.

As one automaton this is the product of all sides.  If that is large, the beginning is a process of the model that starts the
sides in its last step.  Symmetries act from the states on in which all sides exist (`symmetry/startup`); those before are
explored without reduction, and sums of orbits are exact.  Where the last step of the beginning leads to `Skip; P`, this is the
same state as `P`, unlike in one automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coset.languages.csp import tree as t
from coset.languages.csp.automaton import Automaton, Component
from coset.languages.csp.lower_kind import KindLowering
from coset.languages.csp.normalise import DEEPEST, Normaliser, is_open
from coset.languages.csp.steps import TAU, TICK, Action
from coset.model import model as m

MOST_JOINED = 2_000
"""The most combinations of the terms of all sides of which one automaton is made."""


def beginning(x: t.Process, normaliser: Normaliser, depth: int = 0) -> tuple[t.Process, t.Process] | None:
    """What comes first and the sides that follow, if a process is like that.

    `a -> b -> (P ||| Q)` is `(a -> Skip); (b -> Skip); (P ||| Q)`.
    """
    if depth > DEEPEST:
        return None
    match x:
        case t.Call() if not is_open(x):
            return beginning(normaliser.body(x), normaliser, depth + 1)
        case t.Sequence(first, rest):
            pass
        case t.Prefix(event, operation, plain, rest):
            first = t.Prefix(event, operation, plain, t.Skip(span=x.span), span=x.span)
        case _:
            return None
    if is_parallel(rest, normaliser):
        return (first, rest) if not isinstance(normaliser.normalised(first), t.Skip) else None
    more = beginning(rest, normaliser, depth + 1)
    return None if more is None else (t.Sequence(first, more[0], span=x.span), more[1])


def is_parallel(x: t.Process, normaliser: Normaliser) -> bool:
    """Whether a process has sides of its own from the start."""
    for _ in range(DEEPEST):
        if not isinstance(x, t.Call) or is_open(x):
            break
        x = normaliser.body(x)
    return isinstance(x, t.Interleave | t.Counted) or (isinstance(x, t.Indexed) and x.operator == "|||")


def is_large(sides: Sequence[tuple[Component, Automaton]]) -> bool:
    """Whether one automaton of all sides would be large."""
    combinations = 1
    for component, automaton in sides:
        combinations *= len(automaton.terms) ** len(component.instances)
    return combinations > MOST_JOINED


class BeginningLowering(KindLowering):
    """Makes the kind of the process that starts the sides."""

    def started(self, sides: Sequence[m.Instance]) -> m.Kind:
        """The kind.  The step after which nothing is left to do starts the sides, and its process stays where it is."""
        runs = tuple(m.Run(side.kind, side.arguments, side.priority) for side in sides)
        over = [k for k, term in enumerate(self.automaton.terms) if isinstance(term, t.Skip | t.Ended)]
        done = over[0]
        self.locations = [
            m.Location((), end=k in over, span=x.span, number=k) for k, x in enumerate(self.automaton.terms)
        ]
        for number, (term, row) in enumerate(zip(self.automaton.terms, self.automaton.edges, strict=True)):
            edges = []
            for step, target in row if number not in over else ():
                is_tick = step.action.kind == TICK
                edge = self.edge(
                    number, replace(step, action=Action(TAU)) if is_tick else step, done if target in over else target
                )
                edges.append(replace(edge, effects=(*edge.effects, *runs)) if target in over else edge)
            self.locations[number] = replace(self.locations[number], edges=tuple(edges), span=term.span)
        return m.Kind(
            self.component.name, tuple(self.own.values()), 0, tuple(self.locations), 0, span=self.component.term.span
        )
