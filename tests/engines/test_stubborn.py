"""Partial order reduction: fewer states, the same errors and verdicts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest

import coset
from coset.engines.explicit.compile import Unsupported
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.safety import search_states
from coset.engines.explicit.stubborn import reducible
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import Model
from coset.model.passes import merged
from coset.model.state import State
from coset.results.exploration import Exploration
from coset.source.budget import Limits
from tests.support.paths import MODELS
from tests.support.promela_random import generate
from tests.support.spin_examples import EXAMPLES
from tests.support.stubborn_naive import Reduced, Sets, violations

PIPELINE = """
chan first = [2] of { byte }; chan second = [2] of { byte };
byte seen, last;
active proctype Source() { byte i; do :: i < 3 -> first!i; i++ :: else -> break od }
active proctype Middle() { byte v; end: do :: first?v; second!v od }
active proctype Sink() { byte v; end: do :: second?v; last = v; seen++ od }
"""

POLLED = PIPELINE + "active proctype Watcher() { end: do :: len(first) == 2 -> last = 9 od }"
SHARED = PIPELINE + "active proctype Thief() { byte v; end: do :: first?v od }"
CYCLE = """
byte turns;
active proctype Idle() { byte i; do :: i = 1 - i od }
active proctype Worker() { turns++; assert(turns < 1) }
"""


def errors(result: Exploration) -> tuple[bool, bool, bool, frozenset[str]]:
    found = result.errors
    return found.assertions > 0, found.invalid_end_states > 0, found.trace > 0, frozenset(found.faults)


def searched(model: Model, partial: bool, order: str = "breadth", threads: int = 1) -> Exploration:
    settings = Settings(order=order, threads=threads)
    result, _ = search_states(Engine(model, Limits(states=100_000), settings=settings, partial=partial), stop_at=0)
    return result


STRAIGHT = """
chan c = [1] of { byte };
active proctype Sender() { c!1; end: false }
active proctype Receiver() { byte v; c?v; end: false }
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", {"Sender", "Receiver"}),
        ("active proctype Other() { byte v; c?v; end: false }", {"Sender"}),
        ("active proctype Other() { c!2; end: false }", {"Receiver"}),
        ("active proctype Other() { len(c) == 1; end: false }", set()),
        ("active proctype Other() { timeout; end: false }", {"Sender", "Receiver"}),
        ("ltl p { [] (len(c) < 1) }", set()),
        ("ltl p { [] (_nr_pr < 9) }", {"Sender", "Receiver"}),
    ],
    ids=["alone", "two receivers", "two senders", "asked about", "timeout", "a property asks", "a property does not"],
)
def test_channels_that_others_use(more: str, expected: set[str]) -> None:
    """Which of the two may move alone, where each of them can move."""
    model = coset.parse_text(STRAIGHT + more)
    facts = reducible(model)
    assert facts is not None
    sets = Sets(model, facts)
    start = sets.interpreter.initial()
    sent = start._replace(channels=tuple(channel._replace(messages=((1,),)) for channel in start.channels))
    alone = {0} if frozenset({0}) in sets.groups(start) else set()
    alone |= {1} if frozenset({1}) in sets.groups(sent) else set()
    assert {model.kinds[number].name for number in alone} == expected


def test_no_reduction_where_single_steps_matter() -> None:
    for more in ("never { do :: _last == 0 od }", "trace { c!1 }", "active proctype Q() priority 3 { skip }"):
        assert reducible(coset.parse_text(STRAIGHT + more)) is None


def reachable(interpreter: Interpreter, limit: int) -> list[State]:
    states = [interpreter.initial()]
    known = set(states)
    for state in states:
        for step in interpreter.steps(state) if len(states) < limit else ():
            if not is_fault(step.moves[-1]) and step.state not in known:
                known.add(step.state)
                states.append(step.state)
    return states


