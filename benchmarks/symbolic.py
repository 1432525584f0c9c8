"""How the symbolic engine scales: time and peak nodes of whole state spaces, and of a formula on them.

    python benchmarks/symbolic.py [--seconds 60] [--arbiter [--as-published] [--representative local] [--only 10m10m] | FILE ...]

With `--arbiter` the table of Clarke, Emerson, Jha and Sistla (CAV 1998, Section 6): CPU seconds without and with symmetry, how
many times less that is, and how many times less it is in the paper; the same for the peak size of the diagrams.  The paper
has no program of its arbiter, so that only factors and orders of magnitude can be compared.  Seconds are those of all that
comes after the model is read, the search for symmetries included (in the paper they are given by hand).  Sizes are live
nodes, from a second run in which all others are removed again and again.  The property is that never two modules are
elected.  By default one module moves for all of its priority; `--representative local` has several representatives of an
orbit, as in the paper.

With `--as-published`, too, the paper's method itself (`as_published.py`): one relation for all modules, searched breadth first,
without symmetry (plain), with several representatives by all of C, and by as much of C as is needed; then what we do
(orbits).  For each the states, CPU seconds, live nodes at the peak, nodes of the relation and of the largest set alone, and
how many times less each is than it is in the plain way.  Below that the paper's figures.

For each family of models the number of states, the seconds until they are counted, the most nodes that there were at a
time, and the seconds to look for a state in which all are stuck, with a shortest run to it if there is one.  A size that
takes longer than the limit ends its family.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import as_published

import coset
from coset.engines.settings import Settings
from coset.engines.symbolic.diagrams import Diagrams, OutOfNodes
from coset.engines.symbolic.engine import Refused, SymbolicEngine
from coset.model.model import Model
from coset.results.verdict import Check, Verdict
from coset.source.budget import Limits

MODELS = Path(__file__).parent.parent / "models"
FAMILIES: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("philosophers.pml", "N", (10, 20, 40, 80, 160)),
    ("philosophers_fixed.pml", "N", (10, 20, 40, 80)),
    ("philosophers.seq", "N", (10, 20, 40, 80)),
    ("token_circulation.seq", "N", (4, 8, 16)),
    ("resource_allocator.pml", "N", (4, 8, 16)),
    ("peterson.pml", "N", (2, 3, 4)),
)


@dataclass(frozen=True)
class Published:
    """Seconds and peak size, without and with symmetry."""

    seconds: tuple[float | None, float | None]
    nodes: tuple[int | None, int | None]


ARBITERS: tuple[tuple[str, int, int, Published], ...] = (
    ("10m", 10, 1, Published((163, 37), (369_705, 27_671))),
    ("12m", 12, 1, Published((488, 43), (921_034, 36_135))),
    ("10m10m", 10, 2, Published((1_172, 126), (932_429, 73_514))),
    ("12m12m", 12, 2, Published((None, 198), (None, 93_094))),
    ("20m20m", 20, 2, Published((None, None), (None, None))),
)
"""Name, modules of each priority, priorities, and what the paper has."""


def arbiters(seconds: float, representative: str, only: Sequence[str]) -> Iterator[tuple[str, ...]]:
    measured(coset.load(MODELS / "arbiter.spl"), Settings(symmetry="program"), seconds)  # so that all is imported
    for name, m, sets, paper in ARBITERS:
        if only and name not in only:
            continue
        model = coset.load(MODELS / "arbiter.spl", {"m": str(m), "sets": str(sets)})
        ways = Settings(symmetry="off"), Settings(symmetry="program", representative=representative)
        spent, found = zip(*(measured(model, way, seconds) for way in ways), strict=True)
        Diagrams.only_live = True
        sizes = [measured(model, way, 10 * seconds)[1] for way in ways]
        Diagrams.only_live = False
        times = [time if result.exploration.complete else None for time, result in zip(spent, found, strict=True)]
        nodes = [result.exploration.nodes if result.exploration.complete else None for result in sizes]
        orbits = f"{found[1].exploration.states:.3e}" if found[1].exploration.complete else "-"
        yield name, orbits, *compared(times, paper.seconds, ".2f"), *compared(nodes, paper.nodes, ",")
        verdicts = ", ".join(str(each.verdict.value) for result in found for each in result.properties)
        yield "", f"(verdicts: {verdicts})"


Measures = tuple[float | None, ...]
"""Seconds, live nodes at the peak, and nodes of the relation and of the largest set."""


def published(seconds: float, only: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for name, m, sets, paper in ARBITERS:
        if name not in (only or ("10m", "12m", "10m10m", "12m12m")):
            continue
        model = coset.load(MODELS / "arbiter.spl", {"m": str(m), "sets": str(sets)})
        plain: Measures = (None,) * 4
        for way in (*as_published.WAYS, "orbits"):
            told, measures = as_orbits(model, seconds) if way == "orbits" else in_the_plainest_way(model, way, seconds)
            plain = measures if way == "plain" else plain
            yield name, way, told, *beside(measures, plain)
        for way, with_ in (("plain", 0), ("all", 1)):
            figures = [(paper.seconds[k], paper.nodes[k], None, None) for k in (with_, 0)]
            yield name, "paper: " + way, "", *beside(*figures)


def in_the_plainest_way(model: Model, way: str, seconds: float) -> tuple[str, Measures]:
    """States and verdict, or what stopped it.  The relation and its sets are those of the first run."""
    try:
        found = as_published.searched(model, way, Limits(seconds=seconds))
        told, measures = f"{found.states:.4e} {found.holds}", (found.seconds, found.relation, found.largest)
    except (OutOfNodes, MemoryError) as reason:
        return f"> {reason}", (None,) * 4
    Diagrams.only_live = True
    try:
        nodes = as_published.searched(model, way, Limits(seconds=10 * seconds)).nodes
    except (OutOfNodes, MemoryError):
        nodes = None
    finally:
        Diagrams.only_live = False
    return told, (measures[0], nodes, *measures[1:])


def as_orbits(model: Model, seconds: float) -> tuple[str, Measures]:
    settings = Settings(symmetry="program")
    spent, found = measured(model, settings, seconds)
    Diagrams.only_live = True
    live = measured(model, settings, 10 * seconds)[1].exploration
    Diagrams.only_live = False
    if not found.exploration.complete:
        return f"> {found.exploration.stopped}", (None,) * 4
    holds = all(each.verdict is Verdict.HOLDS for each in found.properties)
    return f"{found.exploration.states:.4e} {holds}", (spent, live.nodes if live.complete else None, None, None)


def beside(measures: Measures, plain: Measures) -> Iterator[str]:
    for one, other in zip(measures, plain, strict=True):
        yield "-" if one is None else f"{one:.2f}" if isinstance(one, float) else f"{one:,}"
        yield "" if one is None or other is None else f"{other / one:.2f} x"


def measured(model: Model, settings: Settings, seconds: float) -> tuple[float, Check]:
    began = time.process_time()
    result = coset.check(model, engine="symbolic", settings=settings, properties=["one"], max_seconds=seconds)
    return time.process_time() - began, result


def compared(ours: Sequence[float | None], theirs: Sequence[float | None], form: str) -> Iterator[str]:
    """Without, with, how many times less, and that of the paper."""
    for one in ours:
        yield "-" if one is None else format(one, form)
    for without, with_ in (ours, theirs):
        yield "-" if without is None or with_ is None else f"{without / with_:.1f} x"


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
    parser.add_argument("--as-published", action="store_true", help="with it, the paper's method in the plainest way")
    parser.add_argument("--representative", default="auto", help="how the arbiter is folded")
    parser.add_argument("--only", action="append", default=[], help="an arbiter, by its name")
    parser.add_argument("family", nargs="*", help="FILE MACRO SIZE ...")
    options = parser.parse_args()
    if options.as_published:
        shape = "{:<8} {:<13} {:<28}" + 4 * " {:>11} {:>8}"
        heads = ("s", "", "live nodes", "", "relation", "", "largest set", "")
        print(shape.format("arbiter", "way", "states, holds", *heads))
        for row in published(options.seconds, options.only):
            print(shape.format(*row), flush=True)
        return
    if options.arbiter:
        shape = "{:<8} {:>10} " + 2 * "{:>10} {:>9} {:>8} {:>8} "
        print(
            shape.format(
                "arbiter", "orbits", "s without", "with", "factor", "paper", "live nodes", "with", "factor", "paper"
            )
        )
        for row in arbiters(options.seconds, options.representative, options.only):
            print(shape.format(*row) if len(row) > 2 else " ".join(row), flush=True)
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
