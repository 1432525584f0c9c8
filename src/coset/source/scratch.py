"""Files that must not outlive the command: folders to work in, and files that are renamed when they are complete.

A name is registered before the file exists, so that it is removed no matter when the command is interrupted: at the end
of the `with` block, or when the process ends.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coset.source import leftovers


@contextmanager
def scratch_folder(purpose: str = "") -> Iterator[Path]:
    """A new folder that only this user can read; it is removed with all that is in it.

    >>> with scratch_folder() as folder:
    ...     written = (folder / "model.c").write_text("int x;")
    >>> folder.exists()
    False
    """
    name = "-".join(filter(None, ("coset", purpose, str(os.getpid()), secrets.token_hex(8))))
    with temporary(Path(tempfile.gettempdir(), name)) as folder:
        folder.mkdir(mode=0o700)
        yield folder


@contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """A file or folder that is to be removed if it still has this name at the end."""
    leftovers.files.add(str(path))
    try:
        yield path
    finally:
        leftovers.remove(str(path))
