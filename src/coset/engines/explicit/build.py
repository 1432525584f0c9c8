"""Compiling: C text to a shared library, once per content, kept in a cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from importlib import resources
from pathlib import Path

FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-w")
RUNTIME = ("coset.h", "search.h", "visited.h", "search.c", "visited.c", "cycles.c", "graph.c")


class NoCompiler(Exception):
    """There is no C compiler, or it does not work; the message says what was tried."""


def compiler() -> str:
    """The C compiler to use: $CC, or the first of the usual names."""
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise NoCompiler(f"no C compiler found (looked for {', '.join(names)})")


def cache_directory() -> Path:
    """Where compiled models are kept."""
    root = os.environ.get("COSET_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "coset"
    )
    return Path(root)


def runtime_files() -> dict[str, str]:
    folder = resources.files("coset.engines.explicit") / "runtime"
    return {name: (folder / name).read_text() for name in RUNTIME}


def library(header: str, source: str) -> tuple[ctypes.CDLL, bool]:
    """The compiled library of a generated program, and whether it had to be compiled."""
    cc = compiler()
    files = runtime_files() | {"model.h": header, "model.c": source}
    digest = hashlib.sha256(repr((cc, FLAGS, sorted(files.items()))).encode()).hexdigest()[:32]
    folder = cache_directory()
    target = folder / f"{digest}.so"
    if target.exists():
        return ctypes.CDLL(str(target)), False
    with tempfile.TemporaryDirectory(prefix="coset-") as scratch:
        for name, text in files.items():
            (Path(scratch) / name).write_text(text)
        output = Path(scratch) / "model.so"
        sources = [name for name in files if name.endswith(".c")]
        run = subprocess.run([cc, *FLAGS, "-o", output, *sources], cwd=scratch, capture_output=True, text=True)
        if run.returncode != 0:
            raise NoCompiler(f"{cc} failed on the generated model:\n{run.stderr[:2000]}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f"{digest}.{os.getpid()}"
            shutil.copy(output, partial)
            os.replace(partial, target)
        except OSError:
            # The cache cannot be written; the library works from where it is, for this process.
            return ctypes.CDLL(str(output)), True
    return ctypes.CDLL(str(target)), True
