"""Simulation: the same seed gives the same run, atomic is respected, and a run says why it ended."""

from __future__ import annotations

import os
import pty
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import coset
from coset.engines.reference.engine import Explorer
from coset.model.interpreter import Interpreter
from coset.results.events import ignore_events
from coset.source.budget import Limits
from coset.tasks.simulate import Walk
from tests.support.command_line import Answer, Run, program, runner, written
from tests.support.paths import MODELS

PHILOSOPHERS = MODELS / "philosophers.pml"
HANDSHAKE = """\
mtype = { token };
chan c = [0] of { mtype, byte };
chan d[2] = [1] of { chan };
active proctype Sender() { c!token,7; d[1]!c }
active proctype Receiver() { mtype m; byte y; chan e; c?m,y; d[1]?e; printf("got %e\\n", m) }
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def simulated(run: Run, folder: Path, text: str, *options: str) -> Answer:
    return run("simulate", "--seed", "1", written(folder, text), *options)


# --- seeds -----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run(run: Run) -> None:
    options = ("simulate", MODELS / "peterson.pml", "--max-moves", "200")
    assert run(*options, "--seed", "3").out == run(*options, "--seed", "3").out
    assert run(*options, "--seed", "3").out != run(*options, "--seed", "4").out


def test_a_run_without_a_seed_names_the_one_it_took(run: Run) -> None:
    options = ("simulate", MODELS / "peterson.pml", "--max-moves", "50", "--json")
    first = run(*options).json
    assert run(*options, "--seed", str(first["seed"])).json == first


# --- the right states ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["philosophers", "peterson", "two_phase_commit", "alternating_bit", "barrier"])
def test_runs_stay_in_the_explored_space(name: str) -> None:
    """Every state of a run in which nobody holds control, or the holder is stuck, is one that `explore` counts."""
    model = coset.load(MODELS / f"{name}.pml")
    explorer = Explorer(model, Limits(), ignore_events)
    explorer.run()
    for seed in range(5):
        choice = random.Random(seed).choice
        walk = Walk(model)
        while walk.ending is None and len(walk) < 200:
            state, holder = walk.moments[-1]
            if holder is None or not list(walk.interpreter.moves(state, holder)):
                assert walk.interpreter.key(state) in explorer.stored
            walk.take(choice(walk.options))
        assert walk.ending is None or walk.ending.kind == "deadlock"


def test_atomic_is_not_interrupted(run: Run, tmp_path: Path) -> None:
    text = "byte x; active [3] proctype P() { atomic { x = _pid; x = x + 10; x = x + 20 } }"
    for seed in range(10):
        document = run("simulate", written(tmp_path, text), "--seed", str(seed), "--json").json
        movers = [step["pid"] for step in document["steps"] if step["statement"] != "-end-"]
        assert movers[0::3] == movers[1::3] == movers[2::3]


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.stem)
def test_every_model_runs(run: Run, path: Path) -> None:
    answer = run("simulate", path, "--seed", "1", "--max-moves", "300", "--json")
    assert answer.code == 0
    assert answer.json["outcome"] in ("limit", "deadlock", "ended", "valid_end")


# --- what is shown ---------------------------------------------------------------------------------


def test_moves_are_shown_with_what_they_change(run: Run, tmp_path: Path) -> None:
    answer = simulated(run, tmp_path, "byte a[2];\nactive proctype P()\n{\n  a[1] = 4;\n  a[0] > 0\n}\n")
    assert [line.split() for line in answer.out.splitlines()] == [
        ["1", "P(0)", "line", "4", "a[1]", "=", "4", "a[1]", "=", "4"],
        "deadlock: an invalid end state, after 1 move (--seed 1)".split(),  # noqa: SIM905
        ["P(0)", "line", "5", "waits", "for", "a[0]", ">", "0"],
    ]


def test_handshakes_show_both_partners(run: Run, tmp_path: Path) -> None:
    answer = simulated(run, tmp_path, HANDSHAKE)
    lines = answer.out.split("\n")
    assert lines[0].split() == ["1", "Sender(0)", "line", "4", "c!token,7"]
    assert lines[1].split() == ["->", "Receiver(1)", "line", "5", "c?m,y", "m", "=", "token,", "y", "=", "7"]
    assert "d[1] = [(c)]" in answer.out and "e = c" in answer.out
    assert "\n          got token\n" in answer.out  # indented by the process, as in SPIN
    steps = simulated(run, tmp_path, HANDSHAKE, "--json").json["steps"]
    partner = steps[0]["partner"]
    assert (partner["process"], partner["pid"], partner["line"], partner["statement"]) == ("Receiver", 1, 5, "c?m,y")
    assert steps[0]["changes"] == {"Receiver(1):m": "token", "Receiver(1):y": 7}
    assert steps[1]["changes"] == {"d[1]": [["c"]]}
    assert ["got token\n"] in [step["output"] for step in steps]


def test_a_local_variable_with_the_name_of_a_global_one_is_refused_as_by_spin(run: Run, tmp_path: Path) -> None:
    answer = simulated(run, tmp_path, "byte x; proctype P() { byte x; x = 2 } init { x = 1; run P() }")
    assert answer.code == 2 and "N002" in answer.err


def test_channels_that_processes_make_have_their_names(run: Run, tmp_path: Path) -> None:
    text = "proctype P() { chan c = [2] of {byte}; c!3; c!4 } init { run P() }"
    answer = simulated(run, tmp_path, text)
    assert "P(1):c = P(1):c" not in answer.out
    assert "c = [(3) (4)]" in answer.out


# --- how runs end ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "outcome", "code"),
    [
        ("active proctype P() { skip }", "ended", 0),
        ("active proctype P() { end: false }", "valid_end", 0),
        ("active proctype P() { false }", "deadlock", 0),
        ("active proctype P() { assert(false) }", "assertion", 1),
        ("byte a[2]; active proctype P() { byte i = 2; a[i] = 1 }", "fault", 1),
        ("active proctype P() { byte i; i = 1 / i }", "fault", 1),
        ("chan c = [1] of {byte}; trace { c!1 } active proctype P() { c!2 }", "trace", 1),
        ("active proctype P() { do :: skip od }", "limit", 0),
    ],
)
def test_endings(run: Run, tmp_path: Path, text: str, outcome: str, code: int) -> None:
    answer = simulated(run, tmp_path, text, "--max-moves", "20", "--json")
    document = answer.json
    assert (document["outcome"], answer.code) == (outcome, code)
    assert document["moves"] == len(document["steps"]) == (20 if outcome == "limit" else document["moves"])
    human = simulated(run, tmp_path, text, "--max-moves", "20")
    assert human.code == code
    assert document["message"] in human.out
    if outcome == "deadlock":
        assert document["processes"] == [
            {"process": "P", "pid": 0, "file": str(tmp_path / "m.pml"), "line": 1, "column": 23, "valid_end": False,
             "statements": ["false"]}
        ]  # fmt: skip


def test_interruption(tmp_path: Path) -> None:
    """Ctrl-C ends a run with what it has so far."""
    path = written(tmp_path, "active proctype P() { do :: skip od }")
    command = [sys.executable, "-m", "coset.cli", "simulate", str(path), "--max-moves", "1000000000"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=120)[0]
    assert process.returncode == 130
    assert rest.split("\n")[-2].startswith("interrupted, after")


# --- interactive -----------------------------------------------------------------------------------


def test_dialogue_through_a_pipe() -> None:
    answer = program("simulate", PHILOSOPHERS, "-DN=2", "--interactive", "--seed", "1", stdin="1\n\n7\nu\nq\n")
    assert answer.code == 0
    lines = answer.out.split("\n")
    assert lines[0].split() == ["1:", "philosopher(1)", "line", *lines[0].split()[3:4], "!taken[right]"]
    assert lines[2] == "move? (a number, enter = random, u = undo, q = quit) 1"
    assert "       '7' is not one of the choices" in lines
    assert "       back to move 1" in lines
    assert lines[-2] == "quit, after 1 move (--seed 1)"


def test_dialogue_ends_with_the_input() -> None:
    answer = program("simulate", PHILOSOPHERS, "--interactive", stdin="u\n\n")
    assert answer.code == 0
    assert "nothing to undo" in answer.out
    assert "quit, after 1 move" in answer.out


def test_one_can_go_back_from_the_end(tmp_path: Path) -> None:
    path = written(tmp_path, "active proctype P() { if :: assert(false) :: skip fi }")
    answer = program("simulate", "--interactive", "--json", path, stdin="1\n\nu\n2\n\n")
    document = answer.json
    assert (answer.code, document["outcome"], document["moves"]) == (0, "ended", 2)
    assert "assert(0) is violated" in answer.err or "assert(false) is violated" in answer.err
    assert program("simulate", "--interactive", path, stdin="1\nq\n").code == 1


def test_dialogue_on_a_terminal() -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "coset.cli", "simulate", str(PHILOSOPHERS), "--interactive", "--seed", "1"]
    process = subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, text=True)
    os.write(master, b"1\nq\n")
    out = process.communicate(timeout=120)[0]
    os.close(slave)
    os.close(master)
    assert process.returncode == 0
    assert "quit) 1\n" not in out  # the terminal itself shows what is typed
    assert "quit, after 1 move (--seed 1)" in out


def test_output_is_what_is_printed() -> None:
    """Escapes are resolved where the output is made, before values are put in."""
    model = coset.parse_text('active proctype P() { printf("a\\tb%c%d\\n", 92, 7) }')
    interpreter = Interpreter(model)
    (move,) = interpreter.moves(interpreter.initial())
    assert move.output == ("a\tb\\7\n",)
