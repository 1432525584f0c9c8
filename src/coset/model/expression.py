"""Expressions over a state, free of side effects.

Values are integers; truth is "not zero".  Arithmetic is that of 32-bit two's complement C: results wrap,
division rounds towards zero, `&&`, `||` and the conditional evaluate only what they need.
An expression is evaluated *at a process*: `Self` is its number, and local variables are its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from coset.model.domain import Domain
from coset.source.records import dataclass

if TYPE_CHECKING:
    from coset.model.model import Variable


PLAIN = {"int", "str", "bool", "frozenset[int]", "Variable", "Domain | None"}
"""Types of fields that hold no expressions, as the classes below write them."""
NAMES: dict[type, tuple[str, ...]] = {}
"""The names of the fields that may hold expressions, of each class that has been walked through."""


@dataclass(frozen=True, slots=True)
class Expr:
    def children(self) -> Iterator[Expr]:
        """The immediate subexpressions, in order."""
        names = NAMES.get(type(self))
        if names is None:
            names = NAMES[type(self)] = tuple(field.name for field in fields(self) if field.type not in PLAIN)
        for name in names:
            value = getattr(self, name)
            if isinstance(value, Expr):
                yield value
            elif isinstance(value, tuple):
                for item in value:
                    if isinstance(item, Expr):
                        yield item
                    elif isinstance(item, Pattern):
                        yield from item.children()

    def walk(self) -> Iterator[Expr]:
        """This expression and everything below it."""
        pending: list[Expr] = [self]
        while pending:
            x = pending.pop()
            yield x
            if NAMES.get(type(x)) != ():
                pending += reversed(list(x.children()))

    def __str__(self) -> str:
        from coset.model.printer import show_expression

        return show_expression(self)


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A number.  `domain` is kept where the text named the value (an mtype, a literal pid)."""

    value: int
    domain: Domain | None = None


@dataclass(frozen=True, slots=True)
class Get(Expr):
    """The value of a variable, or of one element of an array variable."""

    variable: Variable
    indices: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`-`, `!` or `~`."""

    operator: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """`+ - * / % & ^ | > < >= <= == != && || << >>`"""

    operator: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional(Expr):
    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class Checked(Expr):
    """The value of `operand`, which is a fault of the kind `fault` unless it is one of `low..high`.  With `fault` "assume"
    there is no step, instead of an error."""

    operand: Expr
    low: int
    high: int
    fault: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Self(Expr):
    """The number of the process that evaluates."""


@dataclass(frozen=True, slots=True)
class ProcessCount(Expr):
    """The number of processes that exist."""


@dataclass(frozen=True, slots=True)
class Started(Expr):
    """The number of the process that the latest `Run` effect of this edge created."""


@dataclass(frozen=True, slots=True)
class LastMover(Expr):
    """The number of the process that made the step into this state."""


@dataclass(frozen=True, slots=True)
class Youngest(Expr):
    """Whether the process that evaluates is the one that was created last."""


@dataclass(frozen=True, slots=True)
class Timeout(Expr):
    """Whether nothing in the whole system could move if this were false."""


@dataclass(frozen=True, slots=True)
class Otherwise(Expr):
    """`else`: whether no edge listed earlier at the same location can be taken (a synchronous send only
    if a partner is ready)."""


@dataclass(frozen=True, slots=True)
class Length(Expr):
    """The number of messages in a channel."""

    channel: Expr


@dataclass(frozen=True, slots=True)
class Full(Expr):
    channel: Expr


@dataclass(frozen=True, slots=True)
class Poll(Expr):
    """Whether a receive with these patterns would succeed; on the head, or with `random` anywhere."""

    channel: Expr
    patterns: tuple[Pattern, ...]
    random: bool


@dataclass(frozen=True, slots=True)
class AtLocation(Expr):
    """Whether process number `process` (None: the oldest of that kind) stands at one of `locations`."""

    kind: str
    process: Expr | None
    label: str
    locations: frozenset[int]


@dataclass(frozen=True, slots=True)
class Remote(Expr):
    """A local variable of another process (None: the oldest of that kind); 0 when there is none."""

    kind: str
    process: Expr | None
    variable: Variable
    indices: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Enabled(Expr):
    """Whether another process can move."""

    process: Expr


@dataclass(frozen=True, slots=True)
class Position(Expr):
    """The number of the location of a process."""

    process: Expr


@dataclass(frozen=True, slots=True)
class PriorityOf(Expr):
    """The priority of a process, 0 when there is none."""

    process: Expr


@dataclass(frozen=True, slots=True)
class NonProgress(Expr):
    """Whether no process stands at a location marked as progress."""


@dataclass(frozen=True, slots=True)
class Accepting(Expr):
    """Whether some process stands at a location marked as accepting."""


# --- message patterns ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """What can be assigned: a variable, or an element of one.  A place without a variable discards."""

    variable: Variable | None
    indices: tuple[Expr, ...] = ()

    def __str__(self) -> str:
        from coset.model.printer import show_place

        return show_place(self)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One field of a receive: either it must equal `value`, or it is stored in `place`."""

    value: Expr | None
    place: Place | None

    def children(self) -> Iterator[Expr]:
        if self.value is not None:
            yield self.value
        if self.place is not None:
            yield from self.place.indices


TRUE: Expr = Const(1)
FALSE: Expr = Const(0)


def conjunction(left: Expr, right: Expr) -> Expr:
    """`left && right`, without what is trivially true.

    >>> str(conjunction(TRUE, FALSE))
    '0'
    """
    if left == TRUE:
        return right
    if right == TRUE:
        return left
    return Binary("&&", left, right)
