"""A search by one program after another: the quick tier goes on while the optimised program is compiled."""

from __future__ import annotations

import threading

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.engines.explicit import compile as compiling
from coset.engines.explicit import properties, quick, safety
from coset.engines.explicit.ahead import Ahead
from coset.engines.explicit.attempts import Background
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.estimate import first_states
from coset.engines.explicit.seam import Result
from coset.engines.settings import Settings
from coset.results.verdict import Verdict
from coset.source.budget import Budget, OutOfBudget, current_budget, installed
from tests.support.explicit_cases import figures

GRID = "byte a, b, c; active proctype P() { do :: a < 19 -> a++ :: b < 19 -> b++ :: c < 19 -> c++ :: else -> break od }"
"""30,802 states."""
DEEP = """
short n; byte noise[4];
active [4] proctype N() { do :: noise[_pid] = (noise[_pid] + 1) % 5 od }
active proctype P() { do :: n < 900 -> n++ :: else -> break od; assert(false) }
"""
"""An error at a depth of 900, with 625 states for each step on the way."""

WANDERING = """
byte x, y, z;
active proctype P() {
  do :: x = (x + 1) % 40 :: y = (y + 1) % 40 :: z = (z + 1) % 40 :: x == 12 && y == 12 && z == 12 -> assert(false) od
}
"""
"""Depth first, counters wrap around many times on the way to the error."""


@pytest.fixture(autouse=True)
def both_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COSET_QUICK", raising=False)
    monkeypatch.setattr(quick, "PLAIN", quick.Allowance(500, 5000))
    monkeypatch.setattr(quick, "PATIENCE", 1)


