"""Runs a command in a process of its own, and measures what it takes.

Starting Python and loading Coset takes longer than most commands do, so a command is usually run by a copy of this process,
which has loaded everything; the copy calls `coset.cli.main` and ends.  Whatever happens to it, this process goes on.  Some
commands are run by a new interpreter, because a copy does not leave as a program does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tests.fuzz.case import Case

PATIENCE = 20.0
"""Seconds of waiting beyond the limit after which a command is ended: the machine may be busy, or the command asleep."""
GRACE = 2.0
"""Seconds of computing beyond the limit after which a command is a fault."""
SHARE = 1.15
"""The part of the allowed memory that is a fault, and twice that is ended at once."""
LOOKS = 0.05
"""Seconds between two looks at a process."""
OUTPUT = 8 << 20
"""Bytes of output that are kept."""
COMPILED = "ran the compiled engine\n"

Action = Callable[[Sequence[str]], int]


@dataclass(frozen=True)
class Outcome:
    """What became of a command.  `code` is None if it was ended from here, negative if by another signal."""

    code: int | None
    out: str
    err: str
    wall: float
    cpu: float
    memory: int
    compiled: bool = False


def load_everything() -> None:
    """Import all of Coset, so that copies of this process need not."""
    import coset

    for found in pkgutil.walk_packages(coset.__path__, "coset."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    from coset.engines.explicit import build, engine

    # A note on a stream of its own tells that a library was made and loaded; commands are not disturbed by it.
    library = build.library
    if engine.__dict__["library"] is not library:
        return  # this has been done

    def noted(*arguments: object, **settings: object) -> object:
        loaded: object = library(*arguments, **settings)
        if REPORT is not None:
            os.write(REPORT, COMPILED.encode())
        return loaded

    vars(engine)["library"] = noted
    gc.collect()
    gc.freeze()


REPORT: int | None = None


def run(case: Case, action: Action | None = None) -> Outcome:
    """Run a command in a folder of its own; `action` stands for `coset.cli.main` in tests."""
    with tempfile.TemporaryDirectory(prefix="coset-fuzz-", ignore_cleanup_errors=True) as folder:
        case.write(Path(folder))
        with streams(case.stdin) as (stdin, out, err, report):
            began = time.monotonic()
            child = os.fork()
            if child == 0:
                become(case, folder, (stdin, out, err, report), action)
            try:
                code, cpu, memory = watch(child, case, began)
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(child, signal.SIGKILL)  # compilers that were left behind
            wall = time.monotonic() - began
            return Outcome(code, text(out), text(err), wall, cpu, memory, COMPILED in text(report))


@contextlib.contextmanager
def streams(stdin: bytes) -> Iterator[list[int]]:
    """Standard input, output, standard error and the report, as files in memory."""
    opened = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr", "report")]
    try:
        os.write(opened[0], stdin)
        os.lseek(opened[0], 0, os.SEEK_SET)
        yield opened
    finally:
        for each in opened:
            os.close(each)


def text(stream: int) -> str:
    return os.pread(stream, OUTPUT, 0).decode(errors="replace")


def become(case: Case, folder: str, opened: Sequence[int], action: Action | None) -> NoReturn:
    """In the new process: run the command, and never return."""
    global REPORT
    code = 250  # none of Coset's: something went wrong here
    try:
        os.setpgid(0, 0)
        for number, stream in enumerate(opened[:3]):
            os.dup2(stream, number)
        REPORT = opened[3]
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        random.seed(0)
        if case.by_itself:
            os.execv(sys.executable, [sys.executable, "-m", "coset.cli", *case.argv])
        for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
            errors = {"stdin": "surrogateescape", "stdout": "strict", "stderr": "backslashreplace"}[name]
            setattr(sys, name, open(number, mode, encoding="utf-8", errors=errors, closefd=False))  # noqa: SIM115
        if action is None:
            from coset.cli import main

            action = main
        code = action(list(case.argv))
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
        with contextlib.suppress(Exception):
            sys.stderr.flush()
    finally:
        os._exit(code & 255)


def watch(child: int, case: Case, began: float) -> tuple[int | None, float, int]:
    """Wait for a process to end, or end it; its exit code, seconds of computing and peak of memory."""
    handle = os.pidfd_open(child)
    code: int | None = None
    peak = 0
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        while not poll.poll(LOOKS * 1000):
            peak = max(peak, resident(child))
            wall, cpu = time.monotonic() - began, computing(child)
            too_long = wall > case.seconds + PATIENCE or min(wall, cpu) > case.seconds + 2 * GRACE
            if too_long or peak > 2 * case.memory:
                os.killpg(child, signal.SIGKILL)
                poll.poll()
                break
        else:
            code = 0
    finally:
        os.close(handle)
    cpu = computing(child)  # of a process that has ended, until its parent has asked for it
    _, status, usage = os.wait4(child, 0)
    if code is not None:
        code = os.waitstatus_to_exitcode(status)
    # What the children of the command had, as compilers, is no more than a bound for its own.
    return code, cpu, max(peak, usage.ru_maxrss * 1024)


def resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def computing(process: int) -> float:
    """Seconds of computing by the process itself, without those of its children."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def environment() -> Iterator[None]:
    """What all commands find: a cache of their own, a quick compiler, and no terminal."""
    cache = tempfile.mkdtemp(prefix="coset-fuzz-cache-")
    root = Path(__file__).parents[2]
    changes = {
        "COSET_CACHE": cache, "COSET_CFLAGS": "-O0", "COSET_DEBUG": "1", "NO_COLOR": "1",
        "PYTHONPATH": os.pathsep.join((str(root / "src"), str(root))),
    }  # fmt: skip
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        shutil.rmtree(cache, ignore_errors=True)
