"""One input: files, a command line, and what the command may take."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

SECONDS, MEMORY = 2.0, 400 << 20
"""The limits that commands are given."""
UNLIMITED_SECONDS = 20.0
"""What a command may take that has no option for a limit."""


@dataclass(frozen=True)
class Case:
    """What is run.  `files` are relative to the folder in which the command is run; `kind` says how the input was made.

    >>> print(Case("words", ("check", "a b.pml"), seconds=1.0).command())
    coset check 'a b.pml'
    """

    kind: str
    argv: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    seconds: float = SECONDS
    memory: int = MEMORY
    by_itself: bool = False
    """Whether a new interpreter runs it, as for a user; otherwise a copy of this process does, which is faster."""

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def command(self) -> str:
        return shlex.join(("coset", *self.argv))
