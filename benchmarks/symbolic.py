"""How the symbolic engine scales: time and peak nodes of whole state spaces, and of a formula on them.

    python benchmarks/symbolic.py [--seconds 60] [--arbiter | FILE MACRO SIZE ...]

With `--arbiter` the table of Clarke, Emerson, Jha and Sistla (CAV 1998, Section 6), theirs beside ours: seconds and peak size
of the diagrams, without symmetry and with several representatives for each orbit.  The paper has no program of its arbiter,
so that only orders of magnitude can be compared; our peak counts nodes that nobody refers to any more, too.

For each family of models the number of states, the seconds until they are counted, the most nodes that there were at a
time, and the seconds to look for a state in which all are stuck, with a shortest run to it if there is one.  A size that
takes longer than the limit ends its family.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import coset
from coset.engines.limits import Limits
from coset.engines.settings import Settings
from coset.engines.symbolic.engine import Refused, SymbolicEngine

MODELS = Path(__file__).parent.parent / "models"
FAMILIES: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("philosophers.pml", "N", (10, 20, 40, 80, 160)),
    ("philosophers_fixed.pml", "N", (10, 20, 40, 80)),
    ("philosophers.seq", "N", (10, 20, 40, 80)),
    ("token_circulation.seq", "N", (4, 8, 16)),
    ("resource_allocator.pml", "N", (4, 8, 16)),
    ("peterson.pml", "N", (2, 3, 4)),
)


ARBITERS: tuple[tuple[str, int, int, str, str], ...] = (
    ("10m", 10, 1, "163 s / 369,705", "37 s / 27,671"),
    ("12m", 12, 1, "488 s / 921,034", "43 s / 36,135"),
    ("10m10m", 10, 2, "1,172 s / 932,429", "126 s / 73,514"),
    ("12m12m", 12, 2, "none", "198 s / 93,094"),
    ("20m20m", 20, 2, "none", "none"),
)
"""Name, modules of each priority, priorities, and what the paper has without and with symmetry."""


def arbiters(seconds: float) -> Iterator[tuple[str, ...]]:
    for name, m, sets, without, with_ in ARBITERS:
        model = coset.load(MODELS / "arbiter.spl", {"m": str(m), "sets": str(sets)})
        for symmetry, published in (("off", without), ("program", with_)):
            began = time.process_time()
            result = coset.explore(
                model,
                engine="symbolic",
                settings=Settings(symmetry=symmetry, representative="local" if symmetry != "off" else "auto"),
                max_seconds=seconds,
            )
            spent = f"{time.process_time() - began:.1f} s" if result.complete else f"> {seconds:g} s"
            states = f"{result.states:.2e}" if result.complete else "-"
            yield f"{name} {symmetry}", states, f"{spent} / {result.nodes:,}", published


def rows(file: str, macro: str, sizes: Sequence[int], seconds: float) -> Iterator[tuple[str, ...]]:
    for size in sizes:
        model = coset.load(MODELS / file, {macro: str(size)})
        try:
            engine = SymbolicEngine(model, Limits(seconds=seconds))
        except Refused as reason:
            yield f"{file} {macro}={size}", "refused", str(reason), "", ""
            return
        result = engine.exploration
        if not result.complete:
            yield f"{file} {macro}={size}", "-", f"> {seconds:g}", f"{result.nodes:,}", ""
            return
        began = time.monotonic()
        found = engine.error("deadlock")
        spent = time.monotonic() - began
        states = f"{result.states:,}" if result.states < 10**12 else f"{result.states:.2e}"
        outcome = (
            found.reason if found.holds is None else "none" if found.trace is None else f"{len(found.trace)} moves"
        )
        decided = f"{spent:.2f} ({outcome})"
        yield f"{file} {macro}={size}", states, f"{result.seconds['search']:.2f}", f"{result.nodes:,}", decided


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each model")
    parser.add_argument("--arbiter", action="store_true", help="the paper's table")
    parser.add_argument("family", nargs="*", help="FILE MACRO SIZE ...")
    options = parser.parse_args()
    if options.arbiter:
        print(f"{'arbiter':<16} {'states':>10} {'CPU seconds / peak nodes':>26} {'published':>20}")
        for row in arbiters(options.seconds):
            print("{:<16} {:>10} {:>26} {:>20}".format(*row), flush=True)
        return
    families: Sequence[tuple[str, str, Sequence[int]]] = FAMILIES
    if options.family:
        file, macro, *sizes = options.family
        families = [(file, macro, [int(size) for size in sizes])]
    print(f"{'model':<34} {'states':>22} {'seconds':>9} {'peak nodes':>12}  deadlock")
    for family in families:
        for name, states, seconds, nodes, decided in rows(*family, options.seconds):
            print(f"{name:<34} {states:>22} {seconds:>9} {nodes:>12}  {decided}", flush=True)


if __name__ == "__main__":
    main()
