"""Violations of properties of infinite runs are shown by short runs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import coset
from coset.engines.claim import claim_of
from coset.engines.connected import components
from coset.engines.explicit import cycles
from coset.engines.explicit.engine import Engine
from coset.engines.lasso import Lasso
from coset.engines.reduction import reduction
from coset.engines.reference import cycles as reference
from coset.engines.reference.cycles import Arrow, Product
from coset.engines.reference.shortest import ShortestCycles
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.model.model import LtlProperty, Model
from coset.results.trace import Trace, executed, in_control, replay
from coset.source.budget import Limits
from coset.tasks.checker import check
from tests.support.lassos_naive import distances, shortest_lasso
from tests.support.paths import MODELS
from tests.support.products_random import program

ELEVATOR = """
byte floor; bool up = true; bool doors; bool call[3]; byte inside;
active proctype Elevator() {
    do
    :: call[floor] -> doors = true; call[floor] = false; doors = false
    :: !call[floor] ->
        if
        :: up && floor < 2 -> assert(!doors); floor++
        :: up && floor == 2 -> up = false
        :: !up && floor > 0 -> assert(!doors); floor--
        :: !up && floor == 0 -> up = true
        fi
    od
}
active [2] proctype Person() {
    byte at, to;
    do
    :: select(to : 0 .. 2); call[at] = true; doors && floor == at; inside++;
       call[to] = true; doors && floor == to; inside--; at = to
    od
}
ltl no_starve { [] (call[0] -> <> (floor == 0 && doors)) }
"""
"""Its lassos had 6,167 moves, found depth first among orbits."""


@pytest.mark.parametrize("symmetry", ["auto", "off"])
@pytest.mark.parametrize("steps", ["merged", "plain"])
def test_elevator(steps: str, symmetry: str) -> None:
    model = coset.parse_text(ELEVATOR)
    result = check(
        model, engine="explicit", steps=steps, settings=Settings(symmetry=symmetry), properties=["no_starve"]
    )
    (found,) = result.properties
    assert found.trace is not None and len(found.trace.moves) == 28


VIOLATED = {
    "alternating_bit.pml": "delivers", "dekker.pml": "someone_enters", "readers_writers.pml": "written",
    "philosophers_fixed.pml": "first_eats", "tutorial/lock_2.pml": "used",
}  # fmt: skip


@pytest.mark.parametrize("name", VIOLATED)
def test_violations_of_models_are_shown_by_shortest_lassos(name: str) -> None:
    """Steps, not moves: what is atomic is one step.  `benchmarks/lassos.py` has the same for SPIN's examples."""
    model = coset.load(MODELS / name)
    (found,) = check(model, engine="explicit", properties=[VIOLATED[name]]).properties
    (property_,) = (each for each in model.properties if each.name == VIOLATED[name])
    assert isinstance(property_, LtlProperty) and found.trace is not None
    search, starts, required = product(model, property_, fair=False)
    graph = {node: [(arrow.target, arrow.marks) for arrow in arrows] for node, arrows in search.arrows.items()}
    run, shortest = replay(model, found.trace), shortest_lasso(graph, starts, required)
    steps = sum(in_control(run.interpreter, *each) is None for each in zip(run.states, run.holders[:-1]))
    assert shortest is not None and steps <= shortest


# --- random programs ---------------------------------------------------------------------------------------------------


def product(model: Model, property_: LtlProperty, fair: bool) -> tuple[reference.Search, list[Product], int]:
    search = reference.Search(Interpreter(model), claim_of(property_), Limits(), fair, True)
    starts = search.build()
    return search, starts, search.required


