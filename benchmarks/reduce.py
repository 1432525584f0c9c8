"""What symmetry saves: the quotient against SPIN and Rumur, on the same models, in one run.

    python benchmarks/reduce.py [--quick] [--only TEXT] [--json FILE]

Five tables.

1. Each model on its quotient, without symmetry, with SPIN (every state, no reductions) and with SPIN as it comes.
   `represents`, the sum of the sizes of the orbits, must be SPIN's number of states, or the number that is known from the
   literature where SPIN does not end in reasonable time; a row that differs ends the run.
2. Peterson and German against Rumur with scalarsets, rule by rule the same model (models/*.m): Rumur's states and
   rules fired are asserted, too (we have one state more, before processes are started).
3. What it costs to find a representative, relative to generating a successor and storing it: CPU time for each transition
   with and without symmetry.  A transition on the quotient is a canonicalisation, and the time includes all the rest, as
   do the figures that it is compared with, on this kind of machine: TopSPIN's best for such a group (1.6 million a second
   where columns are sorted, 0.7 in email, 0.3 in rings and hypercubes) and CMurphi's 0.4.
4. How often `auto` is right to use the symmetry or not: which of both searches takes less CPU time.
5. Every strategy on one model.

Machines differ and are shared: only the RATIOS mean something.  `search` is CPU time of the search that came to its end,
`total` CPU time from the text to the answer, compilers included and nothing compiled before; `MB` is what the search added to
the process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from spin import DEFAULT_FLAGS, DEPTH, GCC_FLAGS, ROOT, SPIN_FLAGS, Case, counter, cpu_seconds, measured, memory

TOPSPIN, CMURPHI = 1.6e6, 0.4e6
"""Canonicalisations a second of the others at their best."""
TOPSPIN_EMAIL, TOPSPIN_OTHER = 0.7e6, 0.3e6
"""TopSPIN's where messages name processes, and in rings and hypercubes."""
DECIDED = 150_000
"""States after which it is known whether `auto` uses the symmetry."""
RUMUR_FLAGS = ("-std=c11", "-O3", "-march=native", "-mcx16", "-w")


@dataclass(frozen=True)
class Row:
    """A model, and whom it can be compared with in reasonable time."""

    case: Case
    spin: bool = True
    plain: bool = True
    """Whether we visit every state, too."""
    states: int | None = None
    """How many there are, where that is known from elsewhere."""
    topspin: float = TOPSPIN
    """Canonicalisations a second of TopSPIN on such a group."""


def row(name: str, *defines: str, quick: bool = False, **rest: object) -> Row:
    return Row(Case(ROOT / f"models/{name}.pml", defines, quick), **rest)  # type: ignore[arg-type]


def philosophers(n: int) -> int:
    """L(n) - 1 with L(0) = 2, L(1) = 3, L(n) = 3 L(n-1) + L(n-2)."""
    a, b = 2, 3
    for _ in range(n):
        a, b = b, 3 * b + a
    return a - 1


def ring(n: int, **rest: object) -> Row:
    return row("philosophers", f"N={n}", states=philosophers(n), topspin=TOPSPIN_OTHER, **rest)


def email(name: str, n: int, **rest: object) -> Row:
    return row(name, f"N={n}", topspin=TOPSPIN_EMAIL, **rest)


ROWS = (
    email("email_featured", 3, quick=True),
    email("email_featured", 4, quick=True),
    email("email_featured", 5, spin=False, states=30_366_608),
    email("email_symmetric_small", 3),
    email("email_symmetric_small", 4, quick=True),
    email("email_symmetric_small", 5, spin=False),
    email("email_symmetric_small", 6, spin=False, plain=False),
    email("email_symmetric_small", 7, spin=False, plain=False, states=46_242_201_651),
    ring(10, quick=True),
    ring(12),
    ring(13, spin=False),
    ring(15, spin=False, plain=False),
    row("peterson", "N=4", quick=True),
    row("peterson", "N=5"),
    row("peterson", "N=6", spin=False, plain=False),
    row("peterson", "N=7", spin=False, plain=False),
    row("two_phase_commit", "N=7", spin=False),
    row("two_phase_commit", "N=10", spin=False, plain=False),
    row("futex_mutex", "N=4", spin=False),
    row("load_balancer"),
    row("three_tiered", "A=4", "B=4", "C=3"),
    row("teams", "M=3", "K=1", spin=False),
    row("teams", "M=4", "K=1", spin=False, plain=False),
    row("resource_allocator"),
    row("hypercube", "K=2", quick=True, topspin=TOPSPIN_OTHER),
    row("hypercube", "K=3", spin=False, plain=False, topspin=TOPSPIN_OTHER),
    row("cache_coherence", "N=3"),
    row("cache_coherence", "N=4"),
    row("cache_coherence", "N=5", quick=True),
    row("cache_coherence", "N=6", spin=False),
)

