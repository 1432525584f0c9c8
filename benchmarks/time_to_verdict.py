"""From the shell to a verdict: `coset check` with an empty cache against `spin -run`, on the same models, one after the other.

    python benchmarks/time_to_verdict.py [--seconds 20] [--table] [--sweep N=2..6] [FILE...]

Without files: SPIN's own examples, and those of this project.  `coset check` decides everything that a model states.  SPIN needs
a run for each `ltl` block (`-a -ltl NAME`) and one for progress labels (`-l`); their wall times are added up.  Where SPIN stops
because its state vector is too small, the run with a larger one counts.  Memory is the peak that each tool reports.  A model is
*tiny* if SPIN stores fewer than 5,000 states and Coset takes less than two seconds.  `--table` writes the rows as Markdown, for
docs/performance.md.
With `--sweep`, each model is measured with each value of a macro.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = Path("/usr/share/doc/spin/examples")
MODELS = Path(__file__).parent.parent / "models"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TINY_STATES, TINY_SECONDS = 5_000, 2.0
PHASES = ("load", "merge", "symmetry", "compile", "search", "evidence")


@dataclass(frozen=True, slots=True)
class Answer:
    """How a command ended; `code` is None if it took too long."""

    code: int | None
    output: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One model: what both tools said, and how long they took."""

    name: str
    verdict: str
    states: int | None
    timing: dict[str, float]
    ours: Answer
    spin_errors: tuple[int, ...]
    spin_states: float
    spin_runs: int
    spin_seconds: float
    memory: float
    spin_memory: float

    @property
    def ratio(self) -> float:
        return self.ours.seconds / self.spin_seconds

    @property
    def is_tiny(self) -> bool:
        return self.spin_states < TINY_STATES and self.ours.seconds < TINY_SECONDS


def run(command: Sequence[str], folder: str, limit: float, **environment: str) -> Answer:
    began = time.monotonic()
    process = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        output = process.communicate(timeout=limit)[0]
        return Answer(process.returncode, output, time.monotonic() - began)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return Answer(None, process.communicate()[0], time.monotonic() - began)


def spin_options(text: str) -> list[list[str]]:
    """The runs that SPIN needs for all that a model states."""
    text = COMMENT.sub(" ", text)
    claims = re.findall(r"\bltl\s+(\w+)\s*\{", text)
    runs = [["-a", "-ltl", claim] for claim in claims]
    if not runs:
        runs = [["-a"]] if re.search(r"\b(never|ltl|accept\w*:)", text) else [[]]
    return [*runs, *([["-l"]] if re.search(r"\bprogress\w*\s*:", text) else [])]


def compared(path: Path, limit: float, define: str = "") -> Row | None:
    """Both tools on one model, with a macro if there is one; None if SPIN does not finish."""
    macro = [f"-D{define}"] if define else []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        for each in path.parent.iterdir():
            if each.is_file() and each.stat().st_size < 200_000:
                shutil.copy(each, folder)
        coset = Path(sys.executable).with_name("coset")
        ours = run([str(coset), "check", "--json", *macro, path.name], folder, limit, COSET_CACHE=cache)
        try:
            found = json.loads(ours.output)
        except ValueError:
            found = {}
        errors, stored, seconds, spin_memory = list[int](), 0.0, 0.0, 0.0
        options = spin_options(path.read_text(errors="replace"))
        for each_run in options:
            command = ["spin", *macro, "-run", "-m100000", *each_run]
            spin = run([*command, path.name], folder, limit)
            if "VECTORSZ is too small" in spin.output:
                spin = run([*command, "-DVECTORSZ=65536", path.name], folder, limit)
            seconds += spin.seconds
            spin_memory = max(
                [spin_memory, *map(float, re.findall(r"([\d.]+)\s+total actual memory usage", spin.output))]
            )
            errors += [int(n) for n in re.findall(r"errors: (\d+)", spin.output)]
            stored = max([stored, *map(float, re.findall(r"([\d.e+]+) states, stored", spin.output))])
            if spin.code is None:
                return None
    verdict = found.get("verdict", "not finished" if ours.code is None else f"exit {ours.code}")
    timing = found.get("timing", {})
    if not errors:
        return None
    memory = (found.get("peak_memory") or 0) / 1e6
    name = f"{path.stem} {define}" if define else path.name
    return Row(
        name, verdict, found.get("states"), timing, ours, tuple(errors), stored, len(options), seconds, memory, spin_memory
    )  # fmt: skip


def mean(rows: Sequence[Row]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum(math.log(row.ratio) for row in rows) / len(rows)) if rows else math.nan


def table(rows: Sequence[Row]) -> Iterator[str]:
    """As Markdown."""
    yield f"| model | verdict | states | SPIN's | Coset (s) | SPIN (s) | ratio | {' | '.join(PHASES)} | MB | SPIN's |"
    yield "| --- " * (9 + len(PHASES)) + "|"
    for row in rows:
        phases = " | ".join(f"{row.timing.get(name, 0.0):.2f}" for name in PHASES)
        states = "" if row.states is None else f"{row.states:,}"
        yield (
            f"| {row.name.removesuffix('.pml')} | {row.verdict} | {states} | {row.spin_states:,.0f} | {row.ours.seconds:.2f} | "
            f"{row.spin_seconds:.2f} | {row.ratio:.2f} | {phases} | {row.memory:.0f} | {row.spin_memory:.0f} |"
        )


def summary(rows: Sequence[Row]) -> str:
    large = [row for row in rows if not row.is_tiny]
    worst = max(rows, key=lambda row: row.ratio)
    unfinished = sum(row.ours.code is None for row in rows)
    larger = ", ".join(row.name for row in rows if row.memory > row.spin_memory > 0) or "none"
    return (
        f"Wall time of Coset to SPIN, geometric mean: {mean(rows):.2f} over {len(rows)} models, {mean(large):.2f} over the "
        f"{len(large)} that are not tiny; worst {worst.ratio:.1f} ({worst.name}); not finished: {unfinished}; "
        f"more memory than SPIN: {larger}."
    )


def defines(sweep: str) -> list[str]:
    """The definitions of a macro in a sweep.

    >>> defines("N=2..4"), defines("")
    (['N=2', 'N=3', 'N=4'], [''])
    """
    name, _, values = sweep.partition("=")
    first, _, last = values.partition("..")
    return [f"{name}={value}" for value in range(int(first), int(last) + 1)] if sweep else [""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="the most that a command may take (20)")
    parser.add_argument("--table", action="store_true", help="write the rows as Markdown")
    parser.add_argument("--sweep", default="", metavar="NAME=A..B", help="a macro, and its values")
    parser.add_argument("files", nargs="*", type=Path)
    options = parser.parse_args()
    rows = []
    files = options.files or [*sorted(EXAMPLES.rglob("*.pml")), *sorted(MODELS.glob("*.pml"))]
    for path, define in itertools.product(files, defines(options.sweep)):
        row = compared(path.resolve(), options.seconds, define)
        if row is not None:
            rows.append(row)
            print(
                f"{row.name:28} {row.verdict:12} {row.states!s:>9} {row.ours.seconds:7.2f} s   SPIN {row.spin_states:>10,.0f} "
                f"{row.spin_seconds:7.2f} s ({row.spin_runs})   {row.ratio:5.2f}",
                file=sys.stderr,
            )
    if not rows:
        print("SPIN finished none of the models", file=sys.stderr)
        return 1
    if options.table:
        print("\n".join(table(rows)))
    print(summary(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
