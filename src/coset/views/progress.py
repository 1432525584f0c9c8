"""The progress of a search: one line that is updated in place, a log, or events for programs.

A line that is updated many times per second is for a terminal.  A log gets a line after ten seconds, and then the less often
the longer the search takes.
"""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TextIO

from coset.results.events import Event, Finished, Listener, Progress, Refined, Warned
from coset.source.printable import Printable, control, json_text
from coset.views.terminal import amount


class Warnings:
    """Shows warnings, each on its own line, and nothing else."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self, event: Event) -> None:
        match event:
            case Progress() | Refined():
                self.show(event)
            case Warned(message):
                self.clear()
                print(f"coset: warning: {message}", file=self.stream, flush=True)
            case Finished():
                self.clear()

    def show(self, event: Progress | Refined) -> None:
        """Show the progress of the search."""

    def clear(self) -> None:
        """Remove the progress line."""


class Line(Warnings):
    """One line that is updated a few times per second."""

    EVERY = 0.1

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.shown = 0.0
        self.width = 0

    def show(self, event: Progress | Refined) -> None:
        if time.monotonic() - self.shown >= self.EVERY:
            self.shown = time.monotonic()
            self.write(told(event)[: shutil.get_terminal_size().columns - 1])  # a line that wraps cannot be replaced

    def clear(self) -> None:
        self.write("")

    def write(self, text: str) -> None:
        """Replace the line; an empty text removes it."""
        if text or self.width:
            back = control("\r") if isinstance(self.stream, Printable) else "\r"
            self.stream.write(back + text.ljust(self.width) + ("" if text else back))
            self.stream.flush()
            self.width = len(text)


class Log(Warnings):
    """A line after ten seconds, then whenever the running time has grown by a fifth and at least ten seconds."""

    EVERY, SHARE = 10.0, 0.2

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(stream)
        self.clock = clock
        self.began = clock()
        self.due = self.EVERY

    def show(self, event: Progress | Refined) -> None:
        passed = self.clock() - self.began
        if passed >= self.due:
            self.due = passed + max(self.EVERY, self.SHARE * passed)
            print(f"coset: {told(event)}", file=self.stream, flush=True)


class EventLines:
    """Every event as a line of JSON, for other programs."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self, event: Event) -> None:
        print(json_text({"event": type(event).__name__.lower(), **asdict(event)}), file=self.stream, flush=True)


WAYS: dict[str, Callable[[TextIO], Listener]] = {"line": Line, "log": Log, "json": EventLines, "off": Warnings}


def listener(stream: TextIO, way: str = "auto") -> Listener:
    """The listener of a search: `auto` is a line on a terminal, otherwise a log."""
    if way == "auto":
        way = "line" if is_watched(stream) else "log"
    return WAYS[way](stream)


def is_watched(stream: TextIO) -> bool:
    """Whether a line can be updated in place: on a terminal, but not on that of a build server."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def told(event: Progress | Refined) -> str:
    if isinstance(event, Refined):
        return "; ".join(filter(None, (f"{event.property}: {event.truth} in {event.states:,} states", event.next)))
    return progress(event)


def progress(event: Progress) -> str:
    """
    >>> progress(Progress(20480, 90000, 311, 42, 2.0))
    '20,480 states  10,240/s  depth 311  frontier 42  2.0 s'
    >>> progress(Progress(20480, 90000, 311, 42, 2.0, 25165824, 10240))
    '20,480 states  10,240/s  depth 311  frontier 42  24 MB  2.0 s, about 1 s to go'
    """
    disk = f"  {amount(event.disk)} on disk" if event.disk else ""
    rate = event.states / event.seconds if event.seconds > 0 else 0.0
    memory = f"  {amount(event.memory)}" if event.memory else ""
    if event.remaining is not None and rate:
        outlook = f", about {math.ceil(event.remaining / rate):,} s to go"
    else:
        outlook = ", ETA unknown (frontier still growing)" if event.memory else ""
    return (
        f"{event.states:,} states  {rate:,.0f}/s  depth {event.depth:,}  frontier {event.frontier:,}{memory}{disk}"
        f"  {event.seconds:.1f} s{outlook}"
    )
