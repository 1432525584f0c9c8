"""Commands that run in the background, each as a process of its own."""

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
"""So many searches run at a time; others wait."""

KEPT = 100
"""So many runs that have ended are remembered."""

LINES = 200
"""So many of the last lines of messages are kept."""

PATIENCE = 5.0
"""Seconds that a search has to answer to a cancellation before its process is ended."""

COSET = [sys.executable, "-P", "-m", "coset.cli"]
"""`-P`: a model's folder may have a file that is called like a module of Python."""

Json = dict[str, Any]


class Run:
    """One command, from the moment it is asked for."""

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
        """All arguments: those that the user sees, and those by which the answer comes here."""
        more = ["--progress=json"] if self.arguments[0] in SEARCHING else []
        return [*self.arguments, "--json", f"--html={self.page}", *more]

    def perform(self, turn: threading.Semaphore) -> None:
        """Wait for one's turn, run, and keep what comes out."""
        with turn:
            try:
                self.listen()
            except OSError as error:
                self.messages.append(f"the command could not be run: {error}")
            self.ended = time.monotonic()
            if self.patience is not None:
                self.patience.cancel()  # the process has ended, and no thread should wait for it
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
        """A line of standard error: an event, or a message."""
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
        """Ask the search to stop, which leaves what it has found so far; who asks twice, or waits in vain, ends it."""
        with self.changing:
            again, self.cancelled = self.cancelled, True
        self.send(signal.SIGKILL if again else signal.SIGINT)
        if not again:
            self.patience = threading.Timer(PATIENCE, self.send, [signal.SIGKILL])
            self.patience.daemon = True
            self.patience.start()

    def send(self, number: signal.Signals) -> None:
        """A signal to the process and to whatever it has started, such as a compiler."""
        if self.process is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    # --- what there is to see --------------------------------------------------------------------

    @property
    def command(self) -> str:
        """What to type to get the same."""
        return shlex.join(["coset", *self.arguments])

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.began

    @property
    def failure(self) -> Json | None:
        """What went wrong; None as long as nothing did."""
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
        """How it stands, or what came out, in a word or two."""
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
        """The page that the command has written; it says the command that the user would type."""
        try:
            text = self.page.read_text("utf-8")
        except OSError:
            return None
        return text.replace(printable(escape(shlex.join(["coset", *self.whole]))), printable(escape(self.command)), 1)

    def state(self) -> Json:
        """For the script that shows how it goes on."""
        return {
            "status": self.status,
            "outcome": self.outcome,
            "seconds": round(self.seconds, 1),
            "progress": self.progress,
            "messages": list(self.messages)[-20:],
        }


class Runs:
    """All runs of a server, the newest last; what they write is gone when the server ends."""

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
        """The oldest of those that have ended, if there are too many."""
        ended = [run for run in self.runs.values() if run.status == "done"]
        for run in ended[: max(0, len(ended) - KEPT)]:
            del self.runs[run.number]
            for path in (run.answer, run.page):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """End what still runs."""
        with self.changing:
            left = [run for run in self.runs.values() if run.status != "done"]
        for run in left:
            with run.changing:  # or its process would be started a moment later
                run.cancelled = True
            run.send(signal.SIGKILL)
        for run in left:
            if run.process is not None:
                run.process.wait()
        self.kept.cleanup()


def first_object(text: str) -> Json | None:
    """What a command has answered.  One that is cancelled after its result adds an object that says so.

    >>> first_object('{"states": 3}\\n{"error": {}}\\n'), first_object("")
    ({'states': 3}, None)
    """
    with contextlib.suppress(ValueError):
        found = json.loads(text.partition("\n")[0])
        return found if isinstance(found, dict) else None
    return None


def shown(folder: Path, file: str, define: Sequence[str], seconds: float = 20.0) -> Json:
    """What `coset show` says about a model: its properties and warnings, or what is wrong with it."""
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
