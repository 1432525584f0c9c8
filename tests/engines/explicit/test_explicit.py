"""The compiled engine is the reference engine, only faster: the same counts, with one thread and with two."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import coset
from coset.engines.contract import Unsupported
from coset.engines.explicit.build import compiler, runtime_files
from coset.engines.explicit.emit.program import GeneratedProgram, emit, supported
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.estimate import LayoutEstimate
from coset.engines.explicit.footprints import Footprints
from coset.engines.explicit.layout import Layout, SlotPlan, plan_for
from coset.engines.explicit.safety import search_states
from coset.engines.explicit.stubborn import reducible
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Model
from coset.model.state import State
from coset.results.exploration import Exploration
from coset.source.budget import Limits
from tests.support.expectations import Expectation, all_expectations
from tests.support.explicit_cases import CHANNELS, DEEP, GENERATED, MIXED, STRICT, WIDE, figures, wide_figures
from tests.support.paths import MODELS
from tests.support.promela_random import generate
from tests.support.spin_examples import ABORTED, EMBEDDED_C, EXAMPLES, REJECTED, examples, is_large
from tests.support.spin_reference import SpinReference, spin_reference

THREADS = (1, 2)
LARGEST = 1_000_000
SMALL = 5_000
"""States of a random program that the interpreter still explores quickly."""
RANDOM, PER_CHUNK = 60, 10
UNSUPPORTED = ("hidden variables", "more than 32 kinds of processes", "a provided clause that may have no value")

# --- equal counts ------------------------------------------------------------------------------------------------------


def assert_equal(model: Model, expected: Exploration) -> None:
    """The compiled engine counts what the reference engine did."""
    assert expected.complete
    for threads in THREADS:
        result = coset.explore(model, engine="explicit", threads=threads, symmetry="off")
        assert result.complete
        assert figures(result) == figures(expected), f"{threads} threads"


@pytest.mark.parametrize("expected", all_expectations(large=True), ids=str)
def test_models(expected: Expectation, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = dict(expected.counts)
    if counts["states"] > LARGEST:
        pytest.skip("too large")
    if counts["states"] > 20 * SMALL:
        monkeypatch.setenv("COSET_CFLAGS", "-O2")  # here the search takes longer than the compiler
    model = coset.load(expected.path, defines=dict(expected.defines))
    for threads in THREADS:
        result = coset.explore(model, engine="explicit", threads=threads, symmetry="off")
        found = {name: value for name, value in figures(result).items() if name in counts}
        assert result.complete and not result.errors.faults
        assert found == counts, f"{threads} threads"


def small_examples() -> list[Path]:
    return [
        path
        for path in examples()
        if not is_large(path) and path.name not in REJECTED and not EMBEDDED_C.search(path.read_text(errors="replace"))
    ]


@pytest.mark.parametrize("path", small_examples(), ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_examples(path: Path) -> None:
    """What the interpreter counts if there are not too many states, and SPIN otherwise."""
    model = coset.load(path)
    expected = coset.explore(model, engine="reference", max_states=SMALL, symmetry="off")
    try:
        if expected.complete:
            assert_equal(model, expected)
        else:
            assert_as_spin(model, spin_reference(path))
    except Unsupported as reason:
        assert str(reason) in UNSUPPORTED
    if path.name in ABORTED:
        assert expected.errors.faults


def assert_as_spin(model: Model, spin: SpinReference) -> None:
    assert spin.ok
    for threads in THREADS:
        found = coset.explore(model, engine="explicit", threads=threads, symmetry="off")
        errors = found.errors
        assert found.complete and (found.states, found.transitions) == (spin.states, spin.transitions)
        assert (errors.assertions, errors.invalid_end_states) == (spin.assertions, spin.invalid_end_states)
        assert errors.trace + sum(errors.faults.values()) == spin.other_count


@pytest.mark.parametrize("first", range(0, RANDOM, PER_CHUNK))
def test_random_programs(first: int) -> None:
    compared = 0
    for seed in range(first, first + PER_CHUNK):
        model = coset.parse_text(generate(seed), f"seed {seed}")
        expected = coset.explore(model, engine="reference", max_states=SMALL, symmetry="off")
        if expected.complete:
            try:
                assert_equal(model, expected)
                compared += 1
            except Unsupported as reason:
                assert str(reason) in UNSUPPORTED
    assert compared >= PER_CHUNK // 3, "hardly anything was compared"


# --- plans that turn out too small ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DEEP, MIXED, CHANNELS], ids=["deep", "mixed kinds", "local channels"])
def test_plans_that_must_be_widened(text: str) -> None:
    model = coset.parse_text(text)
    expected = coset.explore(model, engine="reference", symmetry="off")
    for threads in THREADS:
        engine = Engine(model, settings=Settings(threads))
        engine.plan = plan_for([engine.interpreter.initial()])
        small = engine.plan
        result, _ = search_states(engine, stop_at=0)
        assert figures(result) == figures(expected)
        assert engine.plan != small and len(engine.plan.slots) > len(small.slots)
    assert_equal(model, expected)


def test_more_locations_than_a_byte_can_tell() -> None:
    """Nine bits were once read as eight: 256 of 270 states of models/scheduler.csp were found."""
    model = coset.parse_text("byte x; active proctype P() { " + "; ".join(["x = x ^ 1"] * 300) + " }")
    expected = coset.explore(model, engine="reference")
    found = coset.explore(model, engine="explicit")
    assert (found.states, found.transitions) == (expected.states, expected.transitions) and expected.states > 256


def test_mixed_kinds_share_a_slot() -> None:
    interpreter = Interpreter(coset.parse_text(MIXED))
    plan = plan_for(reachable(interpreter, 10_000))
    assert max(len(kinds) for kinds in plan.slots) == 3


# --- many successors ------------------------------------------------------------------------------------------------


def test_one_state_with_more_successors_than_the_first_table_has_places() -> None:
    """The table must grow in the middle of a state; it went round in circles for ever once."""
    small = coset.explore(coset.parse_text(WIDE, defines={"N": "9"}), engine="reference", symmetry="off")
    assert (small.states, small.transitions) == wide_figures(9)
    for threads in THREADS:
        result = coset.explore(coset.parse_text(WIDE), engine="explicit", threads=threads, symmetry="off")
        assert (result.states, result.transitions) == wide_figures(240)


# --- the layout -----------------------------------------------------------------------------------------------------


def reachable(interpreter: Interpreter, count: int) -> Sequence[State]:
    seen, queue = {interpreter.initial()}, [interpreter.initial()]
    for state in queue:
        if len(queue) >= count:
            break
        for step in interpreter.steps(state):
            if not is_fault(step.moves[-1]) and step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    return queue


def assert_round_trip(model: Model, count: int = 400) -> None:
    interpreter = Interpreter(model)
    states = reachable(interpreter, count)
    layout = Layout(interpreter, plan_for(states))
    codes = [layout.encode(state) for state in states]
    assert all(len(code) == layout.size and layout.size % 8 == 0 for code in codes)
    assert [layout.decode(code) for code in codes] == list(states)
    assert len(set(codes)) == len(states)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_states_of_models_go_into_bytes_and_back(path: Path) -> None:
    assert_round_trip(coset.load(path))


@pytest.mark.parametrize("first", range(0, RANDOM, PER_CHUNK))
def test_states_of_random_programs_go_into_bytes_and_back(first: int) -> None:
    for seed in range(first, first + PER_CHUNK):
        assert_round_trip(coset.parse_text(generate(seed)), 100)


@pytest.mark.parametrize("text", [DEEP, MIXED, CHANNELS], ids=["deep", "mixed kinds", "local channels"])
def test_states_with_dynamic_processes_go_into_bytes_and_back(text: str) -> None:
    assert_round_trip(coset.parse_text(text), 2000)


def test_a_plan_fits_what_it_was_made_for() -> None:
    states = reachable(Interpreter(coset.parse_text(MIXED)), 1000)
    plan = plan_for(states)
    assert all(plan.fits(state) for state in states)
    assert not SlotPlan(plan.slots[:-1]).fits(max(states, key=lambda state: len(state.processes)))


# --- limits ---------------------------------------------------------------------------------------------------------

ENDLESS = "int x, y; active proctype P() { do :: x++ :: y++ od } active proctype Q() { do :: x = x + 3 :: skip od }"


@pytest.mark.parametrize("threads", THREADS)
def test_limit_of_states(threads: int) -> None:
    result = coset.explore(
        coset.parse_text(ENDLESS), engine="explicit", threads=threads, max_states=10_000, symmetry="off"
    )
    assert not result.complete
    assert result.stopped is not None and "--max-states" in result.stopped
    assert 10_000 <= result.states < 20_000
    assert result.transitions > result.states


@pytest.mark.parametrize("threads", THREADS)
def test_limit_of_seconds(threads: int) -> None:
    """On a busy machine, the time may be over before the search has begun: then there is more of it."""
    for seconds in (0.5, 4.0, 32.0):
        result = coset.explore(
            coset.parse_text(ENDLESS), engine="explicit", threads=threads, max_seconds=seconds, symmetry="off"
        )
        assert not result.complete
        assert result.stopped is not None and "--max-seconds" in result.stopped
        if result.states > 1000:
            return
    pytest.fail("nothing was explored")


@pytest.mark.parametrize("threads", THREADS)
def test_limit_of_memory(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is for the process, which may have run many tests before."""
    monkeypatch.setenv("COSET_CFLAGS", "-O1")  # millions of states
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    limits = Limits(memory=resident + (40 << 20))
    result, _ = search_states(Engine(coset.parse_text(ENDLESS), limits, settings=Settings(threads)), stop_at=0)
    assert not result.complete
    assert result.stopped is not None and "--max-memory" in result.stopped
    assert result.states > 1000


