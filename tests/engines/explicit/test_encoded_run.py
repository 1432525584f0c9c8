"""Runs of the compiled engine, repeated by the interpreter step by step: the same states as by decoding them."""

from __future__ import annotations

import pytest

import coset
from coset.engines.explicit import safety
from coset.engines.explicit.encoded_run import EncodedRun
from coset.model.interpreter import Interpreter, Step
from coset.results import trace as traces
from coset.results.verdict import Verdict
from tests.support import promela_random

HANDSHAKE = """
chan c = [0] of { byte };
active proctype P() { c!1; c!2 }
active [2] proctype Q() { byte j; c?j; if :: j == 2 -> j = 7 :: j == 2 -> j = 8 :: else -> skip fi; assert(j != 8) }
"""
ATOMIC = """
byte x;
active [2] proctype P() { byte i; atomic { if :: i = 1 :: i = 2 :: i = 3 fi; x = x + i }; x == 6 -> assert(false) }
"""
TIMEOUT = "byte x; active proctype P() { timeout -> x = 1; assert(x == 0) } active proctype Q() { x == 1 }"
"""The interpreter cannot repeat a timeout by the steps of one process."""


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each run of a check could be repeated; its states are compared with decoded ones."""
    found: list[bool] = []
    original = EncodedRun.steps

    def compared(run: EncodedRun, interpreter: Interpreter) -> list[Step] | None:
        steps = original(run, interpreter)
        found.append(steps is not None)
        if steps is not None:
            assert [interpreter.initial(), *(step.state for step in steps)] == run.states()
        return steps

    monkeypatch.setattr(EncodedRun, "steps", compared)
    return found


@pytest.mark.parametrize(("text", "is_followed"), [(HANDSHAKE, True), (ATOMIC, True), (TIMEOUT, False)])
@pytest.mark.parametrize("tier", ["on", "off"])
def test_steps(text: str, is_followed: bool, tier: str, followed: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_QUICK", tier)
    result = coset.check(coset.parse_text(text), engine="explicit", symmetry="off", properties=["assertions"])
    assert result.verdict is Verdict.VIOLATED and followed == [is_followed]


def test_random_programs(followed: list[bool]) -> None:
    for seed in range(200, 216):
        model = coset.parse_text(promela_random.generate(seed))
        coset.check(model, engine="explicit", symmetry="off", max_states=20_000)
    assert sum(followed) > 8


def test_a_long_run_is_executed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of it is what its trace says."""
    monkeypatch.setattr(safety, "EXECUTED_AGAIN", 1)
    model = coset.parse_text(ATOMIC)
    (decided,) = coset.check(model, engine="explicit", symmetry="off", properties=["assertions"]).properties
    assert decided.trace is not None
    run, again = traces.replay(model, decided.trace), traces.executed(model, decided.trace)
    assert (run.states, run.holders, run.moves, run.message) == (
        again.states,
        again.holders,
        again.moves,
        again.message,
    )
