"""What must not outlive the command: temporary files, and the process groups of programs that it has started.

They are registered here before they exist, or as soon as they do, so that an interruption at any moment leaves nothing behind.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

files: set[str] = set()
"""Files and folders, removed with all that is in them."""
groups: set[int] = set()
"""Process groups."""


def remove(path: str) -> None:
    """Remove a file or folder, if it is there."""
    if os.path.isdir(path):
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)
    files.discard(path)


def clean_up() -> None:
    """At the end of the process: first end the programs, which may still be writing."""
    for group in list(groups):
        with suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for path in list(files):
        remove(path)


def disown() -> None:
    """In a copy of the process: what is registered belongs to the original."""
    files.clear()
    groups.clear()
