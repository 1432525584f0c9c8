"""Truth values of large conditions, stored in variables."""

from __future__ import annotations

from math import factorial

import pytest

import coset
from coset.symmetry.logical_values import written_as_choices
from coset.symmetry.methods.program.detect import detect
from tests.support import logical_random
from tests.support.summaries import orders
from tests.support.unreduced import compared


def peterson(count: int, part: str = "(_pid=={i} || (_pid!={i} && flag[{i}]<k))") -> str:
    """Peterson's algorithm as TopSPIN's users wrote it, with the waiting condition in a variable."""
    others = " && ".join(part.format(i=i) for i in range(1, count + 1))
    runs = "; ".join(["run user()"] * count)
    return f"""
    byte flag[{count + 1}] = 0; pid turn[{count}] = 0; byte inCR = 0
    proctype user() {{
      byte k; bool ok;
      do :: k = 1;
        do :: k < {count} -> flag[_pid] = k; turn[k] = _pid;
          again: atomic {{ ok = {others}; if :: ok || turn[k] != _pid :: else -> goto again fi }};
          k++
        :: else -> break
        od;
        atomic {{ inCR++; assert(inCR == 1) }}; inCR--;
        flag[_pid] = 0
      od
    }}
    init {{ atomic {{ {runs} }} }}
    """


@pytest.mark.parametrize("count", range(2, 13))
def test_peterson(count: int) -> None:
    """All sizes of TopSPIN's suite."""
    assert detect(coset.parse_text(peterson(count)), (), moves=0).order == factorial(count)


def test_peterson_with_a_favourite() -> None:
    assert detect(coset.parse_text(peterson(3).replace("flag[1]<k", "flag[1]<=k")), ()).order == 2


def test_sums_on_peterson() -> None:
    model = coset.parse_text(peterson(2))
    assert compared(model).used.group.order == 2


def test_small_expressions_are_left_alone() -> None:
    """The table of `!x` keeps the exchange of 0 and 1."""
    model = coset.parse_text("bit x; active [2] proctype P() { do :: x = !x od }")
    assert written_as_choices(model) is model


@pytest.mark.parametrize("seeds", [range(20)], ids=str)
def test_random_models(seeds: range) -> None:
    symmetric = sum(order > 1 for _, order in orders(logical_random.generate, seeds, written_as_choices))
    assert symmetric > len(seeds) // 4
