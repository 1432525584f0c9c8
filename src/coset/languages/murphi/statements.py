"""What a rule does, when names, loops and calls are written out: assignments, checks, branches and loops.

These are between the tree, whose rules have parameters, and the automaton of the model (`flow.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
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


Statement = Set | Check | Claim | Branch | While


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