RUMUR = (("peterson", "peterson", (4, 5, 6)), ("cache_coherence", "german", (4, 5, 6)))
STRATEGIES = (row("email_featured", "N=4", quick=True), ring(10))


@dataclass
class Measurement:
    """One tool on one model."""

    case: str
    tool: str
    states: int
    represents: int
    transitions: int
    search: float
    total: float
    megabytes: float

    @property
    def speed(self) -> float:
        """Transitions per CPU second of search."""
        return self.transitions / max(self.search, 1e-9)


class Wrong(Exception):
    """Two tools disagree."""


# --- Coset ------------------------------------------------------------------------------------------------------------


def run_coset(case: Case, strategy: str) -> Measurement:
    """In a process of its own, which has nothing compiled before; `off` visits every state."""
    command = [sys.executable, __file__, "--search", strategy, str(case.path), *case.defines]
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as cache:
        os.environ["COSET_CACHE"] = cache
        text, total = measured(command, cache)
    try:
        answer = json.loads(text.splitlines()[-1])
    except (ValueError, IndexError):
        raise RuntimeError(f"{case}: {text[-500:]}") from None
    tool = "coset plain" if strategy == "off" else f"coset {answer.pop('strategy')}"
    answer.pop("strategy", None)
    return Measurement(str(case), tool, total=total, **answer)


def search(strategy: str, path: str, defines: Sequence[str]) -> None:
    import coset
    from coset.engines.explicit.engine import Engine
    from coset.engines.explicit.safety import search_states
    from coset.engines.explicit.seam import Result
    from coset.symmetry.canonical.plan import plan
    from coset.symmetry.methods.program.detect import detect

    model = coset.load(path, dict(define.split("=", 1) for define in defines))
    planned = plan(detect(model, (), moves=4000), strategy) if strategy != "off" else None
    spent: list[float] = []

    class Timed(Engine):
        """A search may begin again, because a value did not fit: the last one counts."""

        def watch(self, search: Callable[[], object], result: Result, levels: bool = False) -> None:
            before = cpu_seconds()
            super().watch(search, result, levels)
            spent.append(cpu_seconds() - before)

    engine = Timed(model, symmetry=planned)
    engine.compiled()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    used = memory("VmRSS")
    result, _ = search_states(engine, stop_at=0)
    assert result.complete, result.stopped
    answer = {
        "strategy": planned.strategy if planned is not None else "",
        "states": result.states,
        "represents": result.represents or 0,
        "transitions": result.transitions,
        "search": spent[-1],
        "megabytes": (memory("VmHWM") - used) / 2**20,
    }
    print(json.dumps(answer))


# --- the others -------------------------------------------------------------------------------------------------------


def run_spin(case: Case, default: bool, states: int) -> Measurement:
    """With a table of the right size, which is the best that its user can do."""
    spin_flags, gcc_flags = ((), DEFAULT_FLAGS) if default else (SPIN_FLAGS, GCC_FLAGS)
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as folder:
        _, generating = measured(["spin", *spin_flags, *case.flags, "-a", str(case.path)], folder)
        _, compiling = measured(["gcc", *gcc_flags, "-o", "pan", "pan.c"], folder)
        places = f"-w{max(16, (states - 1).bit_length())}"
        # pan touches all of the stack that it is given: find out how much it needs.
        text, _ = measured(["./pan", "-c0", "-n", f"-m{DEPTH}", places], folder)
        depth = re.search(r"depth reached (\d+)", text)
        if depth is None:
            raise RuntimeError(f"SPIN does not finish:\n{text[-500:]}")
        text, cpu = measured(["./pan", "-c0", "-n", f"-m{int(depth[1]) + 10}", places], folder)
    found = int(counter(text, "states, stored"))
    used = counter(text, "total actual memory usage")
    tool = "spin default" if default else "spin"
    return Measurement(
        str(case), tool, found, found, int(counter(text, "transitions")), cpu, generating + compiling + cpu, used
    )


