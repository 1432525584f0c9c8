"""Vacuity of random formulas is as by definition."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.vacuity_random import differences


@pytest.mark.parametrize("first", [0, 100])
def test_random_formulas(first: int, tmp_path: Path) -> None:
    found = [each for seed in range(first, first + 6) for each in differences(seed, tmp_path)]
    assert found and [problem for _, problem in found if problem] == []


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 40))
def test_more_random_formulas(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 40):
        for _, problem in differences(seed, tmp_path):
            assert problem is None
