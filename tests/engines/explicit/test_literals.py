"""Sequential models in the engines, and reduction with groups of permutations of literals, against naive twins."""

from __future__ import annotations

import random
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

import coset
from coset.engines.explicit.build import compiler, runtime_files
from coset.engines.explicit.compile import ExactOrbits
from coset.engines.explicit.emit.program import emit
from coset.engines.explicit.engine import Engine
from coset.engines.reduction import UnusableSymmetry, reduction
from coset.engines.reference.engine import explore
from coset.engines.settings import Settings
from coset.languages.sequential.parse import parse_text
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.sequential import SequentialInterpreter
from coset.model.sequential.as_process import as_process
from coset.model.sequential.homes import flattened, restored
from coset.model.state import State
from coset.model.validate import validate
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError
from coset.symmetry.canonical.literal_plan import LiteralPlan, plan_literals
from coset.symmetry.canonical.representative import orbit
from coset.symmetry.methods.constraints.carried import detect_literals
from coset.symmetry.methods.constraints.form import Form, sequential_form
from coset.tasks.load import parse_text as promela
from tests.support.explicit_cases import GENERATED, STRICT
from tests.support.paths import MODELS
from tests.support.sequential_random import random_model

LINE = re.compile(r"^ \* (expect|expect-large)((?: -D\w+=\w+)*): states (\d+) orbits (\d+)$", re.MULTILINE)


def process(text: str) -> Model:
    return as_process(parse_text(text))


def reachable(model: Model) -> list[State]:
    interpreter = Interpreter(model)
    found = {interpreter.initial(): None}
    todo = list(found)
    for state in todo:
        for step in interpreter.steps(state):
            if step.state not in found:
                found[step.state] = None
                todo.append(step.state)
    return todo


# --- a sequential model as a process -------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_a_process_does_what_the_sequential_model_does(seed: int) -> None:
    flat = parse_text(random_model(random.Random(seed)))
    model, executed = as_process(flat), SequentialInterpreter(flat)
    assert validate(model) == []
    states = executed.reachable()
    found = explore(model)
    assert found.states == len(states)
    starts = sum(1 for _ in executed.initial())
    assert found.transitions == starts + sum(1 for state in states for _ in executed.steps(state))
    assert sum(found.errors.faults.values()) == sum(sum(executed.faults(state).values()) for state in states)


def test_starts_that_are_listed_are_those_of_the_process() -> None:
    text = "process p(0..3 x, bit y) = [x < 2] up { x = x + 1; } init p(x = 0, y = *); init p(x = 2, y = 1);"
    found = explore(process(text))
    assert found.states == len(SequentialInterpreter(parse_text(text)).reachable()) == 6


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("process p(0..3 x) = [x < 3] up { x = x + 1; } + [x == 3] again { x = 0; } init p(0); always x < 3;", False),
        ("process p(0..3 x) = [x < 2] up { x = x + 1; } + [x == 2] again { x = 0; } init p(0); always x < 3;", True),
        ("process p(0..3 x) = [x > 1] down { x = x - 1; } + [x <= 1] stay { } init p(*); always x < 3;", False),
        ("process p(1..3 x) = [x > 1] down { x = x - 1; } + [x == 1] stay { } init p(*); always x > 0;", True),
        ("process p(1..3 x) = [x > 1] down { x = x - 1; } + [x == 1] stay { } init p(*); always x != 1;", False),
    ],
)
@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_what_shall_always_hold(text: str, verdict: bool, engine: str) -> None:
    model = process(text)
    result = coset.check(model, engine=engine)
    (found,) = [each for each in result.properties if each.name == "always_1"]
    assert found.verdict is (Verdict.HOLDS if verdict else Verdict.VIOLATED)
    if found.trace is not None:
        replay(model, found.trace)


def test_text_with_an_invariant_is_read_back() -> None:
    text = "process p(bit x) =\n    [!x] up { x = 1; }\ninit p(x = 0);\ncondition x;\nalways x < 2;\n"
    assert str(parse_text(text)) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("process p(bit x, bit c) = [!x] up { x = 1; } init p(0, 0); control c;", "`control`"),
        ("process p(byte x) = byte a, byte b . [x < a + b] up { x = a; } init p(0);", "500 choices"),
        ("process p(0..200000 x) = [x < 9] up { x = 9; } init p(*);", "a start with any value of `x`"),
    ],
)
def test_what_no_process_can_do_is_refused(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("coset.model.sequential.as_process.MOST_EDGES", 500)
    path = tmp_path / "m.seq"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(why)):
        coset.load(path)


def test_formulas_are_for_other_languages() -> None:
    with pytest.raises(InputError, match="always"):
        coset.load(MODELS / "hanoi.seq", formulas=["[] true"])


# --- orbits --------------------------------------------------------------------------------------


def shipped(large: bool) -> list[object]:
    found = list[object]()
    for path in sorted(MODELS.glob("*.seq")):
        for kind, defines, states, orbits in LINE.findall(path.read_text("utf-8")):
            if (kind == "expect-large") == large:
                table = dict(re.findall(r"-D(\w+)=(\w+)", defines))
                found.append(pytest.param(path, table, int(states), int(orbits), id=f"{path.name}{defines}"))
    return found


