"""Transcripts of the command line that run: every `console` block of the documentation.

    $ coset explore models/peterson.pml       a command, run by bash, with models/ at hand
    states       3,521                        what it prints, on both streams
    [exit 2]                                  its exit code, if it is not 0

`...` stands for any text within a line, and on a line of its own for any lines.  Times and sizes (`0.16 s`, `21 MB`,
`search 0.15`) are different on every run and need only be of that form.  On a busy machine a search may take long enough
to tell how far it is; such lines are left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "tests/transcripts").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PHASES = "".join(rf"(?<={phase} )|" for phase in ("load", "symmetry", "compile", "search"))[:-1]
MEASURED = re.compile(rf"(?:{PHASES})\d+\.\d+|\d+(?:\.\d+)?(?= (?:s|MB|GB)\b)")
ANY = {"...": ".*"}
PROGRESS = re.compile(r"^coset: [\d,]+ states  [\d,]+/s  depth .*\n", re.MULTILINE)


def commands(page: str) -> Iterator[tuple[int, str, str]]:
    """The line number, the command and the expected output of each command of a page."""
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start()) + 2
        for part in re.split(r"^(?=\$ )", block[1], flags=re.MULTILINE):
            command, _, expected = part.partition("\n")
            if command.startswith("$ "):
                yield line, command[2:], expected
            line += part.count("\n")


def pattern(expected: str) -> str:
    r"""The regular expression for an expected output.

    >>> bool(re.fullmatch(pattern("a\n...\nb ... in 1.5 s\n"), "a\nx\ny\nb 7 in 0.03 s\n"))
    True
    >>> bool(re.fullmatch(pattern("a\nb\n"), "a\nx\nb\n"))
    False
    """
    text = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            text += r"(?:.*\n)*?"
            continue
        position = 0
        for match in re.finditer(rf"\.\.\.|{MEASURED.pattern}", line):
            text += re.escape(line[position : match.start()]) + ANY.get(match[0], r"\d+(?:\.\d+)?")
            position = match.end()
        text += re.escape(line[position:])
        text += r"\n"
    return text


def answer(command: str, folder: Path) -> str:
    """What a command prints, and its exit code unless it is 0."""
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "NO_COLOR": "1", "COLUMNS": "80"}
    environment.pop("COSET_DEBUG", None)
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env=environment, stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    return tidy(PROGRESS.sub("", done.stdout)) + (f"[exit {done.returncode}]\n" if done.returncode else "")


def tidy(text: str) -> str:
    """The text without blanks at the ends of lines, nor empty lines at its own."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")
    return f"{lines}\n" if lines else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_transcript(page: Path, tmp_path: Path) -> None:
    """The commands of a page in order, in a folder of their own where files can be written, with the models at hand."""
    (tmp_path / "models").symlink_to(ROOT / "models")
    for line, command, expected in commands(page.read_text("utf-8")):
        found = answer(command, tmp_path)
        if not re.fullmatch(pattern(tidy(expected)), found):
            pytest.fail(f"{page}:{line}\n$ {command}\n{found}--- but expected ---\n{expected}", pytrace=False)


def test_there_are_transcripts() -> None:
    pages = {path.name for path in PAGES if any(commands(path.read_text("utf-8")))}
    assert {"README.md", "check.md", "explore.md", "simulate.md", "errors.md"} <= pages
