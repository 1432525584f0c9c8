"""Coverage and vacuity: what no run reaches, by two engines and by SPIN, and planted cases of properties that hold vacuously."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.engines.explicit.coverage import taken_edges as by_program
from coset.engines.reference.coverage import taken_edges as by_interpreter
from coset.engines.settings import Settings
from coset.properties.kinds import BUILTIN
from coset.results.coverage import unreached
from coset.results.verdict import Check, Verdict
from coset.source.budget import Limits
from tests.support.command_line import program
from tests.support.paths import MODELS
from tests.support.promela_random import generate
from tests.support.spin_examples import EXAMPLES
from tests.support.spin_unreached import differences

VACUOUS = """byte x; bool req, ack;
active proctype P() {
	do
	:: x < 3 -> x++
	:: x > 10 -> req = true; x = 0; assert(false)
	od
}
ltl responds { [] (req -> <> ack) }
"""
LARGE = """
byte a, b, c; bool flag;
active [3] proctype P() {
	do
	:: a < 25 -> a++
	:: b < 25 -> b++
	:: c < 20 -> c++
	:: a > 30 -> flag = true
	od
}
ltl quiet { [] (flag -> <> (c == 3)) }
"""


def found(text: str, **options: object) -> Check:
    return coset.check(coset.parse_text(text), **options)  # type: ignore[arg-type]


def listed(result: Check) -> list[tuple[str, int, str]]:
    assert result.coverage is not None
    return [(each.kind, each.span.line, each.text) for each in result.coverage.unreached]


# --- coverage --------------------------------------------------------------------------------------


def test_unreached_statements_and_options() -> None:
    assert listed(found(VACUOUS)) == [
        ("option", 5, "x > 10"),
        ("statement", 5, "req = true"),
        ("statement", 5, "x = 0"),
        ("statement", 5, "assert(false)"),
    ]


@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_large_models_are_searched_on_demand(symmetry: str) -> None:
    assert found(LARGE, symmetry=symmetry, properties=["faults"]).coverage is None
    result = found(LARGE, symmetry=symmetry, properties=["faults"], coverage=True)
    assert listed(result) == [("option", 8, "a > 30"), ("statement", 8, "flag = true")]
    assert found(LARGE, properties=["faults"], coverage=True, max_states=2_000).coverage is None


def test_merged_steps_and_atomic_sequences_hide_nothing() -> None:
    text = """byte x; chan c = [0] of { byte };
proctype Never() { x = 9 }
active proctype P() { byte k; k = 1; d_step { k = 2; if :: k == 2 -> k = 3 :: else -> k = 4 fi }; atomic { x = k; c!1 }; x = 7 }
active proctype Q() { if :: c?2 -> x = 5 :: c?1 -> skip fi }
"""
    for options in ({}, {"steps": "plain"}, {"engine": "explicit"}):
        assert [(line, words) for _, line, words in listed(found(text, **options))] == [
            (2, "x = 9"), (3, "else"), (3, "k = 4"), (4, "c?2"), (4, "x = 5"),
        ]  # fmt: skip


def test_statements_to_which_no_path_leads() -> None:
    """Behind an endless loop, a jump or a `false`; each call of an inline counts for itself."""
    text = """byte x; inline set(n) { x = n; goto end }
