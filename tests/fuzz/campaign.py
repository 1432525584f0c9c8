"""Runs inputs one after the other, keeps what is at fault, and counts."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.case import Case
from tests.fuzz.inputs import make
from tests.fuzz.judge import Fault, judge
from tests.fuzz.run import run
from tests.fuzz.shrink import smaller

SHRINKING = 60.0
"""Seconds for making an input smaller; hangs take long to try."""


@dataclass
class Tally:
    """What has been run: inputs by kind and by exit code, and faults by place."""

    kinds: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    compiled: int = 0
    asked: int = 0
    faults: dict[str, list[int]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)

    @property
    def inputs(self) -> int:
        return self.kinds.total()

    def lines(self) -> Iterator[str]:
        """The report."""
        total = max(1, self.inputs)
        yield f"{self.inputs} inputs in {self.seconds:.0f} s"
        yield f"kinds       {listed(self.kinds)}"
        yield f"commands    {listed(self.commands)}"
        yield f"exit codes  {listed(self.codes)}"
        yield (
            f"compiled    asked for {self.asked} ({self.asked / total:.0%}), "
            f"made and searched {self.compiled} ({self.compiled / total:.0%})"
        )
        yield f"slowest     {self.slowest[0]:.1f} s of computing, input {self.slowest[1]}"
        yield f"faults      {len(self.faults)} different, of {sum(map(len, self.faults.values()))} inputs"
        for place, numbers in sorted(self.faults.items(), key=lambda each: -len(each[1])):
            yield f"  {len(numbers):4} x {place}: {self.texts[place]} (input {', '.join(map(str, numbers[:4]))})"


def listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


def campaign(
    seed: int,
    inputs: int | None = None,
    seconds: float | None = None,
    start: int = 0,
    keep: Path | None = None,
    say: Callable[[str], object] = lambda text: None,
    wanted: Callable[[int, Case], bool] = lambda number, case: True,
) -> Tally:
    """Run inputs until there were so many, or for so long; faults are kept in a folder, each place once.  Inputs that are
    not `wanted` are left out."""
    tally, began = Tally(), time.monotonic()
    for number in itertools.count(start):
        tally.seconds = time.monotonic() - began
        if (inputs is not None and tally.inputs >= inputs) or (seconds is not None and tally.seconds >= seconds):
            break
        case = make(seed, number)
        if not wanted(number, case):
            continue
        outcome = run(case)
        tally.kinds[case.kind] += 1
        tally.commands[" ".join(case.argv[:1]) if case.kind != "words" else "(words)"] += 1
        tally.codes["ended" if outcome.code is None else str(outcome.code)] += 1
        tally.asked += "explicit" in case.argv
        tally.compiled += outcome.compiled
        tally.slowest = max(tally.slowest, (outcome.cpu, number))
        fault = judge(case, outcome)
        if fault is not None:
            is_new = fault.place not in tally.faults
            tally.faults.setdefault(fault.place, []).append(number)
            tally.texts.setdefault(fault.place, fault.text)
            if is_new:
                say(f"input {number}: {fault.kind}: {fault.place}: {fault.text}")
                if keep is not None:
                    say(f"    kept in {save(keep / f'{seed}-{number}', shrunk(case, fault), case, fault)}")
        if number % 500 == 499:
            say(f"{tally.inputs} inputs, {tally.seconds:.0f} s, {len(tally.faults)} faults, {tally.compiled} compiled")
    return tally


def shrunk(case: Case, fault: Fault) -> Case:
    """A smaller input with the same fault."""

    def still_fails(attempt: Case) -> bool:
        found = judge(attempt, run(attempt))
        return found is not None and found.place == fault.place

    return smaller(case, still_fails, SHRINKING)


def save(folder: Path, case: Case, original: Case, fault: Fault) -> Path:
    """Keep an input: its files, the command that shows the fault, and the input as it was before it was made smaller."""
    for name, each in (("small", case), ("original", original)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        each.write(folder / name)
    root = Path(__file__).parents[2]
    lines = [
        "#!/bin/sh",
        f"# {fault.kind}: {fault.place}: {fault.text}".replace("\n", " "),
        f"cd {shlex.quote(str((folder / 'small').resolve()))} || exit",
        f"export PYTHONPATH={shlex.quote(str(root / 'src'))} COSET_CFLAGS=-O0 COSET_DEBUG=1",
        f"{shlex.join((sys.executable, '-m', 'coset.cli', *case.argv))} < {shlex.quote(str((folder / 'stdin').resolve()))}",
    ]
    (folder / "stdin").write_bytes(case.stdin)
    (folder / "again.sh").write_bytes(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    (folder / "command.json").write_text(json.dumps({"small": case.argv, "original": original.argv}, indent=1))
    return folder / "again.sh"
