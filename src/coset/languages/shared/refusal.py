"""What stops the lowering of a part of a program, to be reported with its place."""

from __future__ import annotations

from typing import Protocol

from coset.source.text import Span


class Placed(Protocol):
    @property
    def span(self) -> Span: ...


class Refused(Exception):
    """A part of the program cannot be used; the rest may still be looked at."""

    def __init__(self, code: str, message: str, node: Placed, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.node, self.hint = code, message, node, hint
