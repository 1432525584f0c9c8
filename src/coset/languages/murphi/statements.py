"""What a rule does, when names, loops and calls are written out: assignments, checks, branches and loops.

These are between the tree, whose rules have parameters, and the automaton of the model (`flow.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from coset.model import expression as e
from coset.model.model import Variable
from coset.source.records import dataclass


@dataclass(frozen=True, slots=True)
class Set:
    place: e.Place
    value: e.Expr


@dataclass(frozen=True, slots=True)
class Check:
    """Evaluate an expression because it may fault."""

    value: e.Expr


@dataclass(frozen=True, slots=True)
class Claim:
    """An assertion."""

    condition: e.Expr
    message: str


@dataclass(frozen=True, slots=True)
class Branch:
    condition: e.Expr
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]
    changes: frozenset[Variable] = field(default=frozenset(), compare=False)
    """What both arms assign to."""


@dataclass(frozen=True, slots=True)
class While:
    condition: e.Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Cover:
    """A condition that some run must satisfy here; `node` is the identity of the statement in the tree (`covers.py`)."""

    node: int
    condition: e.Expr


Statement = Set | Check | Claim | Branch | While | Cover


def branch(condition: e.Expr, yes: Sequence[Statement], no: Sequence[Statement]) -> Branch:
    return Branch(condition, tuple(yes), tuple(no), written(yes) | written(no))


def written(statements: Sequence[Statement]) -> frozenset[Variable]:
    """The variables that statements assign to."""
    found: set[Variable] = set()
    for each in statements:
        match each:
            case Set(place):
                assert place.variable is not None
                found.add(place.variable)
            case Branch():
                found |= each.changes
            case While(_, body):
                found |= written(body)
    return frozenset(found)


def without_dead(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements of a rule without assignments to variables of the process that nothing reads.

    What is assigned has been checked before (`Check`), so that no fault is lost.
    """
    flows: dict[Variable, set[Variable]] = {}
    live: set[Variable] = set()
    for target, read in uses(statements):
        if target is None or target.owner is None:
            live |= read
        else:
            flows.setdefault(target, set()).update(read)
    pending = list(live)
    while pending:
        for source in flows.pop(pending.pop(), ()):
            if source not in live:
                live.add(source)
                pending.append(source)
    return tuple(kept(statements, live))


def uses(statements: Sequence[Statement]) -> Iterator[tuple[Variable | None, set[Variable]]]:
    """What each statement reads, with the variable that it assigns to."""
    for each in statements:
        match each:
            case Set(place, value):
                yield place.variable, read_by(value)
                for index in place.indices:
                    yield None, read_by(index)
            case Check(value) | Claim(value):
                yield None, read_by(value)
            case Branch(condition, yes, no):
                yield None, read_by(condition)
                yield from uses(yes)
                yield from uses(no)
            case While(condition, body):
                yield None, read_by(condition)
                yield from uses(body)


def read_by(x: e.Expr) -> set[Variable]:
    return {part.variable for part in x.walk() if isinstance(part, e.Get)}


def kept(statements: Sequence[Statement], live: set[Variable]) -> Iterator[Statement]:
    for each in statements:
        match each:
            case Set(place) if place.variable is not None and place.variable.owner is not None:
                if place.variable in live:
                    yield each
            case Branch(condition, yes, no):
                positive, negative = tuple(kept(yes, live)), tuple(kept(no, live))
                if positive or negative:
                    yield branch(condition, positive, negative)
            case While(condition, body):
                yield While(condition, tuple(kept(body, live)))
            case _:
                yield each
