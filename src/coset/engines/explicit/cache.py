"""The cache of compiled models: a folder of libraries and object files that only its owner can write.

An entry is named after what it was made from and after its own content, `KEY-SHA256.so`, in a folder for the first two
digits of the key.  So it is checked before it is used: one that was truncated or changed does not have the content that its
name says, and is removed.  It is written under another name and renamed, so that it is there as a whole or not at all, and two
processes that make the same entry do not disturb each other.

When there is more than `limit()`, what was not used for the longest time is removed.  To look at all entries takes time, so
this is done only after the cache has grown by a part of the limit: the size of a small file says by how much it has.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from coset.source.scratch import temporary

DEFAULT_LIMIT = 512 << 20
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
ENTRY = re.compile(r"[0-9a-f]{32}(-[0-9a-f]{64})?\.(so|o)(\.[0-9]+\.[0-9]+)?")
"""Names that are made here: of this version, of older ones, and of files that were not finished.  Others are not touched."""
SHELF = re.compile(r"[0-9a-f]{2}")
GROWTH = "growth"
"""The file that has a byte for each kilobyte that was added since entries were removed."""
PART = 32
"""The cache may grow by this part of the limit before entries are removed, and then to so much less than the limit."""


def cache_directory() -> Path:
    """Where compiled models are kept."""
    root = os.environ.get("COSET_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "coset"
    )
    return Path(root)


def size_of(text: str) -> int | None:
    """A number of bytes, or None if it is none.

    >>> size_of("512M"), size_of("2g"), size_of("1000"), size_of("many")
    (536870912, 2147483648, 1000, None)
    """
    found = re.fullmatch(r"\s*([0-9]{1,15})\s*([KMGT]?)B?\s*", text.upper(), re.ASCII)
    return None if found is None else int(found[1]) * UNITS[found[2]]


def limit() -> int:
    """How many bytes the cache may have: $COSET_CACHE_SIZE, or 512 MB."""
    wanted = size_of(os.environ.get("COSET_CACHE_SIZE") or "")
    return DEFAULT_LIMIT if wanted is None else wanted


def danger(folder: Path) -> str | None:
    """Why libraries in this folder must not be loaded: another user could have put them there."""
    try:
        about = folder.stat()
    except OSError:
        return None
    if about.st_uid != os.geteuid():
        return f"{folder} belongs to another user"
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{folder} can be written by other users (chmod go-w)"
    return None


def shelf(key: str, create: bool = False) -> Path | None:
    """The folder of an entry, if it can be trusted."""
    folder = cache_directory()
    inner = folder / key[:2]
    if create:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if danger(folder) is None:
            inner.mkdir(mode=0o700, exist_ok=True)
    return None if danger(folder) or danger(inner) else inner


def find(key: str, suffix: str) -> tuple[Path, bytes] | None:
    """An entry and its content, which has been checked; its time says that it was used."""
    folder = shelf(key)
    if folder is None:
        return None
    try:
        names = sorted(name for name in os.listdir(folder) if name.startswith(f"{key}-") and name.endswith(suffix))
    except OSError:
        return None
    for name in names:
        entry = folder / name
        with contextlib.suppress(OSError):
            content = entry.read_bytes()
            if name == f"{key}-{hashlib.sha256(content).hexdigest()}{suffix}":
                with contextlib.suppress(OSError):
                    os.utime(entry)
                return entry, content
            if ENTRY.fullmatch(name) and name.endswith(suffix):
                entry.unlink()
    return None


def keep(key: str, suffix: str, output: Path) -> Path | None:
    """Copy a file to the cache, whole or not at all; where it is, or None if it cannot be kept."""
    try:
        content = output.read_bytes()
        if len(content) > limit() or (folder := shelf(key, create=True)) is None:
            return None
        target = folder / f"{key}-{hashlib.sha256(content).hexdigest()}{suffix}"
        with temporary(target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}")) as partial:
            partial.write_bytes(content)
            os.replace(partial, target)
        note_growth(len(content))
    except OSError:
        return None
    return target


# --- size -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache."""

    path: Path
    bytes: int
    used: int


def entries() -> Iterator[Entry]:
    """All files that the cache consists of; others in the same folder are none of ours."""
    for folder, folders, names in os.walk(cache_directory()):
        if Path(folder) == cache_directory():
            folders[:] = [name for name in folders if SHELF.fullmatch(name)]
        else:
            folders.clear()
        for name in filter(ENTRY.fullmatch, names):
            path = Path(folder, name)
            with contextlib.suppress(OSError):
                about = path.lstat()
                yield Entry(path, about.st_size, about.st_mtime_ns)


def note_growth(size: int) -> None:
    growth = cache_directory() / GROWTH
    with contextlib.suppress(OSError):
        if not growth.exists():  # the size of the cache is not known yet
            size += limit() // PART
        with open(growth, "ab") as file:
            file.write(bytes(size // 1024 + 1))


def tidy(spared: Path | None = None) -> None:
    """Keep the size, if the cache has grown much."""
    growth = cache_directory() / GROWTH
    with contextlib.suppress(OSError):
        if growth.stat().st_size * 1024 > limit() // PART:
            prune(spared)
            os.truncate(growth, 0)


def prune(spared: Path | None = None) -> None:
    """Remove what was not used for the longest time, so that the cache can grow again and keeps to the limit.  Another process
    may do the same at the same time."""
    found = sorted(entries(), key=lambda entry: entry.used)
    total = sum(entry.bytes for entry in found)
    for entry in found:
        if total <= limit() - limit() // PART:
            return
        if entry.path != spared:
            with contextlib.suppress(OSError):
                entry.path.unlink()
            total -= entry.bytes


def clear() -> tuple[int, int]:
    """Remove everything; how many files and bytes that was."""
    files = freed = 0
    for entry in list(entries()):
        with contextlib.suppress(OSError):
            entry.path.unlink()
            files, freed = files + 1, freed + entry.bytes
    with contextlib.suppress(OSError):
        (cache_directory() / GROWTH).unlink()
    for folder in cache_directory().glob("[0-9a-f][0-9a-f]"):
        with contextlib.suppress(OSError):  # it may hold something else
            folder.rmdir()
    return files, freed
