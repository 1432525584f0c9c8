"""Steps that cannot be completed: both engines see the same faults, and the same errors before them.

A fault (an index out of range, a division by zero, a channel that is none) ends the step that meets it.  What the step
reported before is not lost; what would come after it never happens.  SPIN goes on with whatever is in memory, or dies,
so the interpreter is the only oracle here: `python -m tests.engines.test_faults FROM TO` spoils random programs until they fault.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.model.model import Model
from coset.properties.kinds import BUILTIN
from coset.results.exploration import Exploration
from coset.results.trace import replay
from coset.tasks.checker import check
from tests.support.promela_random import generate

SMALL = 2_000
CASES = {
    "an assertion before a fault": "byte x; active proctype P() { d_step { x = 1; assert(false); x = 1/(x-1) } }",
    "an assertion after a fault": "byte x; active proctype P() { d_step { x = 1; x = 1/(x-1); assert(false) } }",
    "an assertion that faults": "byte x; active proctype P() { d_step { x = 1; assert(1/(x-1) == 1) } }",
    "in an atomic sequence": "byte x; active proctype P() { atomic { x = 1; assert(false); x = 1/(x-1) } }",
    "a guard": "byte x; active proctype P() { x = 1; 1/(x-1) == 1; x = 2 }",
    "a guard beside else": "byte x; active proctype P() { if :: 1/x == 1 :: else -> x = 1 fi; x = 2 }",
    "a guard in a d_step": "byte x; active proctype P() { d_step { x = 0; if :: !(1/x == 1) -> x = 3 :: else fi } }",
    "a process that asks whether it is enabled": "active proctype P() { enabled(0) }",
    "two processes that ask each other": "active proctype P() { enabled(1) } active proctype Q() { enabled(0) }",
    "a guard of an escape": "byte x; active proctype P() { { x = 1; x = 2 } unless { 1/x == 1 } }",
    "an event that nobody answers": "chan c = [0] of {byte}; active proctype P() { c!2 } trace { c!1 }",
    "an event that two can answer": (
        "chan c = [0] of {byte}; active proctype P() { c!2 } active [2] proctype R() { c?_ } trace { c!1 }"
    ),
    "an event before a fault": (
        "chan c = [0] of {byte}; byte a[2], x = 5; active proctype P() { c!2 } active proctype R() { c?a[x] }"
        " trace { c!1 }"
    ),
    "an assertion of the sender that nobody answers": (
        "chan c = [0] of {byte}; active proctype P() { byte y; c!2; assert(y == 1); y = 2; assert(y == 2) }"
    ),
    "an assertion of the sender": (
        "chan c = [0] of {byte}; active proctype P() { byte y; c!2; assert(y == 1); y = 2; assert(y == 2) }"
        " active [2] proctype R() { c?_ }"
    ),
    "a pattern of a receiver": (
        "chan c = [0] of {byte}; byte x; active proctype P() { c!2 } active [2] proctype R() { c?eval(1/x) }"
    ),
    "a message in a d_step": (
        "chan c = [1] of {byte}; byte a[2], x; active proctype P() { d_step { x = 7; c!a[x] } } trace { c!1 }"
    ),
    "a message for a full channel": (
        "chan c = [1] of {byte}; byte a[2], x = 7; active proctype P() { c!1; c!a[x] } active proctype R() { c?_ }"
    ),
    "a receive in a d_step": (
        "chan c = [1] of {byte}; byte a[2], x; active proctype P() { d_step { x = 7; c!4; c?a[x] } } trace { c!1 }"
    ),
    "a pattern and an empty channel": (
        "chan c = [1] of {byte, byte}; byte x; active proctype P() { c?eval(1/x), _ } active proctype Q() { c!1, 1 }"
    ),
    "a pattern behind one that does not match": (
        "chan c = [1] of {byte, byte}; byte x; active proctype P() { c?2, eval(1/x) } active proctype Q() { c!1, 1 }"
    ),
    "a poll of an empty channel": (
        "chan c = [1] of {byte}; byte x; active proctype P() { chan d = c; !c?[eval(1/x)]; !d?[eval(1/x)]; c!1 }"
    ),
}


def figures(result: Exploration) -> tuple[object, ...]:
    errors = result.errors
    return (
        result.states, result.transitions, errors.assertions, errors.trace, errors.invalid_end_states, dict(errors.faults),
    )  # fmt: skip


def verdicts(model: Model, engine: str, steps: str) -> list[str]:
    result = check(model, engine=engine, steps=steps, properties=list(BUILTIN))
    return [each.verdict.value for each in result.properties]


def agree(model: Model, reference: Exploration) -> None:
    """The compiled engine counts the same, and all ways to check come to the same verdicts."""
    assert figures(coset.explore(model, engine="explicit", symmetry="off")) == figures(reference)
    expected = verdicts(model, "reference", "plain")
    errors = reference.errors
    found = [errors.assertions, errors.invalid_end_states, sum(errors.faults.values()) + errors.trace]
    assert expected == ["violated" if count else "holds" for count in found]
    for steps in ("plain", "merged"):
        assert verdicts(model, "explicit", steps) == expected, steps


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_engines_agree(text: str) -> None:
    model = coset.parse_text(text)
    agree(model, coset.explore(model, engine="reference", symmetry="off"))


def test_what_was_reported_before_a_fault_is_kept() -> None:
    result = coset.explore(coset.parse_text(CASES["an assertion before a fault"]), engine="reference", symmetry="off")
    assert (result.errors.assertions, result.errors.faults) == (1, {"division": 1})
    result = coset.explore(coset.parse_text(CASES["an assertion after a fault"]), engine="reference", symmetry="off")
    assert (result.errors.assertions, result.errors.faults) == (0, {"division": 1})


def test_nothing_is_reported_of_a_handshake_that_does_not_happen() -> None:
    """SPIN objects to the event `c!2` although it does not take place."""
    result = coset.explore(coset.parse_text(CASES["an event that nobody answers"]), engine="reference", symmetry="off")
    assert (result.errors.trace, result.errors.invalid_end_states) == (0, 1)


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byte x; active proctype P() { x = 1; x = 1/(x-1) } ltl f { <> (x == 2) }", "holds"),
        ("byte x; active proctype P() { x = 1; do :: x = 1/(x-1) :: x = 1 od } ltl f { <> (x == 2) }", "violated"),
    ],
    ids=["ends", "goes on"],
)
def test_a_run_that_ends_in_a_fault_is_no_infinite_run(text: str, expected: str, engine: str) -> None:
    result = check(coset.parse_text(text), engine=engine)
    assert {each.name: each.verdict.value for each in result.properties} == {
        "assertions": "holds", "end states": "holds", "faults": "violated", "f": expected,
    }  # fmt: skip


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize(
    "text",
    [
        "byte a[2], x; active proctype P() { x = 5; x = 1 } ltl f { [] (a[x] == 0) }",
        "byte x = 1; active proctype P() { x = 0; x = 1 } ltl f { [] (1/x == 1) }",
        "byte x = 1; active proctype P() { x = 0; x = 1 } never { do :: 1/x == 1 :: 1/x == 3 -> break od }",
    ],
    ids=["index", "division", "never"],
)
def test_a_property_without_a_value_is_unknown(text: str, engine: str) -> None:
    result = check(coset.parse_text(text), engine=engine)
    *safety, property_ = result.properties
    assert {each.verdict.value for each in safety} == {"holds"}
    assert property_.verdict.value == "unknown" and "has no value" in (property_.reason or "")


def test_a_provided_clause_without_a_value_is_for_the_interpreter() -> None:
    model = coset.parse_text("byte x = 1; active proctype P() provided (1/x == 1) { x = 0; x = 1 }")
    with pytest.raises(Unsupported, match="provided"):
        check(model, engine="explicit")
    assert [each.verdict.value for each in check(model).properties] == ["unknown", "unknown", "violated"]


def test_a_guard_may_ask_whether_another_is_enabled() -> None:
    text = (
        "byte x = 1; active proctype P() { x = 0; x == 7 } active proctype Q() { do :: enabled(0) :: else -> break od }"
    )
    model = coset.parse_text(text)
    agree(model, coset.explore(model, engine="reference", symmetry="off"))


# --- random programs that fault ------------------------------------------------------------------

DECLARES = re.compile(
    r"\b(chan|of|bit|bool|byte|short|int|unsigned|pid|mtype|proctype|printm|priority|select|for|trace|notrace)\b|\?|#"
)
INDICES = ("_nr_pr", "_pid", "2 * _pid")
NUMBERS = ("({} / _pid)", "({} % (_nr_pr - 2))", "({} / (_pid - 1))")


def spoiled(text: str, chance: random.Random, rate: float = 0.12) -> str:
    """The program with some numbers and indices that are wrong for some processes only.

    >>> spoiled("proctype P() {\\n x[0] = 3 }", random.Random(1), 1.0)
    'proctype P() {\\n x[_nr_pr] = (3 % (_nr_pr - 2)) }'
    """

    def index(match: re.Match[str]) -> str:
        return f"[{chance.choice(INDICES)}]" if chance.random() < 2 * rate else match[0]

    def number(match: re.Match[str]) -> str:
        return chance.choice(NUMBERS).format(match[0]) if chance.random() < rate else match[0]

    head, proctype, body = text.partition("proctype")
    lines = []
    for line in body.split("\n"):
        if not DECLARES.search(line):
            line = re.sub(r"(?<=\w)\[[01]\]", index, line)
            line = re.sub(r"(?<![\w\[.])[1-9]\b(?!\])", number, line)
        elif chance.random() < 0.5 and "chan" not in line:
            line = re.sub(r"eval\(([^()]*)\)", r"eval((\1) / _pid)", line)
        lines.append(line)
    return head + proctype + "\n".join(lines)


def spoiled_program(seed: int) -> tuple[Model, Exploration] | None:
    """A model and what the interpreter finds in it; None if it is too large, or no program any more."""
    try:
        model = coset.parse_text(spoiled(generate(seed), random.Random(seed)))
    except coset.InputError:
        return None
    found = coset.explore(model, engine="reference", max_states=SMALL, symmetry="off")
    return (model, found) if found.complete else None


def compare(seeds: Sequence[int]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for seed in seeds:
        case = spoiled_program(seed)
        if case is None:
            counted["left out"] += 1
            continue
        model, found = case
        try:
            agree(model, found)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        counted["faults" if found.errors.faults else "no fault"] += 1
    return counted


def test_spoiled_programs() -> None:
    assert compare(range(10))["faults"] >= 3


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(20))
def test_more_spoiled_programs(chunk: int) -> None:
    assert compare(range(100 + 20 * chunk, 120 + 20 * chunk))["faults"] >= 4


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_an_index_that_is_known_to_be_out_of_range(engine: str, tmp_path: Path) -> None:
    """In CSP# an argument makes it known; the compiled engine took it for harmless because it is a constant."""
    path = tmp_path / "m.csp"
    path.write_text(
        "var a[3]; R(i, r) = [a[i] == 0 && a[r] == 0] (e.i.r{a[r] = 1;} -> R(i, r)); S() = R(0, 255);\n"
        "#assert S() deadlockfree;\n"
    )
    found = coset.explore(path, engine=engine, symmetry="off")
    assert found.states == 1 and found.errors.faults == {"index": 1}


