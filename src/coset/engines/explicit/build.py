"""Compile C to a shared library, once per content; libraries are cached (cache.py)."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from functools import cache as remembered
from importlib import resources
from pathlib import Path

from coset.engines.contract import NoCompiler
from coset.engines.explicit import cache
from coset.engines.explicit.seam import declared
from coset.source import children
from coset.source.budget import Budget, current_budget
from coset.source.records import dataclass
from coset.source.scratch import scratch_folder

LARGE_MODEL = 100_000
"""The length of a generated model from which on it is optimised less: `-O2` takes twice as long as `-O1`, seconds here."""
HUGE_MODEL = 1_000_000
"""From here on it is not optimised at all: `-O1` takes half a minute for each million characters, most searches take less."""
FLAGS = ("-std=c11", "-fno-tree-vectorize", "-fPIC", "-pthread", "-fwrapv", "-fno-strict-aliasing", "-w")
STATES = ("search.c", "breadth.c", "barrier.c", "store.c", "key_set.c", "state_keys.c", "compact_set.c", "key_code.c")
SEARCHES = {
    "states": STATES,
    "cycles": ("cycles.c", "shortest.c"),
    "product": (*STATES, "graph.c", "product.c", "shortest.c"),
    "fair product": (*STATES, "graph.c", "labels.c", "product.c", "shortest.c"),
    "graph": (*STATES, "graph.c", "branching.c"),
}
"""The files for each kind of search: of all states, for cycles in a product, depth first or on its recorded graph, for fair ones,
and of the graph for computation tree logic."""
LONGEST = ("breadth.c", "model.c", "cycles.c", "product.c", "branching.c", "state_keys.c", "key_set.c", "search.c")
"""The files that take longest to compile: they come first, as files are compiled side by side."""
INCLUDE = re.compile(r'^#include "(.+)"', re.MULTILINE)
DEFINITION = re.compile(r"^#define (\w+)", re.MULTILINE)


def compiler() -> str:
    """The C compiler to use: $CC, or the first of the usual names."""
    names = [os.environ["CC"]] if os.environ.get("CC") else ["cc", "gcc", "clang"]
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise NoCompiler(f"no C compiler found (looked for {', '.join(names)})")


def has_compiler() -> bool:
    try:
        compiler()
    except NoCompiler:
        return False
    return True


def runtime_files() -> dict[str, str]:
    """The C files of the runtime by name.  Names are unique across folders, as everything is compiled in one folder."""
    runtime = resources.files("coset.engines.explicit") / "runtime"
    folders = [runtime, *(each for each in runtime.iterdir() if each.is_dir() and each.name != "tinycc")]
    found = [each for folder in folders for each in folder.iterdir() if each.name.endswith((".c", ".h"))]
    return {each.name: each.read_text() for each in sorted(found, key=lambda each: each.name)}


@remembered
def machine_flags() -> tuple[str, ...]:
    """Compiler flags for instructions of this machine that the runtime uses; a library is only for this machine."""
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        described = ""
    if platform.machine() not in ("x86_64", "AMD64"):
        return ()
    return tuple(f"-m{name}" for name in ("bmi2", "avx2") if f" {name} " in described)


def library(
    header: str,
    source: str,
    search: str = "states",
    depth: bool = True,
    checkpoints: bool = True,
    caches: bool = True,
    numbered: bool = True,
    disk: bool = True,
    share: bool = True,
) -> tuple[ctypes.CDLL, bool]:
    """The library of a generated program, and whether it had to be compiled.

    `search` is one of `SEARCHES`.  To one that is breadth first, `depth` adds the depth-first search, `caches` the transition
    cache, `numbered` representatives of packed states, `disk` the search with its states on disk, `share` a share of a
    distributed search.
    $COSET_CFLAGS is added to the compiler flags."""
    wanted = {"model.c", "memory.c", "intern_table.c", *SEARCHES[search]}
    if search != "cycles":
        wanted.update(("depth.c",) if depth else ())
        wanted.update(("blocks.c", "checkpoint.c") if checkpoints else ())
        wanted.update(("component_dictionary.c", "transition_cache.c") if caches else ())
        wanted.update(("numbered.c",) if numbered else ())
        wanted.update(("disk.c", "runs.c", "sorting.c", "blocks.c") if disk else ())
        wanted.update(("share.c",) if share else ())
    files = runtime_files() | {"model.h": header, "model.c": source}
    files = {name: text for name, text in files.items() if name.endswith(".h") or name in wanted}
    flags = (*FLAGS, *machine_flags(), *shlex.split(os.environ.get("COSET_CFLAGS", "")))
    build = Build(compiler(), flags, files, current_budget())
    key = build.digest(files)
    found = cache.find(key, ".so")
    if found is not None:
        with contextlib.suppress(OSError):  # another process may have removed it just now
            return declared(ctypes.CDLL(str(found[0]))), False
    with scratch_folder() as scratch:
        output = build.link(scratch)
        kept = cache.keep(key, ".so", output)
        cache.tidy(kept)
        # If the cache cannot be used, this process loads the library from the temporary folder.
        return declared(loaded(kept, output)), True


def loaded(kept: Path | None, output: Path) -> ctypes.CDLL:
    if kept is not None:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(str(kept))
    return ctypes.CDLL(str(output))


def relevant(header: str, text: str) -> str:
    """A header without the definitions of names that occur neither in a text that includes it nor in other definitions.

    >>> relevant("#define A 1\\n#define B 2\\n#define C B\\n", "int x = C;")
    '#define B 2\\n#define C B\\n'
    """
    bodies = DEFINITION.sub("", header)

    def is_kept(line: str) -> bool:
        found = DEFINITION.match(line)
        return found is None or found[1] in text or found[1] in bodies

    return "".join(line for line in header.splitlines(keepends=True) if is_kept(line))


@dataclass(frozen=True, slots=True)
class Build:
    """A compiler and what it is given.  Files are compiled side by side; those of the runtime depend on the model by a part
    of its header only, or not at all, so that they are kept in the cache as well, for other models, too."""

    compiler: str
    flags: tuple[str, ...]
    files: dict[str, str]
    budget: Budget

    def digest(self, files: dict[str, str]) -> str:
        content = (self.compiler, self.flags, sorted(files.items()))
        return hashlib.sha256(repr(content).encode()).hexdigest()[:32]

    def included(self, name: str) -> set[str]:
        """A file and everything that it includes."""
        found, todo = set[str](), [name]
        while todo:
            if (each := todo.pop()) not in found:
                found.add(each)
                todo += INCLUDE.findall(self.files[each])
        return found

    def parts_of_object(self, name: str) -> dict[str, str]:
        """All that an object file is made of."""
        parts = {each: self.files[each] for each in self.included(name)}
        header = parts.pop("model.h", "")
        return {**parts, "model.h": relevant(header, "".join(parts.values()))}

    def link(self, scratch: Path) -> Path:
        """Link the library in a folder."""
        for name, text in self.files.items():
            (scratch / name).write_text(text)
        sources = sorted(name for name in self.files if name.endswith(".c"))
        sources.sort(key=lambda name: LONGEST.index(name) if name in LONGEST else len(LONGEST))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(lambda name: self.compiled(name, scratch), sources))
        self.run(scratch, "-shared", "-o", "model.so", *map(str, objects))
        return scratch / "model.so"

    def compiled(self, name: str, scratch: Path) -> Path:
        """The object file of a source, in the folder.  The object file of a model is not cached, as its library is."""
        output = scratch / f"{name}.o"
        if name == "model.c":
            length = len(self.files[name])
            level = "-O0" if length > HUGE_MODEL else "-O1" if length > LARGE_MODEL else "-O2"
            self.run(scratch, "-c", "-o", output.name, name, first=level)
            return output
        key = self.digest(self.parts_of_object(name))
        found = cache.find(key, ".o")
        if found is not None:
            output.write_bytes(found[1])
            return output
        self.run(scratch, "-c", "-o", output.name, name)
        cache.keep(key, ".o", output)
        return output

    def run(self, scratch: Path, *arguments: str, first: str = "-O2") -> None:
        """Call the compiler; flags of the environment have precedence over the `first` one."""
        # The compiler's own temporary files vanish with the folder, even if it is killed.
        done = children.run(
            [self.compiler, first, *self.flags, *arguments],
            folder=scratch, environment={"TMPDIR": str(scratch)}, budget=self.budget,
        )  # fmt: skip
        if done.code != 0:
            said = done.error_text[:2000].strip() or f"it said nothing, exit code {done.code}"
            raise NoCompiler(f"{self.compiler} failed on the generated model:\n{said}")
