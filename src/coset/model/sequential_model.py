"""The sequential model as data: global variables and summands.

A state is a value for every element of every variable.  A summand may be chosen for any values of its own variables
for which its guard holds; its program then changes the state, in one step, and its event labels the step.
Guards and programs are expressions of the concurrent model (`coset.model.expression`) without processes and channels.
"""

from __future__ import annotations

from dataclasses import field
from typing import NamedTuple

from coset.model.expression import TRUE, Expr, Place
from coset.model.model import Variable
from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment; the value is truncated to the domain of the variable."""

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
    """A guarded step; `choices` are its own variables, whose values it may choose but not change.  A summand with an `error` is
    not a step of the model: it is an error if it is enabled ("assertion", or the kind of a fault).  `movers` are the
    processes of a concurrent model that take part, beginning with the one that begins the step."""

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
    """The position of an element of the sequential form in a state of the concurrent model.  `what` is "global" (at `offset` of
    the variables), "location" (of process `owner`), "local" (at `offset` of its variables), "length" (of channel number
    `owner`), "field" (`offset` of its message number `place`) or "control"."""

    what: str
    owner: int = 0
    offset: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class SequentialModel:
    """A sequential model.  `conditions` are the conditions of properties; those of `always` should hold in every state.
    `control` is the variable for the process that must move next, if there is one: only states in which it is 0 are
    observable.  `homes` has the position of each element in the concurrent model, `unchecked` the faults of that model that
    are not observable in this form."""

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
