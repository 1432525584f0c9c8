"""Formulas of linear temporal logic over atoms of any type.

    always (p implies eventually q)   is   Modal("[]", Logic("->", Atom(p), Modal("<>", Atom(q))))

The operators are those of SPIN: `[]` always, `<>` eventually, `X` next, `U` until (strong), `W` weak
until, `V` release.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from coset.source.records import dataclass

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Formula(Generic[A]):
    def atoms(self) -> Iterator[A]:
        """The atoms, from left to right, with repetitions."""
        match self:
            case Atom(value):
                yield value
            case Not(operand) | Modal(_, operand):
                yield from operand.atoms()
            case Logic(_, left, right) | Until(_, left, right):
                yield from left.atoms()
                yield from right.atoms()


@dataclass(frozen=True, slots=True)
class Constant(Formula[A]):
    """`true` or `false`."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True, slots=True)
class Atom(Formula[A]):
    """A condition on one state."""

    value: A

    def __str__(self) -> str:
        return f"({self.value})"


@dataclass(frozen=True, slots=True)
class Not(Formula[A]):
    operand: Formula[A]

    def __str__(self) -> str:
        return f"!{self.operand}"


@dataclass(frozen=True, slots=True)
class Logic(Formula[A]):
    """`&&`, `||`, `->` or `<->`."""

    operator: str
    left: Formula[A]
    right: Formula[A]

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"


@dataclass(frozen=True, slots=True)
class Modal(Formula[A]):
    """`[]`, `<>` or `X`."""

    operator: str
    operand: Formula[A]

    def __str__(self) -> str:
        return f"{self.operator} {self.operand}"


@dataclass(frozen=True, slots=True)
class Until(Formula[A]):
    """`U`, `W` or `V`."""

    operator: str
    left: Formula[A]
    right: Formula[A]

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"
