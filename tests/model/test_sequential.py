"""The sequential model: what it means is what the concurrent model means; text is read back as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.languages.sequential.parse import parse, parse_text
from coset.model.interpreter import Interpreter
from coset.model.sequential import Inexpressible, SequentialInterpreter, SequentialModel
from coset.model.sequential.convert import sequential
from coset.model.sequential.validate import validate
from coset.model.state import State
from coset.source.diagnostics import InputError
from coset.source.text import Source
from coset.symmetry.startup import StartedStates, startup
from coset.tasks.load import parse_text as promela
from tests.support.paths import MODELS

SLOW = {
    "cache_coherence", "email_featured", "email_small", "email_symmetric_small", "futex_mutex", "hypercube",
    "load_balancer", "raft_election", "resource_allocator", "three_tiered", "token_ring",
}  # fmt: skip
UNKNOWN = {"email", "email_symmetric", "dynamic_workers", "job_server"}
"""Spaces that are too large, and processes that are started at any time."""


def started_of(interpreter: Interpreter) -> StartedStates:
    started = startup(interpreter)
    assert isinstance(started, StartedStates), started.why
    return started


def converted(model: coset.Model) -> tuple[SequentialModel, Interpreter, StartedStates]:
    interpreter = Interpreter(model)
    started = started_of(interpreter)
    result = sequential(interpreter, started.states, started.locations)
    assert validate(result) == []
    return result, interpreter, started


def reachable(interpreter: Interpreter) -> dict[State, None]:
    found = {interpreter.initial(): None}
    todo = list(found)
    for state in todo:
        for step in interpreter.steps(state):
            if step.state not in found:
                found[step.state] = None
                todo.append(step.state)
    return found


def same_space(model: coset.Model) -> int:
    """As many states in both forms, from when on all processes exist; their number."""
    flat, interpreter, started = converted(model)
    executed = SequentialInterpreter(flat)
    mine = sum(map(executed.observable, executed.reachable()))
    assert mine == sum(map(started.includes, reachable(interpreter)))
    return mine


def shipped() -> list[object]:
    names = sorted(path.stem for path in MODELS.glob("*.pml"))
    return [
        pytest.param(name, marks=[pytest.mark.long] if name in SLOW else []) for name in names if name not in UNKNOWN
    ]


@pytest.mark.parametrize("name", shipped())
def test_space_of_a_shipped_model(name: str) -> None:
    assert same_space(coset.load(MODELS / f"{name}.pml")) > 1


@pytest.mark.parametrize("name", ["peterson", "token_ring", "three_tiered", "dekker", "two_phase_commit"])
def test_the_text_of_a_converted_model_is_read_back(name: str) -> None:
    flat, _, _ = converted(coset.load(MODELS / f"{name}.pml"))
    again = parse_text(str(flat))
    assert str(again) == str(flat)
    assert validate(again) == []


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.seq")), ids=lambda path: path.name)
def test_the_text_of_a_sequential_model_is_read_back(path: Path) -> None:
    model = parse(Source(str(path), path.read_text()))
    assert validate(model) == []
    again = parse_text(str(model))
    assert str(again) == str(model)
    first, second = (next(iter(SequentialInterpreter(each).initial())) for each in (model, again))
    assert first == second
    steps = [list(SequentialInterpreter(each).steps(first)) for each in (model, again)]
    assert steps[0] == steps[1]


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("byte x; active proctype p() { do :: x < 3 -> x++ :: else -> x = 0 od }", 8),
        ("chan c = [2] of { byte }; active proctype p() { c!1; c!2 } active proctype q() { byte v; c?v; c?v }", 8),
        ("chan c = [0] of { byte }; active proctype p() { c!7 } active proctype q() { byte v; c?v }", 4),
        ("chan c = [3] of { byte }; active proctype p() { c!1; c!2; c!3; c??2; c?<1> }", 7),
        ("byte x; active [2] proctype p() { atomic { x == 0 -> x = 1; x = 2 }; x = 0 }", None),
        ("byte x; active [2] proctype p() { atomic { x++; x == 2; x = 0 } }", None),
        ("byte x; active proctype p() { d_step { x = 1; if :: x > 0 -> x = 5 :: else -> x = 6 fi; x++ } }", 3),
        ("byte x; active proctype p() { { x = 1; x = 2; x = 3 } unless { x == 2 } }", None),
        ("bit x; active [2] proctype p() { (_pid == 0 || p[0]@end) -> x = 1; end: x = 0 }", None),
        ("chan a = [1] of { byte }; chan b = [1] of { byte }; active proctype p() { chan c; c = a; c!1; c = b; c!2 }", None),
        ("active [2] proctype p() { byte v; v = _nr_pr; v = 0 }", None),
    ],
)  # fmt: skip
def test_constructs(text: str, states: int | None) -> None:
    found = same_space(promela(text))
    assert found > 1
    assert states is None or found == states


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        ("active proctype p() { timeout }", "`timeout`"),
        ("chan c = [2] of { byte }; active proctype p() { c!!1 }", "sorted send `!!`"),
        ("byte x; active proctype p() { d_step { x = 1; do :: x < 9 -> x++ :: else -> break od } }", "loop inside of a d_step"),
        ("active [2] proctype p() { enabled(1) }", "`enabled\\(\\)`"),
        ("byte x; active proctype p() provided (x == 0) { x = 1 } active proctype q() { chan c = [1] of { bit }; c!1 }",
         "channels of q"),
    ],
)  # fmt: skip
def test_what_has_no_sequential_form_is_named(text: str, construct: str) -> None:
    with pytest.raises(Inexpressible, match=construct):
        converted(promela(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("process p(bit x) = [x == z] up { } init p(0);", "`z` is not declared"),
        ("process p(bit x) = [x == 0] up { x = 1 } init p(0);", "expected `;`"),
        ("process p(bit x[2]) = [x == 0] up { } init p(0);", "1 dimensions and is used with 0 indices"),
        ("process p(bit x[2]) = [x[2] == 0] up { } init p(0);", "index 2 of `x`"),
        ("process p(bit x) = up { } init q(0);", "named `p`, not `q`"),
        ("process p(bit x) = up { } init p(2);", "2 is no value of `x`"),
        ("process p(bit x[2]) = up { } init p({0});", "2 elements, 1 values"),
        ("process p(bit x) = bit i . [i == x] up { i = 1; } init p(0);", "`i` is chosen"),
        ("process p(bit x, bit x) = up { } init p(0);", "declared already"),
        ("process p(3..1 x) = up { } init p(0);", "3..1 is empty"),
        ("process p(bit x) = up { } init p(0); 7", "expected the end"),
        ("process p(bit x) = up { x = $; } init p(0);", "cannot be used"),
        ("const N = x; process p(bit x) = up { } init p(0);", "`x` is not declared"),
        ("process p(bit x[0]) = up { } init p(0);", "length 0"),
        ("process", "expected a name, found the end of the file"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_text_is_said(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_text(text)
    assert message in str(caught.value)


def test_constants_can_be_given() -> None:
    text = "const N = 2; process p(bit x[N]) = 0..N-1 i . [!x[i]] up { x[i] = 1; } init p(0);"
    assert len(SequentialInterpreter(parse_text(text)).reachable()) == 4
    assert len(SequentialInterpreter(parse_text(text, defines={"N": "3"})).reachable()) == 8
    with pytest.raises(InputError, match="a number is needed"):
        parse_text(text, defines={"N": "three"})


def test_starts_may_be_several_and_partly_open() -> None:
    model = parse_text("process p(0..2 x, bit y) = up { x = x; } init p(x = 1, y = *); init p(x = 2);")
    assert sorted(SequentialInterpreter(model).initial()) == [(1, 0), (1, 1), (2, 0)]


def test_steps_that_go_wrong_lead_nowhere() -> None:
    interpreter = SequentialInterpreter(parse_text("process p(0..2 x) = go { x = 2 / x; } init p(*);"))
    assert list(interpreter.steps((0,))) == []
    assert interpreter.faults((0,)) == {"go": 1}
    assert list(interpreter.steps((1,))) == [("go", (2,))]
