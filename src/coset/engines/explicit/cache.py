"""The cache of compiled models: a folder of libraries and object files that only its owner can write.

The name of an entry has a hash of its inputs and a hash of its content, `KEY-SHA256.so`; it is in a folder for the first two
digits of the key.  The content is verified before use, and an entry that was truncated or changed is removed.  An entry is
written under another name and renamed, so that it is complete or absent, and two processes that make the same entry do not
disturb each other.

When the cache exceeds `limit()`, the least recently used entries are removed.  Listing all entries takes time, so this is
done only after the cache has grown by a fraction of the limit; the size of a small file records the growth.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from coset.source.records import dataclass
from coset.source.scratch import temporary

DEFAULT_LIMIT = 512 << 20
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
ENTRY = re.compile(r"[0-9a-f]{32}(-[0-9a-f]{64})?\.(so|o)(\.[0-9]+\.[0-9]+)?")
"""Names of cache files: of this version, of older ones, and of unfinished files.  Other files are not touched."""
SHELF = re.compile(r"[0-9a-f]{2}")
GROWTH = "growth"
"""The name of a file with one byte for each kilobyte added since entries were last removed."""
PART = 32
"""Entries are removed after the cache has grown by 1/32 of the limit, until it is 1/32 below the limit."""


def cache_directory() -> Path:
    """Where compiled models are kept."""
    root = os.environ.get("COSET_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "coset"
    )
    return Path(root)


def size_of(text: str) -> int | None:
    """Parse a number of bytes; None if the text is not one.

    >>> size_of("512M"), size_of("2g"), size_of("1000"), size_of("many")
    (536870912, 2147483648, 1000, None)
    """
    found = re.fullmatch(r"\s*([0-9]{1,15})\s*([KMGT]?)B?\s*", text.upper(), re.ASCII)
    return None if found is None else int(found[1]) * UNITS[found[2]]


def limit() -> int:
    """The largest size of the cache in bytes: $COSET_CACHE_SIZE, or 512 MB."""
    wanted = size_of(os.environ.get("COSET_CACHE_SIZE") or "")
    return DEFAULT_LIMIT if wanted is None else wanted


def danger(folder: Path) -> str | None:
    """Why libraries in this folder must not be loaded: another user could have written them."""
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
    """An entry and its verified content; its modification time is updated, to record the use."""
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
    """Copy a file to the cache, completely or not at all; returns its path, or None if it cannot be cached."""
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
    """All files of the cache; other files in the same folder are ignored."""
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
    """Enforce the limit if the cache has grown much."""
    growth = cache_directory() / GROWTH
    with contextlib.suppress(OSError):
        if growth.stat().st_size * 1024 > limit() // PART:
            prune(spared)
            os.truncate(growth, 0)


def prune(spared: Path | None = None) -> None:
    """Remove the least recently used entries, so that the cache can grow again within the limit.  Another process may do
    the same concurrently."""
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
    """Remove all entries; returns how many files and bytes were removed."""
    files = freed = 0
    for entry in list(entries()):
        with contextlib.suppress(OSError):
            entry.path.unlink()
            files, freed = files + 1, freed + entry.bytes
    with contextlib.suppress(OSError):
        (cache_directory() / GROWTH).unlink()
    for folder in cache_directory().glob("[0-9a-f][0-9a-f]"):
        with contextlib.suppress(OSError):  # it may contain other files
            folder.rmdir()
    return files, freed
