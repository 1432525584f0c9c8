"""Loops over ids inside of atomic and deterministic sequences: those that commute are symmetric, others are not."""

from __future__ import annotations

from math import factorial

import pytest

import coset
from coset.model.interpreter import Interpreter
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.passes import merged_for_symmetry
from coset.symmetry.startup import StartedStates, startup
from tests.support import counts_random, loops_random
from tests.support.summaries import orders, same_steps
from tests.support.unreduced import compared

BOSS = """
bool flag[3], ok; byte num[3], sum, who = 3; chan q[3] = [1] of {{ byte }};
active [3] proctype Worker() {{
  do :: flag[_pid] = 1 - flag[_pid] :: num[_pid] = 1 - num[_pid] :: q[_pid]?_ od
}}
active proctype Boss() {{
  byte i;
  do
  :: sum < 3 -> {}
  :: sum > 0 -> sum = 0
  od
}}
"""
EACH = {
    "broadcast": "flag[i] = true",
    "sum": "sum = sum + flag[i]",
    "count": "if :: flag[i] -> sum++ :: else fi",
    "countdown": "if :: flag[i] -> sum-- :: else fi",
    "and": "ok = ok && flag[i]",
    "flagged": "if :: flag[i] -> ok = false :: else fi",
    "two": "flag[i] = (num[i] == 1); num[i] = 0",
    "assertion": "assert(num[i] < 2)",
}
BROKEN = {
    "an id": "num[i] = i",
    "the last one": "if :: flag[i] -> who = i :: else fi",
    "digits": "sum = (2 * sum + flag[i]) & 3",
    "a prefix": "sum = sum + flag[i]; num[i] = sum & 1",
    "a neighbour": "flag[i] = flag[(i + 2) % 3]",
    "one of them": "flag[i] = (i == 0)",
    "it blocks": "flag[i] == 0",
    "it ends early": "if :: flag[i] -> break :: else fi",
    "it chooses": "if :: flag[i] = 1 :: skip fi",
    "it sends": "q[i]!1",
}
LOOPS = (
    "i = 0; do :: i < 3 -> {}; i++ :: else -> break od",
    "for (i : 0 .. 2) {{ {} }}",
    "i = 3; do :: i > 0 -> i--; {} :: else -> break od",
)


def boss(statements: str) -> str:
    return BOSS.format(statements)


def order(text: str) -> int:
    return detect(coset.parse_text(text), ()).order


@pytest.mark.parametrize("block", ["atomic", "d_step"])
@pytest.mark.parametrize("body", EACH.values(), ids=EACH)
def test_iterations_that_commute(body: str, block: str) -> None:
    for loop in LOOPS:
        model = coset.parse_text(boss(f"{block} {{ {loop.format(body)}; i = 0 }}"))
        assert detect(model, ()).order == 6
        assert detect(merged_for_symmetry(model, marks=False), ()).order == 6
    assert same_steps(model) and compared(model).used.group.order == 6


@pytest.mark.parametrize("block", ["atomic", "d_step"])
@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_iterations_that_do_not(body: str, block: str) -> None:
    for loop in LOOPS[:2]:
        model = coset.parse_text(boss(f"{block} {{ {loop.format(body)}; i = 0 }}"))
        assert detect(model, ()).order < 6 or (body == BROKEN["it chooses"] and block == "d_step")
        same_steps(model)
        compared(model)


def test_others_may_move_between_iterations() -> None:
    assert order(boss("i = 0; do :: i < 3 -> flag[i] = true; i++ :: else -> break od")) == 1
    assert order(boss("atomic { i = 0; do :: i < 3 -> flag[i] = true; i++ :: else -> break od }")) == 6


def test_a_counter_that_is_read_later() -> None:
    loop = LOOPS[0].format("flag[i] = true")
    assert order(boss(f"atomic {{ {loop} }}; sum = i")) == 6, "it is 3, whatever the ids are"
    assert order(boss(f"atomic {{ {loop} }}; flag[i - 1] = 0")) == 2
    assert order(boss(f"atomic {{ {loop}; i = 0 }}; flag[i] = 0")) == 2


