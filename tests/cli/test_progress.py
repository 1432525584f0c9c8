"""What a search tells while it runs: a line on a terminal, a log elsewhere, events for programs."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from coset.options.showing import PROGRESS
from coset.results.events import Event, Finished, Progress, Refined, Warned
from coset.views import progress
from tests.support.command_line import program
from tests.support.paths import MODELS, ROOT
from tests.support.screen import Screen

TOLD = Progress(1024, 5000, 40, 12, 0.5)
SHOWN = "1,024 states  2,048/s  depth 40  frontier 12  0.5 s"
LARGE = MODELS / "peterson.pml"


def test_the_line_is_never_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    screen = Screen()
    progress.Line(screen)(TOLD)
    assert screen.getvalue() == "\r1,024 states  2,048/s  depth "


def test_the_line_leaves_nothing_behind() -> None:
    screen = Screen()
    line = progress.Line(screen)
    line(TOLD)
    line(Progress(2048, 9000, 50, 12, 0.51))  # too soon after the first one
    line(Warned("strange"))
    line(Finished(True))
    assert screen.getvalue() == f"\r{SHOWN}\r{' ' * len(SHOWN)}\rcoset: warning: strange\n"


def test_a_log_has_few_lines() -> None:
    """Ten seconds apart at first, then more and more."""
    stream, now = io.StringIO(), 0.0
    log = progress.Log(stream, lambda: now)
    times = []
    for second in range(3600):
        now = float(second)
        before = len(stream.getvalue())
        log(TOLD)
        if len(stream.getvalue()) > before:
            times.append(second)
    assert times[:6] == [10, 20, 30, 40, 50, 60] and 20 < len(times) < 40
    assert set(stream.getvalue().splitlines()) == {f"coset: {SHOWN}"}
    log(Warned("strange"))
    log(Finished(True))
    assert stream.getvalue().endswith("\ncoset: warning: strange\n")


def test_events_for_programs() -> None:
    stream = io.StringIO()
    events: list[Event] = [TOLD, Refined("p", ("a",), (), 3, "unknown", "one more"), Warned("strange"), Finished(False)]
    for event in events:
        progress.EventLines(stream)(event)
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [each["event"] for each in found] == ["progress", "refined", "warned", "finished"]
    assert found[0]["states"] == 1024 and found[2]["message"] == "strange" and found[3]["complete"] is False


@pytest.mark.parametrize(
    ("settings", "watched"), [({}, True), ({"CI": "true"}, False), ({"TERM": "dumb"}, False), ({"CI": ""}, True)]
)
def test_who_is_watching(monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], watched: bool) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert isinstance(progress.listener(Screen()), progress.Line if watched else progress.Log)
    assert isinstance(progress.listener(io.StringIO()), progress.Log)


def test_the_option_has_every_way() -> None:
    assert ("auto", *progress.WAYS) == tuple(PROGRESS)


# --- in real terminals and pipes -------------------------------------------------------------------


def on_terminal(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """`coset` on a terminal of 60 columns: its exit code and all that the terminal got."""
    leader, follower = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "COLUMNS")}
    process = subprocess.Popen(
        [sys.executable, "-m", "coset.cli", *map(str, arguments)],
        stdin=follower, stdout=follower, stderr=follower, cwd=ROOT,
        env={**kept, "TERM": "xterm", "COLUMNS": "60", **environment},
    )  # fmt: skip
    os.close(follower)
    text = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # nobody writes any more
            break
        if not data:
            break
        text += data
    os.close(leader)
    return process.wait(60), text.decode().replace("\r\n", "\n")


SEARCH = ("explore", LARGE, "-D", "N=3", "--engine", "reference", "--symmetry", "off", "--max-states", "3000")


def test_a_terminal_gets_a_line_and_colours() -> None:
    code, text = on_terminal(*SEARCH)
    assert code == 3 and "\x1b[" in text and "\r" in text and "states  " in text


def test_a_build_server_with_a_terminal_gets_no_line() -> None:
    code, text = on_terminal(*SEARCH, CI="true", NO_COLOR="1")
    assert code == 3 and "\x1b" not in text and "\r" not in text


def test_a_pipe_gets_plain_text() -> None:
    answer = program(*SEARCH, env={**os.environ, "CI": "true"})
    assert answer.code == 3 and not re.search(r"[\x00-\x09\x0b-\x1f]", answer.out + answer.err)
    assert answer.err.endswith("coset: not complete: stopped at 3000 states (--max-states)\n")


def test_a_program_gets_events() -> None:
    answer = program(*SEARCH, "--progress", "json", "--json")
    events = [json.loads(line) for line in answer.err.splitlines() if line.startswith("{")]
    assert {"progress", "finished"} <= {each["event"] for each in events}
    assert answer.json["states"] >= max(each["states"] for each in events if each["event"] == "progress") > 0
