"""The sequential model as data: global variables and summands.

A state is a value for every element of every variable.  A summand may be chosen for any values of its own variables
for which its guard holds; its program then changes the state, in one step, and its event is what is seen of the step.
Guards and programs are expressions of the concurrent model (`coset.model.expression`) without processes and channels.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from coset.model.expression import TRUE, Expr, Place
from coset.model.model import Variable
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Assign:
    """The value is made to fit the domain of the variable."""

    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    """One of two programs, chosen by a condition on the values at that moment."""

    condition: Expr
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...] = ()


Statement = Assign | If


@dataclass(frozen=True, slots=True)
class Summand:
    """A guarded step; `choices` are the variables of its own, which it may choose but not change."""

    event: str
    choices: tuple[Variable, ...] = ()
    guard: Expr = TRUE
    program: tuple[Statement, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


Start = tuple[int | None, ...]
"""A value for every element in the order of the variables; None is any value of the domain."""


@dataclass(frozen=True, slots=True)
class SequentialModel:
    """`conditions` are what properties ask of a state.  `control` is the variable that says who must move next, if there
    is one: only states in which it is 0 can be observed."""

    name: str
    variables: tuple[Variable, ...]
    summands: tuple[Summand, ...]
    starts: tuple[Start, ...]
    conditions: tuple[Expr, ...] = ()
    control: Variable | None = None

    @property
    def elements(self) -> tuple[tuple[Variable, int], ...]:
        """Every element with its offset in its variable, in the order of a state."""
        return tuple((variable, k) for variable in self.variables for k in range(variable.size))

    def __str__(self) -> str:
        from coset.model.sequential.printer import show

        return show(self)


class Inexpressible(Exception):
    """A construct of the concurrent model that has no sequential form here."""

    def __init__(self, construct: str, span: Span | None = None) -> None:
        super().__init__(construct)
        self.construct = construct
        self.span = span
