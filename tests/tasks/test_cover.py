"""Runs that cover a model: every one is a run, and together they execute what a search finds to be executed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import coset
from coset.engines.reference.coverage import Recorder, taken_edges
from coset.formats import json_output, trace_json
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.options.showing import COVERED
from coset.results.coverage import Place, statements
from coset.results.trace import Trace, replay
from coset.source.budget import Limits
from coset.tasks.cover import cover
from tests.support.command_line import program
from tests.support.paths import MODELS
from tests.support.promela_random import generate


def executed(model: Model, traces: list[Trace]) -> set[Place]:
    """The edges that runs take, by an interpreter that executes them again."""
    found: set[Place] = set()
    for trace in traces:
        interpreter = Recorder(model)
        state, holder = interpreter.initial(), None
        for move in replay(model, trace).moves:
            again = None
            interpreter.taken.clear()
            for again in (*interpreter.moves(state, holder), *interpreter.moves(state)):
                if again[:5] == move[:5]:
                    break
                interpreter.taken.clear()
            assert again is not None and again[:5] == move[:5]
            found |= set(interpreter.places())
            state, holder = move.state, move.holder
    return found


def assert_covers(model: Model) -> None:
    taken, _, complete = taken_edges(model, Limits(3_000))
    if not complete:
        return
    for what in COVERED:
        found = cover(model, what)
        assert found.complete
        if what == "statements":
            wanted = statements(model)
            never = sum(taken.isdisjoint(places) for places in wanted.values())
            assert len(found.missing) == never
    plain = [run.trace for run in cover(model, "statements").runs]
    assert all(Interpreter(model).initial() == replay(model, trace).states[0] for trace in plain)
    assert all(trace.kind == "run" for trace in plain)


@pytest.mark.parametrize(
    "name", ["peterson.pml", "alternating_bit.pml", "dekker.pml", "readers_writers.csp", "peterson.spl"]
)
def test_models(name: str) -> None:
    loaded = coset.load(MODELS / name)
    assert_covers(loaded)


def test_every_statement_is_executed_by_some_run() -> None:
    model = coset.load(MODELS / "alternating_bit.pml")
    found = cover(model, "statements")
    taken = executed(model, [run.trace for run in found.runs])
    assert not found.missing
    assert all(not taken.isdisjoint(places) for places in statements(model).values())


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    assert_covers(coset.parse_text(generate(seed)))


def test_a_limit_says_that_it_does_not_know() -> None:
    text = "int x, y; active proctype P() { do :: x++ :: y++ :: x > 20000 -> x = 0 od }"
    found = cover(coset.parse_text(text), "statements", most_states=2_000, most_compiled=5_000)
    assert not found.complete and found.missing and "states" in (found.stopped or "")


def test_large_models_are_searched_by_the_compiled_engine() -> None:
    text = """byte a, b; bool met; chan c = [0] of { byte };
active proctype P() {
    do :: a < 15 -> a++ :: a == 15 && b == 15 -> atomic { met = true; c!1; b = 0 }; break od;
    d_step { a = 1; if :: b == 0 -> b = 2 :: else -> b = 3 fi }
}
active proctype Q() { do :: b < 15 -> b++ :: c?1 -> break :: c?2 -> b = 9 od; met -> b = 7 }"""
    model = coset.parse_text(text)
    naive, compiled = cover(model, "statements"), cover(model, "statements", most_states=100)
    assert naive.complete and compiled.complete
    assert compiled.missing == naive.missing and len(naive.missing) == 2
    assert max(len(run.moves) for run in compiled.runs) == max(len(run.moves) for run in naive.runs)


@pytest.mark.parametrize("seed", range(12, 18))
def test_both_searches_cover_the_same(seed: int) -> None:
    model = coset.parse_text(generate(seed))
    naive = cover(model, "transitions", most_states=3_000, most_compiled=1)
    if naive.complete:
        compiled = cover(model, "transitions", most_states=1)
        assert compiled.complete and compiled.missing == naive.missing


def test_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype P() { if :: x = 1 :: x = 2; x > 5; x = 3 fi }")
    found = program("simulate", path, "--cover", "statements", "-o", tmp_path / "runs")
    assert found.code == 0 and found.out.splitlines() == [
        "2 of 4 statements in 2 runs of 2 moves",
        "  never executed: P, line 1: x > 5",
        "  never executed: P, line 1: x = 3",
    ]
    documents = [json.loads(each.read_text()) for each in sorted((tmp_path / "runs").iterdir())]
    assert [len(each["states"]) for each in documents] == [2, 2]
    assert {each["states"][1]["#meta"]["action"] for each in documents} == {"x = 1", "x = 2"}
    assert program("simulate", path, "--cover", "statements").code == 2
    document = program("simulate", path, "--cover", "statements", "-o", tmp_path / "runs", "--json").json
    jsonschema.Draft202012Validator(json_output.schema("simulate")).validate(document)
    assert (document["targets"], document["covered"], document["complete"]) == (4, 2, True)
    assert document["missing"] == ["P, line 1: x > 5", "P, line 1: x = 3"]
    assert [Path(each["file"]).name for each in document["runs"]] == ["run_1.itf.json", "run_2.itf.json"]
    alone = program("simulate", path, "--cover", "statements", "--json").json
    assert [each["file"] for each in alone["runs"]] == [None, None]
    model = coset.load(path)
    for each in alone["runs"]:
        assert len(replay(model, trace_json.read(json.dumps(each["trace"]))).moves) == 1