@pytest.mark.parametrize("chunk", range(4))
def test_sets_are_stubborn_by_the_definition(chunk: int) -> None:
    """What the others do first neither changes the steps of a set nor fails to commute with them."""
    tried = 0
    for seed in range(15 * chunk, 15 * chunk + 15):
        model = replace(coset.parse_text(generate(seed)), properties=())
        facts = reducible(model)
        if facts is None:
            continue
        sets = Sets(model, facts)
        for state in reachable(sets.interpreter, 40):
            for group in sets.groups(state):
                tried += 1
                assert not list(violations(sets.interpreter, state, group, 40)), f"seed {seed}"
    assert tried > 300


def test_the_compiled_engine_chooses_the_same_sets() -> None:
    """The reduced search of the twin and that of the engine visit the same number of states."""
    for text in (PIPELINE, POLLED, SHARED, CYCLE, STRAIGHT):
        model = coset.parse_text(text)
        twin = Reduced(model)
        twin.run()
        assert searched(model, partial=True).states == len(twin.states)


def test_every_cycle_is_left_now_and_then() -> None:
    """A process that could always move privately must not keep others from moving for ever."""
    model = coset.parse_text(CYCLE)
    assert errors(searched(model, partial=True)) == errors(searched(model, partial=False))
    assert errors(searched(model, partial=True))[0]


@pytest.mark.parametrize("text", [PIPELINE, POLLED, SHARED])
def test_fewer_states_and_the_same_errors(text: str) -> None:
    model = coset.parse_text(text)
    whole, part = searched(model, partial=False), searched(model, partial=True)
    assert errors(whole) == errors(part) and part.states < whole.states


def compare(seeds: Iterable[int]) -> int:
    """How many random programs could be compared."""
    count = 0
    for seed in seeds:
        model = replace(coset.parse_text(generate(seed)), properties=())
        try:
            whole = searched(model, partial=False)
            parts = [searched(model, True), searched(model, True, order="depth"), searched(model, True, threads=2)]
        except Unsupported:
            continue
        if whole.complete:
            for part in parts:
                assert errors(whole) == errors(part), f"seed {seed}"
                assert part.states <= whole.states
            count += 1
    return count


def test_random_programs() -> None:
    assert compare(range(20)) >= 15


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_many_random_programs(first: int) -> None:
    assert compare(range(first, first + 50)) >= 35


POR = Settings(symmetry="auto", reduction="por")


@pytest.mark.parametrize("name", ["alternating_bit", "producer_consumer", "two_phase_commit", "token_ring"])
def test_verdicts_on_models(name: str) -> None:
    path = MODELS / f"{name}.pml"
    expected = {each.name: each.verdict for each in coset.check(path, symmetry="off").properties}
    found = coset.check(path, engine="explicit", settings=POR)
    assert {each.name: each.verdict for each in found.properties} == expected


SPIN_REDUCED = {"sort.pml": 135, "leader0.pml": 97, "LTL/leader.pml": 14_122, "dtp.pml": 44_363}
"""States that SPIN 6.5.2 stores with its own reduction (`spin -a`, `pan -DSAFETY`, claims left out)."""


@pytest.mark.parametrize("name", SPIN_REDUCED)
def test_no_more_than_twice_the_states_of_spin(name: str) -> None:
    model = replace(coset.load(EXAMPLES / name), properties=())
    for order in ("breadth", "depth"):
        result = searched(merged(model, marks=False), partial=True, order=order)
        assert result.complete and result.states <= 2 * SPIN_REDUCED[name]


EMITTED = """
import sys, coset
from coset.engines.explicit.emit.program import emit
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.stubborn import reducible
model = coset.load(sys.argv[1])
print(emit(Engine(model).layout(), facts=reducible(model)).source)
"""


def test_the_program_is_the_same_in_every_process() -> None:
    """Or else neither a compiled library nor a checkpoint is found again: both are known by the text of the program."""
    texts = [
        subprocess.run(
            [sys.executable, "-c", EMITTED, str(MODELS / "barrier.pml")],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert "model_observed" in texts[0] and texts[0] == texts[1]
