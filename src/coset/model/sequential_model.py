"""The sequential model as data: global variables and summands.

A state is a value for every element of every variable.  A summand may be chosen for any values of its own variables
for which its guard holds; its program then changes the state, in one step, and its event is what is seen of the step.
Guards and programs are expressions of the concurrent model (`coset.model.expression`) without processes and channels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

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
    """A guarded step; `choices` are the variables of its own, which it may choose but not change.  One with an `error` is
    no step of the model: that it may be taken is what is wrong ("assertion", or the kind of a fault).  `movers` are the
    processes of a concurrent model that take part, the one that begins first."""

    event: str
    choices: tuple[Variable, ...] = ()
    guard: Expr = TRUE
    program: tuple[Statement, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)
    error: str | None = None
    movers: tuple[int, ...] = field(default=(), compare=False, repr=False)


Start = tuple[int | None, ...]
"""A value for every element in the order of the variables; None is any value of the domain."""


class Home(NamedTuple):
    """Where an element of the sequential form lives in a state of the concurrent model.  `what` is "global" (at `offset` of
    the variables), "location" (of process `owner`), "local" (at `offset` of its variables), "length" (of channel number
    `owner`), "field" (`offset` of its message number `place`) or "control"."""

    what: str
    owner: int = 0
    offset: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class SequentialModel:
    """`conditions` are what properties ask of a state; those of `always` shall hold in every one.  `control` is the
    variable that says who must move next, if there is one: only states in which it is 0 can be observed.  `homes` says
    of each element where it lives in the concurrent model that this is the form of, `unchecked` which faults of
    that model cannot be seen in this form."""

    name: str
    variables: tuple[Variable, ...]
    summands: tuple[Summand, ...]
    starts: tuple[Start, ...]
    conditions: tuple[Expr, ...] = ()
    control: Variable | None = None
    always: tuple[Expr, ...] = ()
    homes: tuple[Home, ...] = field(default=(), compare=False, repr=False)
    unchecked: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def elements(self) -> tuple[tuple[Variable, int], ...]:
        """Every element with its offset in its variable, in the order of a state."""
        return tuple((variable, k) for variable in self.variables for k in range(variable.size))

    def __str__(self) -> str:
        from coset.model.sequential_printer import show

        return show(self)


class Inexpressible(Exception):
    """A construct of the concurrent model that has no sequential form here."""

    def __init__(self, construct: str, span: Span | None = None) -> None:
        super().__init__(construct)
        self.construct = construct
        self.span = span
