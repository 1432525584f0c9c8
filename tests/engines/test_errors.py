"""Errors in single states: all of them, why processes wait, and ends with empty channels as `pan -q` has them."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset import check
from coset.model.model import Model
from coset.properties.kinds import BUILTIN
from coset.results.trace import replay, shortest_safety_trace
from coset.results.verdict import Check, Verdict
from coset.results.waiting import left_behind, waiting
from tests.support.command_line import Run, runner
from tests.support.paths import MODELS
from tests.support.promela_random import generate
from tests.support.spin_reference import _compile, _generate, _run, spin_version

run = pytest.fixture(runner)
WAYS = [("reference", 1), ("explicit", 1), ("explicit", 2)]

MANY = """byte x; byte a[3];
active [2] proctype P() { do :: x < 4 -> x++;
   assert(x != 2);
   assert(x < 4)
 :: x == 3 -> a[x] = 1
 :: x == 3 -> d_step { x = 0; assert(false) }
 :: x == 2 -> x = 7 / (x - 2)
 :: x > 2 -> break od; (x == 100) }
"""
SAME_LINE = "byte x; active [3] proctype P() { x++; if :: x < 3 -> assert(x == 0) :: else -> assert(x == 1) fi }"

# --- all errors ------------------------------------------------------------------------------------


def different(result: Check) -> set[tuple[str, int | None, str]]:
    """Kind and line of each different error; of assertions the text, too."""
    return {
        (
            error.kind,
            None if error.span is None else error.span.line,
            error.message if error.kind == "assertion" else "",
        )
        for each in result.properties
        for error in each.errors
    }


def assert_all(model: Model, result: Check) -> None:
    """Every trace is confirmed, the counts are those of an exploration, and no violation is without an error."""
    explored = coset.explore(model, engine="reference", symmetry="off")
    assert result.exploration.errors == explored.errors and result.exploration.states == explored.states
    for each in result.properties:
        assert (each.verdict is Verdict.VIOLATED) == bool(each.errors)
        assert each.trace == (each.errors[0].trace if each.errors else None)
        lengths = [len(error.trace) for error in each.errors]
        assert lengths == sorted(lengths)
        for error in each.errors:
            shown = replay(model, error.trace)
            assert shown.message == error.message
            if error.span is not None:
                assert shown.moves[-1].edge.span is not None and shown.moves[-1].edge.span.line == error.span.line


@pytest.mark.parametrize(("engine", "threads"), WAYS)
def test_all_errors(engine: str, threads: int) -> None:
    model = coset.parse_text(MANY)
    result = check(model, engine=engine, threads=threads, all_errors=True)
    assert_all(model, result)
    assert different(result) == {
        ("assertion", 3, "assert(x != 2) is violated"), ("assertion", 4, "assert(x < 4) is violated"),
        ("assertion", 6, "assert(0) is violated"), ("deadlock", None, ""), ("fault", 5, ""), ("fault", 7, ""),
    }  # fmt: skip
    for kind in ("assertion", "deadlock", "fault"):
        shortest = shortest_safety_trace(model, kind)
        found = [error for each in result.properties for error in each.errors if error.kind == kind]
        assert shortest is not None and len(found[0].trace) == len(shortest)


@pytest.mark.parametrize(("engine", "threads"), WAYS)
def test_two_assertions_on_one_line_are_two_errors(engine: str, threads: int) -> None:
    model = coset.parse_text(SAME_LINE)
    result = check(model, engine=engine, threads=threads, all_errors=True)
    assert_all(model, result)
    assert {text for kind, _, text in different(result) if kind == "assertion"} == {
        "assert(x == 0) is violated", "assert(x == 1) is violated",
    }  # fmt: skip


@pytest.mark.parametrize("seed", [10, 72, 113, 173, 202])
def test_engines_agree_on_random_programs(seed: int) -> None:
    """Programs that the generator makes with several kinds of errors."""
    model = coset.parse_text(generate(seed))
    found = [
        check(model, engine=engine, properties=[*BUILTIN], all_errors=True) for engine in ("reference", "explicit")
    ]
    for result in found:
        assert_all(model, result)
    assert different(found[0]) == different(found[1]) and len(different(found[0])) > 1


def test_all_errors_on_the_command_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.pml"
    path.write_text(MANY)
    answer = run("check", path, "--all-errors", "--engine", "reference")
    assert answer.code == 1 and "6 different:" in answer.out
    assert re.search(r"line 3 +assertion +assert\(x != 2\) is violated, after 5 moves", answer.out)
    document = run("check", path, "--all-errors", "--engine", "reference", "--json").json
    first, second, third = document["properties"]
    assert [each["line"] for each in first["errors"]] == [3, 6, 4] and len(third["errors"]) == 2
    assert second["errors"][0]["trace"]["kind"] == "deadlock" and document["steps"] == "plain"
    alone = run("check", path, "--engine", "reference", "--json").json
    assert all(each["errors"] == [] for each in alone["properties"])


def test_all_errors_says_when_there_may_be_more(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.pml"
    path.write_text(MANY)
    few = run("check", path, "--all-errors", "--engine", "reference", "--max-states", "1000", "--json")
    first, *_, last = few.json["properties"]
    assert few.code == 1 and first["verdict"] == "violated" and "there may be more" in first["reason"]
    assert last["verdict"] in ("violated", "unknown")
    assert "--order breadth" in run("check", path, "--all-errors", "--order", "depth").err


# --- why nothing can happen ------------------------------------------------------------------------

STUCK = """
mtype = { ping, pong, stop };
chan c = [2] of { mtype, byte }; chan r = [0] of { byte }; chan f = [1] of { byte }; chan e = [1] of { byte };
active proctype P() { c!pong,3; f!1; end: r?_ }
active proctype Q() { byte k; do :: c?ping,k :: c?stop,_ -> break :: k > 4 -> break od }
active proctype R() { r!1; r!2 }
active proctype S() { f!2 }
active proctype T() { byte k; if :: e?k :: c?ping,k :: c??ping,k fi }
byte zero; active proctype U() provided (zero == 1) { skip }
"""


def test_each_process_says_why_it_waits() -> None:
    model = coset.parse_text(STUCK)
    trace = shortest_safety_trace(model, "deadlock")
    assert trace is not None
    shown = replay(model, trace)
    texts = {
        str(each).partition(": ")[0]: [(b.statement, b.why) for b in each.blocked]
        for each in waiting(shown.interpreter, shown.last)
    }
    first = "the first message of c, (pong,3), is not taken here"
    reasons = [reason for rows in texts.values() for reason in rows]
    assert ("c?ping,k", first) in reasons and ("c?stop,_", first) in reasons and ("k > 4", "false") in reasons
    assert any((send, "no process is ready to receive from r") in reasons for send in ("r!1", "r!2"))
    assert ("f!2", "f is full") in reasons or ("f!1", "f is full") in reasons
    assert ("e?k", "e is empty") in reasons and ("c??ping,k", "no message of c is like that") in reasons
    assert ("skip", "the process is not provided for") in reasons
    found = {each.process: each for each in waiting(shown.interpreter, shown.last)}
    assert found["Q(1)"].unhandled == ("(pong,3) in c",)
    assert found["T(4)"].unhandled == ()  # something may still come by another channel
    assert left_behind(shown.interpreter, shown.last)[0] == "c holds (pong,3)"


def test_the_command_says_why(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "stuck.pml"
    path.write_text(STUCK)
    answer = run("check", path, "--property", "end states")
    assert answer.code == 1 and "unhandled reception: (pong,3) in c" in answer.out
    assert "waits for f!2: f is full" in answer.out or "waits for f!1: f is full" in answer.out
    document = run("check", path, "--json").json
    by_name = {each["name"]: each for each in document["properties"]}
    assert by_name["assertions"]["waiting"] is None
    (process,) = [each for each in by_name["end states"]["waiting"] if each["process"] == "Q"]
    assert process["line"] == 5 and process["unhandled"] == ["(pong,3) in c"] and not process["valid_end"]
    assert {"statement": "k > 4", "why": "false"}.items() <= process["blocked"][2].items()


# --- empty channels at the end ---------------------------------------------------------------------

LEFT = """
chan c = [2] of { byte }; chan r = [0] of { byte };
active proctype P() { chan own = [1] of { byte }; c!1; if :: c!2 :: own!3 :: skip fi; end: r?1 }
active proctype Q() { byte k; if :: c?k :: skip fi; end: r?2 }
"""
GONE = "chan c = [2] of { byte }; active proctype P() { c!1 } active proctype Q() { byte k; if :: c?k :: true fi }"


def spin_invalid_ends(path: Path, *flags: str) -> int | None:
    """How many invalid end states pan finds; None if it cannot say."""
    spin_version()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if _generate(folder, path, None) or _compile(folder, path, "-O0", 1024):
            return None
        # Messages that repeat are not printed again, so errors are counted with and without those of end states.
        both = [_run([str(folder / "pan"), "-c0", "-n", *flags, *more], folder, 30).stdout for more in ((), ("-E",))]
        if any("max search depth too small" in text or "errors: " not in text for text in both):
            return None
        with_ends, without = (int(re.findall(r"errors: (\d+)", text)[0]) for text in both)
        return with_ends - without


@pytest.mark.parametrize("text", [LEFT, GONE, STUCK], ids=["left", "gone", "stuck"])
def test_empty_channels_are_pans(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    model = coset.load(path)
    for flags, strict in (((), False), (("-q",), True)):
        theirs = spin_invalid_ends(path, *flags)
        wanted = replace(model, empty_at_end=strict)
        for engine, threads in WAYS:
            found = coset.explore(wanted, engine=engine, threads=threads, symmetry="off")
            assert found.errors.invalid_end_states == theirs, (engine, flags)


@pytest.mark.parametrize("seed", [10, 16, 21, 46, 57])
def test_empty_channels_of_random_programs(seed: int, tmp_path: Path) -> None:
    """Programs that leave messages behind."""
    path = tmp_path / "random.pml"
    path.write_text(generate(seed))
    model = coset.load(path)
    strict = replace(model, empty_at_end=True)
    counts = {
        engine: coset.explore(strict, engine=engine, symmetry="off").errors for engine in ("reference", "explicit")
    }
    assert counts["reference"] == counts["explicit"]
    assert counts["reference"].invalid_end_states == spin_invalid_ends(path, "-q")
    assert (
        counts["reference"].invalid_end_states
        > coset.explore(model, engine="reference", symmetry="off").errors.invalid_end_states
    )


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize("steps", ["plain", "merged"])
def test_empty_channels_on_the_command_line(run: Run, engine: str, steps: str, tmp_path: Path) -> None:
    path = tmp_path / "left.pml"
    path.write_text(GONE + " active proctype R() { end: false }")
    words = ["check", path, "--engine", engine, "--steps", steps]
    assert run(*words).code == 0
    answer = run(*words, "--empty-channels", "--trace", tmp_path / "trace.json")
    assert answer.code == 1 and "c holds (1), and channels must be empty" in answer.out
    assert run("replay", path, tmp_path / "trace.json", "--empty-channels").code == 1
    assert run("replay", path, tmp_path / "trace.json").code == 2


# --- steps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_merged_steps_need_fewer_states(run: Run, engine: str) -> None:
    counts = {}
    for steps in ("plain", "merged"):
        document = run("explore", MODELS / "peterson.pml", "--engine", engine, "--steps", steps, "--json").json
        assert document["complete"] and document["steps"] == steps
        counts[steps] = document["states"]
        assert steps == "merged" or document["represents"] == 3521
    assert counts["plain"] == 652 and counts["merged"] < counts["plain"] / 2
    plain = run("explore", MODELS / "peterson.pml", "--engine", engine, "--json").json
    assert (plain["states"], plain["represents"], plain["steps"]) == (652, 3521, "plain")


def test_check_merges_unless_told_otherwise(run: Run) -> None:
    found = {
        words: run("check", MODELS / "peterson.pml", "--engine", "explicit", "--json", *words).json
        for words in ((), ("--steps", "plain"))
    }
    assert found[()]["steps"] == "merged" and found["--steps", "plain"]["steps"] == "plain"
    assert found[()]["states"] < found["--steps", "plain"]["states"] == 652
    assert found[()]["verdict"] == found["--steps", "plain"]["verdict"] == "holds"
