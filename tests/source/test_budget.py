"""One budget for a whole command: every phase ends at its limits, says which one it was, and nothing begins after that.

No test looks at how long something took: time limits of subprocesses only guard against what never ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import coset
from coset.engines.explicit import reservation
from coset.engines.reference.engine import explore
from coset.results.verdict import Verdict
from coset.source import budget as b
from coset.source.budget import Limits
from coset.source.diagnostics import InputError
from coset.symmetry.groups.aside import aside
from coset.symmetry.methods.auto import by_constraints
from coset.tasks import symmetry as symmetries
from coset.tasks.symmetry import order_by_constraints
from tests.support.paths import ROOT

GUARD = 120
SECONDS = (1, 6, 36)
"""Limits of time: on a busy machine, the first may be over before there is anything to tell, and then the next is tried."""

MANY_PATHS = """byte g;
active [2] proctype P() {
  byte n;
  atomic { do :: n < 60 -> n++ :: n < 60 -> n = n + 1 :: n == 60 -> break od; g = 1 - g }
}
ltl p { [] (g < 2) }
ltl q { <> (g == 1) }
"""
LONG_D_STEP = "int x; active proctype P() { d_step { do :: x < 400000 -> x++ :: else -> break od } }"
RECURSIVE = "proctype R(byte n) { run R(n + 1) } init { run R(0) }"
LARGE = "byte a, b, c, d; active proctype P() { do :: a++ :: b++ :: c++ :: d++ od } ltl p { [] (a < 256) } ltl q { [] (b < 256) }"
QUEENS = """byte result[8]; bool a[8], b[15], c[15];
active proctype Queens() { byte col = 1, row;
  do
  :: if :: row = 1 :: row = 2 :: row = 3 :: row = 4 :: row = 5 :: row = 6 :: row = 7 :: row = 8 fi;
     !a[row-1]; !b[row+col-2]; !c[row-col+7];
     a[row-1] = true; b[row+col-2] = true; c[row-col+7] = true; result[col-1] = row;
     if :: col == 8 -> break :: else -> col++ fi
  od; assert(false) }"""


def limit_addresses() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def command(*arguments: str | Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "coset.cli", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        line, capture_output=True, text=True, timeout=GUARD, cwd=ROOT, env=environment, preexec_fn=before
    )


def written(folder: Path, text: str, name: str = "model.pml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


# --- the budget itself -------------------------------------------------------------------------------


def test_a_limit_of_the_whole_ends_the_part() -> None:
    with b.installed(b.Budget(seconds=0)), pytest.raises(b.OutOfBudget, match="--max-seconds"):
        b.within(steps=10).check()
    with b.installed(b.Budget(memory=1)), pytest.raises(b.OutOfBudget, match="--max-memory"):
        b.within(seconds=100).check()


def test_a_limit_of_the_part_leaves_the_whole_alone() -> None:
    with b.installed(b.Budget()) as whole:
        part = b.within(steps=5)
        with pytest.raises(b.OutOfBudget, match="5 steps"):
            for _ in range(6):
                part.check()
        whole.demand()


def test_an_interruption_ends_everything_but_not_others() -> None:
    with b.installed(b.Budget()) as whole:
        b.within(steps=5).interrupt()
        assert whole.exceeded() == b.INTERRUPTED
    b.current_budget().interrupt()
    assert b.current_budget().exceeded() is None


def test_phases_end_with_the_first_that_is_stopped() -> None:
    begun = []
    with b.installed(b.Budget()):
        phases = b.Phases()

        def interrupted() -> None:
            begun.append("second")
            raise KeyboardInterrupt

        assert phases(lambda: begun.append("first")) is None and phases.stopped is None
        phases(interrupted)
        phases(lambda: begun.append("third"))
    assert begun == ["first", "second"] and phases.stopped == b.INTERRUPTED


def test_limits_of_containers(tmp_path: Path) -> None:
    member = written(tmp_path, "0::/a/b\n7:cpu,memory:/c\n3:pids:/d\n", "cgroup")
    for folder, name, text in (
        ("a", "memory.max", "5000\n"), ("a/b", "memory.max", "max\n"), ("memory/c", "memory.limit_in_bytes", "7000"),
        ("memory", "memory.limit_in_bytes", str(2**63 - 4096)),
    ):  # fmt: skip
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        written(tmp_path / folder, text, name)
    assert sorted(b.container_limits(str(tmp_path), str(member))) == [5000, 7000]
    assert b.container_limits(str(tmp_path), str(tmp_path / "none")) == []
    assert b.usable_memory() > 0


def test_the_memory_of_the_parent_does_not_count() -> None:
    """A notebook with a table of 300 MB starts a command."""
    table = bytearray(300 << 20)
    command = [sys.executable, "-c", "from coset.source.budget import peak_memory; print(peak_memory())"]
    assert int(subprocess.run(command, capture_output=True, check=True).stdout) < len(table)


def test_a_search_reserves_less_if_there_is_less() -> None:
    class Request(ctypes.Structure):
        _fields_ = [("reserve", ctypes.c_uint64)]

    request, asked = Request(1 << 40), []

    def new(_: object) -> int | None:
        asked.append(request.reserve)
        return 1 if request.reserve < 1 << 30 else None

    assert reservation.opened(new, request) and asked == sorted(asked, reverse=True)
    assert not reservation.opened(lambda _: None, request) and request.reserve == reservation.SMALLEST


def test_what_is_done_aside_can_be_ended() -> None:
    def endless() -> None:
        while True:
            pass

    with b.installed(b.Budget(seconds=0.2)), pytest.raises(b.OutOfBudget, match="--max-seconds"):
        aside(endless)

    def failing() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        aside(failing)


# --- detection ---------------------------------------------------------------------------------------


def test_the_second_method_is_bounded_by_counts() -> None:
    """Whatever the machine: there is no deadline here."""
    model = coset.parse_text(QUEENS)
    assert by_constraints(model, (), 100) is None
    assert "constraints" in str(order_by_constraints(model, ()))


@pytest.mark.parametrize("method", ["program", "channels", "constraints", "hypergraph"])
def test_every_detection_asks_the_budget(method: str) -> None:
    model = coset.load(ROOT / "models" / "philosophers.pml")
    with b.installed(b.Budget(seconds=0)):
        found = coset.explore(model, symmetry=method)
    assert not found.complete and "--max-seconds" in str(found.stopped) and found.states == 0


def test_the_group_is_told_even_if_the_explanation_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise b.OutOfBudget("the end")

    monkeypatch.setattr(symmetries, "explained", late)
    model = coset.load(ROOT / "models" / "philosophers.pml")
    report = symmetries.symmetry(model, explain=True)
    assert report.stopped == "the end" and report.found.order > 1 and report.explanation is None


# --- the interpreter ---------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "reference", "explicit"])
@pytest.mark.parametrize("text", [MANY_PATHS, LARGE])
def test_a_check_ends_at_its_limit(text: str, engine: str, tmp_path: Path) -> None:
    path = written(tmp_path, text)
    options = ["--engine", engine, "--symmetry", "off", "--steps", "plain", "--json", "--max-seconds"]
    for seconds in SECONDS:
        answer = command("check", path, *options, str(seconds))
        found = json.loads(answer.stdout)
        assert answer.returncode == 3
        if "error" not in found:
            break
    assert found["verdict"] == "unknown"
    assert any("--max-seconds" in str(each["reason"]) for each in found["properties"])
    assert all(each["reason"] for each in found["properties"] if each["verdict"] == "unknown")


@pytest.mark.parametrize("text", [MANY_PATHS, LONG_D_STEP, RECURSIVE])
def test_moves_are_counted(text: str) -> None:
    model = coset.parse_text(text)
    with b.installed(b.Budget(steps=200)):
        found = explore(model, Limits())
    assert not found.complete and found.stopped == "200 steps"


def test_a_state_with_very_many_steps() -> None:
    model = coset.load(ROOT / "models" / "social_golfer.seq")
    with b.installed(b.Budget(steps=5000)):
        found = explore(model, Limits())
    assert not found.complete and found.stopped == "5,000 steps"


def test_which_engine_answers_does_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deterministic step that is long is left to the compiled engine after so many moves."""
    found = coset.explore(coset.parse_text(LONG_D_STEP))
    assert (found.engine, found.complete, found.errors.faults) == ("explicit", True, {})


