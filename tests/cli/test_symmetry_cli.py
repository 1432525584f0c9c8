"""`coset symmetry`: text, JSON, properties, methods, given generators, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from coset.cli import main
from coset.formats.json_output import schema
from coset.source.diagnostics import InputError
from coset.source.text import Source
from coset.symmetry.user_generators import user_generators
from coset.tasks import load as load_task
from coset.tasks.symmetry import symmetry
from coset.views import symmetry_text
from tests.support.paths import MODELS

EMAIL = MODELS / "email_small.pml"
TURN = """byte turn = 3; bool flag[3];
active [3] proctype P() { do :: flag[_pid] = true; turn = _pid; flag[_pid] = false od }
ltl fair { <> (turn == 3) }
ltl first { [] (turn != 0) }
ltl last { [] (turn != 2) }
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main(["symmetry", *map(str, arguments)])
    output = capsys.readouterr()
    return code, output.out, output.err


def document(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    """The JSON object, valid for its schema."""
    code, out, _ = run(capsys, "--json", *arguments)
    assert code == 0 and out.count("\n") == 1
    found = json.loads(out)
    jsonschema.Draft202012Validator(schema("symmetry")).validate(found)
    return found


@pytest.fixture
def turn(tmp_path: Path) -> Path:
    path = tmp_path / "turn.pml"
    path.write_text(TURN)
    return path


# --- what is shown ---------------------------------------------------------------------------------

ENDING = """byte free = 1, done;
active [4] proctype worker() { atomic { free > 0 -> free-- }; done++; free++ }
ltl safe { [] (done <= 4) }
"""


def test_plain_and_merged_steps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Both groups, and which one a search uses; `explore` and `check` agree."""
    path = tmp_path / "ending.pml"
    path.write_text(ENDING)
    _, out, _ = run(capsys, path)
    assert "order 1, no non-trivial symmetry on plain steps" in out
    assert "plain, used by explore: order 1" in out
    assert "merged, used by check: order 24, S4 on worker: processes that have ended keep their numbers" in out
    found = document(capsys, path)
    used = found["by_steps"]
    assert found["symmetry"]["order"] == used["plain"]["order"] == 1 and used["merged"]["order"] == 24
    assert document(capsys, path, "--steps", "merged")["by_steps"] == used
    for command, steps in (("explore", "plain"), ("check", "merged")):
        main([command, "--json", str(path)])
        searched = json.loads(capsys.readouterr().out)
        assert used[command] == steps and searched["symmetry"]["order"] == used[steps]["order"]


def test_properties_that_need_plain_steps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "ending.pml"
    path.write_text(ENDING + "ltl next { X (done < 4) }")
    assert document(capsys, path)["by_steps"]["plain_for"] == ["next"]
    assert "; next on plain steps" in run(capsys, path)[1]


def test_a_method_that_is_asked_for_is_not_compared(capsys: pytest.CaptureFixture[str], turn: Path) -> None:
    assert document(capsys, turn, "--symmetry", "channels")["by_steps"] is None


def test_the_paper_s_example(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, MODELS / "email.pml", "--explain")
    assert found["symmetry"]["method"] == "program"
    assert found["symmetry"]["order"] == 24
    assert found["symmetry"]["structure"] == "S4 on client{1,2,4,5}"
    assert sorted(found["symmetry"]["generators"]) == ["(1 2)(box_1 box_2)", "(2 4)(box_2 box_4)", "(4 5)(box_4 box_5)"]
    assert found["candidate"] is None and found["well_typed"] and found["certified"] and found["states_tried"] > 0
    first, second = found["broken"]
    assert first["between"] == second["between"] == ["1", "3"]
    assert first["gain"] == second["gain"] == 120
    assert (first["span"]["line"], second["span"]["line"]) == (30, 86)
    assert first["span"]["file"].endswith("email.pml")


def test_channels_gives_the_candidates(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, EMAIL, "--symmetry", "channels")
    assert found["symmetry"]["method"] == "channels"
    assert (found["candidate"]["order"], found["symmetry"]["order"]) == (6, 2)
    assert found["candidate"]["generators"] and found["log"]
    assert found["broken"] is None


def test_typing_rules(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, MODELS / "philosophers.pml")
    assert not found["well_typed"]
    assert found["typing"][0] == {
        "text": "'(_pid + 1) % 6' computes with process ids",
        "span": found["typing"][0]["span"],
    }
    assert found["typing"][0]["span"]["line"] == 31


def test_orders_are_exact(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.pml"
    path.write_text("byte n; active [60] proctype P() { do :: n = 1 - n od }")
    found = document(capsys, path)
    order = 1
    for k in range(2, 61):
        order *= k
    assert found["symmetry"]["order"] == order
    code, out, _ = run(capsys, path)
    assert code == 0 and out.startswith("many.pml: order about 8.3e81, S60 on P\n")
    assert "and 39 more (--json has all)" in out


def test_what_properties_cost(capsys: pytest.CaptureFixture[str], turn: Path) -> None:
    found = document(capsys, turn)
    assert found["symmetry"]["order"] == 1
    assert found["without_properties"]["order"] == 6
    assert found["properties"] == [
        {"name": "fair", "order": 6},
        {"name": "first", "order": 2},
        {"name": "last", "order": 2},
    ]
    assert document(capsys, turn, "--property", "first")["symmetry"]["structure"] == "S2 on P{1,2}"
    assert document(capsys, turn, "--no-properties")["symmetry"]["order"] == 6
    assert document(capsys, turn, "--no-properties", "--ltl", "<> flag[1]")["symmetry"]["structure"] == "S2 on P{0,2}"
    _, out, _ = run(capsys, turn)
    assert "without them the order is 6 (S3 on P)" in out
    assert "with first alone it is 2" in out and "fair alone" not in out


def test_text_of_an_explanation(capsys: pytest.CaptureFixture[str], turn: Path) -> None:
    code, out, _ = run(capsys, turn, "--explain")
    assert code == 0
    assert "P 0, 1 and 2 cannot be exchanged with each other." in out or "P 0 cannot be exchanged with P 1." in out
    assert "P 0 is named by property first in line 4: `[] (turn != 0)`" in out
    assert "    4 | ltl first { [] (turn != 0) }" in out
    _, out, _ = run(capsys, turn, "--explain", "--no-properties")
    assert out.endswith("Processes of one kind are all interchangeable.\n")


def test_the_same_reason_for_several_kinds_is_told_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pairs.pml"
    path.write_text(
        """chan a = [1] of { bit }; chan b = [1] of { bit };
proctype S(chan c) { do :: c!0 od } proctype R(chan c) { do :: c?0 od }
active proctype Q() { do :: a!1 od }
init { atomic { run S(a); run S(b); run R(a); run R(b) } }"""
    )
    _, out, _ = run(capsys, path, "--explain")
    assert out.count("a is used in line 3: `a!1`") == 1
    assert out.count("cannot be exchanged with") == 2


def test_merged_steps(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, EMAIL, "--steps", "merged")
    assert (found["steps"], found["symmetry"]["order"]) == ("merged", 2)


def test_merged_steps_forget_what_nobody_notices(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """In the model as it is written these processes differ: only the youngest can end, and `x` names the first."""
    path = tmp_path / "ends.pml"
    path.write_text("byte last = 9; active [3] proctype P() { byte x; x = _pid; last = x }")
    assert document(capsys, path)["symmetry"]["order"] == 1
    assert document(capsys, path, "--steps", "merged")["symmetry"]["order"] == 6


def test_no_symmetry_to_look_for(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, MODELS / "dynamic_workers.pml", "--explain")
    assert (found["symmetry"]["order"], found["certified"], found["well_typed"]) == (1, False, False)
    assert found["broken"][0]["span"]["line"] == found["findings"][0]["span"]["line"] == 40
    assert found["broken"][0]["gain"] is None
    code, out, _ = run(capsys, MODELS / "dynamic_workers.pml", "--explain")
    assert code == 0 and "The set of processes is not known." in out


def test_as_a_function() -> None:
    report = symmetry(load_task.load(EMAIL), explain=True)
    assert report.found.order == 2 and report.explanation is not None and len(report.explanation.broken) == 2


def test_a_gain_that_is_none_is_not_told() -> None:
    """Another method than the one that explains may have found the whole group."""
    report = symmetry(load_task.load(EMAIL), explain=True)
    assert report.explanation is not None
    entries = list(report.explanation.broken)
    assert "the order would be 6, not 2" in symmetry_text.gain(entries, report)
    assert symmetry_text.gain(entries, replace(report, found=replace(report.found, order=6))) == ""


# --- wrong usage -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--symmetry", "hypergraph", "--explain"], "drop --symmetry"),
        (["--symmetry", "off"], "'off' is not known"),
        (["--property", "nobody"], "--property nobody: the model has never_0"),
        (["--property", "never_0", "--no-properties"], "contradict each other"),
        (["--generators", "x", "--symmetry", "program"], "there is no method to choose"),
        (["--generators", "/nowhere/at/all"], "No such file"),
        (["--steps", "few"], "'few' is not known"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    code, out, err = run(capsys, EMAIL, *arguments)
    assert (code, out) == (2, "") and message in err
    code, out, _ = run(capsys, EMAIL, "--json", *arguments)
    jsonschema.Draft202012Validator(schema("error")).validate(json.loads(out))
    assert code == 2


# --- given generators ------------------------------------------------------------------------------


def given_to(name: str, text: str) -> Any:
    return user_generators(load_task.load(MODELS / f"{name}.pml"), Source("given.txt", text))


def test_given_generators_are_completed_and_certified(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "given.txt"
    path.write_text("# of the paper\n(1 2)(box_1 box_2)\n\n (4, 5)   # its boxes follow\n")
    found = document(capsys, MODELS / "email.pml", "--generators", path)
    assert found["symmetry"] == {
        "method": "given",
        "order": 4,
        "generators": ["(1 2)(box_1 box_2)", "(4 5)(box_4 box_5)"],
        "structure": "S2 on client{1,2} x S2 on client{4,5}",
    }
    assert found["certified"] and found["states_tried"] > 0


@pytest.mark.parametrize(
    "name", ["email", "hypercube", "philosophers", "three_tiered", "load_balancer", "cache_coherence"]
)
def test_what_is_printed_can_be_given(name: str) -> None:
    model = load_task.load(MODELS / f"{name}.pml")
    report = symmetry(model)
    again = given_to(name, "\n".join(report.found.generators))
    assert again.order == report.found.order
    assert tuple(again.generators()) == report.found.generators


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("(1 3)", "G003", "these processes are not interchangeable"),
        ("(1 6)", "G003", "client 1 and mailer 6 are not of one kind"),
        ("(1 2)(box_1 box_4)", "G003", "with these processes go others: (1 2)(box_1 box_2)"),
        ("(box_1 box_2)", "G003", "no symmetry that keeps all processes in their places does this"),
        ("(1 7)", "G002", "the model has no object '7'"),
        ("(1 2", "G001", "expected cycles of names"),
        ("1 2", "G001", "expected cycles of names"),
        ("(1 2)(2 4)", "G001", "'2' occurs twice"),
        ("(1 box_1)", "G001", "a cycle has things of one sort"),
        ("# nothing\n", "G001", "the file has no generator"),
    ],
)
def test_wrong_generators_are_refused_with_the_reason(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        given_to("email", f"(1 2)\n{text}\n" if not text.startswith("#") else text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == code and message in diagnostic.message
    assert diagnostic.span is not None and diagnostic.span.file == "given.txt"
    if not text.startswith("#"):
        assert diagnostic.span.line == 2


def test_a_refusal_names_what_stands_against_it() -> None:
    with pytest.raises(InputError) as raised:
        given_to("email", "(1 3)")
    notes = [(text, span.line if span else 0) for text, span in raised.value.diagnostics[0].notes]
    assert notes == [
        ("blocked_client of mailer starts as 3, the number of client 3", 30),
        ("client 3 is named by the never claim in line 86: `(received_from == 3)`", 86),
    ]


def test_generators_of_a_model_whose_processes_are_fixed() -> None:
    with pytest.raises(InputError, match="processes cannot be permuted"):
        given_to("bakery", "(0 1)")
    with pytest.raises(InputError, match="processes are started while the system runs"):
        given_to("dynamic_workers", "(0 1)")
