"""Three-valued logic: S. C. Kleene, "Introduction to Metamathematics" (1952), §64, the strong connectives.

A truth value is a number, in the order false < unknown < true, so that "and" is the least and "or" the greatest:

    >>> Truth.TRUE & Truth.UNKNOWN, Truth.FALSE & Truth.UNKNOWN, ~Truth.UNKNOWN
    (<Truth.UNKNOWN: 1>, <Truth.FALSE: 0>, <Truth.UNKNOWN: 1>)
"""

from __future__ import annotations

from enum import IntEnum


class Truth(IntEnum):
    FALSE = 0
    UNKNOWN = 1
    TRUE = 2

    def __and__(self, other: int) -> Truth:
        return Truth(min(self, other))

    def __or__(self, other: int) -> Truth:
        return Truth(max(self, other))

    def __invert__(self) -> Truth:
        return Truth(2 - self)

    @property
    def definite(self) -> bool:
        return self is not Truth.UNKNOWN

    def __str__(self) -> str:
        return self.name.lower()


def join(one: Truth, other: Truth) -> Truth:
    """What is known if either may be the case: the least upper bound in the order of information.

    >>> join(Truth.TRUE, Truth.TRUE), join(Truth.TRUE, Truth.FALSE)
    (<Truth.TRUE: 2>, <Truth.UNKNOWN: 1>)
    """
    return one if one is other else Truth.UNKNOWN
