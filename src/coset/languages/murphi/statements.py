"""What a rule does, when names, loops and calls are written out: assignments, checks, branches and loops.

These are between the tree, whose rules have parameters, and the automaton of the model (`flow.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


@dataclass(frozen=True, slots=True)
class While:
    condition: e.Expr
    body: tuple[Statement, ...]


Statement = Set | Check | Claim | Branch | While


def written(statements: Sequence[Statement]) -> Iterator[Variable]:
    """The variables that statements assign to."""
    for each in statements:
        match each:
            case Set(place):
                assert place.variable is not None
                yield place.variable
            case Branch(_, yes, no):
                yield from written(yes)
                yield from written(no)
            case While(_, body):
                yield from written(body)
