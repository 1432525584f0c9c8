"""Kill searches at random moments and resume them: `python -m tests.kills 100 [SEED]`.

Whatever the storage, the number of threads and the symmetry, a search that was killed, also while it was writing a checkpoint,
goes on and ends with the figures of one that was not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT

COMMANDS = (
    "explore models/philosophers.pml -D N=12",
    "explore models/philosophers.pml -D N=11 --storage states",
    "explore models/philosophers.pml -D N=11 --storage fingerprints",
    "explore models/philosophers.pml -D N=11 --storage bits --bits 26",
    "explore models/philosophers.pml -D N=13 --symmetry auto",
    "check models/philosophers.pml -D N=10 --symmetry off --steps plain",
    "check models/peterson.pml -D N=4 --symmetry auto",
    "check models/peterson.pml -D N=4 --symmetry auto --storage states",
    "check models/peterson.pml -D N=4 --symmetry off --reduction por",
)
FIGURES = ("verdict", "states", "transitions", "depth", "complete", "orbit_sum", "properties", "errors")


@dataclass(frozen=True)
class Search:
    """A command with its number of threads."""

    command: str
    threads: int

    def __str__(self) -> str:
        return f"coset {self.command} --threads {self.threads}"

    def line(self, folder: Path | None, resume: bool = False) -> list[str]:
        words = [sys.executable, "-m", "coset", *self.command.split(), "--engine", "explicit", "--json"]
        words += ["--threads", str(self.threads)]
        if folder is not None:
            words += ["--checkpoint", str(folder), "--checkpoint-every", "0.01", *(["--resume"] if resume else [])]
        return words


def run(line: list[str], folder: Path | None = None, delay: float = 0) -> subprocess.CompletedProcess[str] | None:
    """How it ended; None if it was killed, which happens so many seconds after it has begun to write to the folder."""
    # The quick tier makes no checkpoints, and searches depth first: its depths are others.
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COSET_QUICK": "off"}
    before = written(folder)
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(line, cwd=ROOT, env=environment, stdout=output, stderr=errors)
        while process.poll() is None:
            if folder is not None and written(folder) != before:
                try:
                    process.wait(delay)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    return None
            time.sleep(0.005)
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(line, process.returncode, output.read(), errors.read())


def written(folder: Path | None) -> set[tuple[str, int]]:
    """The files of searches in a folder, and when they were written, finished or not."""
    found = set()
    for file in () if folder is None or not folder.exists() else folder.glob("*.search*"):
        with suppress(OSError):
            found.add((file.name, file.stat().st_mtime_ns))
    return found


def figures(text: str) -> dict[str, Any]:
    """What must not depend on kills; times, memory and the counterexample that was found first may."""
    found = json.loads(text)
    kept = {name: found[name] for name in FIGURES if name in found}
    if "properties" in kept:
        kept["properties"] = [(each["name"], each["verdict"]) for each in kept["properties"]]
    return kept


def killed_and_resumed(search: Search, expected: dict[str, Any], kills: int, source: random.Random) -> tuple[int, str]:
    """The number of kills, and what went wrong."""
    made = 0
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        folder = Path(name) / "saved"
        while made < kills:
            resume = (folder / "checkpoint.json").exists()
            done = run(search.line(folder, resume), folder, 0.3 * source.random() ** 2)
            if done is None:
                made += 1
                continue
            if done.returncode not in (0, 1, 3):
                return made, f"exit code {done.returncode}: {done.stderr[-500:]}"
            break
        done = run(search.line(folder, (folder / "checkpoint.json").exists()))
        assert done is not None
        if done.returncode not in (0, 1, 3):
            return made, f"exit code {done.returncode}: {done.stderr[-500:]}"
        found = figures(done.stdout)
        return made, "" if found == expected else f"expected {expected}, found {found}"


def searches(source: random.Random) -> Iterator[Search]:
    while True:
        for command in source.sample(COMMANDS, len(COMMANDS)):
            yield Search(command, source.choice((1, 2)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    options = parser.parse_args()
    source = random.Random(options.seed)
    known: dict[Search, dict[str, Any]] = {}
    made, failures, per_command = 0, 0, Counter[str]()
    for search in searches(source):
        if made >= options.number:
            break
        if search not in known:
            done = run(search.line(None))
            assert done is not None and done.returncode in (0, 1, 3), f"{search}: {done}"
            known[search] = figures(done.stdout)
        kills, wrong = killed_and_resumed(search, known[search], source.randint(1, 6), source)
        made += kills
        per_command[search.command] += kills
        if wrong:
            failures += 1
            print(f"{search}, {kills} kills: {wrong}", flush=True)
    for command, kills in sorted(per_command.items()):
        print(f"{kills:5} kills of coset {command}")
    print(f"{made} kills, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
