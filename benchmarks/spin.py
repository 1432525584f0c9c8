"""SPIN against the compiled engine: the same models, one after the other, in one run.

    python benchmarks/spin.py [--quick] [--repeat N] [--json FILE]

`spin` and `coset` count the plain semantics (no reductions, "mode A" of the tests), so that states and transitions must
be equal, which is asserted; `spin default` is what a user gets who asks for nothing, with SPIN's own reductions.  Machines
differ and are shared: only the RATIOS mean something, and they are of CPU time (user and system), not of wall time.
Bytes per state: for Coset the peak of the resident set less what the process had before the search; for SPIN its own
"total actual memory usage", with a table and a stack of just the right size.

A second table has small models, from the shell to the verdict: `coset check` against `spin -run`, in wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = Path("/usr/share/doc/spin/examples/Examples")
SPIN_FLAGS = ("-o1", "-o2", "-o3")
DEFAULT_FLAGS = ("-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-DMEMLIM=8192")
GCC_FLAGS = ("-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOFAIR", "-DVECTORSZ=8192", "-DMEMLIM=8192")
DEPTH = 10_000_000
THREADS = (1, 2)


@dataclass(frozen=True)
class Case:
    """A model and its parameters."""

    path: Path
    defines: tuple[str, ...] = ()
    quick: bool = False
    """Whether it belongs to the one-minute version."""

    def __str__(self) -> str:
        return " ".join([self.path.stem, *self.defines])

    @property
    def flags(self) -> list[str]:
        return [f"-D{define}" for define in self.defines]


CASES = (
    Case(ROOT / "models/philosophers.pml", ("N=10",), quick=True),
    Case(ROOT / "models/philosophers.pml", ("N=12",)),
    Case(ROOT / "models/peterson.pml", ("N=4",), quick=True),
    Case(ROOT / "models/peterson.pml", ("N=5",)),
    Case(ROOT / "models/email_featured.pml", ("N=4",), quick=True),
    Case(ROOT / "models/futex_mutex.pml", ("N=4",), quick=True),
    Case(EXAMPLES / "leader0.pml"),
    Case(EXAMPLES / "sort.pml"),
)


@dataclass
class Measurement:
    """One tool on one model."""

    case: str
    tool: str
    states: int
    transitions: int
    cpu_seconds: float
    bytes_per_state: float
    wall_seconds: float
    """From the model's text to the answer, compilation included,"""
    search_seconds: float = 0.0
    """and of the search alone."""
    ratios: dict[str, float] = field(default_factory=dict)

    @property
    def speed(self) -> float:
        """Transitions per CPU second."""
        return self.transitions / self.cpu_seconds


# --- SPIN -------------------------------------------------------------------------------------------------------------


def run_spin(case: Case, states: int, repeat: int, default: bool = False) -> Measurement:
    """SPIN with a table of the right size, which is the best that its user can do."""
    places = max(16, (states - 1).bit_length())
    spin_flags, gcc_flags = ((), DEFAULT_FLAGS) if default else (SPIN_FLAGS, GCC_FLAGS)
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as folder:
        began = time.monotonic()
        run(["spin", *spin_flags, *case.flags, "-a", str(case.path)], folder)
        run(["gcc", *gcc_flags, "-o", "pan", "pan.c"], folder)
        compiled = time.monotonic() - began
        # pan touches all of the stack that it is given: find out how much it needs.
        text, _ = measured(["./pan", "-c0", "-n", f"-m{DEPTH}", f"-w{places}"], folder)
        depth = re.search(r"depth reached (\d+)", text)
        if depth is None or "max search depth too small" in text:
            raise RuntimeError(f"SPIN does not finish:\n{text[-500:]}")
        best = None
        for _ in range(repeat):
            began = time.monotonic()
            text, cpu = measured(["./pan", "-c0", "-n", f"-m{int(depth[1]) + 10}", f"-w{places}"], folder)
            wall = time.monotonic() - began
            if best is None or cpu < best[1]:
                best = text, cpu, wall
    assert best is not None
    text, cpu, wall = best
    found = int(counter(text, "states, stored"))
    used = counter(text, "total actual memory usage") * 2**20
    tool = "spin default" if default else "spin"
    return Measurement(str(case), tool, found, int(counter(text, "transitions")), cpu, used / found, compiled + wall)


