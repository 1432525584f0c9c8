"""What stands against a proof by abstraction."""

from __future__ import annotations

from coset.source.records import dataclass
from coset.source.text import Span


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A condition that is not met, and where."""

    why: str
    span: Span | None = None

    def __str__(self) -> str:
        return self.why if self.span is None else f"{self.why} ({self.span})"


class NotAbstractable(Exception):
    """The construction meets something that it is not sound for."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(str(obstacle))
        self.obstacle = obstacle
