"""Compiling: C text to a shared library, once per content, kept in a cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from coset.source.budget import Budget, OutOfBudget, current_budget

FLAGS = ("-std=c11", "-O2", "-fno-tree-vectorize", "-fPIC", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-w")
RUNTIME = (
    "types.h", "coset.h", "memory.h", "hash.h", "pack.h", "packing.h", "numbering.h", "visited.h", "keys.h", "store.h",
    "search.h", "codes.h", "known.h", "meeting.h", "worker.h", "line.h", "expand.h", "checkpoint.h", "group.h",
    "canonical.h", "images.h", "literals.h", "enumerated.h", "generators.h", "certify.h", "stubborn.h", "memory.c",
    "numbering.c", "keys.c", "store.c", "codes.c", "known.c", "meeting.c", "search.c",
    "breadth.c", "depth.c", "checkpoint.c", "cycles.c", "branching.c",
)  # fmt: skip

TEMPORAL = ("cycles.c", "branching.c")
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)


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


@cache
def machine_flags() -> tuple[str, ...]:
    """Instructions that this machine has and that the runtime makes use of: a library is for the machine it was made on."""
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        described = ""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ()
    return tuple(f"-m{name}" for name in ("bmi2", "avx2") if f" {name} " in described)


def library(
    header: str, source: str, temporal: bool = True, depth: bool = True, checkpoints: bool = True, knows: bool = True
) -> tuple[ctypes.CDLL, bool]:
    """The compiled library of a generated program, and whether it had to be compiled; `temporal` if it is for more than
    single states, `depth` if for a search depth first, too, `knows` if moves are known by heart.
    $COSET_CFLAGS is added to the flags of the compiler."""
    files = runtime_files() | {"model.h": header, "model.c": source}
    unused = [
        *(() if temporal else TEMPORAL),
        *(() if depth else ("depth.c",)),
        *(() if checkpoints else ("checkpoint.c",)),
        *(() if knows else ("codes.c", "known.c")),
    ]
    files = {name: text for name, text in files.items() if name not in unused}
    flags = (*FLAGS, *machine_flags(), *shlex.split(os.environ.get("COSET_CFLAGS", "")))
    build = Build(compiler(), flags, files, current_budget())
    target = cache_directory() / f"{build.digest(*files)}.so"
    if target.exists():
        return ctypes.CDLL(str(target)), False
    with tempfile.TemporaryDirectory(prefix="coset-") as scratch:
        output = build.link(Path(scratch))
        # If the cache cannot be written, the library works from where it is, for this process.
        return ctypes.CDLL(str(target if keep(output, target) else output)), True


@dataclass(frozen=True, slots=True)
class Build:
    """A compiler and what it is given.  Files are compiled side by side; those of the runtime depend on the model by
    its header only, or not at all, so that they are kept in the cache as well."""

    compiler: str
    flags: tuple[str, ...]
    files: dict[str, str]
    budget: Budget

    def digest(self, *names: str) -> str:
        content = (self.compiler, self.flags, [(name, self.files[name]) for name in sorted(names)])
        return hashlib.sha256(repr(content).encode()).hexdigest()[:32]

    def included(self, name: str) -> set[str]:
        """A file and all that it includes."""
        found, todo = set[str](), [name]
        while todo:
            if (each := todo.pop()) not in found:
                found.add(each)
                todo += INCLUDE.findall(self.files[each])
        return found

    def link(self, scratch: Path) -> Path:
        """The library, made in a folder."""
        for name, text in self.files.items():
            (scratch / name).write_text(text)
        sources = sorted(name for name in self.files if name.endswith(".c"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda name: self.compiled(name, scratch), sources))
        self.run(scratch, "-shared", "-o", "model.so", *map(str, objects))
        return scratch / "model.so"

    def compiled(self, name: str, scratch: Path) -> Path:
        target = cache_directory() / f"{self.digest(*self.included(name))}.o"
        if name != "model.c" and target.exists():
            return target
        output = scratch / f"{name}.o"
        self.run(scratch, "-c", "-o", output.name, name)
        if name != "model.c":
            keep(output, target)
        return output

    def run(self, scratch: Path, *arguments: str) -> None:
        try:
            done = subprocess.run(
                [self.compiler, *self.flags, *arguments],
                cwd=scratch, capture_output=True, text=True, timeout=self.budget.remaining_seconds(),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise OutOfBudget(self.budget.exceeded() or "the deadline") from None
        if done.returncode != 0:
            said = done.stderr[:2000].strip() or f"it said nothing, exit code {done.returncode}"
            raise NoCompiler(f"{self.compiler} failed on the generated model:\n{said}")


def keep(output: Path, target: Path) -> bool:
    """Copy a file to the cache, whole or not at all; whether it could be done."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}")
        shutil.copy(output, partial)
        os.replace(partial, target)
    except OSError:
        return False
    return True
