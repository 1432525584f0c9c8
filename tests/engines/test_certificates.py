"""Certificates from the search itself: a wrong symmetry that shows late ends every kind of search without a verdict."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import coset
from coset.engines.explicit import branching, cycles
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.safety import search_states
from coset.engines.reference.engine import explore
from coset.engines.settings import Settings
from coset.model.model import Branching, Claim, Model, Temporal
from coset.results.internal import WrongSymmetry
from coset.symmetry.action import Point
from coset.symmetry.canonical.literal_plan import LiteralPlan, plan_literals
from coset.symmetry.canonical.plan import SymmetryPlan, plan
from coset.symmetry.canonical.representative import Representatives
from coset.symmetry.groups.group import Group
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.constraints.carried import CarriedSymmetry, detect_literals
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry
from tests.support.paths import MODELS

LATE = """
byte ticks; bit x[2]; bool odd;
active [2] proctype P() { do :: x[_pid] = 1 - x[_pid] od }
active proctype Clock() { do :: ticks < 100 -> ticks++ :: ticks == 100 -> %s od }
"""
"""Two processes that can be exchanged for a hundred ticks of a clock."""

WRONG = {
    "step": LATE % "x[0] = 0",
    "assertion": LATE % "assert(!x[0])",
    "end": LATE.replace(":: ticks == 100", ":: ticks == 90 && x[0] -> break :: ticks == 100") % "skip",
    "fault": LATE % "odd = 1 / (1 - x[0])",
}


def exchanged(model: Model, properties: tuple[Branching | Claim | Temporal, ...] = ()) -> Symmetry:
    """The exchange of the two processes, as if it had been found."""
    found = detect(model, properties)
    assert found.points is not None and found.order == 1
    sort = found.points.sorts.process.leader.number
    places = [found.points.points.index(Point("value", sort, pid)) for pid in (0, 1)]
    swap = Permutation.of_cycles(len(found.points.points), [places])
    return replace(found, group=Group(swap.degree, [swap]))


@cache
def wrong_plan(text: str, strategy: str = "auto") -> tuple[Model, SymmetryPlan]:
    model = coset.parse_text(text)
    planned = plan(exchanged(model), strategy)
    assert planned is not None
    return model, planned


def message_of(raised: pytest.ExceptionInfo[WrongSymmetry]) -> str:
    return str(raised.value)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_breadth_first(text: str) -> None:
    model, planned = wrong_plan(text)
    with pytest.raises(WrongSymmetry) as raised:
        search_states(Engine(model, symmetry=planned), stop_at=0)
    assert "(0 1)" in message_of(raised) and "No verdict" in message_of(raised)


def test_static_tries_do_not_see_it() -> None:
    """Otherwise the other tests here would show nothing."""
    from coset.symmetry.certify import certify

    _, planned = wrong_plan(WRONG["step"])
    assert certify(planned.symmetry.actions) > 0


@pytest.mark.parametrize("strategy", ["chain", "enumerate", "local"])
def test_every_strategy(strategy: str) -> None:
    model, planned = wrong_plan(WRONG["step"], strategy)
    with pytest.raises(WrongSymmetry):
        search_states(Engine(model, symmetry=planned), stop_at=0)


@pytest.mark.parametrize(
    "settings", [Settings(order="depth"), Settings(threads=2), Settings(storage="states"), Settings(reduction="por")]
)
def test_other_ways_to_search(settings: Settings) -> None:
    model, planned = wrong_plan(WRONG["step"])
    with pytest.raises(WrongSymmetry):
        search_states(Engine(model, None, settings=settings, symmetry=planned, partial=settings.reduction == "por"), 0)


def test_before_a_violation_is_shown() -> None:
    model, planned = wrong_plan(WRONG["assertion"])
    with pytest.raises(WrongSymmetry):
        search_states(Engine(model, symmetry=planned), stop_at=(1 << 32) - 1)


PROPERTIES = """
ltl late { [] (ticks < 100 || !x[0]) }
ltl live { [] (ticks <= 100) }
"""


def formulas(text: str) -> tuple[Model, Temporal, Temporal]:
    model = coset.parse_text(text + PROPERTIES)
    late, live = model.properties
    assert isinstance(late, Temporal) and isinstance(live, Temporal)
    return model, late, live


def test_cycles_see_steps() -> None:
    model, _, live = formulas(WRONG["step"])
    with pytest.raises(WrongSymmetry):
        cycles.check_property(Engine(model, symmetry=plan(exchanged(model, (live,)))), live)


def test_cycles_see_conditions() -> None:
    model, late, _ = formulas(LATE % "skip")
    with pytest.raises(WrongSymmetry):
        cycles.check_property(Engine(model, symmetry=plan(exchanged(model, (late,)))), late)


def test_cycles_with_a_right_symmetry() -> None:
    model, _, live = formulas(LATE % "skip")
    planned = plan(detect(model, (live,)))
    assert planned is not None
    result, _ = cycles.check_property(Engine(model, symmetry=planned), live)
    assert result.certified == result.states > 600


def test_branching_sees_steps_and_conditions(tmp_path: Path) -> None:
    file = tmp_path / "late.pml"
    for text, formula in ((WRONG["step"], "AG EF ticks == 100"), (LATE % "skip", "AG EF (ticks == 100 && !x[0])")):
        file.write_text(text)
        model = coset.load(file, ctl=[formula])
        (reset,) = model.properties
        assert isinstance(reset, Branching)
        planned = plan(exchanged(model, (reset,)))
        with pytest.raises(WrongSymmetry):
            branching.check_properties(Engine(model, symmetry=planned), [reset])


NEVER = """
never { do :: ticks == 100 && x[0] -> break :: else -> skip od }
"""


def test_never_claims() -> None:
    model = coset.parse_text(LATE % "skip" + NEVER)
    (claim,) = model.properties
    assert isinstance(claim, Claim)
    planned = plan(exchanged(model, (claim,)))
    with pytest.raises(WrongSymmetry):
        cycles.check_property(Engine(model, symmetry=planned), claim)


@pytest.mark.parametrize("effect", ["x[0] = 0", "assert(!x[0])", "odd = 1 / (1 - x[0])", "x[0] == 1 -> break"])
def test_reference_engine(effect: str) -> None:
    """It tries fewer states, so this shows in more of them."""
    model = coset.parse_text(LATE.replace("ticks == 100", "ticks > 60") % effect)
    with pytest.raises(WrongSymmetry) as raised:
        explore(model, representatives=Representatives(exchanged(model).actions))
    assert "(0 1)" in message_of(raised)


# --- permutations of literals ----------------------------------------------------------------------


@cache
def carried(text: str) -> tuple[Model, CarriedSymmetry]:
    """The literals of a model, with the group of one that has no late asymmetry."""
    model = coset.parse_text(text)
    right, wrong = (detect_literals(each, (), moves=4000) for each in (coset.parse_text(LATE % "skip"), model))
    assert right.found is not None and wrong.found is not None
    assert right.found.points == wrong.found.points and (right.order, wrong.order) == (2, 1)
    return model, replace(wrong, found=replace(wrong.found, group=right.found.group))


@pytest.mark.parametrize("strategy", ["sort", "enumerate", "chain", "local"])
def test_literals(strategy: str) -> None:
    model, symmetry = carried(WRONG["step"])
    planned = plan_literals(symmetry, strategy)
    assert isinstance(planned, LiteralPlan) and bool(planned.table) == (strategy == "enumerate")
    with pytest.raises(WrongSymmetry) as raised:
        search_states(Engine(model, symmetry=planned), stop_at=0)
    assert "(x[0] x[1])" in message_of(raised)


def test_literals_in_the_reference_engine() -> None:
    model, symmetry = carried(LATE.replace("ticks == 100", "ticks > 60") % "x[0] = 0")
    with pytest.raises(WrongSymmetry) as raised:
        explore(model, representatives=Representatives(symmetry.actions))
    assert "(x[0] x[1])" in message_of(raised)


STARTED = """
byte last;
proctype P() { do :: last = _pid od }
init { run P(); run P(); run P() }
"""


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_states_before_all_processes_run_are_left_alone(engine: str) -> None:
    """No symmetry acts on them, but on their successors one may."""
    found = coset.parse_text(STARTED).explore(engine=engine, symmetry="program")
    assert found.complete and 0 < found.certified_states < found.states


# --- right symmetries ------------------------------------------------------------------------------

QUICK = ("cache_coherence.pml", "dekker.pml", "email_small.pml", "hypercube.pml", "load_balancer.pml", "peterson.pml",
         "philosophers.pml", "readers_writers.pml", "resource_allocator.pml", "token_ring.pml", "two_phase_commit.pml",
         "leader_ring.seq", "philosophers.seq", "token_circulation.seq", "peterson.csp", "philosophers.csp",
         "peterson.spl", "msi.spl")  # fmt: skip


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize("name", QUICK)
def test_right_groups_pass(name: str, engine: str) -> None:
    model = coset.load(MODELS / name)
    found = coset.explore(model, engine=engine, max_states=3000)
    if found.symmetry.representative is None:
        assert found.certified_states == 0
    else:
        assert found.certified_states >= min(50, found.states - 1)


def test_states_are_from_all_of_a_long_search() -> None:
    """One in a few hundred is tried in the end, so that it costs next to nothing."""
    found = coset.explore(MODELS / "philosophers.pml", engine="explicit", defines={"N": "10"})
    assert 500 < found.certified_states < found.states / 10