@pytest.mark.parametrize(("factor", "is_quick"), [(5, False), (100, True)])
def test_the_quick_tier_goes_on(factor: int, is_quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever program comes to the end, the counts are the same."""
    monkeypatch.setattr(quick, "EXTENDED", factor)
    model = coset.parse_text(GRID)
    engine = Engine(model, begin_quick=True)
    found, _ = safety.search_states(engine, stop_at=0)
    assert engine.quick is is_quick and engine.is_long
    monkeypatch.setenv("COSET_QUICK", "off")
    assert figures(found) == figures(safety.explore(model)) and found.states == 30_802


def test_a_deep_error_is_found_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "EXTENDED", 20)
    result = coset.check(coset.parse_text(DEEP), properties=["assertions"], engine="explicit", symmetry="off")
    assert result.verdict is Verdict.VIOLATED
    assert result.exploration.states < 20_000, "the breadth-first search found it"


def test_a_compiler_that_fails_is_reported_only_if_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*unused: object, **settings: object) -> object:
        raise Unsupported("no such instruction")

    monkeypatch.setattr(compiling, "library", fails)
    model = coset.parse_text(GRID)
    monkeypatch.setattr(quick, "EXTENDED", 100)
    assert safety.search_states(Engine(model, begin_quick=True), stop_at=0)[0].complete
    monkeypatch.setattr(quick, "EXTENDED", 5)
    with pytest.raises(Unsupported, match="no such instruction"):
        safety.search_states(Engine(model, begin_quick=True), stop_at=0)


def test_background() -> None:
    with Background(lambda: 7) as seven:
        assert seven.result() == 7
    with Background(lambda: 1 // 0) as failing, pytest.raises(ZeroDivisionError):
        failing.result()


def test_what_is_not_needed_is_ended() -> None:
    """And the budget of the command is not touched by it."""
    ended = threading.Event()

    def goes_on() -> None:
        try:
            while True:
                current_budget().check()
        except OutOfBudget:
            ended.set()
            raise

    with installed(Budget()) as budget:
        with Background(goes_on):
            pass
        assert ended.wait(60) and budget.out_of_time() is None


def test_an_interruption_ends_it() -> None:
    def goes_on() -> None:
        while True:
            current_budget().check()

    with installed(Budget()) as budget, Background(goes_on) as background:
        budget.interrupt()
        with pytest.raises(OutOfBudget, match="interrupt"):
            background.result()


@pytest.mark.parametrize(("run", "states", "orders"), [
    (1_000_000, 1_000_000, ["depth"]),
    (10, 1_000_000, ["depth", "breadth"]),
    (10, 1000, ["depth", "breadth", "depth"]),
])  # fmt: skip
def test_a_very_long_run_is_replaced_by_a_shortest_one(
    run: int, states: int, orders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless that takes too many states."""
    asked = []

    def search(engine: Engine, stop_at: int, show: bool = True) -> object:
        if show:
            asked.append(engine.settings.order)
        return safety.search_states(engine, stop_at, show)

    monkeypatch.setattr(properties, "LONG_RUN", run)
    monkeypatch.setattr(properties, "MANY_STATES", states)
    monkeypatch.setattr(properties, "MANY_TIMES", 0)
    monkeypatch.setattr(properties, "search_states", search)
    result = coset.check(coset.parse_text(WANDERING), properties=["assertions"], engine="explicit", symmetry="off")
    trace = result["assertions"].trace
    assert result.verdict is Verdict.VIOLATED and trace is not None
    assert asked[1:] == orders, "the first one is that of the quick tier"
    assert orders[-1] == "depth" or len(trace) == 38


TWINS = """
byte a[{n}]; byte b[{n}];
active [{n}] proctype P() {{ do :: a[_pid] < {most} -> a[_pid]++ :: b[_pid] + 1 < {most} -> b[_pid]++ od }}
"""


@pytest.mark.parametrize(("n", "most", "is_used"), [(2, 9, False), (3, 3, True)])
def test_small_orbits_do_not_pay(n: int, most: int, is_used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the quick tier finds decides whether a long search is on the quotient."""
    monkeypatch.setattr(quick, "SYMMETRIC", quick.Allowance(300, 3000))
    monkeypatch.setattr(quick, "EXTENDED", 1)
    text = TWINS.format(n=n, most=most)
    found, every = (coset.explore(coset.parse_text(text), engine="explicit", symmetry=each) for each in ("auto", "off"))
    assert found.symmetry.group.order > 1 and found.represents == every.states
    assert (found.symmetry.representative is not None) == is_used == (found.states < every.states)
    assert is_used or "orbits of the first states" in (found.symmetry.note or "")


@pytest.mark.parametrize(("n", "most", "is_used"), [(2, 9, False), (3, 3, True)])
def test_small_orbits_do_not_pay_in_a_check(n: int, most: int, is_used: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SYMMETRIC", quick.Allowance(300, 3000))
    monkeypatch.setattr(quick, "EXTENDED", 1)
    text = TWINS.format(n=n, most=most).replace("a[_pid]++", "a[_pid]++; assert(a[_pid] < 99)")
    found = coset.check(coset.parse_text(text), properties=["assertions"], engine="explicit", steps="plain")
    every = coset.explore(coset.parse_text(text), engine="explicit", symmetry="off")
    used = found.exploration.symmetry
    assert found.verdict is Verdict.HOLDS and used.group.order > 1
    assert (used.representative is not None) == is_used == (found.exploration.states < every.states)
    assert is_used or "orbits of the first states" in (used.note or "")


def test_a_method_that_is_asked_for_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "SYMMETRIC", quick.Allowance(300, 3000))
    monkeypatch.setattr(quick, "EXTENDED", 1)
    found = coset.explore(coset.parse_text(TWINS.format(n=2, most=9)), engine="explicit", symmetry="program")
    assert found.represents is not None and found.states < found.represents


@pytest.mark.parametrize("share, is_kept", [(0.4, True), (0.6, False)])
def test_partial_order_reduction_is_kept_where_it_halves_the_successors(share: float, is_kept: bool) -> None:
    engine = Engine(coset.parse_text(DEEP), settings=Settings(reduction="auto"), partial=True)
    engine.sampled = first_states(engine.interpreter, 50)
    steps = sum(1 for state in engine.sampled for _ in engine.interpreter.steps(state))
    result = Result()
    result.states, result.transitions = 1000, round(share * 1000 * steps / len(engine.sampled))
    assert engine.facts is not None
    engine.judge_reduction(result)
    assert (engine.facts is not None) is is_kept


SEVERAL = GRID + " ltl rises { [] (a == 5 -> <> (a > 5 || b == 19)) } ltl stays { <> [] (c >= 0) }"


def test_the_next_program_is_compiled_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    used = list[bool]()
    taken = Ahead.taken

    def noted(ahead: Ahead, engine: Engine, following: Engine) -> object:
        found = taken(ahead, engine, following)
        used.append(found is not None)
        return found

    monkeypatch.setattr(Ahead, "taken", noted)
    monkeypatch.setattr("coset.engines.explicit.ahead.usable_cores", lambda: 2)
    result = coset.check(coset.parse_text(SEVERAL), engine="explicit", symmetry="off", keep_going=True)
    assert used == [False, True, True]
    expected = coset.check(coset.parse_text(SEVERAL), engine="reference", keep_going=True)
    assert [each.verdict for each in result.properties] == [each.verdict for each in expected.properties]


def test_a_program_that_is_not_needed_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coset.engines.explicit.ahead.usable_cores", lambda: 2)
    model = coset.parse_text(SEVERAL.replace("break", "assert(false)"))
    made = Ahead()
    monkeypatch.setattr(properties, "Ahead", lambda: made)
    result = coset.check(model, engine="explicit", symmetry="off")
    assert result.verdict is Verdict.VIOLATED and made.program is None and not made.waiting