def run_rumur(case: str, text: str, symmetry: str = "heuristic", deadlock: str = "off") -> Measurement:
    """Rumur with one thread, on the text of a model."""
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as folder:
        (Path(folder) / "model.m").write_text(text)
        options = ["--threads", "1", "--symmetry-reduction", symmetry, "--deadlock-detection", deadlock]
        _, generating = measured(["rumur", *options, "--output", "model.c", "model.m"], folder)
        _, compiling = measured(["gcc", *RUMUR_FLAGS, "-o", "model", "model.c", "-lpthread"], folder)
        said, cpu = measured(["/usr/bin/time", "-f", "peak %M", "./model"], folder)
    found = re.search(r"(\d+) states, (\d+) rules fired", said)
    peak = re.search(r"peak (\d+)", said)
    if found is None or peak is None or "No error found" not in said:
        raise RuntimeError(f"Rumur does not finish:\n{said[-500:]}")
    states, fired = map(int, found.groups())
    return Measurement(
        case, f"rumur {symmetry}", states, 0, fired, cpu, generating + compiling + cpu, int(peak[1]) / 1024
    )


# --- tables -----------------------------------------------------------------------------------------------------------


def table(found: Sequence[Measurement], ours: Measurement) -> Iterator[str]:
    for m in found:
        line = (
            f"{m.case:30} {m.tool:12} {m.states:11,} {m.represents:15,} {m.transitions:12,} {m.search:9.3f} "
            f"{m.speed / 1e6:8.2f} {m.total:9.2f} {m.megabytes:8.1f}"
        )
        if m is not ours:
            line += (
                f"   {m.states / ours.states:9.1f}x {m.search / ours.search:7.1f}x {m.total / ours.total:6.1f}x"
                f" {m.megabytes / max(ours.megabytes, 1e-3):7.1f}x"
            )
        yield line


HEAD = (
    f"{'model':30} {'tool':12} {'states':>11} {'represents':>15} {'transitions':>12} {'search s':>9} {'M tr/s':>8} "
    f"{'total s':>9} {'MB':>8}   {'states':>10} {'search':>8} {'total':>7} {'memory':>8}"
)


def compare(each: Row) -> list[Measurement]:
    ours = run_coset(each.case, "auto")
    found = [ours]
    if each.plain:
        found.append(run_coset(each.case, "off"))
    if each.spin:
        found += [run_spin(each.case, default, ours.represents) for default in (False, True)]
    known = {m.tool: m.states for m in found if m.tool in ("coset plain", "spin")}
    if each.states is not None:
        known["the literature"] = each.states
    for who, states in known.items():
        # SPIN prints counters with eight digits.
        if abs(states - ours.represents) > states / 10**7:
            raise Wrong(f"{each.case}: {ours.represents:,} states are represented, {who} has {states:,}")
    return found


def against_rumur(quick: bool, only: str) -> Iterator[tuple[Measurement, Measurement]]:
    for name, model, sizes in RUMUR:
        for n in sizes[:1] if quick else sizes:
            case = Case(ROOT / f"models/{name}.pml", (f"N={n}",))
            if only not in str(case):
                continue
            text = (ROOT / f"models/{model}.m").read_text().replace("N: 4;", f"N: {n};", 1)
            ours, theirs = run_coset(case, "auto"), run_rumur(str(case), text)
            if ours.states != theirs.states + 1:
                raise Wrong(f"{case}: {ours.states:,} states, Rumur has {theirs.states:,} without the first")
            yield ours, theirs


