"""SPIN's lists of unreached statements, compared with ours.

    python -m tests.support.spin_unreached FILE...     print what differs, by lines of each proctype

SPIN runs without statement merging, partial order reduction and claims, through all errors.  Differences that are meant:

* SPIN lists `-end-`, the end of a process that never ends.  That is no statement.
* SPIN does not list the first statements of options of an `if` or `do` that is never reached.  We do.
* What control passes through at once (`goto`, `break`, the beginning of `atomic`, `skip`) is left out: SPIN lists some of it.
* SPIN does not list an option that is never taken (its guard is never true).  We list it as an `option`, apart from statements.
* Statements of an `inline` are reached for us if they are reached from one call; SPIN lists them for each call.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import coset
from coset.engines.explicit.coverage import taken_edges
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.results.coverage import STATEMENT, unreached
from coset.source.budget import Limits

SECTION = re.compile(r"^unreached in proctype (\S+)\n((?:\t.*\n)*)", re.MULTILINE)
LINE = re.compile(r'^\t(.*):(\d+), state \d+, "(.*)"$', re.MULTILINE)
CONTROL = re.compile(r"^(goto .*|break|ATOMIC|D_STEP\d*|\.\(goto\)|UNLESS.*|sub-sequence|\(1\)|-end-)$")
Lines = dict[str, set[int]]


def by_spin(path: Path, seconds: float = 60) -> Lines | None:
    """The lines of unreached statements by proctype; None if SPIN comes to no end."""
    with tempfile.TemporaryDirectory(prefix="coset-unreached-") as folder:
        commands = [
            ["spin", "-o1", "-o2", "-o3", "-a", str(path.resolve())],
            ["gcc", "-w", "-O1", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOFAIR", "-DVECTORSZ=8192", "-o", "pan", "pan.c"],
            ["./pan", "-c0", "-m1000000"],
        ]  # fmt: skip
        for command in commands:
            try:
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return None
        output = done.stdout
    if "Search not completed" in output or "State-vector" not in output or "max search depth too small" in output:
        return None
    found: Lines = {}
    for name, section in SECTION.findall(output):
        lines = {int(line) for _, line, text in LINE.findall(section) if not CONTROL.match(text)}
        if lines:
            found[name] = lines
    return found


def by_coset(model: Model, limits: Limits) -> Lines | None:
    """The same by the compiled engine."""
    taken, _, is_complete = taken_edges(model, limits, Settings())
    if not is_complete:
        return None
    found: Lines = {}
    for each in unreached(model, taken):
        if each.kind == STATEMENT and not is_control(each.text):
            found.setdefault(each.process.removeprefix(":").removesuffix(":"), set()).add(each.span.line)
    return found


def is_control(text: str) -> bool:
    """Whether a statement only passes control on, which SPIN lists or not."""
    return bool(re.match(r"(goto|break|else|skip)\b|true$|1$|\(1\)$", text.strip()))


def differences(path: Path) -> str | None:
    """What differs; None if one of the two comes to no end."""
    ours = by_coset(coset.load(path), Limits(300_000))
    theirs = None if ours is None else by_spin(path)
    if ours is None or theirs is None:
        return None
    words = []
    for name in sorted({*ours, *theirs}):
        only = ours.get(name, set()) - theirs.get(name, set()), theirs.get(name, set()) - ours.get(name, set())
        if any(only):
            words.append(f"{name}: only ours {sorted(only[0])}, only SPIN's {sorted(only[1])}")
    return "; ".join(words)


def main(paths: Sequence[str]) -> int:
    equal = 0
    for path in map(Path, paths):
        try:
            found = differences(path)
        except Exception as error:
            print(f"{path.name}: {type(error).__name__}: {str(error)[:80]}")
            continue
        if found:
            print(f"{path.name}: {found}")
        equal += found == ""
        if found is None:
            print(f"{path.name}: no end")
    print(f"{equal} of {len(paths)} equal")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
