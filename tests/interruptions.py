"""Interrupt commands at random moments: `python -m tests.interruptions 200 [SEED]`.

Each must end within two seconds with the exit code of the signal, print no traceback, and leave no process and no temporary
file behind.  An interruption that comes before Python has read a line of Coset is Python's, and is counted apart.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.paths import ROOT

PROMPT = 2.0
"""Seconds that a command may take to end."""
GUARD = 60.0
SIGNALS = (signal.SIGINT, signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

LARGE = """byte a, b, c, d;
active [3] proctype P() { byte x; do :: a++ :: b = b + x :: x++ :: c++ :: atomic { d++; d = d % 250 } od }
ltl p { [] (a < 256) }
ltl q { [] (b == 1 -> <> (b < 256)) }
"""
ENDLESS = "byte x; active proctype P() { d_step { do :: x < 10 -> x++ :: x > 3 -> x = 0 od } }\n"

COMMANDS = (
    "check large.pml",
    "check large.pml --engine reference",
    "check large.pml --engine symbolic",
    "check large.pml --reduction por --json",
    "check large.pml --checkpoint saved",
    "check large.pml --ctl 'AG EF (a == 0)'",
    "check endless.pml",
    "explore large.pml --threads 2",
    "explore large.pml --symmetry off --json",
    "explore MODELS/peterson.pml -D N=5",
    "symmetry large.pml",
    "symmetry MODELS/philosophers.pml -D N=40",
    "prove MODELS/prove/ticket.spl",
    "simulate large.pml --max-moves 1000000",
    "draw large.pml --what quotient",
    "check MODELS/peterson.pml -D N=4",
    "doctor",
    "prove MODELS/prove/rogue_release.spl",
)


@dataclass
class Case:
    """A command, the signal, whether the whole group gets it (as from a terminal), and after how many seconds."""

    command: str
    number: signal.Signals
    whole_group: bool
    delay: float

    def __str__(self) -> str:
        receiver = "the group" if self.whole_group else "the process"
        return f"coset {self.command}: {self.number.name} to {receiver} after {self.delay:.3f} s"


@dataclass
class Tally:
    """What was seen."""

    ended: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder with the models, a cache and a folder for temporary files."""
    with tempfile.TemporaryDirectory(prefix="interruptions-") as name:
        folder = Path(name)
        (folder / "large.pml").write_text(LARGE)
        (folder / "endless.pml").write_text(ENDLESS)
        (folder / "tmp").mkdir()
        yield folder


def arguments(command: str) -> list[str]:
    """
    >>> arguments("check x.pml --ctl 'AG p'")[-1]
    'AG p'
    """
    import shlex

    return [word.replace("MODELS", str(ROOT / "models")) for word in shlex.split(command)]


def working_in(folder: Path) -> list[str]:
    """Processes whose temporary files go to the folder, whatever session they have."""
    found = []
    wanted = f"INTERRUPTIONS={folder}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append((entry / "comm").read_text().strip())
            except OSError:
                continue
    return found


def interrupt(case: Case, folder: Path, tally: Tally) -> bool:
    """Run one case; false if the command had ended before the signal."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "TMPDIR": str(folder / "tmp"),
        "COSET_CACHE": str(folder / f"cache{random.randrange(10**9)}"),
        "INTERRUPTIONS": str(folder),
    }
    subprocess.run(["rm", "-rf", str(folder / "saved")], check=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "coset", *arguments(case.command)], cwd=folder, env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        output, errors = process.communicate(timeout=case.delay)
        return False
    except subprocess.TimeoutExpired:
        pass
    sent = time.monotonic()
    if case.whole_group:
        os.killpg(process.pid, case.number)
    else:
        process.send_signal(case.number)
    try:
        output, errors = process.communicate(timeout=GUARD)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        tally.failures.append(f"{case}: did not end")
        return True
    took = time.monotonic() - sent
    tally.slowest = max(tally.slowest, took)
    judge(case, process.returncode, output, errors, took, folder, tally)
    return True


def judge(case: Case, code: int, output: str, errors: str, took: float, folder: Path, tally: Tally) -> None:
    expected = 128 + case.number
    left = [*working_in(folder), *(path.name for path in (folder / "tmp").iterdir())]
    if left:
        tally.failures.append(f"{case}: left behind: {', '.join(left)}")
        subprocess.run(f"rm -rf {folder}/tmp/*", shell=True, check=True)
    if code == -case.number or (code == 1 and errors.endswith("KeyboardInterrupt\n") and "/coset/" not in errors):
        tally.ended["before the first line of Coset"] += 1
    elif code != expected:
        tally.failures.append(f"{case}: exit code {code}\n{output[-500:]}{errors[-1000:]}")
    else:
        tally.ended[f"exit code {code}"] += 1
    if "Traceback" in errors and code == expected:
        tally.failures.append(f"{case}: {errors[-1000:]}")
    if took > PROMPT:
        tally.failures.append(f"{case}: took {took:.1f} s")


def cases(seed: int) -> Iterator[Case]:
    source = random.Random(seed)
    while True:
        for command in source.sample(COMMANDS, len(COMMANDS)):
            yield Case(
                command,
                source.choice(SIGNALS),
                source.random() < 0.5,
                source.choice((0.15, 0.5, 1.0, 2.0, 4.0)) * source.random(),
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    options = parser.parse_args()
    tally = Tally()
    made = 0
    with workplace() as folder:
        for case in cases(options.seed):
            if made == options.number:
                break
            known = len(tally.failures)
            made += interrupt(case, folder, tally)
            for failure in tally.failures[known:]:
                print(failure, flush=True)
    for outcome, number in sorted(tally.ended.items()):
        print(f"{number:5} {outcome}")
    print(f"{made} interruptions, {len(tally.failures)} failures, the slowest took {tally.slowest:.2f} s")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