def counter(text: str, what: str) -> float:
    found = re.search(rf"^\s*([0-9.e+]+)\s+{what}", text, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"no '{what}' in what pan said:\n{text}")
    return float(found[1])


def run(command: Sequence[str], folder: str) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def measured(command: Sequence[str], folder: str) -> tuple[str, float]:
    """Output and CPU seconds of a command."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        output.seek(0)
        return output.read(), usage.ru_utime + usage.ru_stime


# --- Coset ------------------------------------------------------------------------------------------------------------


def run_coset(case: Case, repeat: int) -> list[Measurement]:
    """With one and with two threads, in turns, each search in a process of its own; the first has nothing compiled before."""
    best: dict[int, Measurement] = {}
    for threads in THREADS:
        with tempfile.TemporaryDirectory(prefix="coset-bench-") as cache:
            best[threads] = run_search(case, threads, cache)
    with tempfile.TemporaryDirectory(prefix="coset-bench-") as cache:
        for attempt in range(repeat + 1):
            for threads in THREADS:
                found, first = run_search(case, threads, cache), best[threads]
                if attempt:
                    search_seconds = min(found.search_seconds, first.search_seconds)
                    better = min(found, first, key=lambda each: each.cpu_seconds)
                    best[threads] = replace(better, wall_seconds=first.wall_seconds, search_seconds=search_seconds)
    return [best[threads] for threads in THREADS]


def run_search(case: Case, threads: int, cache: str) -> Measurement:
    command = [sys.executable, __file__, "--search", str(threads), str(case.path), *case.defines]
    began = time.monotonic()
    done = subprocess.run(command, env={**os.environ, "COSET_CACHE": cache}, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{case}: {done.stderr}")
    wall = time.monotonic() - began
    return Measurement(str(case), f"coset {threads}", wall_seconds=wall, **json.loads(done.stdout))


def search(threads: int, path: str, defines: Sequence[str]) -> None:
    """In a process of its own: compile, then search, and print what the search took."""
    import coset
    from coset.engines.explicit.engine import Engine
    from coset.engines.explicit.safety import fill, search_once, search_states
    from coset.engines.settings import Settings
    from coset.results.exploration import Exploration

    model = coset.load(path, dict(define.split("=", 1) for define in defines))
    engine = Engine(model, settings=Settings(threads))
    search_states(engine, stop_at=0)  # now it is known how large values get
    compiled = engine.compiled()
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before, used, began = cpu_seconds(), memory("VmRSS"), time.monotonic()
    found, _ = search_once(engine, compiled, stop_at=0, show=False)
    taken = {"cpu_seconds": cpu_seconds() - before, "search_seconds": time.monotonic() - began}
    result = Exploration(model.name, "explicit")
    fill(result, found, engine)
    assert result.complete, result.stopped
    answer = {
        "states": result.states,
        "transitions": result.transitions,
        **taken,
        "bytes_per_state": (memory("VmHWM") - used) / result.states,
    }
    print(json.dumps(answer))


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory(name: str) -> int:
    """Bytes, from the kernel's status of this process."""
    found = re.search(rf"^{name}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


# --- the table --------------------------------------------------------------------------------------------------------


def compare(case: Case, repeat: int) -> list[Measurement]:
    ours = run_coset(case, repeat)
    spin = run_spin(case, ours[0].states, repeat)
    for each in ours:
        # SPIN prints counters with eight digits.
        same = all(
            abs(a - b) <= b / 10**7 for a, b in ((each.states, spin.states), (each.transitions, spin.transitions))
        )
        assert same, f"{case}: {each} differs from {spin}"
        each.ratios = {
            "speed": each.speed / spin.speed,
            "memory": each.bytes_per_state / spin.bytes_per_state,
            "wall": spin.wall_seconds / each.wall_seconds,
            "threads": ours[0].search_seconds / each.search_seconds,
        }
    return [run_spin(case, ours[0].states, repeat, default=True), spin, *ours]


def rows(found: Sequence[Measurement]) -> Iterator[str]:
    yield (
        f"{'model':24} {'tool':12} {'states':>10} {'transitions':>12} {'CPU s':>8} "
        f"{'M states/s':>10} {'M trans/s':>9} {'bytes/st':>8} "
        f"{'wall s':>7}   {'speed':>6} {'memory':>6} {'wall':>6} {'threads':>7}"
    )
    for m in found:
        line = (
            f"{m.case:24} {m.tool:12} {m.states:10} {m.transitions:12} {m.cpu_seconds:8.3f} "
            f"{m.states / m.cpu_seconds / 1e6:10.2f} {m.speed / 1e6:9.2f} "
            f"{m.bytes_per_state:8.1f} {m.wall_seconds:7.2f}"
        )
        if m.ratios:
            line += f"   {m.ratios['speed']:5.1f}x {m.ratios['memory']:5.2f}x "
            line += f"{m.ratios['wall']:5.1f}x {m.ratios['threads']:6.2f}x"
        yield line


# --- small models -----------------------------------------------------------------------------------------------------

SMALL = (
    Case(ROOT / "models/peterson.pml", quick=True),
    Case(ROOT / "models/philosophers_fixed.pml", quick=True),
    Case(ROOT / "models/alternating_bit.pml", quick=True),
    Case(ROOT / "models/dekker.pml"),
    Case(ROOT / "models/cache_coherence.pml"),
    Case(ROOT / "models/raft_election.pml"),
)
"""Under 10,000 states, with the parameters of the file: `spin -run` hands macros to the C compiler, too, which fails."""


def shell_to_verdict(case: Case, repeat: int) -> tuple[float, float]:
    """Wall seconds of `spin -run` and of `coset check` for the same safety properties, no model compiled before; the best
    of some runs, taken in turns.  Python may keep its own compiled files, as it does where Coset is installed."""
    user = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    spin: list[float] = []
    ours: list[float] = []
    for _ in range(repeat):
        with tempfile.TemporaryDirectory(prefix="coset-bench-") as folder:
            began = time.monotonic()
            told = subprocess.run(
                ["spin", "-run", "-noclaim", str(case.path)], cwd=folder, capture_output=True, text=True
            )
            spin.append(time.monotonic() - began)
            if "errors:" not in told.stdout:
                raise RuntimeError(f"{case}: {told.stdout}{told.stderr}")
            command = [str(Path(sys.executable).parent / "coset"), "check", str(case.path)]
            for name in ("assertions", "end states"):
                command += ["--property", name]
            began = time.monotonic()
            done = subprocess.run(command, cwd=folder, capture_output=True, env={**user, "COSET_CACHE": folder})
            ours.append(time.monotonic() - began)
            if done.returncode not in (0, 1):
                raise RuntimeError(f"{case}: {done.stderr.decode()}")
    return min(spin), min(ours)


def small_models(quick: bool, repeat: int, only: str) -> None:
    print(f"\n{'small model':32} {'spin -run s':>11} {'coset check s':>13} {'ratio':>6}")
    for case in SMALL:
        if (case.quick or not quick) and only in str(case):
            spin, ours = shell_to_verdict(case, repeat)
            print(f"{case!s:32} {spin:11.2f} {ours:13.2f} {spin / ours:5.1f}x", flush=True)


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--search"]:
        search(int(arguments[1]), arguments[2], arguments[3:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the small models only, about a minute")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs (default 3)")
    parser.add_argument("--json", type=Path, help="where to write the figures", metavar="FILE")
    parser.add_argument("--only", default="", help="only models whose name contains this", metavar="TEXT")
    options = parser.parse_args(arguments)
    found: list[Measurement] = []
    for case in CASES:
        if (options.quick and not case.quick) or options.only not in str(case):
            continue
        try:
            measured_here = compare(case, options.repeat)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{case}: left out: {error}", file=sys.stderr)
            continue
        lines = list(rows(measured_here))
        print("\n".join(lines if not found else lines[1:]), flush=True)
        found += measured_here
    print(
        "\nspeed: transitions per CPU second against SPIN; memory: bytes per state; wall: text to answer, SPIN's over ours;\n"
        "threads: how much faster the search is than with one thread, by the clock"
    )
    small_models(options.quick, options.repeat, options.only)
    if options.json:
        options.json.write_text(json.dumps([asdict(m) for m in found], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