# --- loading -----------------------------------------------------------------------------------------

DOUBLING = "typedef T0 { byte x; byte y };" + "".join(
    f"\ntypedef T{k} {{ T{k - 1} x; T{k - 1} y }};" for k in range(1, 40)
)


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("self.pml", '#include "self.pml"\n#include "self.pml"\nactive proctype P() { skip }\n', "P006", 1),
        ("two.csp", "P = Q;\nQ = P;\n#assert P deadlockfree;\n", "M101", 1),
        ("wide.csp", "#define N 2147483647;\nP() = [] i:{0..N} @ (a.i -> P());\n#assert P() deadlockfree;\n", "M102", 2),
        ("side.csp", "#define N 2147483647;\nP(i) = a.i -> P(i);\nS = ||| i:{0..N} @ P(i);\n#assert S deadlockfree;\n",
         "M102", 3),
        ("deep.pml", "typedef A { byte x[1000] };\ntypedef B { A a[1000] };\ntypedef C { B b[1000] };\nC c;\n", "T006", 3),
        ("array.pml", "typedef A { byte x[1000] };\nA a[1001];\n", "T006", 2),
        ("doubling.pml", f"{DOUBLING}\nT39 t;\n", "T006", 15),
    ],
)  # fmt: skip
def test_endless_texts_are_refused_where_they_are(name: str, text: str, code: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        coset.load(written(tmp_path, text, name))
    first = next(each for each in error.value.diagnostics if each.code == code)
    assert first.span is not None and first.span.line == line and Path(first.span.file).name == name


def test_many_files_that_include_each_other(tmp_path: Path) -> None:
    """Not deep, but very many: two to the power of twenty."""
    for k in range(20):
        written(tmp_path, f'#include "f{k + 1}.h"\n' * 2, f"f{k}.h")
    written(tmp_path, "\n", "f20.h")
    path = written(tmp_path, '#include "f0.h"\nactive proctype P() { skip }\n')
    with pytest.raises(InputError, match="more than 1000 times"):
        coset.load(path)


# --- commands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["check", "explore", "symmetry", "show", "draw", "simulate"])
@pytest.mark.parametrize(("option", "value"), [("--max-seconds", "0.0001"), ("--max-memory", "1M")])
def test_every_command_has_limits(name: str, option: str, value: str) -> None:
    answer = command(name, ROOT / "models" / "peterson.pml", option, value)
    assert answer.returncode == 3 and option in answer.stderr


def test_a_simulation_shows_the_run_until_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path, "byte x; active proctype P() { do :: x++ od }")
    for seconds in SECONDS:
        answer = command("simulate", path, "--max-seconds", str(seconds), "--max-moves", "1000000000")
        assert answer.returncode == 3
        if "x++" in answer.stdout:
            break
    assert "--max-seconds" in answer.stdout and "x++" in answer.stdout


