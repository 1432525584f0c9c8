"""Traces: found, stored, replayed, refused when they are wrong, and shown.

Golden texts are under `cases/lanes`; `COSET_GOLDEN=write pytest tests/results/test_trace.py` writes them anew.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import coset
from coset.cli import replay as command
from coset.cli.parser import UsageError, make_parser
from coset.formats.itf import itf
from coset.formats.json_output import schema, text
from coset.formats.trace_json import TraceFormatError, document, read
from coset.model.interpreter import Interpreter
from coset.properties.formula import Atom, Formula, Logic, Modal, Not, Until
from coset.results.changes import Change
from coset.results.infinite import holds
from coset.results.trace import (
    Choice,
    ReplayError,
    Run,
    Trace,
    digest,
    from_moves,
    options,
    replay,
    shortest_safety_trace,
)  # fmt: skip
from coset.views.lanes import lanes
from coset.views.sequence_chart import sequence_chart
from tests.support.paths import CASES
from tests.support.trace_cases import ERRORS, LASSOS, expected, random_run, run_of

ALL = [*ERRORS, *LASSOS]
GOLDEN = CASES / "lanes"
SHOWN = [
    ("deadlock_handshake", 80), ("buffered", 100), ("buffered", 60), ("process_death", 80), ("d_step", 80),
    ("rendezvous_atomic", 80), ("rendezvous", 30), ("never_accept", 80), ("ltl_starvation", 80), ("ltl_stops", 80),
]  # fmt: skip


def case(name: str) -> Path:
    return next(path for path in ALL if path.stem == name)


by_name = {"ids": lambda path: path.stem}


# --- finding and replaying -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ALL, **by_name)  # type: ignore[arg-type]
def test_found_and_replayed(path: Path) -> None:
    run, wanted = run_of(path), expected(path)
    assert run.trace.kind == wanted.kind and run.trace.model == path.name
    assert len(run.states) == len(run.holders) == len(run.moves) + 1 == len(run.changes) + 1
    span = run.moves[-1].edge.span
    if wanted.line is not None and path.stem != "d_step":
        assert span is not None and span.line == wanted.line
    if wanted.kind == "deadlock":
        assert not options(run.interpreter, run.last, run.holders[-1])


@pytest.mark.parametrize("path", ERRORS, **by_name)  # type: ignore[arg-type]
def test_shortest_is_shortest(path: Path) -> None:
    """No random run is shorter, and no prefix of the shortest shows the error."""
    run = run_of(path)
    trace, model = run.trace, run.model
    for length in range(len(trace)):
        with pytest.raises(ReplayError):
            replay(model, dataclasses.replace(trace, moves=trace.moves[:length]))
    for seed in range(20):
        moves = random_run(model, str(seed), len(trace) - 1).moves
        shows = any(kind == trace.kind for move in moves for kind, _ in move.errors)
        assert not shows


def test_nothing_to_find() -> None:
    model = coset.parse_text("byte x; active proctype P() { x = 1; assert(x == 1) }")
    assert [shortest_safety_trace(model, want) for want in ("assertion", "deadlock", "fault")] == [None] * 3
    with pytest.raises(ValueError):
        shortest_safety_trace(model, "starvation")


def test_an_error_in_the_first_state() -> None:
    model = coset.parse_text("active proctype P() { false }")
    trace = shortest_safety_trace(model, "deadlock")
    assert trace is not None and len(trace) == 0 and str(trace) == "model.pml: deadlock after 0 moves"
    assert replay(model, trace).message == "invalid end state"


def test_changes_are_told_by_name() -> None:
    run = run_of(case("buffered"))
    assert run.changes[0]["box[]"] == Change("", "(data,3)")
    assert run.changes[3]["desk[]"] == Change("", "(P(0):mine)")
    assert run.changes[4]["Q(1):reply"] == Change("0", "P(0):mine")
    born = run_of(case("process_death")).changes
    assert born[0]["Child(1):value"] == Change(None, "3") and born[3]["Child(1):value"] == Change("3", None)


def test_from_moves_gives_back_the_trace() -> None:
    for path in ERRORS:
        run = run_of(path)
        assert from_moves(run.model, run.moves, run.trace.kind) == run.trace


def test_a_monitor_is_an_error_too() -> None:
    model = coset.parse_text("chan c = [1] of {bit}; trace { c!1 } active proctype P() { if :: c!1 :: c!0 fi }")
    trace = shortest_safety_trace(model, "trace")
    assert trace is not None and trace.moves == (Choice(0, 1),)
    assert replay(model, trace).message == "an event does not match the trace"


# --- refusing --------------------------------------------------------------------------------------

TWO = coset.parse_text(
    "byte x; active proctype P() { atomic { x = 1; x = 2 }; x = 3 } active proctype Q() { x == 2; do :: x = 5 od }"
)


@pytest.mark.parametrize(
    ("moves", "kind", "loop_start", "step", "reason"),
    [
        ([(7, 0)], "run", None, 1, "there is no process 7"),
        ([(0, 5)], "run", None, 1, "P(0) has no edge 5"),
        ([(0, 0), (1, 0)], "run", None, 2, "cannot move while P(0) keeps control"),
        ([(1, 0)], "run", None, 1, "Q(1) `x == 2` cannot be executed"),
        ([(0, 0, (1, 0))], "run", None, 1, "cannot be executed"),
        ([(0, 0)], "assertion", None, 2, "no error of the kind 'assertion'"),
        ([(0, 0)], "fault", None, 2, "no error of the kind 'fault'"),
        ([(0, 0), (0, 0)], "deadlock", None, 3, "something can still happen"),
        ([(0, 0)], "odd", None, 2, "of the kind 'odd'"),
        ([(0, 0)], "ltl", 5, 2, "no move 6"),
        ([(0, 0), (0, 0)], "ltl", 2, 3, "cannot stay there"),
        ([(0, 0), (0, 0)], "ltl", 0, 3, "the cycle does not close"),
    ],
)
def test_wrong_traces_are_refused(moves: list[Any], kind: str, loop_start: int | None, step: int, reason: str) -> None:
    trace = Trace("m", kind, kind, tuple(Choice(*move) for move in moves), loop_start)
    with pytest.raises(ReplayError, match=r"^move \d+: ") as caught:
        replay(TWO, trace)
    assert caught.value.step == step and reason in caught.value.reason


def test_a_cycle_closes() -> None:
    moves = [Choice(0, 0), Choice(0, 0), Choice(1, 0), Choice(1, 0), Choice(1, 0)]
    trace = Trace("m", "?", "ltl", tuple(moves), 4)
    message = "move 5 repeats forever (the model has no property '?': whether it is violated was not checked)"
    assert replay(TWO, trace).message == message
    assert str(trace).endswith("0.0 0.0 1.0 1.0 | 1.0")


def test_a_lasso_must_violate_its_property() -> None:
    good = run_of(case("ltl_starvation"))
    served = dataclasses.replace(good.trace, moves=(Choice(2, 0, (0, 0)), Choice(2, 0, (0, 0))))
    with pytest.raises(ReplayError, match="does not violate served"):
        replay(good.model, served)
    claimed = run_of(case("never_accept"))
    with pytest.raises(ReplayError, match="does not accept"):
        replay(claimed.model, dataclasses.replace(claimed.trace, moves=claimed.trace.moves[:3], loop_start=None))


def test_nothing_comes_after_a_fault() -> None:
    run = run_of(case("fault_index"))
    with pytest.raises(ReplayError, match="the run ended before: index 3"):
        replay(run.model, dataclasses.replace(run.trace, moves=(*run.trace.moves, Choice(0, 0))))


# --- formulas on paths -----------------------------------------------------------------------------


def random_formula(chance: random.Random, depth: int) -> Formula[Any]:
    if depth == 0 or chance.random() < 0.2:
        return Atom(chance.choice("pq"))
    inner = [random_formula(chance, depth - 1) for _ in range(2)]
    return chance.choice([
        Not(inner[0]), Logic(chance.choice(("&&", "||", "->", "<->")), *inner),
        Modal(chance.choice(("[]", "<>", "X")), inner[0]), Until(chance.choice("UWV"), *inner),
    ])  # fmt: skip


def by_definition(formula: Formula[Any], truth: dict[str, list[bool]], after: list[int], at: int) -> bool:
    """The textbook, with a path long enough to see everything twice."""
    path = [at]
    while len(path) <= 2 * len(after):
        path.append(after[path[-1]])

    def true(inner: Formula[Any], k: int = 0) -> bool:
        return by_definition(inner, truth, after, path[k])

    def until(left: Formula[Any], right: Formula[Any]) -> bool:
        return any(true(right, k) and all(true(left, j) for j in range(k)) for k in range(len(path)))

    match formula:
        case Atom(name):
            return truth[name][at]
        case Not(inner):
            return not true(inner)
        case Logic(operator, a, b):
            x, y = true(a), true(b)
            return {"&&": x and y, "||": x or y, "->": not x or y, "<->": x == y}[operator]
        case Modal(operator, a):
            ways = {"X": lambda: true(a, 1), "[]": lambda: all(true(a, k) for k in range(len(path)))}
            return ways.get(operator, lambda: any(true(a, k) for k in range(len(path))))()
        case Until("U", a, b):
            return until(a, b)
        case Until("W", a, b):
            return until(a, b) or all(true(a, k) for k in range(len(path)))
        case Until(_, a, b):
            return not until(Not(a), Not(b))
    raise TypeError(formula)


@pytest.mark.parametrize("seed", range(150))
def test_formulas_by_definition(seed: int) -> None:
    chance = random.Random(seed)
    formula = random_formula(chance, 3)
    length = chance.randint(1, 4)
    loop = chance.randrange(length)
    truth = {name: [chance.random() < 0.5 for _ in range(length)] for name in "pq"}
    after = [*range(1, length), loop]
    found = holds(formula, truth.__getitem__, after.__getitem__, length)
    assert found == [by_definition(formula, truth, after, at) for at in range(length)]
    # What is violated already is violated however it goes on.
    cut = [*range(1, length), None]
    if not holds(formula, truth.__getitem__, cut.__getitem__, length)[0]:
        assert not found[0]


# --- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ALL, **by_name)  # type: ignore[arg-type]
def test_json_round_trip(path: Path) -> None:
    run = run_of(path)
    validator = jsonschema.Draft202012Validator(schema("trace"))
    for written in (document(run.trace), document(run.trace, run)):
        validator.validate(written)
        again = read(text(written))
        assert again == run.trace
        assert replay(coset.load(path), again).message == run.message
    steps = document(run.trace, run)["steps"]
    assert len(steps) == len(run.moves)


@pytest.mark.parametrize("name", ["trace", "replay"])
def test_schemas_are_strict(name: str) -> None:
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    for part in (found, *found["$defs"].values()):
        assert part["additionalProperties"] is False and part["required"] == list(part["properties"])


def test_a_trace_is_found_in_what_check_prints() -> None:
    run = run_of(case("plain"))
    one = document(run.trace)
    properties = [{"name": "a", "trace": None}, {"name": "b", "trace": one}]
    assert read(json.dumps({"command": "check", "properties": properties})) == run.trace
    assert read(json.dumps({"command": "replay", "trace": one})) == run.trace
    with pytest.raises(TraceFormatError, match="no property has a counterexample"):
        read(json.dumps({"properties": properties[:1]}))


@pytest.mark.parametrize("wrong", ["", "[]", "{", "{}", '{"moves": 3}', "[" * 100_000], ids=lambda text: text[:9])
def test_what_is_no_trace(wrong: str) -> None:
    with pytest.raises(TraceFormatError):
        read(wrong)


WRONG: list[tuple[str, Any]] = [
    ("schema", 2), ("kind", "odd"), ("kind", ["ltl"]), ("loop_start", -1), ("loop_start", "0"), ("model", 1),
    ("digest", []), ("moves", [0]), ("moves", [[0]]), ("moves", [[0, 1, 2]]), ("moves", [[0, True]]),
    ("moves", [[0, -1]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_fields(name: str, value: Any) -> None:
    whole = document(Trace("m", "p", "deadlock", (Choice(0, 0),)))
    assert read(json.dumps(whole)).kind == "deadlock"
    with pytest.raises(TraceFormatError):
        read(json.dumps({**whole, name: value}))


def check_itf_value(value: Any) -> None:
    """The values that the format has; integers are never JSON numbers."""
    match value:
        case bool() | str():
            pass
        case list():
            for each in value:
                check_itf_value(each)
        case {"#bigint": number, **rest}:
            assert not rest and int(number) is not None
        case {"#tup": list(parts), **rest}:
            assert not rest
            check_itf_value(parts)
        case dict():
            for name, each in value.items():
                assert not name.startswith("#")
                check_itf_value(each)
        case _:
            raise AssertionError(value)


@pytest.mark.parametrize("path", ALL, **by_name)  # type: ignore[arg-type]
def test_itf(path: Path) -> None:
    run = run_of(path)
    found = json.loads(text(itf(run)))
    assert found["#meta"]["format"] == "ITF"
    for index, state in enumerate(found["states"]):
        assert state.pop("#meta")["index"] == index
        assert list(state) == found["vars"]
        check_itf_value(state)
    loop = run.trace.loop_start
    assert found.get("loop") == loop
    repeated = loop is not None and loop < len(run.moves)
    assert len(found["states"]) == len(run.states) - repeated


def test_itf_values() -> None:
    run = run_of(case("run_parameters"))
    variables = itf(run)["states"][-1]["_processes"][2]["variables"]
    assert variables["own"] == {"a": {"#bigint": "0"}, "b": [{"#bigint": "0"}, {"#bigint": "-1"}]}
    assert variables["flag"] is True
    assert itf(run_of(case("buffered")))["states"][1]["_channels"][0] == [{"#tup": ["data", {"#bigint": "3"}]}]


# --- views -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "width"), SHOWN)
def test_lanes(name: str, width: int) -> None:
    found = lanes(run_of(case(name)), width)
    path = GOLDEN / f"{name}-{width}.txt"
    if os.environ.get("COSET_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(found)
    assert found == path.read_text()


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_lanes_fit(width: int) -> None:
    for path in ALL:
        run = run_of(path)
        shown = lanes(run, width).splitlines()
        rows = shown[: next(k for k, line in enumerate(shown) if line.startswith(run.message))]
        if width >= 80:
            assert max(map(len, rows)) <= width, path


@pytest.mark.parametrize("path", ALL, **by_name)  # type: ignore[arg-type]
def test_sequence_chart(path: Path) -> None:
    run = run_of(path)
    root = ElementTree.fromstring(sequence_chart(run))
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    words = [element.text for element in root.iter(f"{space}text")]
    repeated = run.trace.loop_start not in (None, len(run.moves))
    assert run.message in words and ("repeats forever" in words) == repeated
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for line in root.iter(f"{space}line"):
        assert left <= float(line.attrib["x2"]) <= left + width and top <= float(line.attrib["y2"]) <= top + height


def test_messages_find_their_receivers() -> None:
    from coset.views.message_flow import Story

    story = Story(run_of(case("buffered")))
    flights = [(flight.send.lines[0], flight.receive.first if flight.receive else None) for flight in story.flights]
    assert flights == [
        ("box!data,3", None), ("box!data,1", 2), ("desk!P(0):mine", 4), ("P(0):mine!7", 6), ("box!ack,7", 8),
    ]  # fmt: skip
    story = Story(run_of(case("deadlock_handshake")))
    assert [event.lines[0] for event in story.events if event.kind == "handshake"] == ["ask!7", "answer!7"]


# --- the command -----------------------------------------------------------------------------------

Command = Callable[..., int]


@pytest.fixture
def coset_replay() -> Command:
    def run(*arguments: str | Path) -> int:
        return command.run(make_parser().parse_args(["replay", *map(str, arguments)]))

    return run


def stored(run: Run, folder: Path) -> Path:
    path = folder / "trace.json"
    path.write_text(text(document(run.trace)))
    return path


def test_command(coset_replay: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = case("buffered")
    run = run_of(path)
    outputs = {name: tmp_path / f"out.{name}" for name in ("svg", "itf", "trail")}
    flags = [part for name, out in outputs.items() for part in (f"--{name}", out)]
    assert coset_replay(path, stored(run, tmp_path), "--spin", *flags) == 1
    shown, said = capsys.readouterr()
    assert not said and run.message in shown and shown.endswith("SPIN confirms it.\n")
    assert outputs["svg"].read_text().startswith("<svg") and outputs["trail"].read_text().startswith("1:0:0\n")
    assert json.loads(outputs["itf"].read_text())["vars"][0] == "box"


def test_command_json(coset_replay: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = case("plain")
    asked: list[tuple[list[str], object]] = [([], None), (["--spin"], {"confirmed": True, "differences": []})]
    for flags, spin in asked:
        assert coset_replay(path, stored(run_of(path), tmp_path), "--json", *flags) == 1
        found = json.loads(capsys.readouterr().out)
        jsonschema.Draft202012Validator(schema("replay")).validate(found)
        assert found["spin"] == spin and found["message"] == run_of(path).message
        assert read(json.dumps(found)) == run_of(path).trace


def test_command_says_when_spin_disagrees(
    coset_replay: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SPIN's simulator creates a process before it computes the arguments, its verifier afterwards."""
    path = tmp_path / "order.pml"
    path.write_text("init { run P(_nr_pr) }\nproctype P(byte n) { assert(n == 2) }\n")
    model = coset.load(path)
    trace = shortest_safety_trace(model, "assertion")
    assert trace is not None
    assert coset_replay(path, stored(replay(model, trace), tmp_path), "--spin") == 3
    assert "SPIN does not confirm it:\n  SPIN has P(1):n = 2, we have 1\n" in capsys.readouterr().out


def test_command_refuses(coset_replay: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = stored(run_of(case("buffered")), tmp_path)
    with pytest.raises(UsageError, match=r"is not a run of plain\.pml with this error: move 8: "):
        coset_replay(case("plain"), other)
    assert "plain.pml has changed since" in capsys.readouterr().err
    other.write_text("{}")
    with pytest.raises(UsageError, match="no trace"):
        coset_replay(case("plain"), other)
    with pytest.raises(coset.InputError):
        coset_replay(case("plain"), tmp_path / "none.json")


def test_command_on_a_run_that_shows_nothing(coset_replay: Command, tmp_path: Path) -> None:
    path = case("interleaving")
    assert coset_replay(path, stored(random_run(coset.load(path), "1", 3), tmp_path)) == 0


def test_digest() -> None:
    first, second = (coset.parse_text(f"byte x; active proctype P() {{ x = {n} /* {n} */ }}") for n in (1, 2))
    assert digest(first) != digest(second)
    commented = coset.parse_text("byte x; active proctype P() { /* more */ x = 1 }")
    assert digest(first) == digest(commented)
    assert Interpreter(first).initial() == Interpreter(commented).initial()