if __name__ == "__main__":
    print(dict(compare(range(*map(int, sys.argv[1:])))))


# --- sequences that do not end -----------------------------------------------------------------------

ENDLESS = {
    "a loop that need not be left": "byte x; active proctype P() { atomic { do :: x = 0 :: x = 1 :: break od } }",
    "a loop that is never left": """byte g;
        active [2] proctype P() { byte x; do :: atomic { g = 1 - g; do :: x = _pid :: x != _pid -> break od } od }""",
    "a long loop": "byte x; active proctype P() { atomic { do :: x++ od } }",
    "a deterministic loop": "byte x; active proctype P() { d_step { do :: x < 200 -> x++ :: else -> x = 0 od } }",
    "a handshake that hands over control": """chan c = [0] of { bit }; chan d = [0] of { bit };
        active proctype P() { atomic { do :: c!0; d?0 od } }
        active proctype Q() { atomic { do :: c?0; d!0 od } }""",
}
ENDING = {
    "many moves": "int i; active proctype P() { atomic { do :: i < 30000 -> i++ :: else -> break od }; assert(i == 30000) }",
    "many statements": "int i; active proctype P() { d_step { do :: i < 90000 -> i++ :: else -> break od }; assert(i == 90000) }",
    "control that is lost": """byte turn;
        active proctype P() { do :: atomic { turn == 0; turn = 1; turn == 0 } od }
        active proctype Q() { do :: atomic { turn == 1; turn = 0; turn == 1 } od }""",
}


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS)
def test_a_sequence_that_can_go_on_for_ever(text: str, engine: str) -> None:
    """Its states repeat, which is seen at once; the run that shows it replays."""
    found = coset.check(coset.parse_text(text), engine=engine)
    faults = next(each for each in found.properties if each.name == "faults")
    assert faults.verdict.value == "violated" and faults.trace is not None
    run = replay(coset.parse_text(text), faults.trace)
    assert run.message in ("an atomic sequence may not terminate", "a deterministic step does not end")


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize("text", ENDING.values(), ids=ENDING)
def test_a_sequence_that_ends(text: str, engine: str) -> None:
    found = coset.check(coset.parse_text(text), engine=engine)
    assert [each.verdict.value for each in found.properties] == ["holds"] * 3


@pytest.mark.parametrize("body", ["i < 2000000 -> i++ :: else -> break"])
def test_a_sequence_whose_end_is_not_seen(body: str) -> None:
    """Neither a fault nor a proof: the verdict is open."""
    found = coset.check(
        coset.parse_text(f"int i; active proctype P() {{ d_step {{ do :: {body} od }} }}"), engine="explicit"
    )
    assert {each.verdict.value for each in found.properties} == {"unknown"}
