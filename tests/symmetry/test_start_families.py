"""Processes that start others at their beginning: they may be started together, if no one can tell."""

from __future__ import annotations

import pytest

import coset
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes import merged_for_symmetry
from coset.symmetry.passes.start_families import start_families
from tests.support import nested_starts_random
from tests.support.bisimulation import bisimilar, changed_correctly, shown
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

MANAGERS = """
byte n;
proctype worker(byte by) { end: do :: n < 2 -> n++; n-- od }
proctype manager(byte me) { byte i; for (i : 0 .. 1) { run worker(me) }; end: do :: n > 0 -> n = 0 od }
init { atomic { run manager(0); run manager(1) } }
"""
ACTIVE = """
bool flag[2];
proctype helper(byte by) { end: do :: flag[by] = 0 od }
active [2] proctype node() { run helper(1); run helper(1); end: do :: flag[0] = 1 od }
"""


def order(text: str) -> int:
    return detect(merged_for_symmetry(coset.parse_text(text), marks=False), ()).order


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", 48),
        ("(byte by) {", "(byte by) { byte mine = by;", 48),
        ("n < 2 ->", "n < by ->", 8),
        ("run worker(me)", "run worker(i)", 48),
        ("run worker(me)", "run worker(me); n = 1", 1),
        ("run worker(me)", "n == 0; run worker(me)", 1),
        ("n = 0 od", "n = _pid od", 1),
        ("{ byte i;", "{ byte i; atomic { run worker(me); n = 1 };", 1),
        ("atomic { run manager(0); run manager(1) }", "run manager(0); run manager(1)", 48),
        ("run worker(me)", "run worker(3)", 48),
    ],
)
def test_orders(old: str, new: str, expected: int) -> None:
    text = MANAGERS.replace(old, new, 1) if old else MANAGERS
    assert text != MANAGERS or not old
    assert order(text) == expected


def test_processes_that_exist_from_the_beginning() -> None:
    assert order(ACTIVE) == 48
    model = start_families(coset.parse_text(ACTIVE))
    assert [each.kind for each in model.processes] == ["node", "node", *["helper"] * 4]


def test_one_starter_is_left_as_it_is() -> None:
    model = coset.parse_text("proctype P() { end: false } init { run P(); run P() }")
    assert start_families(model) is model


def test_recursion_is_left_as_it_is() -> None:
    model = coset.parse_text(
        "proctype P(byte n) { if :: n > 0 -> run P(n - 1) :: else fi } init { run P(2); run P(1) }"
    )
    assert start_families(model) is model


def test_a_handshake_that_is_noticed() -> None:
    """Whether the worker can already receive is observable by `else`."""
    text = """
    chan r = [0] of { bit }; byte n;
    proctype worker() { end: do :: r?1 od }
    proctype manager() { run worker(); end: false }
    init { atomic { run manager(); run manager() }; if :: r!1 :: else -> n = 1 fi }
    """
    model = coset.parse_text(text)
    assert start_families(model) is model
    assert start_families(coset.parse_text(text.replace(":: else -> n = 1", ""))) is not model


def test_an_observable_start_would_be_found() -> None:
    """The comparison notices workers that exist too early."""
    model = coset.parse_text(
        "byte x; proctype W() { x == 0; x = 2 } proctype M() { x = 1; run W() } init { atomic { run M(); run M() } }"
    )
    early = coset.parse_text(
        "byte x; proctype W() { x == 0; x = 2 } proctype M() { x = 1 } init { atomic { run M(); run M(); run W(); run W() } }"
    )
    assert start_families(model) is model
    assert not bisimilar(shown(model, {"x"}), shown(early, {"x"}), stuttering=True)


@pytest.mark.parametrize("seeds", [range(60)], ids=str)
def test_random_programs(seeds: range) -> None:
    changed = symmetric = 0
    for seed in seeds:
        model = coset.parse_text(nested_starts_random.generate(seed))
        try:
            changed += changed_correctly(model, start_families)
            merged = merged_for_symmetry(model, marks=False)
            symmetric += compared(merged, counts=False).used.group.order > 1
        except TooLarge:
            continue
    assert changed > len(seeds) // 8 and symmetric > len(seeds) // 20


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(5000, 5300), marks=pytest.mark.long)], ids=str)
def test_verdicts(seeds: range, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("starts") / "m.pml"
    for seed in seeds:
        path.write_text(nested_starts_random.generate(seed) + "ltl p { [] (x == 1 -> <> (y == 1)) }")
        every, few = (coset.check(path, symmetry=each, keep_going=True) for each in ("off", "program"))
        assert [(p.name, p.verdict) for p in every.properties] == [(p.name, p.verdict) for p in few.properties], seed