active proctype P() { x = 1; goto L; x = 2; atomic { x = 3; x = 4 };
L: if :: x == 1 -> skip :: false -> x = 5 fi;
end: do :: x < 3 -> x++ od;
if :: x == 1 -> x = 6 :: else -> x = 7 fi; set(1)
}
active proctype Q() { set(8); set(9); end: skip }"""
    assert [(line, words) for _, line, words in listed(found(text))] == [
        (1, "x = 1"), (1, "x = 9"), (2, "x = 2"), (2, "x = 3"), (2, "x = 4"), (3, "false"), (3, "x = 5"),
        (5, "x == 1"), (5, "x = 6"), (5, "else"), (5, "x = 7"),
    ]  # fmt: skip


def test_variables_that_are_never_read() -> None:
    result = found("byte x, y; active proctype P() { byte z; x = 1; y = x; z = y }")
    assert [(each.name, each.process) for each in result.unread] == [("z", "P")]


def compare(seed: int) -> bool:
    """Both engines take the same edges of a random program."""
    model = coset.parse_text(generate(seed))
    naive, states, complete = by_interpreter(model, Limits(3_000))
    if not complete:
        return False
    try:
        taken, _, complete = by_program(model, Limits(200_000), Settings())
    except Unsupported:
        return False
    assert complete
    assert unreached(model, taken) == unreached(model, naive), (seed, states)
    return True


@pytest.mark.parametrize("first", [0, 10])
def test_random_programs(first: int) -> None:
    assert sum(map(compare, range(first, first + 10))) > 4


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_many_random_programs(first: int) -> None:
    assert sum(map(compare, range(first, first + 50))) > 25


MEANT = {"cache_coherence.pml", "abp.pml", "dtp.pml", "p329.pml", "p330.pml"}
"""Files with differences from SPIN that `spin_unreached` explains."""


def test_as_spin_lists_them() -> None:
    paths = [MODELS / f"{name}.pml" for name in ("peterson", "alternating_bit", "dekker")]
    paths += [
        path
        for path in sorted(EXAMPLES.rglob("*.pml"))
        if path.name in ("p123.pml", "p99.pml", "peterson.pml", "zune.pml")
    ]
    assert len(paths) > 3
    for path in paths:
        assert path.name in MEANT or not differences(path), path


# --- vacuity ---------------------------------------------------------------------------------------

GRANT = "byte x; bool req, ack; active proctype P() {{ do :: {} od }}"
ALIVE = GRANT.format("req = true; ack = true; req = false; ack = false")
DEAD = GRANT.format("x = 1 - x")
PLANTED = [
    (DEAD, "[] (req -> <> ack)", "req is never true"),
    (DEAD, "[] !req || <> ack", "ack does not matter"),
    (DEAD, "<> (x == 1 || ack)", "ack does not matter"),
    (DEAD, "[] (ack -> (x == 5))", "ack is never true"),
    (DEAD, "(<> req) -> ([] <> ack)", "req is never true"),
    (ALIVE, "[] (req -> <> ack)", None),
    (DEAD, "[] (x == 0 -> <> (!req && x == 1)) || <> ack", "ack does not matter"),
    (DEAD, "[] (req -> <> !ack)", "req is never true"),
    (ALIVE, "[] (req -> <> !req)", None),
    (ALIVE, "[] <> ack", None),
    (ALIVE, "[] (x == 0)", None),
    (DEAD, "[] (x > 0 -> <> (x == 0))", None),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("text", "formula", "why"), PLANTED)
def test_planted_vacuity(text: str, formula: str, why: str | None, strict: bool, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(text)
    result = coset.check(path, ltl=[formula], strict=strict)["command_line_1"]
    if why is None:
        assert result.vacuous is False or result.verdict is not Verdict.HOLDS
    else:
        assert result.verdict is Verdict.HOLDS and result.vacuous is True and result.vacuity == why


def test_vacuity_of_branching_time(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(DEAD)
    result = coset.check(path, ctl=["AG (req -> AF ack)", "AG EF (x == 1)", "EF (x == 1)"]).properties
    assert [each.vacuous for each in result] == [True, False, False]
    assert result[0].vacuity == "req is never true"


def test_vacuity_of_large_models_on_demand() -> None:
    assert found(LARGE, properties=["quiet"])["quiet"].vacuous is None
    result = found(LARGE, properties=["quiet"], strict=True)["quiet"]
    assert result.vacuous is True and result.vacuity == "flag is never true"


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.stem)
def test_no_false_alarm(path: Path) -> None:
    names = [each.name for each in coset.load(path).properties if each.name not in BUILTIN]
    result = coset.check(path, properties=names, max_states=50_000)
    assert not any(each.vacuous for each in result.properties)


# --- the command line ------------------------------------------------------------------------------


def test_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(VACUOUS)
    command = ("check", path, "--property", "responds")
    usual = program(*command)
    assert usual.code == 0
    assert "responds holds vacuously: req is never true" in usual.out
    assert "3 statements are never reached: line 5" in usual.out and "1 option is never taken: line 5" in usual.out
    sarif = tmp_path / "out.sarif"
    assert program(*command, "--strict", "--sarif", sarif).code == 1
    rules = [each["ruleId"] for each in json.loads(sarif.read_text())["runs"][0]["results"]]
    assert rules == ["vacuous", *["unreached"] * 4]
    found = program(*command, "--json").json
    assert [each["span"]["line"] for each in found["unreached"]] == [5] * 4
    assert found["properties"][0]["vacuous"] is True
    page = tmp_path / "out.html"
    program(*command, "--html", page)
    assert "never reached" in page.read_text() and "vacuously: req is never true" in page.read_text()
