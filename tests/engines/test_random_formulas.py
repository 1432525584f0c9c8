"""Random formulas on random programs have SPIN's verdicts, and SPIN replays what violates them.

More than a hundred formulas here, each without and most with weak fairness; thousands in `make check-all`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.random_formulas import (
    DIFFERENT,
    FORMULAS,
    MERGED,
    NOT_COMPARED,
    REFERENCE,
    WAYS,
    comparisons,
    random_case,
)

PER_CHUNK = 4
CHUNKS = [*range(8), *(pytest.param(chunk, marks=pytest.mark.long) for chunk in range(8, 13))]
MOST = 1_500
ENOUGH = 2 * FORMULAS
"""Of the programs of a chunk some are too large, or have nothing to speak of; so many formulas are left at least."""


@pytest.mark.parametrize("chunk", CHUNKS)
def test_random_formulas_have_spins_verdicts(chunk: int, tmp_path: Path) -> None:
    counted, different = Counter[str](), list[str]()
    for seed in range(chunk * PER_CHUNK, (chunk + 1) * PER_CHUNK):
        case = random_case(seed, tmp_path, MOST)
        if case is not None:
            # The two that have least in common always, and one of the others.
            ways = (REFERENCE, MERGED) if seed % 4 else (REFERENCE, MERGED, WAYS[2 + seed // 4 % 3])
            for kind, text in comparisons(*case, ways):
                counted[kind] += 1
                different += [text] * (kind == DIFFERENT)
    assert different == []
    assert counted.total() - counted[NOT_COMPARED] >= ENOUGH


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(50))
def test_more_random_formulas(chunk: int, tmp_path: Path) -> None:
    different = list[str]()
    for seed in range(1000 + 10 * chunk, 1010 + 10 * chunk):
        case = random_case(seed, tmp_path, 2 * MOST)
        if case is not None:
            different += [text for kind, text in comparisons(*case, WAYS) if kind == DIFFERENT]
    assert different == []
