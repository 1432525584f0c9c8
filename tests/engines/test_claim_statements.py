"""Never claims with assertions, assignments and atomic sequences: SPIN is the oracle.

python -m tests.engines.test_claim_statements FROM TO      random claims, compared with SPIN
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

import coset
from coset.formats.spin_replay import check_with_spin, differences
from coset.formats.spin_trail import trail
from coset.model.model import Claim
from coset.results.trace import replay
from tests.support.claims_random import generate
from tests.support.spin_claims import HOLDS, VIOLATED, spin_verdicts

COUNTER = "byte x, n, old; bit g; active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x = x - 1 od }\n"
CASES = {
    "what SPIN writes for a safety formula": (
        "never c { T0: do :: atomic { !(x < 3) -> assert(x < 3) } :: true -> goto T0 od; accept_all: skip }",
        VIOLATED,
    ),
    "an assertion that holds": ("never c { do :: assert(x < 4) od }", HOLDS),
    "a variable that counts": ("never c { do :: x == 3 -> n = n + 1; assert(n < 3) :: else od }", VIOLATED),
    "a variable that remembers": ("never c { do :: d_step { assert(!(g && x == 0)); g = (x == 3) } od }", HOLDS),
    "an atomic sequence tests one state": (
        "never c { do :: atomic { x == 1 -> x == 2 -> assert(0) } :: true od }",
        HOLDS,
    ),
    "without atomic, two states": ("never c { do :: x == 1 -> x != 1 -> assert(0) :: true od }", VIOLATED),
    "an option that a value closes": ("never c { n = 2; do :: n == 1 -> assert(0) :: else od }", HOLDS),
    "a value that wraps around": ("never c { d_step { g = 3 + x; assert(g) }; do :: true od }", HOLDS),
}
REFUSED = {
    "an assignment that a process sees": "never c { do :: x = 0 od }",
    "an array": "byte a[2]; never c { do :: a[0] = 1 od }",
    "too many values": "never c { do :: old = x; n = x od }",
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_verdicts_are_those_of_spin(name: str, engine: str, tmp_path: Path) -> None:
    claim, expected = CASES[name]
    path = tmp_path / "claim.pml"
    path.write_text(COUNTER + claim)
    assert spin_verdicts(path, [("c", False)]) == [expected]
    assert compared(path, engine) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_other_claims_are_unknown(name: str, tmp_path: Path) -> None:
    path = tmp_path / "claim.pml"
    path.write_text(COUNTER + REFUSED[name])
    found = next(each for each in coset.load(path).check().properties if each.name == "c")
    assert found.verdict.value == "unknown" and found.reason is not None and "never claim" in found.reason


def test_steps_of_a_claim_only_test() -> None:
    model = coset.parse_text(COUNTER + CASES["a variable that counts"][0])
    (claim,) = (each for each in model.properties if isinstance(each, Claim))
    assert all(not edge.effects for _, edge in claim.automaton.edges() if edge.target != -1)


@pytest.mark.parametrize("seed", range(8))
def test_random_claims(seed: int, tmp_path: Path) -> None:
    assert difference(seed, tmp_path / "claim.pml") in ("", "not comparable")


def compared(path: Path, engine: str) -> str:
    """Our verdict, after SPIN has confirmed the run that shows a violation."""
    loaded = coset.load(path)
    found = next(each for each in loaded.check(engine=engine).properties if each.name == "c")
    if found.trace is not None:
        run = replay(loaded, found.trace)
        spin = check_with_spin(path, trail(run))
        assert differences(run, spin) == [], spin.output
    return found.verdict.value


def difference(seed: int, path: Path) -> str:
    path.write_text(generate(seed))
    (theirs,) = spin_verdicts(path, [("c", False)])
    if theirs not in (HOLDS, VIOLATED):
        return "not comparable"
    ours = {engine: compared(path, engine) for engine in ("reference", "explicit")}
    return "" if set(ours.values()) == {theirs} else f"{seed}: SPIN {theirs}, {ours}"


def main(first: int, last: int) -> None:
    found = Counter(difference(seed, Path("/tmp/claim.pml")) for seed in range(first, last))
    print(found)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
