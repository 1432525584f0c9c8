"""Commands that run in the background, each in its own process."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from coset.options.searching import SEARCHING
from coset.server.commands import Form
from coset.source.printable import printable

AT_ONCE = 2
"""The number of searches that run at a time; others wait."""

KEPT = 100
"""The number of finished runs that are kept."""

LINES = 200
"""The number of message lines that are kept."""

PATIENCE = 5.0
"""Seconds between the cancellation of a search and the end of its process."""

COSET = [sys.executable, "-P", "-m", "coset.cli"]
"""The command.  `-P`: a model's folder may contain a file with the name of a Python module."""

Json = dict[str, Any]


class Run:
    """One command, from its request on."""

    def __init__(self, number: int, file: str, form: Form, arguments: Sequence[str], folder: Path, kept: Path) -> None:
        self.number, self.file, self.form, self.arguments = number, file, form, list(arguments)
        self.folder = folder
        self.answer, self.page = kept / f"{number}.json", kept / f"{number}.html"
        self.status = "waiting"
        self.progress: Json | None = None
        self.messages: deque[str] = deque(maxlen=LINES)
        self.result: Json | None = None
        self.exit: int | None = None
        self.cancelled = False
        self.began, self.ended = time.monotonic(), 0.0
        self.process: subprocess.Popen[str] | None = None
        self.changing = threading.Lock()
        self.patience: threading.Timer | None = None

    # --- the process -----------------------------------------------------------------------------

    @property
    def whole(self) -> list[str]:
        """All arguments: those that the user sees, and those for the output to the server."""
        more = ["--progress=json"] if self.arguments[0] in SEARCHING else []
        return [*self.arguments, "--json", f"--html={self.page}", *more]

    def perform(self, turn: threading.Semaphore) -> None:
        """Wait for a free slot, run the command, and keep its output."""
        with turn:
            try:
                self.listen()
            except OSError as error:
                self.messages.append(f"the command could not be run: {error}")
            self.ended = time.monotonic()
            if self.patience is not None:
                self.patience.cancel()  # the process has ended, so no thread needs to wait for it
            self.status = "done"

    def listen(self) -> None:
        with self.answer.open("w") as answer:
            with self.changing:
                if self.cancelled:
                    return
                self.process = subprocess.Popen(
                    [*COSET, *self.whole], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=answer, stderr=subprocess.PIPE,
                    text=True, encoding="utf-8", errors="replace", start_new_session=True,
                )  # fmt: skip
                self.began, self.status = time.monotonic(), "running"
            assert self.process.stderr is not None
            for line in self.process.stderr:
                self.hear(line.rstrip("\n"))
            self.exit = self.process.wait()
        self.result = first_object(self.answer.read_text("utf-8", "replace"))

    def hear(self, line: str) -> None:
        """Handle a line of standard error: an event or a message."""
        try:
            event = json.loads(line) if line.startswith("{") else None
        except ValueError:
            event = None
        match event:
            case {"event": "progress"}:
                self.progress = event
            case {"event": "warned", "message": message}:
                self.messages.append(printable(f"warning: {message}"))
            case {"event": _}:
                pass
            case _:
                self.messages.append(printable(line))

    def cancel(self) -> None:
        """Ask the search to stop and show partial results; a second call, or the end of `PATIENCE`, kills the process."""
        with self.changing:
            again, self.cancelled = self.cancelled, True
        self.send(signal.SIGKILL if again else signal.SIGINT)
        if not again:
            self.patience = threading.Timer(PATIENCE, self.send, [signal.SIGKILL])
            self.patience.daemon = True
            self.patience.start()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process and its children, such as a compiler."""
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    # --- results ---------------------------------------------------------------------------------

    @property
    def command(self) -> str:
        """The equivalent command line."""
        return shlex.join(["coset", *self.arguments])

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.began

    @property
    def failure(self) -> Json | None:
        """The error of the command; None if there is none."""
        if self.status != "done" or (self.result is not None and "error" not in self.result):
            return None
        if self.result is not None:
            return self.result
        if self.cancelled:
            error = {"kind": "interrupted", "message": "cancelled before there was a result", "exit": 130}
        else:
            error = {"kind": "internal", "message": "the command ended without an answer", "exit": self.exit}
        return {"error": error, "diagnostics": []}

    @property
    def outcome(self) -> str:
        """The status or outcome in a word or two."""
        if self.status != "done":
            return "cancelling" if self.cancelled else self.status
        if self.failure is not None:
            return "cancelled" if self.cancelled else f"{self.failure['error']['kind']} error"
        assert self.result is not None
        match self.result:
            case {"verdict": verdict}:
                return str(verdict)
            case {"states": states, "complete": complete}:
                return f"{states:,} states" + ("" if complete else ", not complete")
            case {"symmetry": {"order": order}}:
                return f"order {order:,}"
        return "done"

    def report(self) -> str | None:
        """The report that the command wrote, with the equivalent command line."""
        try:
            text = self.page.read_text("utf-8")
        except OSError:
            return None
        return text.replace(printable(escape(shlex.join(["coset", *self.whole]))), printable(escape(self.command)), 1)

    def state(self) -> Json:
        """The state of the run for the script that shows its progress."""
        return {
            "status": self.status,
            "outcome": self.outcome,
            "seconds": round(self.seconds, 1),
            "progress": self.progress,
            "messages": list(self.messages)[-20:],
        }


class Runs:
    """All runs of a server, the newest last; their files are removed when the server ends."""

    def __init__(self) -> None:
        self.kept = tempfile.TemporaryDirectory(prefix="coset-serve-")
        self.turn = threading.BoundedSemaphore(AT_ONCE)
        self.runs: dict[int, Run] = {}
        self.number = 0
        self.changing = threading.Lock()

    def start(self, file: str, form: Form, arguments: Sequence[str], folder: Path) -> Run:
        with self.changing:
            self.number += 1
            run = Run(self.number, file, form, arguments, folder, Path(self.kept.name))
            self.runs[run.number] = run
            self.forget()
        threading.Thread(target=run.perform, args=[self.turn], daemon=True).start()
        return run

    def forget(self) -> None:
        """Forget the oldest finished runs, if there are too many."""
        ended = [run for run in self.runs.values() if run.status == "done"]
        for run in ended[: max(0, len(ended) - KEPT)]:
            del self.runs[run.number]
            for path in (run.answer, run.page):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """End all runs."""
        with self.changing:
            left = [run for run in self.runs.values() if run.status != "done"]
        for run in left:
            with run.changing:  # otherwise its process would be started a moment later
                run.cancelled = True
            run.send(signal.SIGKILL)
        for run in left:
            if run.process is not None:
                run.process.wait()
        self.kept.cleanup()


def first_object(text: str) -> Json | None:
    """The first JSON object of a command's output.  A command that is cancelled after its result adds another object.

    >>> first_object('{"states": 3}\\n{"error": {}}\\n'), first_object("")
    ({'states': 3}, None)
    """
    with contextlib.suppress(ValueError):
        found = json.loads(text.partition("\n")[0])
        return found if isinstance(found, dict) else None
    return None


def shown(folder: Path, file: str, define: Sequence[str], seconds: float = 20.0) -> Json:
    """The output of `coset show` for a model: its properties and warnings, or its errors."""
    path = f"./{file}" if file.startswith("-") else file
    arguments = [*COSET, "show", path, *(f"-D{each}" for each in define), "--json"]
    try:
        done = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        found: Json = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        message = (
            f"reading it takes longer than {seconds:.0f} s"
            if isinstance(error, subprocess.TimeoutExpired)
            else str(error)
        )
        return {"error": {"kind": "internal", "message": message, "exit": None}, "diagnostics": []}
    return found