def test_a_small_model_works_where_addresses_are_limited() -> None:
    for options in ("--order breadth", "--order depth", "--storage states", "--threads 2"):
        model = ROOT / "models" / "peterson.pml"
        answer = command("explore", model, "--engine", "explicit", "--json", *options.split(), before=limit_addresses)
        assert answer.returncode == 0 and json.loads(answer.stdout)["complete"], answer.stderr
    answer = command("check", ROOT / "models" / "peterson.pml", "--engine", "explicit", before=limit_addresses)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("storage", ["packed", "states", "bits"])
def test_memory_of_every_storage(storage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CFLAGS", "-O2")  # millions of states
    path = written(tmp_path, LARGE.partition(" ltl")[0])
    most = 150 << 20
    limits = ["--max-memory", str(most), "--max-states", "20_000_000" if storage != "bits" else "1_000_000"]
    answer = command("explore", path, "--engine", "explicit", "--storage", storage, *limits, "--json")
    assert answer.returncode == 3 and json.loads(answer.stdout)["peak_memory"] < 1.15 * most


# --- interruptions -----------------------------------------------------------------------------------


def test_one_interruption_ends_a_check(tmp_path: Path) -> None:
    """Wherever it comes, no other search begins, and all properties are told."""
    path = written(tmp_path, LARGE)
    options = ["--engine", "explicit", "--steps", "plain", "--progress", "json", "--json"]
    line = [sys.executable, "-m", "coset.cli", "check", str(path), *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    seen = []
    try:
        for event in process.stderr:
            seen.append(json.loads(event))
            if "started" in event:
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate(timeout=GUARD)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "started" not in err
    found = json.loads(out)
    assert {each["name"] for each in found["properties"]} == {"assertions", "end states", "faults", "p", "q"}
    assert {each["verdict"] for each in found["properties"]} == {Verdict.UNKNOWN.value}
    assert all("interrupt" in each["reason"] for each in found["properties"])
