"""Temporal and branching-time properties: their rates relative to the search of all states of the same model, in one run.

    python benchmarks/liveness.py [--quick] [--repeat N] [--json FILE]

For each model: errors in single states, a formula of linear time (LTL) and one of branching time (CTL) that hold, so that the
whole product or graph is visited; all states and one of each orbit, one thread and two.  The rate is transitions of the product
(or of the graph) per CPU second; `relative` is this rate divided by that of the search for errors, with the same symmetry and as
many threads.  `speed-up` is the wall time of one thread divided by that of two, which means something only on an idle machine.
`bytes` are those that the search added to the process, for each state.  Compiling is not counted.

Every figure is the best of N runs, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from spin import ROOT, cpu_seconds, memory

KINDS = ("safety", "ltl", "ctl")


@dataclass(frozen=True)
class Row:
    """A model with a formula of each logic."""

    model: str
    defines: tuple[str, ...]
    ltl: str
    ctl: str
    quick: bool = False
    plain: bool = True
    """Whether all states are visited, too."""

    def __str__(self) -> str:
        return " ".join([self.model, *self.defines])


def some_eats(n: int) -> str:
    return " || ".join(f"(taken[{k}] && taken[{(k + 1) % n}])" for k in range(n))


def ring(n: int, **rest: bool) -> Row:
    all_taken = " && ".join(f"taken[{k}]" for k in range(n))
    return Row("philosophers", (f"N={n}",), f"[] (<> ({some_eats(n)}) || <> ({all_taken}))",
               f"AG (EF ({some_eats(n)}) || EF ({all_taken}))", **rest)  # fmt: skip


def peterson(n: int, **rest: bool) -> Row:
    return Row("peterson", (f"N={n}",), "[] <> (inside == 1)", "AG EF (inside == 1)", **rest)


ROWS = (
    peterson(4, quick=True),
    peterson(5),
    peterson(6, plain=False),
    ring(10, quick=True),
    ring(12),
    ring(13, plain=False),
)


@dataclass
class Measurement:
    case: str
    kind: str
    symmetry: str
    threads: int
    states: int
    transitions: int
    cpu: float
    wall: float
    bytes_per_state: float

    @property
    def rate(self) -> float:
        return self.transitions / max(self.cpu, 1e-9)


# --- one run, in a process of its own ---------------------------------------------------------------------------------


def run(row: Row, kind: str, symmetry: str, threads: int) -> Measurement:
    import coset
    from coset.engines.explicit import branching, cycles
    from coset.engines.explicit.engine import Engine
    from coset.engines.explicit.safety import search_states
    from coset.engines.reduction import reduction
    from coset.engines.settings import Settings
    from coset.model.model import CtlProperty, LtlProperty

    text = re.sub(r"^ltl .*$", "", (ROOT / f"models/{row.model}.pml").read_text(), flags=re.MULTILINE)
    path = Path(f"{row.model}.pml")
    path.write_text(text + (f"\nltl p {{ {row.ltl} }}\n" if kind == "ltl" else ""))
    defines = dict(define.split("=") for define in row.defines)
    model = coset.load(path, defines, ctl=[row.ctl] if kind == "ctl" else [])
    settings = Settings(threads=threads, symmetry=symmetry)
    engine = Engine(model, settings=settings, symmetry=reduction(model, model.properties, settings).plan)
    spent = {"cpu": 0.0, "wall": 0.0}
    watch = engine.watch

    def timed(*arguments: object, **named: object) -> None:
        cpu, wall = cpu_seconds(), time.monotonic()
        watch(*arguments, **named)  # type: ignore[arg-type]
        spent["cpu"] += cpu_seconds() - cpu
        spent["wall"] += time.monotonic() - wall

    engine.watch = timed  # type: ignore[assignment]
    before = memory("VmRSS")
    if kind == "safety":
        explored, _ = search_states(engine, 0)
        states, transitions = explored.states, explored.transitions
    elif kind == "ltl":
        (linear,) = model.properties
        assert isinstance(linear, LtlProperty)
        result, _ = cycles.check_property(engine, linear)
        assert not result.stopped, f"{row}: {linear} does not hold"
        states, transitions = result.states, result.transitions
    else:
        (branched,) = model.properties
        assert isinstance(branched, CtlProperty)
        (decision,) = branching.check_properties(engine, [branched])
        assert decision.holds, f"{row}: {branched} does not hold"
        states, transitions = decision.states, decision.transitions
    more = memory("VmHWM") - before
    return Measurement(
        str(row), kind, symmetry, threads, states, transitions, spent["cpu"], spent["wall"], more / states
    )


def best(row: Row, kind: str, symmetry: str, threads: int, repeat: int) -> Measurement:
    """The run with the least CPU time, and the least wall time of all."""
    words = [sys.executable, __file__, "--one", str(ROWS.index(row)), kind, symmetry, str(threads)]
    environment = {**os.environ, "COSET_QUICK": "off"}
    found = []
    for _ in range(repeat):
        done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=Path(__file__).parent)
        if done.returncode != 0:
            raise SystemExit(f"{row} {kind}: {done.stderr}")
        found.append(Measurement(**json.loads(done.stdout)))
    first = min(found, key=lambda each: each.cpu)
    first.wall = min(each.wall for each in found)
    return first


# --- the table ---------------------------------------------------------------------------------------------------------


def measurements(quick: bool, repeat: int) -> Iterator[Measurement]:
    for row in ROWS:
        if quick and not row.quick:
            continue
        for symmetry in ("off", "auto") if row.plain else ("auto",):
            for threads in (1, 2):
                for kind in KINDS:
                    yield best(row, kind, symmetry, threads, repeat)


def table(found: list[Measurement]) -> Iterator[str]:
    yield "| model | symmetry | property | states | M transitions / CPU s | relative | two threads | speed-up | bytes / state |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    by_key = {(each.case, each.symmetry, each.kind, each.threads): each for each in found}
    for (case, symmetry, kind, threads), one in by_key.items():
        if threads != 1:
            continue
        two = by_key[case, symmetry, kind, 2]
        safety = [by_key[case, symmetry, "safety", count].rate for count in (1, 2)]
        yield (
            f"| {case} | {symmetry} | {kind} | {one.states:,} | {one.rate / 1e6:.1f} | {one.rate / safety[0]:.2f} | "
            f"{two.rate / safety[1]:.2f} | {one.wall / two.wall:.2f} | {one.bytes_per_state:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        import tempfile

        number, kind, symmetry, threads = options.one
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(json.dumps(asdict(run(ROWS[int(number)], kind, symmetry, int(threads)))))
        return
    found = list(measurements(options.quick, options.repeat))
    print("\n".join(table(found)))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in found], indent=1))


if __name__ == "__main__":
    main()
