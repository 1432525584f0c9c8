"""The constraint problem of a sequential model: unknowns, and constraints between them (Zhang et al., ASE 2013, IV.B).

The unknowns of a summand are the elements of the state *before* and *after* its step, its *choices*, and *versions*: what the
static single assignment form has between.  A summand can make a step from one state to another iff there are choices and
versions such that all of its constraints hold; elements that it has no constraint for stay as they are.

A version may have no value, which is written None: the index was out of range, the divisor 0.
"""

from __future__ import annotations

from coset.model import expression as e
from coset.model.domain import Domain
from coset.source.records import dataclass
from coset.source.text import Span

Value = int | None


@dataclass(frozen=True, slots=True)
class Unknown(e.Expr):
    """A leaf of expressions.  `element` is its place in the state if it is `before` or `after`; its values are within
    `low..high`."""

    number: int
    role: str
    label: str
    low: int
    high: int
    element: int = -1

    def __hash__(self) -> int:
        return self.number  # which no other unknown of the model has

    def __str__(self) -> str:
        return self.label + ("'" if self.role == "after" else "")


Operand = Unknown | e.Const


@dataclass(frozen=True, slots=True)
class Define:
    """`output` is the value of an expression, made to fit a domain if there is one."""

    output: Unknown
    tree: e.Expr
    fit: Domain | None = None


@dataclass(frozen=True, slots=True)
class Require:
    """The expression is not 0."""

    tree: e.Expr


@dataclass(frozen=True, slots=True)
class Select:
    """`output` is the cell that `index` names: an array is read."""

    output: Unknown
    index: Unknown
    cells: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """The cell that `index` names is `value` after, and every other cell is what it was before: an array is written."""

    index: Unknown
    value: Operand
    before: tuple[Operand, ...]
    after: tuple[Unknown, ...]


@dataclass(frozen=True, slots=True)
class Merge:
    """`output` is `yes` or `no`, as a condition says: the phi function where two branches meet."""

    output: Unknown
    condition: Unknown
    yes: Operand
    no: Operand


@dataclass(frozen=True, slots=True)
class Several:
    """`output` (or what must hold) is whether all, or else any, of the conditions hold; their order means nothing."""

    output: Unknown | None
    every: bool
    inputs: tuple[Unknown, ...]


@dataclass(frozen=True, slots=True)
class Defined:
    """The operand has a value, if the program comes along a path: conditions and what they are on it."""

    operand: Unknown
    path: tuple[tuple[Unknown, int], ...]


Constraint = Define | Require | Select | Store | Merge | Several | Defined


@dataclass(frozen=True, slots=True)
class Part:
    """The constraints of one summand (or of a condition, which changes nothing).  Two parts can be exchanged only if they
    have the same `colour`."""

    colour: tuple[str, object]
    constraints: tuple[Constraint, ...]
    span: Span | None = None


class TooLarge(Exception):
    """An expression or a variable with more values than can be written out."""