# --- clean C --------------------------------------------------------------------------------------------------------


def strict_compile(model: Model, folder: Path, runtime: bool = False) -> None:
    """With warnings as errors; only the syntax and what the optimiser notices, nothing is linked.  The `runtime` knows
    little of the model, so a few models are enough for it; with states as numbers of components and without."""
    interpreter = Interpreter(model)
    guess = LayoutEstimate(interpreter)
    layout = Layout(interpreter, plan_for(guess.states))
    if supported(layout) is not None:
        return
    coding = guess.coding(Footprints(layout))
    strict_compile_program(emit(layout, coding=coding), folder, runtime)
    if runtime and coding is not None:
        facts = reducible(model)
        strict_compile_program(emit(layout), folder, runtime)
        strict_compile_program(emit(layout, coding=coding, facts=facts), folder, runtime)
        strict_compile_program(emit(layout, facts=facts), folder, runtime)


def strict_compile_program(program: GeneratedProgram, folder: Path, runtime: bool) -> None:
    files = runtime_files() | {"model.h": program.header, "model.c": program.source}
    for name, text in files.items():
        (folder / name).write_text(text)
    for name in files:
        if name == "model.c" or (runtime and name.endswith(".c")):
            flags = (*STRICT, *GENERATED) if name == "model.c" else STRICT
            done = subprocess.run([compiler(), *flags, "-c", name], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_c_without_warnings(path: Path, tmp_path: Path) -> None:
    strict_compile(coset.load(path), tmp_path, runtime=path.stem in ("peterson", "email_small"))


@pytest.mark.parametrize("text", [DEEP, MIXED, CHANNELS], ids=["deep", "mixed kinds", "local channels"])
def test_c_of_dynamic_processes_without_warnings(text: str, tmp_path: Path) -> None:
    strict_compile(coset.parse_text(text), tmp_path, runtime=True)