@pytest.mark.parametrize(("path", "defines", "states", "orbits"), shipped(large=False))
def test_orbits_of_a_shipped_model(path: Path, defines: dict[str, str], states: int, orbits: int) -> None:
    found = coset.explore(path, engine="explicit", defines=defines)
    assert found.complete
    assert (found.states, found.represents) == (orbits, states)


@pytest.mark.long
@pytest.mark.parametrize(("path", "defines", "states", "orbits"), shipped(large=True))
def test_orbits_of_a_large_model(path: Path, defines: dict[str, str], states: int, orbits: int) -> None:
    found = coset.explore(path, engine="explicit", defines=defines)
    assert (found.states, found.represents) == (orbits, states)


@cache
def symmetric_seeds(count: int) -> list[int]:
    """Random models with some symmetry and not too few states."""
    found = []
    for seed in range(200):
        model = process(random_model(random.Random(seed)))
        symmetry = detect_literals(model, moves=0)
        if symmetry.order > 1 and explore(model).states > 20:
            found.append(seed)
            if len(found) == count:
                break
    return found


STRATEGIES = ("auto", "chain", "enumerate", "local")


def agrees(model: Model) -> None:
    """The reference engine on whole orbits, and the compiled one by every strategy, stand for all states."""
    every = coset.explore(model, engine="reference", symmetry="off")
    naive = coset.explore(model, engine="reference", symmetry="constraints")
    assert naive.represents == every.states
    for strategy in STRATEGIES:
        settings = Settings(symmetry="constraints", representative=strategy)
        found = coset.explore(model, engine="explicit", settings=settings)
        if strategy == "local":
            assert naive.states <= found.states <= every.states
            assert found.represents is None
        else:
            assert (found.states, found.represents) == (naive.states, every.states), strategy
        assert found.errors.invalid_end_states >= naive.errors.invalid_end_states
        assert bool(found.errors.total) == bool(every.errors.total)


@pytest.mark.parametrize("number", range(3))
def test_a_random_model_by_every_strategy(number: int) -> None:
    agrees(process(random_model(random.Random(symmetric_seeds(3)[number]))))


@pytest.mark.long
@pytest.mark.parametrize("number", range(12))
def test_more_random_models(number: int) -> None:
    agrees(process(random_model(random.Random(symmetric_seeds(12)[number]))))


@pytest.mark.parametrize("name", ["token_circulation", "peterson", "hanoi"])
def test_representatives_are_one_for_each_orbit(name: str) -> None:
    """State by state: the representative is in the orbit, and the same for all of it."""
    model = coset.load(MODELS / f"{name}.seq")
    for strategy in ("auto", "chain"):
        found = reduction(model, (), Settings(symmetry="constraints", representative=strategy))
        assert isinstance(found.plan, LiteralPlan)
        assert found.symmetry is not None
        compiled = Engine(model, symmetry=found.plan).compiled()
        done: set[State] = set()
        for state in reachable(model):
            if state in done:
                continue
            members = orbit(state, found.symmetry.actions)
            (representative,) = {ExactOrbits(compiled)(member) for member in members}
            assert representative in members
            done |= members