@pytest.fixture
def lengths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The steps of the lassos that the compiled engine shows."""
    found: list[int] = []
    trace = Lasso.trace

    def noted(self: Lasso, interpreter: Interpreter, property_: LtlProperty, fair: bool) -> Trace:
        found.append(len(self))
        return trace(self, interpreter, property_, fair)

    monkeypatch.setattr(Lasso, "trace", noted)
    return found


def compare(seed: int, folder: Path, lengths: list[int]) -> int:
    """How many formulas of a random program are violated; each is shown by a shortest lasso, whatever finds it."""
    model, count = program(seed, folder), 0
    for each in () if model is None else model.properties:
        if not isinstance(each, LtlProperty):
            continue
        assert model is not None
        search, starts, required = product(model, each, fair=False)
        graph = {node: [(arrow.target, arrow.marks) for arrow in arrows] for node, arrows in search.arrows.items()}
        shortest = shortest_lasso(graph, starts, required)
        for symmetry in ("off", "auto"):
            for is_violated in (True, False):
                lengths.clear()
                plan = reduction(model, (each,), Settings(symmetry=symmetry)).plan
                engine = Engine(model, settings=Settings(symmetry=symmetry), symmetry=plan, begin_quick=True)
                _, trace = cycles.check_property(engine, each, is_violated=is_violated)
                assert (trace is not None) == (shortest is not None)
                if trace is not None and shortest is not None:
                    assert replay(model, trace).message.endswith(f"{each.name} is violated")
                    assert lengths[-1] <= shortest
                    count += 1
    return count


@pytest.mark.parametrize("chunk", range(3))
def test_random_programs_are_shown_by_shortest_lassos(chunk: int, tmp_path: Path, lengths: list[int]) -> None:
    assert sum(compare(seed, tmp_path, lengths) for seed in range(12 * chunk, 12 * chunk + 12)) > 4


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(50))
def test_more_random_programs_are_shown_by_shortest_lassos(chunk: int, tmp_path: Path, lengths: list[int]) -> None:
    for seed in range(1000 + 20 * chunk, 1020 + 20 * chunk):
        compare(seed, tmp_path, lengths)


def test_fair_cycles_are_fair_and_not_long(lengths: list[int]) -> None:
    """With a mark for each process, sets of marks are too many: the cycle goes to the nearest missing one."""
    text = "byte x; active [5] proctype P() { byte i; do :: i = 1 - i; x = i od } ltl p { <> [] (x == 0) }"
    model = coset.parse_text(text)
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    _, trace = cycles.check_property(Engine(model, begin_quick=True), property_, fair=True)
    assert trace is not None
    replay(model, trace)
    assert lengths[-1] <= 20


def test_a_search_that_may_not_look_far_shows_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cycle and the way to it are still those of a run of the model."""
    monkeypatch.setattr(cycles, "SHORT_STATES", 30)
    for symmetry in ("off", "auto"):
        model = coset.load(MODELS / "readers_writers.pml")
        result = check(model, engine="explicit", settings=Settings(symmetry=symmetry), properties=["written"])
        (found,) = result.properties
        assert found.trace is not None and len(found.trace.moves) < 200


# --- random graphs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(200))
def test_shortest_cycles_of_random_graphs(seed: int) -> None:
    chance = random.Random(seed)
    size, marks = chance.randint(1, 12), chance.randint(0, 3)
    required = (1 << marks) - 1
    graph = {
        node: [(chance.randrange(size), chance.randrange(1 << marks)) for _ in range(chance.randint(0, 3))]
        for node in range(size)
    }
    near = distances(graph, [0])
    arrows = {node: [Arrow(target, marks, ()) for target, marks in graph[node]] for node in near}  # type: ignore[arg-type]
    accepting = [set(each) for each in components(arrows, lambda node: (target for target, _ in graph[node]))]
    found = ShortestCycles(arrows, required).best(accepting, near.__getitem__, 100)
    length = None if found is None else near[found[0]] + len(found[1])
    assert length == shortest_lasso(graph, [0], required)


def test_shortcuts_keep_what_violates_the_property() -> None:
    """A long way passes the only state with x == 9, and ends in one that is near: a shortcut would leave the violation out."""
    model = coset.parse_text(
        "byte x; active proctype P() { do :: x < 80 -> x++ :: x < 20 -> x = 20 :: x >= 80 -> x = 75 od } ltl low { [] (x != 9) }"
    )
    interpreter = Interpreter(model)
    (property_,) = model.properties
    assert isinstance(property_, LtlProperty)
    states = [interpreter.initial()]
    while states.count(states[-1]) < 2:
        steps = [step.state for step in interpreter.steps(states[-1])]
        low = states[-1].values[0] < 20
        states.append(steps[0] if low or len(steps) == 1 else steps[-1])
    repeated = states.index(states[-1])
    found = Lasso(states[: repeated + 1], states[repeated:])
    assert len(found.with_shortcuts(interpreter)) < len(found)
    trace = found.short_trace(interpreter, property_, fair=False)
    assert executed(model, trace).states[-1].values == (75,)
