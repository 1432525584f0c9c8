"""Trails: `spin -t` replays them on the user's own file to the same error.

SPIN is the oracle, so a missing SPIN is a failure.  Where SPIN's simulator and its verifier disagree with each other no
trail can help; the programs here keep clear of that.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset.formats.spin_replay import SpinVerdict, check_with_spin, differences
from coset.formats.spin_trail import claim_run, trail
from coset.model.model import Claim
from coset.results.trace import Run, replay, shortest_safety_trace
from tests.support.paths import MODELS
from tests.support.spin_examples import EMBEDDED_C, REJECTED, examples
from tests.support.spin_reference import spin_automata
from tests.support.trace_cases import ERRORS, LASSOS, expected, random_run, run_of

PROGRAMS = sorted(MODELS.glob("*.pml"))
REMOTE_GOTO = next(path for path in ERRORS if path.stem == "remote_goto")
ROUND_TRIP = """\
chan c = [0] of { byte };
byte x;

active proctype Sender() {
	atomic { x = 1; c!x };
	d_step { x = 2; x = x + 1 };
	c!x
}

active proctype Receiver() {
	byte y;
	c?y;
	x == 3;
	c?y;
	if
	:: y == 3 -> assert(false)
	:: else
	fi
}
"""


def found(path: Path, want: str, defines: dict[str, str] | None = None, folders: Sequence[str] = ()) -> Run:
    """The shortest run to an error of the model in a file."""
    model = coset.load(path, defines, folders)
    trace = shortest_safety_trace(model, want)
    assert trace is not None
    return replay(model, trace)


@pytest.mark.parametrize("path", [*ERRORS, *LASSOS], ids=lambda path: path.stem)
def test_spin_confirms(path: Path) -> None:
    run = run_of(path)
    spin = check_with_spin(path, trail(run))
    assert differences(run, spin) == [], spin.output
    wanted = expected(path)
    if wanted.kind == "assertion":
        assert [error.line for error in spin.errors] == [wanted.line]
    if run.trace.loop_start not in (None, len(run.moves)):
        assert spin.cycle


def test_there_are_enough_cases() -> None:
    assert len(ERRORS) >= 12 and {expected(path).kind for path in ERRORS} == {"assertion", "deadlock", "fault"}
    assert {expected(path).kind for path in LASSOS} == {"ltl", "never"}


def test_claims_are_interleaved() -> None:
    run = run_of(next(path for path in LASSOS if path.stem == "never_accept"))
    claim = claim_run(run)
    assert claim is not None and claim.loop_start is not None
    lines = trail(run).splitlines()
    assert lines[0] == "-2:2:-2" and lines.count("-1:-1:-1") == 1
    # Before every step that can be observed, that is, but for the second half of the atomic sequence.
    assert [line.split(":")[1] for line in lines[-5:]] == ["0", "1", "0", "2", "2"]


# --- trails against pan ----------------------------------------------------------------------------


def test_the_same_trail_as_pan_writes(tmp_path: Path) -> None:
    """A model with one run only, so that there is one trail only."""
    path = tmp_path / "round_trip.pml"
    path.write_text(ROUND_TRIP)
    commands = ("spin -o3 -a round_trip.pml", "gcc -w -DSAFETY -DNOREDUCE -o pan pan.c", "./pan")
    for command in commands:
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    run = found(path, "assertion")
    assert trail(run) == (tmp_path / "round_trip.pml.trail").read_text()
    assert differences(run, check_with_spin(path, trail(run))) == []


@pytest.mark.parametrize("path", [*ERRORS[::4], REMOTE_GOTO, *PROGRAMS[::6]], ids=lambda path: path.stem)
def test_statement_numbers_are_those_of_pan(path: Path) -> None:
    """`pan -d` lists every transition with the number of its statement."""
    table: dict[str, set[int]] = {}
    numbers: set[int] = set()
    for line in spin_automata(path).splitlines():
        if head := re.match(r"(?:proctype|init|claim)\s*(\S*)$", line):
            numbers = table.setdefault(head[1] or "init", set())
        elif number := re.match(r"\s+state\s+\d+ -.*?\[id\s+(\d+) ", line):
            numbers.add(int(number[1]))
    model = coset.load(path)
    claims = [each.automaton for each in model.properties if isinstance(each, Claim)]
    for kind in (*model.kinds, *claims):
        ours = {edge.statement for at in kind.locations if not at.transient for edge in at.edges}
        assert ours == table[kind.name], kind.name


@pytest.mark.parametrize("path", [*PROGRAMS, *examples()], ids=lambda path: path.stem)
def test_random_runs_end_in_the_same_state(path: Path) -> None:
    """Every value of every variable, after a run that shows nothing in particular."""
    if EMBEDDED_C.search(path.read_text(errors="replace")) or path.name in REJECTED:
        return
    run = random_run(coset.load(path), path.name, 80)
    spin = check_with_spin(path, trail(run))
    assert differences(run, spin) == [], spin.output


# --- what SPIN says --------------------------------------------------------------------------------


@pytest.fixture
def plain() -> tuple[Path, Run]:
    path = next(path for path in ERRORS if path.stem == "interleaving")
    return path, run_of(path)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda lines: lines[:-1], "no violated assertion"),
        (lambda lines: [*lines[:2], "3:0:999"], "did not come to the end"),
        (lambda lines: [*lines[:2], "3:9:1"], "did not come to the end"),
        (lambda lines: [*lines, lines[3]], "SPIN has done = 3"),
        (lambda lines: [lines[-2], *lines], "could not execute"),
    ],
    ids=["cut", "statement", "process", "twice", "blocked"],
)
def test_wrong_trails_are_noticed(plain: tuple[Path, Run], damage: object, complaint: str) -> None:
    assert callable(damage)
    path, run = plain
    text = "\n".join(damage(trail(run).splitlines())) + "\n"
    complaints = differences(run, check_with_spin(path, text))
    assert any(complaint in each for each in complaints), complaints


def test_another_error_is_noticed(plain: tuple[Path, Run]) -> None:
    path, run = plain
    spin = check_with_spin(path, trail(run))
    elsewhere = dataclasses.replace(spin, errors=tuple(dataclasses.replace(error, line=3) for error in spin.errors))
    assert differences(run, elsewhere) == ["SPIN reports a violated assertion in line 3, we in line 15"]
    deadlock = run_of(next(path for path in ERRORS if path.stem == "deadlock_handshake"))
    assert differences(deadlock, spin)[0].startswith("SPIN has the processes")


def test_faults(tmp_path: Path) -> None:
    """SPIN dies of a division by zero, and stops inside a d_step that blocks."""
    for body in ("x = 1; x = 5 / y", "x = 1; d_step { x = 2; y == 1; x = 3 }"):
        path = tmp_path / "fault.pml"
        path.write_text(f"byte x, y;\nactive proctype P() {{ {body} }}\n")
        run = found(path, "fault")
        assert differences(run, check_with_spin(path, trail(run))) == []
        assert differences(run, check_with_spin(path, "1:0:0\n")) != []


def test_macros_and_folders(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "limit.h").write_text("#define LIMIT (N + 1)\n")
    path = tmp_path / "macros.pml"
    path.write_text('#include "limit.h"\nbyte x;\nactive proctype P() {\n\tx = LIMIT;\n\tassert(x != 4)\n}\n')
    folders, defines = [str(tmp_path / "parts")], {"N": "3"}
    run = found(path, "assertion", defines, folders)
    assert differences(run, check_with_spin(path, trail(run), defines, folders)) == []
    assert differences(run, check_with_spin(path, trail(run), {"N": "4"}, folders)) != []


def test_no_spin(monkeypatch: pytest.MonkeyPatch, plain: tuple[Path, Run], tmp_path: Path) -> None:
    path, run = plain
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError):
        check_with_spin(path, trail(run))


def test_a_verdict_is_data(plain: tuple[Path, Run]) -> None:
    path, run = plain
    spin = check_with_spin(path, trail(run))
    assert isinstance(spin, SpinVerdict) and "output" not in repr(spin)
    assert spin.values["x"] == "1" and spin.values["Judge(2):seen"] == "0"
    assert [process.kind for process in spin.processes] == ["Adder", "Adder", "Judge"]
