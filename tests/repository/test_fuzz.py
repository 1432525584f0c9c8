"""The fuzzing harness: some of its inputs, and that it notices what it is for."""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from coset.options.commands import COMMAND_NAMES
from tests.fuzz.arguments import WITHOUT, commands
from tests.fuzz.campaign import campaign, save
from tests.fuzz.case import Case
from tests.fuzz.inputs import make
from tests.fuzz.judge import judge
from tests.fuzz.mutate import bytes_changed, json_changed, mutated
from tests.fuzz.run import environment, load_everything, run
from tests.fuzz.seeds import ROOT
from tests.fuzz.shrink import smaller

INPUTS = 150
GRACE = 0.5
"""Seconds after which a command is too late here."""
COMPILED = 12
"""One in so many of the inputs for the compiled engine: compiling takes longest."""


@pytest.fixture(scope="module", autouse=True)
def ready() -> Iterator[None]:
    load_everything()
    with environment():
        yield


def test_some_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of what `make fuzz` does, the same inputs every time."""
    monkeypatch.setattr("tests.fuzz.inputs.SECONDS", 0.5)

    def wanted(number: int, case: Case) -> bool:
        return "explicit" not in case.argv or number % COMPILED == 0

    tally = campaign(18, INPUTS, keep=tmp_path, wanted=wanted)
    assert tally.inputs == INPUTS and not tally.faults, "\n".join(tally.lines())
    assert len(tally.kinds) > 8 and len(tally.commands) > 7 and tally.asked > 5


def test_the_compiled_engine_has_its_share() -> None:
    cases = [make(18, number) for number in range(600)]
    assert sum("explicit" in case.argv for case in cases) > len(cases) / 3


# --- faults are noticed -----------------------------------------------------------------------------


def raises(argv: Sequence[str]) -> int:
    raise ValueError("not caught")


def prints_traceback(argv: Sequence[str]) -> int:
    print("Traceback (most recent call last):", file=sys.stderr)
    return 0


def dies(argv: Sequence[str]) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def computes(argv: Sequence[str]) -> int:
    while True:
        pass


def sleeps(argv: Sequence[str]) -> int:
    time.sleep(3600)
    return 0


def computes_too_long(argv: Sequence[str]) -> int:
    end = time.process_time() + 1.3 * GRACE
    while time.process_time() < end:
        pass
    return 0


def takes_memory(argv: Sequence[str]) -> int:
    """Half as much again as this process has: the worker that runs the tests may be large itself."""
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return (bytearray(b"x") * (mine // 2 + (80 << 20))).count(1)


def takes_all_memory(argv: Sequence[str]) -> int:
    kept = []
    while True:
        kept.append(bytearray(b"x") * (8 << 20))


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (raises, "traceback"),
        (prints_traceback, "traceback"),
        (lambda argv: 70, "exit"),
        (lambda argv: 130, "exit"),
        (dies, "signal"),
        (computes, "hang"),
        (computes_too_long, "hang"),
        (takes_memory, "memory"),
        (takes_all_memory, "memory"),
        *((lambda argv, code=code: code, None) for code in range(5)),
    ],
)
def test_faults_are_noticed(
    action: Callable[[Sequence[str]], int], kind: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("run", "judge"):
        monkeypatch.setattr(f"tests.fuzz.{module}.GRACE", GRACE)
    memory = run(Case("stub", ("stub",)), lambda argv: 0).memory + (30 << 20)
    case = Case("stub", ("stub",), seconds=0.1, memory=memory)
    fault = judge(case, run(case, action))
    assert (None if fault is None else fault.kind) == kind


def test_a_command_that_sleeps_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("run", "judge"):
        monkeypatch.setattr(f"tests.fuzz.{module}.PATIENCE", 0.5)
    case = Case("stub", ("stub",), seconds=0.1)
    outcome = run(case, sleeps)
    fault = judge(case, outcome)
    assert outcome.code is None and fault is not None and fault.kind == "hang"


def test_a_new_interpreter_does_the_same() -> None:
    text = b"active proctype P() { assert(false) }"
    for by_itself in (False, True):
        outcome = run(Case("alone", ("check", "m.pml"), {"m.pml": text}, by_itself=by_itself))
        assert outcome.code == 1 and "assertions" in outcome.out


def test_the_compiled_engine_is_noticed() -> None:
    text = b"byte x; active proctype P() { x = 1 }"
    for engine in ("explicit", "reference"):
        outcome = run(Case("engine", ("explore", "m.pml", "--engine", engine), {"m.pml": text}, seconds=60.0))
        assert outcome.code == 0 and outcome.compiled == (engine == "explicit")


# --- inputs --------------------------------------------------------------------------------------------


def test_inputs_depend_on_the_seed_alone() -> None:
    assert [make(5, number) for number in range(40)] == [make(5, number) for number in range(40)]
    assert make(5, 1) != make(6, 1)


def test_every_command_that_ends_is_fuzzed() -> None:
    assert {command[0] for command in commands()} == set(COMMAND_NAMES) - WITHOUT


def test_texts_stay_near() -> None:
    text = "active proctype P() { byte x; x = x + 1 }\n" * 5
    for seed in range(200):
        assert isinstance(mutated(random.Random(seed), text, ".pml", [text]), bytes)
        assert isinstance(bytes_changed(random.Random(seed), b"abc" * 100), bytes)
        assert isinstance(json_changed(random.Random(seed), '{"a": [1, "x", {"b": null}]}'), bytes)


def test_faults_are_made_smaller_and_kept(tmp_path: Path) -> None:
    files = {"m.pml": b"one\ntwo bad three\nfour\n", "other": b"x"}
    case = Case("stub", ("check", "m.pml", "--json", "--fair"), files, b"y\n")

    def still_fails(attempt: Case) -> bool:
        return b"bad" in attempt.files.get("m.pml", b"") and "--fair" in attempt.argv

    small = smaller(case, still_fails)
    assert small.files == {"m.pml": b"bad"} and small.argv == ("check", "m.pml", "--fair")
    outcome = run(Case("stub", ("stub",)), raises)
    fault = judge(case, outcome)
    assert fault is not None and "ValueError at repository/test_fuzz.py" in fault.place
    script = save(tmp_path / "kept", small, case, fault)
    assert (
        "check m.pml --fair" in script.read_text() and (tmp_path / "kept" / "original" / "other").read_bytes() == b"x"
    )


# --- what it has found ---------------------------------------------------------------------------------


DEEP = 30_000
FOUND = {
    "two dashes as ctl": (("check", "m.pml", "--ctl=--"), "byte x; active proctype P() { x = 1 }"),
    "two dashes as ltl": (("check", "m.pml", "--ltl=--"), "byte x; active proctype P() { x = 1 }"),
    "two dashes as a number": (("check", "m.pml", "--threads=--"), "byte x; active proctype P() { x = 1 }"),
    "a size beyond all numbers": (("check", "m.pml", f"--max-memory={10**400}T"), "active proctype P() { skip }"),
    "two else": (("check", "m.pml"), "active proctype P() { do :: break :: else -> skip :: else -> skip od }"),
    "a file without an end": (("check", "/dev/zero"), ""),
    "many operators": (("explore", "m.pml"), f"byte x; active proctype P() {{ x = x{' + x' * 400} }}"),
    "many operators in a sequential model": (
        ("show", "m.seq"),
        f"process p(bit x) = [x == 0{' && x == 0' * 3000}] go {{ x = 1; }} init p(x = 0);",
    ),
    "deep blocks in a sequential model": (
        ("symmetry", "m.seq"),
        f"process p(bit x) = [x == 0] go {{ {'if (x == 0) { ' * 3000}x = 1; {'}' * 3000} }} init p(x = 0);",
    ),
    "deep blocks in a shared-variable program": (
        ("show", "m.spl"),
        f"parameter n = 2; global x: 0..2; class P[n] {{ {'if x = 0 then { ' * 900} x := 1; {'}' * 900} }}",
    ),
    "a deep formula": (
        ("check", "m.pml", "--engine", "symbolic"),
        f"byte x; active proctype P() {{ x = 1 }} ltl p {{ {'(x == 0) U ' * 190}(x == 1) }}",
    ),
    "an error before deep nesting": (
        ("check", "m.pml"),
        "byte x; active proctype P() { x = x + " + "do :: " * DEEP + "x" + " od" * DEEP + " }",
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    """Bad input is answered as such."""
    argv, text = FOUND[name]
    outcome = run(Case("found", argv, {argv[1]: text.encode()} if text else {}))
    assert judge(Case("found", argv), outcome) is None
    assert outcome.code == 2 and "error" in outcome.err


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (".seq", "process p(bit x) = 0..99999 i, 0..99999 j . [x == i % 2] go { x = 1; } init p(x = 0);"),
        (".csp", "Q = a -> b -> Skip; System = |||{3000}@Q; #assert System deadlockfree;"),
    ],
)
def test_front_ends_keep_to_the_deadline(end: str, text: str) -> None:
    argv = ("check", f"m{end}", "--max-seconds", "0.3")
    outcome = run(Case("found", argv, {argv[1]: text.encode()}))
    assert judge(Case("found", argv, seconds=0.3), outcome) is None and outcome.code == 3


def test_sums_of_shared_variables_take_no_longer_than_they_are() -> None:
    """Each operand was read twice, so that the time doubled with every operator."""
    text = f"parameter n = 2; global x: 0..2; class P[n] {{ loop forever do {{ 0: x := x{' + x' * 60}; }} }}"
    outcome = run(Case("found", ("show", "m.spl"), {"m.spl": text.encode()}))
    assert outcome.code == 0 and judge(Case("found", ("show",)), outcome) is None


@pytest.mark.parametrize("name", ["globals.def", "properties.def", "procs.def", "features.def", "user.tmpl"])
def test_deep_files_of_featured_networks(name: str) -> None:
    files = {f"net/{path.name}": path.read_bytes() for path in (ROOT / "models" / "features" / "telephone").iterdir()}
    deep = f"{'(' * 2000}1{')' * 2000}"
    files[f"net/{name}"] = {
        "globals.def": f"mtype = {{ call, engaged_mark, answer, hangup }}; pid dialled[{deep}]; pid partner[NCOMP];",
        "properties.def": f"TCO(i): [] ! ({deep} == i)",
        "procs.def": f"{deep}: user <- [2] of {{mtype, pid}}",
        "features.def": f"TCO[{deep}]",
        "user.tmpl": f"pid x; x = {deep}",
    }[name].encode()
    argv = ("features", "generate", "net", *(("--property", "TCO(1)") if name == "properties.def" else ()))
    outcome = run(Case("found", argv, files))
    assert judge(Case("found", argv), outcome) is None and outcome.code == 2 and "error[" in outcome.err
