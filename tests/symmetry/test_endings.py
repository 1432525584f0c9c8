"""Processes that end before others are started, and starters that own the channels of all."""

from __future__ import annotations

import pytest

import coset
from coset.model import model as m
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes import merged_for_symmetry
from coset.symmetry.passes.keep_terminated import keep_terminated
from tests.support import endings_random
from tests.support.bisimulation import changed_correctly
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

SWAP = "byte x, y; proctype P() { byte c; c = x; x = y; y = c } init { x = 2; y = 3; run P(); run P() }"
OWNED = """
proctype reader(chan q) { byte t; q?t; q!t }
init { chan q = [2] of { byte }; atomic { q!1; run reader(q); run reader(q) } }
"""


def order(text: str) -> int:
    return detect(merged_for_symmetry(coset.parse_text(text), marks=False), ()).order


def dies(model: m.Model) -> bool:
    return any(edge.target == m.GONE for kind in model.kinds for _, edge in kind.edges())


def test_processes_that_end_before_the_last_start() -> None:
    assert order(SWAP) == 2
    for old, new in (
        ("x = y;", "x = y + _pid;"),  # the second may get the number of the first
        ("run P() }", "x == 3; run P() }"),  # whether it starts depends on the first
    ):
        assert dies(keep_terminated(coset.parse_text(SWAP.replace(old, new))))
    assert order(SWAP + " ltl p { [] (x < 4) }") == 2
    assert order(SWAP + " ltl p { <> (_nr_pr == 1) }") == 1


def test_channels_of_the_oldest_process() -> None:
    assert order(OWNED) == 2
    assert order("active proctype Q() { end: false } " + OWNED) == 1, "it might still use them"
    recursive = (
        "proctype P(byte n) { chan q = [1] of { byte }; if :: n > 0 -> run P(n - 1) :: else fi } init { run P(2) }"
    )
    assert dies(keep_terminated(coset.parse_text(recursive))), "all of them have channels"


def test_a_number_that_fits_into_messages() -> None:
    """The dead `int` gets a number that names no process, and messages have room for it."""
    text = """
    chan ask = [3] of { byte }; chan give[3] = [0] of { bit };
    active proctype central() { int who = 0; end: do :: ask?who; give[who]!1 od }
    proctype server(int i) { ask!i; give[i]?1 }
    init { atomic { run server(0); run server(1); run server(2) } }
    """
    assert order(text) == 6


@pytest.mark.parametrize("seeds", [range(60)], ids=str)
def test_random_programs(seeds: range) -> None:
    changed = symmetric = 0
    for seed in seeds:
        model = coset.parse_text(endings_random.generate(seed))
        try:
            changed += changed_correctly(model, keep_terminated)
            merged = merged_for_symmetry(model, marks=False)
            symmetric += compared(merged, counts=False).used.group.order > 1
        except TooLarge:
            continue
    assert changed > len(seeds) // 3 and symmetric > len(seeds) // 10


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(5000, 5500), marks=pytest.mark.long)], ids=str)
def test_verdicts(seeds: range, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("endings") / "m.pml"
    for seed in seeds:
        path.write_text(endings_random.generate(seed) + "ltl p { [] (x == 1 -> <> (y == 1)) }")
        every, few = (coset.check(path, symmetry=each, keep_going=True) for each in ("off", "program"))
        assert [(p.name, p.verdict) for p in every.properties] == [(p.name, p.verdict) for p in few.properties], seed
