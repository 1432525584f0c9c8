"""Whether a command ended in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.fuzz.case import Case
from tests.fuzz.run import GRACE, PATIENCE, SHARE, Outcome

ORDERLY = frozenset({0, 1, 2, 3, 4})
"""Done, violated, bad input, inconclusive, environment."""
_FRAME = re.compile(r'File ".*?/(?:src|tests)/(\S+?)", line (\d+), in (\S+)')
_ERROR = re.compile(r"^Traceback .*\n(?:[ \t].*\n)*([\w.]+)", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """What is wrong: `kind` is traceback, exit, signal, hang or memory; faults with the same `place` are likely the same."""

    kind: str
    place: str
    text: str


def judge(case: Case, outcome: Outcome) -> Fault | None:
    """The fault of a command, or None if it ended in order."""
    if "Traceback (most recent call last)" in outcome.err:
        return Fault("traceback", place(outcome.err), f"exit code {outcome.code}, a traceback on standard error")
    if outcome.code is not None and outcome.code < 0:
        return Fault("signal", f"signal {-outcome.code} in {case.argv[:1]}", f"died of signal {-outcome.code}")
    if outcome.memory > case.memory * SHARE:
        needed = f"{outcome.memory >> 20} MB where {case.memory >> 20} MB were allowed"
        return Fault("memory", f"memory in {' '.join(case.argv[:1])} of {case.kind}", needed)
    is_late = min(outcome.wall, outcome.cpu) > case.seconds + GRACE or outcome.wall > case.seconds + PATIENCE
    if outcome.code is None or is_late:
        needed = f"{outcome.wall:.1f} s, {outcome.cpu:.1f} s of computing, where {case.seconds:g} s were allowed"
        return Fault("hang", f"hang in {' '.join(case.argv[:1])} of {case.kind}", needed)
    if outcome.code not in ORDERLY:
        return Fault("exit", f"exit code {outcome.code}: {last(outcome.err)}", f"exit code {outcome.code}")
    return None


def place(err: str) -> str:
    """The innermost line of Coset in the first traceback, and the error: enough to tell faults apart.

    >>> place('Traceback (most recent call last):\\n  File "/x/src/coset/a.py", line 3, in f\\n    g()\\nValueError: no\\n')
    'ValueError at coset/a.py:3 in f'
    """
    found = _ERROR.search(err)
    error = "an error" if found is None else found[1].rpartition(".")[2]
    frames = _FRAME.findall(err)
    if not frames:
        return f"{error}: {last(err)}"
    if error == "RecursionError":  # where exactly depends on the depth: the function that recurs most
        names = [f"{file} {name}" for file, _, name in frames]
        return f"{error} in {max(sorted(set(names)), key=names.count)}"
    file, line, name = frames[-1]
    return f"{error} at {file}:{line} in {name}"


def last(err: str) -> str:
    return (err.strip().splitlines() or [""])[-1][:120]
