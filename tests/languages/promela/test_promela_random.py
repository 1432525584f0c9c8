"""Random programs: Coset's reference engine must count what SPIN counts.

Two hundred fixed seeds, in chunks so that one chunk's compilations overlap and several chunks can run in parallel;
and every program under `cases/random`, which are the shrunk remains of past differences.
`python -m tests.support.promela_random --compare FROM TO` looks for new ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import CASES
from tests.support.promela_random import compare_seeds, generate
from tests.support.spin_compare import OK, compare

CHUNKS = 20
PER_CHUNK = 10
MAX_STATES = 5_000  # keeps the interpreter's share of the time small; larger programs are for the command line
KEPT = sorted(CASES.glob("*.pml"))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_programs_agree_with_spin(chunk: int, tmp_path: Path) -> None:
    seeds = range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK)
    found = list(compare_seeds(seeds, tmp_path, MAX_STATES))
    different = [f"seed {seed}: {comparison}" for seed, comparison in found if comparison.failed]
    assert not different, "\n".join(different)
    compared = sum(comparison.verdict == OK for _, comparison in found)
    assert compared >= PER_CHUNK // 2, "hardly anything was compared:\n" + "\n".join(str(c) for _, c in found)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_programs_agree_with_spin(path: Path) -> None:
    comparison = compare(path, seconds=10)
    assert comparison.verdict == OK, str(comparison)


def test_a_seed_always_gives_the_same_program() -> None:
    assert [generate(seed) for seed in range(50)] == [generate(seed) for seed in range(50)]
    assert len({generate(seed) for seed in range(50)}) == 50


def test_the_language_is_covered() -> None:
    """Every construct the generator claims to know occurs in a modest number of programs."""
    text = "\n".join(generate(seed) for seed in range(400))
    words = (
        "active [2]|init {|run |Worker(|provided (|priority |atomic {|d_step {|} unless {|timeout|else|break|goto "
        "|for (|select (| in c|end_|progress_|accept_|inline |typedef |chan v|mtype:fruit|unsigned|short|pid|bool|bit"
        "|!!|??|?<|??<|?[|??[|eval(|_, |empty(|nempty(|full(|nfull(|len(|_pid|_nr_pr|assert(|printf(|printm(|skip"
        "|return |show |local |trace {|@|P0:|[2] = {|<<|>>|BOTH(|NEXT(| -> 1 : 2)|[0] of|[2] of"
    )
    assert [word for word in words.split("|") if word and word not in text] == []
