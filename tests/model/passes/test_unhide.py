"""Hidden variables that are only scratch are reset and ordinary; the others stay hidden."""

from __future__ import annotations

from collections import Counter

import pytest

import coset
from coset.languages.promela.load import load
from coset.model import model as m
from coset.model.interpreter import Interpreter, is_fault
from coset.model.passes.unhide import unhide
from coset.model.state import State
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from tests.support import hidden_random
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared, states_of


def as_written(text: str) -> m.Model:
    model = load(Source("m.pml", text), {}, (), Diagnostics())
    assert model is not None
    return model


def steps(interpreter: Interpreter, key: Interpreter, state: State) -> Counter[object]:
    """Where the steps from a state lead, hidden variables apart, and their errors."""
    found: Counter[object] = Counter()
    for step in interpreter.steps(state):
        kinds = tuple(kind for move in step.moves for kind, _ in move.errors)
        found[None if is_fault(step.moves[-1]) else key.key(step.state), kinds] += 1
    return found


def agree(text: str) -> bool:
    """By brute force: whether anything was changed; if so, that all states that differ only in the changed variables have equal
    steps, and that the changed model has one of each."""
    plain = as_written(text)
    changed = unhide(plain)
    if changed is plain:
        return False
    still = [v.hidden for v in changed.variables]
    before, after = Interpreter(plain), Interpreter(changed)
    assert len(still) == len(plain.variables)
    every, few = states_of(before), states_of(after)
    if any(still):
        return False
    classes: dict[State, Counter[object]] = {}
    for state in every:
        mine = steps(before, before, state)
        assert classes.setdefault(before.key(state), mine) == mine, text
    assert len(few) == len(classes), text
    for state in few:
        assert steps(after, before, state) == classes[before.key(state)], text
    return True


def scratch(text: str) -> list[str]:
    return [v.name for v in unhide(as_written("hidden byte h; " + text)).variables if not v.hidden]


@pytest.mark.parametrize(
    "body",
    [
        "do :: atomic { h = 1; x = h } od",
        "do :: d_step { h = 0; do :: h < 3 -> x = h; h++ :: else -> break od } od",
        "do :: atomic { x == 0; h = 2; if :: x < h -> x = 1 :: else fi; x = 0 } od",
        "do :: atomic { c?h; x = h } :: c!1 od",
        "do :: h = 1; x = 1 - x od",
    ],
)
def test_scratch_variables(body: str) -> None:
    text = f"byte x; chan c = [1] of {{ byte }}; active proctype P() {{ {body} }}"
    assert scratch(text) == ["h", "x", "c"] and agree("hidden byte h; " + text)


@pytest.mark.parametrize(
    "body",
    [
        "do :: h = 1; x = h od",
        "do :: atomic { h = 1; c!1; x = h } :: c?_ od",
        "do :: atomic { h = 1; x == 0; x = h } od",
        "do :: atomic { h = 1; r!0; x = h } od",
        "do :: x = h :: h = 1 - h od",
        "do :: atomic { x = 1 - x; if :: x > 0 -> h = 1 :: else fi; x = h } od",
    ],
)
def test_variables_that_are_needed_later(body: str) -> None:
    """Control may be lost between the assignment and the reading, or there is a path without an assignment."""
    text = f"byte x; chan c = [1] of {{ byte }}; chan r = [0] of {{ byte }}; active proctype P() {{ {body} }}"
    other = " active proctype R() { do :: r?_ od }"
    assert "h" not in scratch(text + other)


def test_variables_that_others_read() -> None:
    body = "byte x; active proctype P() { do :: atomic { h = 1; x = h } od }"
    assert "h" in scratch(body)
    assert "h" not in scratch(body + " ltl p { [] (h < 2) }")
    assert "h" not in scratch(body + " never { do :: h == 0 od }")
    assert "h" not in scratch(body.replace("P()", "P() provided (h == 0)"))
    assert "h" not in scratch(body + " proctype Q() { byte y = h; x = y } init { run Q() }")


def test_formulas_of_the_command_line_read_them_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("hidden") / "m.pml"
    path.write_text("hidden byte h; byte x; active proctype P() { do :: atomic { h = 1; x = h } od }")
    assert not any(v.hidden for v in coset.load(path).variables)
    assert any(v.hidden for v in coset.load(path, formulas=("[] (h < 2)",)).variables)


def test_symmetry() -> None:
    text = """
    hidden byte level; byte prio[4]; chan link[4] = [1] of { byte }; chan to;
    active proctype Allocator() {
      do :: atomic {
        link[1]?[1] || link[2]?[1] || link[3]?[1];
        level = 1;
        do :: prio[1] == level && link[1]?[1] -> link[1]?1; prio[1] = 0; break
           :: prio[2] == level && link[2]?[1] -> link[2]?1; prio[2] = 0; break
           :: prio[3] == level && link[3]?[1] -> link[3]?1; prio[3] = 0; break
           :: else -> level--
        od }
      od
    }
    active [3] proctype Client() { do :: link[_pid]!1 :: atomic { empty(link[_pid]); prio[_pid] = 1 } od }
    """
    model = coset.parse_text(text)
    assert detect(model, ()).order == 6 and compared(model).used.group.order == 6


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(1000, 3000), marks=pytest.mark.long)], ids=str)
def test_random_models(seeds: range) -> None:
    changed = 0
    for seed in seeds:
        text = hidden_random.generate(seed)
        try:
            changed += agree(text)
            compared(coset.parse_text(text), counts=False)
        except TooLarge:
            continue
    assert len(seeds) // 5 < changed < len(seeds)