@pytest.mark.parametrize(
    ("name", "strategy", "words"),
    [
        ("token_circulation.seq", "auto", "enumerated.h"),
        ("peterson.seq", "auto", "STRATEGY_SORT"),
        ("hypercube.seq", "chain", "STRATEGY_CHAIN"),
        ("three_tiered.csp", "auto", "enumerated.h"),
        ("two_phase_commit.pml", "local", "STRATEGY_LOCAL"),
    ],
)
def test_c_without_warnings(name: str, strategy: str, words: str, tmp_path: Path) -> None:
    model = coset.load(MODELS / name)
    plan = reduction(model, (), Settings(symmetry="constraints", representative=strategy)).plan
    engine = Engine(model, symmetry=plan)
    program = emit(engine.layout(), plan=plan)
    assert words in program.source
    for file, text in (runtime_files() | {"model.h": program.header, "model.c": program.source}).items():
        (tmp_path / file).write_text(text)
    done = subprocess.run(
        [compiler(), *STRICT, *GENERATED, "-c", "model.c"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("settings", [Settings(2), Settings(order="depth"), Settings(storage="states")])
def test_any_way_to_search(settings: Settings) -> None:
    found = coset.explore(MODELS / "philosophers.seq", engine="explicit", settings=settings, symmetry="constraints")
    assert (found.states, found.represents) == (226, 1297)


# --- concurrent models ---------------------------------------------------------------------------

CONCURRENT = ["dekker.pml", "barrier.pml", "philosophers.csp", "readers_writers.csp"]


@pytest.mark.parametrize("name", [*CONCURRENT, "load_balancer.pml", "token_ring.pml", "two_phase_commit.pml"])
def test_states_and_their_sequential_forms(name: str) -> None:
    """There and back is where one was."""
    model = coset.load(MODELS / name)
    form = sequential_form(model)
    assert isinstance(form, Form)
    executed = SequentialInterpreter(form.flat)
    assert [flattened(form.flat, state) for state in form.started.states] == list(executed.initial())
    state, rng = form.started.state, random.Random(1)
    for _ in range(200):
        row = flattened(form.flat, state)
        assert restored(form.flat, form.interpreter, row, state) == state
        following = [step.state for step in form.interpreter.steps(state)]
        if not following:
            break
        state = rng.choice(following)


MORE = [
    "two_phase_commit.pml",
    "three_tiered.csp",
    "email_small.pml",
    "token_ring.pml",
    "load_balancer.pml",
    "futex_mutex.pml",
]


@pytest.mark.parametrize("name", [*CONCURRENT, *(pytest.param(name, marks=pytest.mark.long) for name in MORE)])
def test_concurrent_models_by_constraints(name: str) -> None:
    every = coset.explore(MODELS / name, engine="explicit", symmetry="off")
    found = coset.explore(MODELS / name, engine="explicit", symmetry="constraints")
    naive = coset.explore(MODELS / name, engine="reference", symmetry="constraints")
    assert found.represents == naive.represents == every.states
    assert found.states == naive.states < every.states


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("philosophers.seq", "explicit"),
        ("philosophers.csp", "reference"),
        ("dekker.pml", "explicit"),
        *(
            pytest.param(name, engine, marks=pytest.mark.long)
            for name in ("philosophers.csp", "three_tiered.seq", "barrier.pml", *MORE)
            for engine in ("explicit", "reference")
        ),
    ],
)
def test_verdicts_are_the_same_with_and_without(name: str, engine: str) -> None:
    every = coset.check(MODELS / name, engine=engine, symmetry="off")
    found = coset.check(MODELS / name, engine=engine, symmetry="constraints")
    assert [(each.name, each.verdict) for each in found.properties] == [
        (each.name, each.verdict) for each in every.properties
    ]


def test_the_deadlock_of_the_philosophers_is_a_run_of_the_model() -> None:
    model = coset.load(MODELS / "philosophers.seq", {"N": "4"})
    result = coset.check(model, engine="explicit", symmetry="constraints")
    (found,) = [each for each in result.properties if each.verdict is Verdict.VIOLATED]
    assert found.trace is not None
    run = replay(model, found.trace)
    assert run.last.values == (1, 1, 1, 1, 1, 1, 1, 1)


def test_a_temporal_property_keeps_its_own_group() -> None:
    text = """process p(0..2 x, 0..2 y) = 0..1 i . [x < 2 && y < 2] up { if (i == 0) { x = x + 1; } else { y = y + 1; } }
      + [x == 2 || y == 2] stay { } init p(0, 0); always x + y < 3; always x < 2;"""
    model = process(text)
    assert detect_literals(model, model.properties[:1], moves=4000).order == 1  # the other one is a condition, too
    results = {
        symmetry: [each.verdict for each in coset.check(model, engine="explicit", symmetry=symmetry).properties]
        for symmetry in ("off", "constraints")
    }
    assert results["off"] == results["constraints"]


def test_merged_steps_without_a_sequential_form_are_done_without() -> None:
    result = coset.check(MODELS / "three_tiered.pml", engine="explicit", symmetry="constraints")
    assert result.verdict is Verdict.HOLDS
    assert (result.exploration.states, result.exploration.represents) == (171, 3421)


# --- refusals ------------------------------------------------------------------------------------


def test_processes_that_end_are_refused_by_name() -> None:
    model = promela("active proctype P() { bit x, y; if :: x = 1 :: y = 1 fi }")
    with pytest.raises(InputError, match="P may end, and the symmetries move it"):
        coset.explore(model, symmetry="constraints", engine="explicit")


def test_partial_order_reduction_is_refused_by_name() -> None:
    settings = Settings(symmetry="constraints", reduction="por")
    with pytest.raises(UnusableSymmetry, match="por"):
        coset.explore(MODELS / "dekker.pml", engine="explicit", settings=settings)


def test_what_cannot_be_sorted_is_said() -> None:
    settings = Settings(symmetry="constraints", representative="sort")
    with pytest.raises(UnusableSymmetry, match="sort"):
        coset.explore(MODELS / "token_circulation.seq", engine="explicit", settings=settings)


def test_nothing_to_move_is_no_plan() -> None:
    assert plan_literals(detect_literals(coset.load(MODELS / "scheduler.seq"), moves=0)) is None


def test_a_model_that_a_pass_has_changed_is_not_taken_for_its_source() -> None:
    from dataclasses import replace

    from coset.model.sequential.as_process import is_process_of

    model = coset.load(MODELS / "hanoi.seq")
    assert model.sequential is not None
    assert is_process_of(model, model.sequential)
    (kind,) = model.kinds
    first = replace(kind.locations[0], edges=kind.locations[0].edges[1:])
    assert not is_process_of(replace(model, kinds=(replace(kind, locations=(first,)),)), model.sequential)