def costs(found: Sequence[tuple[Row, list[Measurement]]]) -> Iterator[str]:
    yield (
        f"\n{'cost of a representative':30} {'ns plain':>9} {'ns reduced':>10} {'ratio':>6}   "
        f"{'M/s':>6} {'of TopSPIN':>10} {'of CMurphi':>10} {'bytes/state':>11}"
    )
    for each, measurements in found:
        ours = measurements[0]
        plain = next((m for m in measurements if m.tool == "coset plain"), None)
        if ours.search < 0.02:
            continue  # too short to be measured
        without = f"{1e9 / plain.speed:9.0f}" if plain else f"{'':9}"
        ratio = f"{plain.speed / ours.speed:5.1f}x" if plain else f"{'':6}"
        yield (
            f"{ours.case:30} {without} {1e9 / ours.speed:10.0f} {ratio}   {ours.speed / 1e6:6.2f} "
            f"{ours.speed / each.topspin:9.1f}x {ours.speed / CMURPHI:9.1f}x {ours.megabytes * 2**20 / ours.states:11.1f}"
        )


def uses_symmetry(case: Case) -> bool:
    """Whether `auto` searches on the quotient, in a long search after the quick tier has seen the first states."""
    import coset

    defines = dict(define.split("=", 1) for define in case.defines)
    found = coset.explore(case.path, engine="explicit", symmetry="auto", defines=defines, max_states=DECIDED)
    return found.symmetry.representative is not None


def decisions(found: Sequence[tuple[Row, list[Measurement]]]) -> Iterator[str]:
    yield f"\n{'does symmetry pay?':30} {'orbit':>7} {'s plain':>9} {'s reduced':>9}  auto"
    right = total = 0
    for each, measurements in found:
        ours, plain = measurements[0], next((m for m in measurements if m.tool == "coset plain"), None)
        if plain is None or plain.search < 0.02:
            continue
        used, pays = uses_symmetry(each.case), ours.search < plain.search
        right, total = right + (used == pays), total + 1
        said = "uses it" if used else "does not use it"
        yield (
            f"{ours.case:30} {ours.represents / ours.states:7.1f} {plain.search:9.3f} {ours.search:9.3f}  "
            f"{said}{'' if used == pays else ': WRONG'}"
        )
    yield f"right {right} times of {total}"


def strategies(each: Row) -> Iterator[str]:
    yield f"\n{f'strategies on {each.case}':45} {'states':>11} {'search s':>9} {'M tr/s':>8}"
    exact = None
    for strategy in ("sort", "chain", "enumerate", "local"):
        try:
            found = run_coset(each.case, strategy)
        except RuntimeError as error:
            if "Unplannable" not in str(error):
                raise
            continue
        if strategy != "local" and exact not in (None, found.states):
            raise Wrong(f"{each.case}: {strategy} finds {found.states:,} representatives, others {exact:,}")
        exact = exact or found.states
        yield f"{strategy:45} {found.states:11,} {found.search:9.3f} {found.speed / 1e6:8.2f}"


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--search"]:
        search(arguments[1], arguments[2], arguments[3:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the small models only, about a minute")
    parser.add_argument("--only", default="", help="only models whose name contains this", metavar="TEXT")
    parser.add_argument("--json", type=Path, help="where to write the figures", metavar="FILE")
    options = parser.parse_args(arguments)
    found: list[tuple[Row, list[Measurement]]] = []
    everything: list[Measurement] = []
    try:
        print(HEAD)
        for each in ROWS:
            if (each.case.quick or not options.quick) and options.only in str(each.case):
                found.append((each, compare(each)))
                everything += found[-1][1]
                print("\n".join(table(found[-1][1], found[-1][1][0])), flush=True)
        print("\nagainst Rumur with scalarsets\n" + HEAD)
        for pair in against_rumur(options.quick, options.only):
            everything += pair
            print("\n".join(table(pair, pair[0])), flush=True)
        print("\n".join(costs(found)), flush=True)
        for line in decisions(found):
            print(line, flush=True)
        for each in STRATEGIES:
            if (each.case.quick or not options.quick) and options.only in str(each.case):
                print("\n".join(strategies(each)), flush=True)
    except Wrong as error:
        print(f"WRONG: {error}", file=sys.stderr)
        return 1
    print("\nratios: theirs over ours, more than 1 is in our favour")
    if options.json:
        options.json.write_text(json.dumps([asdict(m) for m in everything], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
