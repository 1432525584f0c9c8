"""Murphi: Coset against Rumur on the same files, in one run.

    python benchmarks/murphi.py [--quick] [--only TEXT] [--json FILE]

Each model is searched by Coset and by Rumur without symmetry, and with it: Coset as it comes, Rumur with both of its ways to
find representatives, `heuristic` (its default, which may store several states of one orbit) and `exhaustive` (one).
Counts are compared, and a row that differs ends the run:

* without symmetry, states and rules fired are Rumur's;
* the states that ours represent are as many as Rumur's without symmetry;
* with `exhaustive`, whose group is that of the declared scalarsets as ours is, states and rules fired are Rumur's.

`search` is CPU time of the search, `total` CPU time from the text to the counts, and `verdict` from the shell to the verdict, by
`coset check` and by `rumur`, `gcc` and the verifier: compilers included and nothing compiled before.  `M rules/s` are millions of
rules fired for each CPU second of search.  Of a search of less than 20 ms the clock tells too little, and no ratio is given.
Rumur's search is its whole verifier, with a start of some milliseconds.  Machines differ and are shared: only the RATIOS mean
something.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from reduce import Measurement, Wrong, run_coset, run_rumur
from spin import ROOT, Case, measured


@dataclass(frozen=True)
class Row:
    """A model with a constant, and whether it is small enough to visit every state."""

    model: str
    constant: str
    value: int
    quick: bool = False
    plain: bool = True

    @property
    def path(self) -> Path:
        return ROOT / f"models/{self.model}.m"

    @property
    def case(self) -> Case:
        return Case(self.path, (f"{self.constant}={self.value}",))

    @property
    def text(self) -> str:
        """The model with its constant written in."""
        pattern = rf"^(\s*(?:const)?\s*{self.constant}: *)\d+;"
        text, count = re.subn(pattern, rf"\g<1>{self.value};", self.path.read_text(), count=1, flags=re.MULTILINE)
        if count != 1:
            raise RuntimeError(f"{self.path} has no constant {self.constant}")
        return text


ROWS = (
    Row("german", "N", 3, quick=True),
    Row("german", "N", 4, quick=True),
    Row("german", "N", 5),
    Row("german", "N", 6, plain=False),
    Row("peterson", "N", 4, quick=True),
    Row("peterson", "N", 5),
    Row("peterson", "N", 6, plain=False),
    Row("mcs_lock", "N", 4, quick=True),
    Row("mcs_lock", "N", 5),
    Row("mcs_lock", "N", 6),
    Row("mcs_lock", "N", 7, plain=False),
    Row("treiber_stack", "CELLS", 3, quick=True),
    Row("treiber_stack", "CELLS", 4),
)


MEASURABLE = 0.02
"""A shorter search cannot be measured."""


@dataclass(frozen=True)
class Compared:
    """Two tools on one model."""

    what: str
    ours: Measurement
    theirs: Measurement

    @property
    def search(self) -> float:
        """How many times as long their search takes."""
        return self.theirs.search / max(self.ours.search, 1e-9)

    @property
    def speed(self) -> float:
        """How many times as many rules a second we fire."""
        return self.ours.speed / self.theirs.speed


def equal(row: Row, what: str, ours: int, theirs: int) -> None:
    if ours != theirs:
        raise Wrong(f"{row.case}: {what}: {ours:,} are ours, {theirs:,} Rumur's")


def compare(row: Row) -> Iterator[Compared]:
    """All pairs of searches of a model, with their counts compared."""
    case, text = str(row.case), row.text
    reduced = run_coset(row.case, "auto")
    if row.plain:
        plain, theirs = run_coset(row.case, "off"), run_rumur(case, text, "off")
        equal(row, "states without symmetry", plain.states, theirs.states)
        equal(row, "rules fired without symmetry", plain.transitions, theirs.transitions)
        equal(row, "states represented", reduced.represents, theirs.states)
        yield Compared("off", plain, theirs)
    yield Compared("heuristic", reduced, run_rumur(case, text, "heuristic"))
    exhaustive = run_rumur(case, text, "exhaustive")
    equal(row, "states with symmetry", reduced.states, exhaustive.states)
    equal(row, "rules fired with symmetry", reduced.transitions, exhaustive.transitions)
    yield Compared("exhaustive", reduced, exhaustive)


def verdicts(row: Row) -> tuple[float, float]:
    """CPU seconds from the shell to the verdict: ours, and Rumur's with its own options."""
    command = [sys.executable, "-m", "coset", "check", str(row.path), "-D", f"{row.constant}={row.value}"]
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as cache:
        os.environ["COSET_CACHE"] = cache
        said, ours = measured(command, cache)
    if ": holds" not in said.splitlines()[-1]:
        raise RuntimeError(f"{row.case}: {said[-500:]}")
    return ours, run_rumur(str(row.case), row.text, deadlock="stuttering").total


HEAD = (
    f"{'model':28} {'symmetry':10} {'states':>11} {'Rumur':>11} {'search s':>9} {'Rumur':>9} {'M rules/s':>9} {'Rumur':>7}   "
    f"{'search':>8} {'rules/s':>8} {'total':>7}"
)


def line(pair: Compared) -> str:
    ours, theirs = pair.ours, pair.theirs
    ratios = f"{pair.search:7.1f}x {pair.speed:7.1f}x" if ours.search >= MEASURABLE else f"{'too short':>17}"
    return (
        f"{ours.case:28} {pair.what:10} {ours.states:11,} {theirs.states:11,} {ours.search:9.3f} {theirs.search:9.3f} "
        f"{ours.speed / 1e6:9.2f} {theirs.speed / 1e6:7.2f}   {ratios} "
        f"{theirs.total / ours.total:6.1f}x"
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the small models only, about a minute")
    parser.add_argument("--only", default="", help="only models whose name contains this", metavar="TEXT")
    parser.add_argument("--json", type=Path, help="where to write the figures", metavar="FILE")
    options = parser.parse_args(arguments)
    everything: list[dict[str, object]] = []
    try:
        print(HEAD)
        for row in ROWS:
            if (options.quick and not row.quick) or options.only not in str(row.case):
                continue
            for pair in compare(row):
                print(line(pair), flush=True)
                everything.append({"symmetry": pair.what, "ours": asdict(pair.ours), "rumur": asdict(pair.theirs)})
            ours, theirs = verdicts(row)
            print(f"{row.case!s:28} {'verdict':10} {ours:33.2f} {theirs:9.2f} {theirs / ours:37.1f}x", flush=True)
            everything.append({"case": str(row.case), "verdict": ours, "rumur": theirs})
    except Wrong as error:
        print(f"WRONG: {error}", file=sys.stderr)
        return 1
    print("\nratios: theirs over ours, or our rules over theirs: more than 1 is in our favour")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
