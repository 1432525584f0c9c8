"""Rings with a special case for the last process, and other choices by an id."""

from __future__ import annotations

import random

import pytest

import coset
from coset.symmetry.joined_choices import joined_choices
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes import merged_for_symmetry
from tests.support.state_graph import TooLarge
from tests.support.summaries import same_steps
from tests.support.unreduced import compared

RING = """
#define N {n}
bool busy[N];
active [N] proctype P() {{
  byte next;
  {choice};
  do
  :: !busy[_pid] && !busy[next] -> busy[next] = true
  :: busy[_pid] -> busy[_pid] = false
  od
}}
"""
CHOICES = {
    "last": "if :: _pid == N - 1 -> next = 0 :: else -> next = _pid + 1 fi",
    "first": "if :: _pid == 0 -> next = N - 1 :: _pid != 0 -> next = _pid - 1 fi",
    "less": "if :: _pid < N - 1 -> next = _pid + 1 :: _pid >= N - 1 -> next = 0 fi",
    "conditional": "next = (_pid == N - 1 -> 0 : _pid + 1)",
}
BROKEN = {
    "no way back": "if :: _pid == N - 1 -> next = _pid :: else -> next = _pid + 1 fi",
    "to the first": "if :: _pid == 1 -> next = 2 :: else -> next = 0 fi",
    "a choice": "if :: _pid == N - 1 -> next = 0 :: next = (_pid + 1) % N fi",
    "a flag": "if :: _pid == N - 1 -> next = 0; busy[0] = true :: else -> next = _pid + 1 fi",
    "it waits": "if :: _pid == N - 1 -> next = 0 :: _pid == 0 && busy[0] -> next = 1 :: else -> next = _pid + 1 fi",
}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("n", [3, 4])
def test_rings(choice: str, n: int) -> None:
    model = merged_for_symmetry(coset.parse_text(RING.format(n=n, choice=CHOICES[choice])), marks=False)
    found = detect(model, ())
    assert found.order == n and found.describe() == f"C{n} on P"
    assert same_steps(model, joined_choices)
    assert compared(model, counts=False).used.group.order == n


@pytest.mark.parametrize("choice", BROKEN)
def test_what_is_no_ring(choice: str) -> None:
    model = merged_for_symmetry(coset.parse_text(RING.format(n=3, choice=BROKEN[choice])), marks=False)
    assert detect(model, ()).order < 3
    same_steps(model, joined_choices)
    compared(model, counts=False)


def test_a_conditional_value_is_a_table() -> None:
    text = RING.format(n=3, choice=CHOICES["conditional"]).replace("byte next", "byte next = N")
    model = coset.parse_text(text)
    assert detect(model, ()).order == 3 and compared(model).used.group.order == 3


def test_an_atomic_choice_is_one_step_on_plain_steps() -> None:
    text = RING.format(n=3, choice=f"atomic {{ {CHOICES['last']} }}").replace("byte next", "byte next = N")
    model = coset.parse_text(text)
    assert same_steps(model, joined_choices)
    assert detect(model, ()).order == 3 and compared(model).used.group.order == 3


def test_a_parameter_has_only_the_values_that_it_was_started_with() -> None:
    """`next` is 255 as long as it is dead, and of one sort with `me`; `me + 1` is never computed from 255."""
    text = """
    #define N 3
    chan c[N] = [1] of { bit };
    proctype P(byte me) {
      byte next;
      if :: me == N - 1 -> next = 0 :: else -> next = me + 1 fi;
      do :: c[me]?1 -> c[next]!1 :: c[me]!1 od
    }
    init { byte i; atomic { for (i : 0 .. N - 1) { run P(i) } } }
    """
    model = merged_for_symmetry(coset.parse_text(text), marks=False)
    assert detect(model, ()).order == 3 and compared(model).used.group.order == 3


def test_the_options_of_a_plain_choice_are_different_locations() -> None:
    model = coset.parse_text(RING.format(n=3, choice=CHOICES["last"]))
    assert joined_choices(model) is model and detect(model, ()).order == 1


def random_ring(seed: int, around: str = "{}") -> str:
    """A ring in which each process learns another one by some cases: a rotation, a reflection, or nearly so."""
    rng = random.Random(seed)
    n = rng.choice([2, 3, 3, 4])
    everyone = range(n)
    images = rng.choice(
        [
            [(k + 1) % n for k in everyone], [(k - 1) % n for k in everyone],
            [n - 1 - k for k in everyone], rng.choices(everyone, k=n),
        ]
    )  # fmt: skip
    cases = [f":: _pid == {k} -> next = {image}" for k, image in enumerate(images)]
    rest = rng.choice(["_pid + 1", "_pid", "0", "(_pid + 1) % N", "N - 1 - _pid"])
    if rng.random() < 0.6:
        cases = [*rng.sample(cases, rng.choice([1, 1, 2])), f":: else -> next = {rest}"]
    return RING.format(n=n, choice=around.format(f"if {' '.join(cases)} fi"))


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(100, 2100), marks=pytest.mark.long)], ids=str)
def test_random_rings(seeds: range) -> None:
    symmetric = 0
    for seed in seeds:
        plain = coset.parse_text(random_ring(seed, "atomic {{ {} }}"))
        for model in (plain, merged_for_symmetry(coset.parse_text(random_ring(seed)), marks=False)):
            try:
                is_joined = same_steps(model, joined_choices)
                symmetric += compared(model, counts=False).used.group.order > 1 and is_joined
            except TooLarge:
                continue
    assert symmetric > len(seeds) // 20
