"""Programs that a command starts: the C compiler, Graphviz, SPIN.

Each has a process group of its own and ends with the budget of the command: when the deadline has passed or the user has
interrupted, the whole group is ended.  Ending the compiler's driver alone would leave the compiler itself running.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from coset.source import leftovers
from coset.source.budget import Budget, OutOfBudget, current_budget
from coset.source.records import dataclass

TICK = 0.02
"""Seconds between two looks at the budget."""
PATIENCE = 0.5
"""Seconds that a program has to remove its own files before it is killed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended; a negative exit code is the signal that ended it."""

    code: int
    output: bytes
    errors: bytes

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        return self.errors.decode("utf-8", "replace")


def run(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    given: bytes = b"",
    environment: Mapping[str, str] | None = None,
    budget: Budget | None = None,
) -> Finished:
    """Run a program to its end, without a shell.  Raises `OutOfBudget`, and `OSError` if it cannot be started.

    >>> run(["cat"], given=b"text").text
    'text'
    """
    within = current_budget() if budget is None else budget
    within.demand()
    # Not a pipe: the wait for the end goes on after a look at the budget.
    with tempfile.TemporaryFile() if given else open(os.devnull, "rb+") as input_file:
        input_file.write(given)
        input_file.seek(0)
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=None if environment is None else {**os.environ, **environment},
            stdin=input_file,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    leftovers.groups.add(process.pid)
    try:
        while True:
            try:
                output, errors = process.communicate(timeout=TICK)
                return Finished(process.returncode, output, errors)
            except subprocess.TimeoutExpired:
                if (reason := within.out_of_time()) is not None:
                    raise OutOfBudget(reason) from None
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a program and of what it started."""
    if process.returncode is None:
        signal_group(process, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        signal_group(process, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    leftovers.groups.discard(process.pid)


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(OSError):
        os.killpg(process.pid, number)
