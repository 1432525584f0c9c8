"""Initial values that favour a process: steps are symmetric, so verdicts are found on the quotient; counts need more."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.results.verdict import Verdict
from coset.symmetry.dead_starts import Starts
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes import merged_for_symmetry
from tests.support import free_starts_random
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

DEKKER = """
bool flag[2]; byte turn; byte critical;
active [2] proctype P() {
  do :: flag[_pid] = true;
     do :: flag[1 - _pid] ->
           if :: turn == 1 - _pid -> flag[_pid] = false; turn == _pid; flag[_pid] = true :: else fi
        :: else -> break
     od;
     critical++; assert(critical == 1); critical--;
     turn = 1 - _pid; flag[_pid] = false
  od
}
"""
TOKEN = """
byte token; byte seen[3];
active [3] proctype P() { do :: token == _pid -> seen[_pid] = 1; seen[_pid] = 0; token = (token + 1) % 3 od }
"""
ONCE = "byte turn, x[3]; active [3] proctype P() { do :: turn == _pid -> turn = 3 :: x[_pid] = 1 - x[_pid] od }"


@pytest.mark.parametrize(("text", "order"), [(DEKKER, 2), (TOKEN, 3)], ids=["Dekker", "token"])
def test_images_that_are_reachable(text: str, order: int) -> None:
    model = coset.parse_text(text)
    assert detect(model).order == 1
    found = detect(model, starts=Starts.REACHED)
    assert found.order == order and found.sums
    assert compared(model).used.group.order == order


def test_images_that_are_not() -> None:
    """Only `check` may use the group: its orbits have states that no run reaches."""
    model = coset.parse_text(ONCE)
    assert detect(model, starts=Starts.REACHED).order == 2
    found = detect(model, starts=Starts.FREE)
    assert found.order == 6 and not found.sums
    compared(model, counts=False)


def test_dead_ids_are_reset_to_no_process() -> None:
    """`mine` is read first, and then reset wherever it is dead: to its initial value 0, it would name process 0."""
    text = """
    bool b[2];
    active [2] proctype P() { pid mine;
      again: b[_pid] = 0;
      if :: mine != _pid -> wait: if :: !b[1 - _pid] -> goto wait :: else -> mine = _pid; goto again fi :: else fi;
      b[_pid] = 1; goto again
    }
    """
    model = merged_for_symmetry(coset.parse_text(text), marks=False)
    assert detect(model, starts=Starts.FREE).order == 2
    compared(model, counts=False)


def test_constants_distinguish() -> None:
    """What is never assigned is known wherever it is read."""
    text = "byte special, x; active [3] proctype P() { do :: special == _pid -> x = 1 - x :: special != _pid od }"
    assert detect(coset.parse_text(text), starts=Starts.FREE).order == 2


def test_ranges_must_hold_for_images() -> None:
    """`low` never holds more than 1, and the engines store it in a bit: an image with 2 would not fit."""
    text = (
        "byte low; byte x[3]; active [3] proctype P() { do :: x[low] = 1 - x[low] :: x[_pid] = 0 :: low = 1 - low od }"
    )
    model = coset.parse_text(text)
    assert detect(model, starts=Starts.FREE).order <= 2
    compared(model, counts=False)


def test_properties_by_orbit_keep_the_start(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Process 0 has the token first, so that the formulas have different verdicts although steps are symmetric."""
    path = tmp_path_factory.mktemp("free") / "m.pml"
    formulas = " ".join(f"ltl p{n} {{ ! P[{n}]@out U P[0]@out }}" for n in (1, 2))
    path.write_text(
        "byte token; active [3] proctype P() { do :: token == _pid -> out: token = (token + 1) % 3 od }"
        f"ltl first {{ P[1]@out -> false }} {formulas} ltl q0 {{ [] (token == 0) }} ltl q1 {{ <> (token == 1) }}"
        " ltl r0 { token == 0 } ltl r1 { token == 1 } ltl r2 { token == 2 }"
    )
    every, few = (coset.check(path, symmetry=each, keep_going=True) for each in ("off", "auto"))
    assert verdicts(every) == verdicts(few)
    assert dict(verdicts(few))["r0"] is Verdict.HOLDS and dict(verdicts(few))["r1"] is Verdict.VIOLATED


def verdicts(result: coset.Check) -> list[tuple[str, Verdict]]:
    return [(each.name, each.verdict) for each in result.properties]


def engines_agree(path: Path, seed: int, engines: tuple[str, ...]) -> None:
    """Verdicts with and without symmetry, by each engine."""
    path.write_text(free_starts_random.generate(seed))
    formula = free_starts_random.branching(seed)
    for engine in engines:
        every, few = (
            coset.check(path, ctl=[formula], engine=engine, symmetry=each, keep_going=True)
            for each in ("off", "program")
        )
        assert verdicts(every) == verdicts(few), f"seed {seed}, {engine}"
        assert all(
            each.trace is not None for each in few.properties if each.verdict is Verdict.VIOLATED and each.kind != "ctl"
        )


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_engines(engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("free")
    for seed in range(6):
        engines_agree(folder / "m.pml", seed, (engine,))


@pytest.mark.parametrize("seeds", [range(30)], ids=str)
def test_random_programs(seeds: range) -> None:
    """By brute force on all states, plain and merged, whether or not sums are wanted."""
    larger = 0
    for seed in seeds:
        plain = coset.parse_text(free_starts_random.generate(seed))
        for model in (plain, merged_for_symmetry(plain, marks=False)):
            try:
                for counts in (True, False):
                    found = compared(model, counts)
            except TooLarge:
                continue
            group = found.used.group
            larger += group is not None and group.order > detect(model, moves=0).order
    assert larger > len(seeds) // 10


@pytest.mark.long
def test_random_verdicts(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("free")
    for seed in range(5000, 6000):
        engines_agree(folder / "m.pml", seed, ("reference", "explicit"))
