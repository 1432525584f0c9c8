"""How long counterexamples of temporal properties are: ours, SPIN's shortest, and the shortest that there is.

    python benchmarks/lassos.py [FILE...] [--seconds N]

For each violated property of infinite runs of SPIN's examples and of `models/`: the moves and the steps of the run that `coset
check` shows (an atomic sequence is one step), the steps of a shortest one in the whole product, built by the reference
interpreter (`-` if it is large), and the moves of the shortest run that SPIN finds.  SPIN's own search for short runs (`pan -i`)
is for safety properties only, as it says; the runs that it shows for others are often none.  So `pan -a -m` is called with
smaller and smaller bounds, with every interleaving and without statement merging.  A run is too long if it has more than twice
the steps of a shortest one, or, where that is not known, more moves than SPIN's.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import coset
from coset.engines.claim import claim_of
from coset.engines.reference import cycles as reference
from coset.model.implicit import implicit_properties
from coset.model.interpreter import Interpreter
from coset.model.model import Claim, LtlProperty, Model
from coset.results.trace import Run, Trace, in_control, replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits, OutOfBudget, installed, within

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = Path("/usr/share/doc/spin/examples/Examples")
SMALL = 25_000
"""The most states of a product in which the shortest run is looked for."""
Formula = Claim | LtlProperty


@dataclass(frozen=True)
class Row:
    model: str
    name: str
    moves: int
    steps: int
    shortest: int | None
    spin: int | None

    @property
    def is_too_long(self) -> bool:
        if self.shortest is not None:
            return self.steps > 2 * self.shortest
        return self.spin is not None and self.moves > self.spin

    def __str__(self) -> str:
        spin, shortest = ("-" if number is None else str(number) for number in (self.spin, self.shortest))
        remark = "too long" if self.is_too_long else ""
        return f"| {self.model} | {self.name} | {self.moves} | {self.steps} | {shortest} | {spin} | {remark} |"


def steps_of(run: Run) -> int:
    """The moves of a run that begin a step: those that are not atomic with the one before."""
    return sum(in_control(run.interpreter, run.states[k], run.holders[k]) is None for k in range(len(run.moves)))


def shortest(model: Model, property_: Formula, stays: bool = True) -> int | None:
    """The steps of a shortest run that violates a property; None if the product is large."""
    search = reference.Search(Interpreter(model), claim_of(property_), Limits(SMALL), False, stays)
    try:
        with installed(within(steps=40 * SMALL)):
            _, trace = search.run(property_.kind)
    except (reference.OutOfLimits, OutOfBudget):
        return None
    if trace is None:
        return None
    from coset.results.claim_end import until_end

    return steps_of(replay(model, until_end(model, trace, property_) or trace))


# --- SPIN ----------------------------------------------------------------------------------------------


def by_spin(path: Path, property_: Formula, model: Model, seconds: float) -> int | None:
    """The moves of the shortest run that SPIN finds."""
    named = [each.name for each in model.properties if isinstance(each, LtlProperty)]
    flags = ["-DNP"] if property_.name == "progress" and property_.name not in named else []
    run = ["-l" if flags else "-a"]
    if property_.name in named and len(named) > 1:
        run += ["-N", property_.name]
    with tempfile.TemporaryDirectory(prefix="coset-lassos-") as folder:

        def tried(*command: str) -> str:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
            return done.stdout + done.stderr

        tried("spin", "-o1", "-o2", "-o3", "-a", str(path.resolve()))
        tried("gcc", "-w", "-O2", "-DNOREDUCE", "-DVECTORSZ=8192", *flags, "-o", "pan", "pan.c")
        depth, best, end = 100_000, None, time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            for trail in Path(folder).glob("*.trail"):
                trail.unlink()
            tried("timeout", str(left), "./pan", f"-m{depth}", *run)
            trails = list(Path(folder).glob("*.trail"))
            if not trails:
                break
            text = trails[0].read_text()
            length, depth = trail_length(text), min(depth, last_depth(text)) - 1
            best = length if best is None else min(best, length)
        return best


def last_depth(text: str) -> int:
    """The depth of pan's stack at the end of a trail, with the moves of a claim."""
    return max(int(depth) for depth in re.findall(r"^(\d+):\d+:\d+$", text, re.MULTILINE))


def trail_length(text: str) -> int:
    """The moves of the model in a trail, without those of a claim.

    >>> trail_length("-2:2:-2\\n-4:-4:-4\\n1:0:9\\n2:1:3\\n3:0:9\\n-1:-1:-1\\n4:1:4\\n")
    2
    """
    rows = [tuple(map(int, line.split(":"))) for line in re.findall(r"^-?\d+:-?\d+:-?\d+$", text, re.MULTILINE)]
    has_claim = any(depth == -2 for depth, _, _ in rows)
    return sum(depth >= 0 and not (has_claim and process == 0) for depth, process, _ in rows)


# --- the table -------------------------------------------------------------------------------------------


def violations(path: Path, seconds: float) -> Iterator[tuple[Model, Formula, Trace]]:
    """The properties of infinite runs that `coset check` finds violated, with their runs."""
    model = coset.load(path)
    result = model.check(max_seconds=seconds)
    known = {each.name: each for each in (*model.properties, *implicit_properties(model)) if isinstance(each, Formula)}
    for each in result.properties:
        if each.verdict is Verdict.VIOLATED and each.name in known and each.trace is not None:
            yield model, known[each.name], each.trace


def rows(path: Path, seconds: float) -> Iterator[Row]:
    try:
        found = list(violations(path, seconds))
    except coset.InputError:
        return
    for model, property_, trace in found:
        run = replay(model, trace)
        spin = by_spin(path, property_, model, seconds)
        yield Row(path.name, property_.name, len(trace), steps_of(run), shortest(model, property_), spin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    files = options.files or [*sorted(EXAMPLES.rglob("*.pml")), *sorted((ROOT / "models").rglob("*.pml"))]
    print(
        "| model | property | moves | steps | shortest | SPIN's moves | |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for path in files:
        for row in rows(path, options.seconds):
            print(row, flush=True)


if __name__ == "__main__":
    main()