def test_a_send_before_the_loop_may_hand_control_over() -> None:
    loop = LOOPS[0].format("flag[i] = true")
    text = boss(f"atomic {{ r!0; {loop}; i = 0 }}").replace("chan q", "chan r = [0] of { byte }; chan q")
    model = coset.parse_text(text.replace(":: num", ":: r?_ :: num"))
    assert detect(model, ()).order == 6 and same_steps(model), "the loop begins when control has come back"
    compared(merged_for_symmetry(model, marks=False))


def test_sums_wrap_as_their_variables_do() -> None:
    """A bit holds sums modulo 2; what is computed from it in between is not known from the sum."""
    loop = LOOPS[0].format("ok = ok + flag[i]")
    assert order(boss(f"d_step {{ {loop}; i = 0 }}")) == 6
    model = coset.parse_text(boss(f"d_step {{ {LOOPS[0].format('ok = ok + flag[i]; num[i] = ok / 2')}; i = 0 }}"))
    assert detect(model, ()).order == 1
    same_steps(model)


def test_a_loop_after_the_processes_are_started() -> None:
    text = """
    byte done[3];
    proctype work(byte me) { done[me] = 1; end: false }
    init {
      byte i, sum;
      atomic { i = 0; do :: i < 3 -> run work(i); i++ :: else -> break od };
      atomic { i = 0; do :: i < 3 -> sum = sum + done[i]; i++ :: else -> break od; i = 0 };
      end: sum < 3
    }
    """
    model = coset.parse_text(text)
    assert detect(model, ()).order == 6 and compared(model).used.group.order == 6
    interpreter = Interpreter(summarised(model))
    assert isinstance(startup(interpreter), StartedStates)


@pytest.mark.parametrize("engine", ["reference", "explicit"])
@pytest.mark.parametrize("block", ["atomic", "d_step"])
def test_engines_agree(block: str, engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("loops") / "m.pml"
    body = (
        f"{block} {{ {LOOPS[0].format(EACH['count'] + '; flag[i] = true; assert(!flag[i] || num[i] == 0)')}; i = 0 }}"
    )
    path.write_text(boss(body) + "ltl p { [] <> (sum == 0) }")
    plain, reduced = (coset.explore(path, engine=engine, symmetry=each) for each in ("off", "auto"))
    assert reduced.represents == plain.states > reduced.states
    every, few = (coset.check(path, engine=engine, symmetry=each) for each in ("off", "auto"))
    assert [(p.name, p.verdict) for p in every.properties] == [(p.name, p.verdict) for p in few.properties]
    assert any(p.trace is not None for p in few.properties)


@pytest.mark.parametrize("seeds", [range(30)], ids=str)
def test_random_programs(seeds: range) -> None:
    """By brute force on all states: the steps are the same, and so is what a search of the quotient finds."""
    symmetric = sum(is_read and order > 1 for is_read, order in orders(loops_random.generate, seeds))
    assert symmetric > len(seeds) // 2


def test_a_loop_over_many_ids() -> None:
    text = (
        boss(f"atomic {{ {LOOPS[0].format(EACH['count'])}; i = 0 }}").replace("[3]", "[40]").replace("i < 3", "i < 40")
    )
    assert detect(coset.parse_text(text), (), moves=0).order == factorial(40)


COUNT = """
byte x[{0}];
active [{0}] proctype P() {{
  byte i, n;
  do :: x[_pid] = 1;
        d_step {{ i = 0; n = 0;
          do :: i < {0} -> if :: x[i] == 1 && i != _pid -> n++ :: else fi; i++ :: else -> break od; i = 0 }};
        n < 200; n = 0; x[_pid] = 0
  od
}}
"""


@pytest.mark.parametrize("count", [3, 8, 20])
def test_a_count_of_other_processes(count: int) -> None:
    """The condition compares ids, so that a table of the sum would have a row for all values of all its parts."""
    assert detect(coset.parse_text(COUNT.format(count)), (), moves=0).order == factorial(count)


def test_a_count_with_a_favourite() -> None:
    text = COUNT.format(5).replace("x[i] == 1", "(x[i] == 1 || i == 2)")
    assert detect(coset.parse_text(text), (), moves=0).order == factorial(4)


@pytest.mark.parametrize("seeds", [range(4)], ids=str)
def test_random_counts(seeds: range) -> None:
    symmetric = sum(order > 1 for _, order in orders(counts_random.generate, seeds))
    assert symmetric > len(seeds) // 4
