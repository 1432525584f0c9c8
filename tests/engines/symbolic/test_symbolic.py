"""The symbolic engine against the interpreter: the same states, transitions, errors and verdicts; and its parts against
naive twins."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NoReturn

import pytest

import coset
from coset import check
from coset.cli import main
from coset.engines.reference.branching import reachable as graph_of
from coset.engines.symbolic.encoding import Encoding
from coset.engines.symbolic.engine import BEYOND, Refused, SymbolicEngine, explore
from coset.engines.symbolic.evaluation import Evaluation
from coset.engines.symbolic.fixpoints import Fixpoints
from coset.engines.symbolic.order import force, span
from coset.engines.symbolic.relation import Relation
from coset.engines.symbolic.space import Space, space
from coset.engines.symbolic.steps import symbolic_steps
from coset.languages.sequential.parse import parse_text
from coset.model import expression as e
from coset.model.evaluate import Fault
from coset.model.model import LtlProperty, Model
from coset.model.sequential import SequentialInterpreter, SequentialModel
from coset.properties.common_fragment import branching_form
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.source.diagnostics import InputError
from tests.support.ctl_random import LIGHTS, STATED, formula, load, meaning, verdicts
from tests.support.expectations import Expectation, all_expectations
from tests.support.paths import MODELS
from tests.support.random_formulas import conditions
from tests.support.random_formulas import formula as linear_formula
from tests.support.sequential_random import condition, random_model
from tests.support.symbolic_cases import encoded, program

REFUSED = dict.fromkeys(("dynamic_workers.pml", "job_server.pml"), "it must know all processes")
SLOW = {"cache_coherence", "email", "email_symmetric", "hypercube", "leader_election", "token_ring"}
"""More than a few seconds in decision diagrams, or too many states for the model's own comment."""


# --- whole models --------------------------------------------------------------------------------


def shipped() -> list[object]:
    return [
        pytest.param(each, id=str(each), marks=[pytest.mark.long] if each.path.stem in SLOW or each.defines else [])
        for each in all_expectations()
        if each.path.name not in REFUSED
    ]


@pytest.mark.parametrize("expected", shipped())
def test_counts_of_shipped_models(expected: Expectation) -> None:
    found = explore(coset.load(expected.path, dict(expected.defines)))
    counts = {"states": found.states, "transitions": found.transitions}
    counts |= {"assertions": found.errors.assertions, "invalid_end_states": found.errors.invalid_end_states}
    assert {name: counts[name] for name, _ in expected.counts if name in counts} == {
        name: count for name, count in expected.counts if name in counts
    }
    assert found.complete and found.nodes


@pytest.mark.parametrize(
    "name",
    [
        "hanoi.seq", "leader_complete.seq", "peterson.seq", "philosophers.seq", "readers_writer.seq", "scheduler.seq",
        "token_circulation.seq", "philosophers.csp", "pipeline.csp", "readers_writers.csp", "vending.csp",
    ],
)  # fmt: skip
def test_counts_in_other_languages(name: str) -> None:
    assert_same_space(coset.load(MODELS / name))


def assert_same_space(model: Model) -> None:
    """The engine counts what the interpreter does; faults are counted by states."""
    found, expected = explore(model), coset.explore(model, engine="reference", symmetry="off")
    assert (found.states, found.transitions) == (expected.states, expected.transitions)
    assert found.errors.assertions == expected.errors.assertions
    assert found.errors.invalid_end_states == expected.errors.invalid_end_states
    assert bool(found.errors.faults) == bool(expected.errors.faults)


PROGRAMS = {
    "an assertion in an atomic sequence": """
        byte x; active [2] proctype P() { atomic { x++; if :: x > 1 -> assert(x != 2) :: else -> skip fi; x = x * 2 } }""",
    "a stuck holder lets go": """
        bool b; active proctype P() { atomic { skip; b; assert(b) } } active proctype Q() { b = true }""",
    "processes started one after the other": """
        byte n; proctype P(byte k) { byte m; do :: m < k -> m++ :: else -> break od; false }
        init { run P(1); run P(2); false }""",
    "processes started at once": """
        byte n; proctype P(byte k) { n = n + k; n = n - k } init { atomic { run P(1); run P(2); n = 3 } }""",
    "an index out of range": "byte a[3], i; active proctype P() { do :: a[i] == 0 -> i++ od }",
    "an index out of range in an assignment": "byte a[3], i; active [2] proctype P() { do :: a[i] = 1; i++ od }",
    "a division by zero": "byte x = 3, y; active proctype P() { do :: x > 0 -> x--; y = 6 / x od }",
    "a counter that wraps around": "byte x; active proctype P() { do :: x = x + 51 od }",
    "a counter of many values": "int x; active proctype P() { do :: x < 200000 -> x = x + 1999 :: else -> x = 7 od }",
    "channels by number": """
        chan c[2] = [2] of { byte }; byte i, got;
        active proctype P() { do :: c[i]!i; i = 1 - i od } active proctype Q() { do :: c[1 - i]?got od }""",
    "a channel that is none": "chan c = [1] of { bit }; chan d; active proctype P() { c!1; d!1 }",
    "handshakes": """
        chan c = [0] of { byte, bit }; byte x; bit y;
        active [2] proctype P() { byte k; do :: c!k,1; k = (k + 1) % 3 od }
        active [2] proctype Q() { do :: c?x,1 :: c?1,y od }""",
    "a handshake with a message that has no value": """
        chan c = [0] of { byte }; byte a[2], i = 2, x;
        active proctype P() { if :: c!a[i] :: i = 1 fi; c!a[i] } active proctype Q() { c?x }""",
    "deterministic steps": """
        byte x, y; active [2] proctype P() { do :: d_step { x = (x + 1) % 4; if :: x > 2 -> y = x :: else -> y = 0 fi } od }""",
    "polls and lengths": """
        chan c = [2] of { byte, byte }; byte n;
        active proctype P() { do :: c!n,1 -> n = 1 - n od } active proctype Q() { do :: c?[1,_] && len(c) > 1 -> c?_,_ od }""",
    "processes that end": "byte x; active [3] proctype P() { x = x + _pid; x = 0 }",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_constructs(name: str) -> None:
    assert_same_space(coset.parse_text(PROGRAMS[name]))


def assert_random_programs(seeds: Sequence[int]) -> int:
    compared = 0
    for seed in seeds:
        try:
            model = replace(coset.parse_text(program(seed)), properties=())
        except InputError:
            continue  # `plain` may leave nothing between two statements
        expected = coset.explore(model, engine="reference", symmetry="off", max_states=1500)
        if not expected.complete:
            continue
        try:
            found = explore(model, Limits(seconds=60))
        except Refused:
            continue
        compared += 1
        assert (found.states, found.transitions) == (expected.states, expected.transitions), seed
        assert found.errors.assertions == expected.errors.assertions, seed
        assert found.errors.invalid_end_states == expected.errors.invalid_end_states, seed
        assert bool(found.errors.faults) == bool(expected.errors.faults), seed
    return compared


def test_random_programs() -> None:
    assert assert_random_programs(range(24)) >= 6


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_many_random_programs(first: int) -> None:
    assert assert_random_programs(range(first, first + 100)) >= 20


# --- verdicts ------------------------------------------------------------------------------------


def test_stated_formulas(tmp_path: Path) -> None:
    model = load(LIGHTS, list(STATED), tmp_path)
    found = verdicts(model, "symbolic", 1)
    assert ["holds" if holds else "violated" for holds in found.values()] == list(STATED.values())


def assert_random_formulas(seeds: Sequence[int], number: int, folder: Path) -> None:
    seen = set()
    for seed in seeds:
        chance, text = random.Random(seed), program(seed)
        try:
            bare = coset.parse_text(text)
        except InputError:
            continue
        atoms = conditions(bare)
        if not atoms or bare.properties:
            continue
        if not coset.explore(bare, engine="reference", symmetry="off", max_states=600).complete:
            continue
        model = load(text, [formula(chance, atoms, chance.randint(1, 6)) for _ in range(number)], folder)
        try:
            found = verdicts(model, "symbolic", 1)
        except Refused:
            continue
        assert found == meaning(model), seed
        seen |= set(found.values())
    assert seen == {True, False}


def test_random_formulas_on_random_programs(tmp_path: Path) -> None:
    assert_random_formulas(range(24), 4, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(2000, 2400, 100))
def test_many_random_formulas_on_random_programs(first: int, tmp_path: Path) -> None:
    assert_random_formulas(range(first, first + 100), 6, tmp_path)


def assert_linear_formulas(seeds: Sequence[int], number: int, folder: Path) -> None:
    """Formulas of linear time that are of branching time as well: the verdicts of the product with an automaton."""
    seen = set()
    path = folder / "model.pml"
    for seed in seeds:
        chance, text = random.Random(seed), program(seed)
        try:
            bare = coset.parse_text(text)
        except InputError:
            continue
        atoms = conditions(bare)
        if not atoms or bare.properties:
            continue
        if not coset.explore(bare, engine="reference", symmetry="off", max_states=300).complete:
            continue
        path.write_text(text)
        model = coset.load(path, formulas=[linear_formula(chance, atoms, chance.randint(1, 5)) for _ in range(number)])
        kept = [each for each in model.properties if isinstance(each, LtlProperty) and branching_form(each.formula)]
        model = replace(model, properties=tuple(kept))
        names = [each.name for each in kept]
        try:
            found = check(model, engine="symbolic", properties=names).properties
        except Refused:
            continue
        expected = check(model, engine="reference", symmetry="off", steps="plain", properties=names).properties
        for ours, theirs in zip(found, expected, strict=True):
            open_for_faults = ours.verdict is Verdict.UNKNOWN and "faults" in (ours.reason or "")
            assert ours.verdict is theirs.verdict or open_for_faults, seed
        assert all(each.trace is not None for each in found if each.verdict is Verdict.VIOLATED)
        seen |= {each.verdict for each in found}
    assert seen - {Verdict.UNKNOWN} == {Verdict.HOLDS, Verdict.VIOLATED}


def test_formulas_of_linear_time(tmp_path: Path) -> None:
    assert_linear_formulas(range(10), 5, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(3000, 3400, 100))
def test_many_formulas_of_linear_time(first: int, tmp_path: Path) -> None:
    assert_linear_formulas(range(first, first + 100), 8, tmp_path)


def test_what_only_linear_time_has_is_left_open() -> None:
    model = coset.parse_text(
        "bit x; active proctype P() { do :: x = 1 - x od } ltl p { <> [] (x == 0) } ltl q { [] <> (x == 0) }"
    )
    found = check(model, engine="symbolic", properties=["p", "q"]).properties
    assert [each.verdict for each in found] == [Verdict.UNKNOWN, Verdict.HOLDS]
    assert "linear time" in (found[0].reason or "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_errors_in_single_states(name: str) -> None:
    """Whatever is violated is shown by a run; the same is violated as for the interpreter."""
    model = coset.parse_text(PROGRAMS[name])
    expected = check(model, engine="reference", symmetry="off", steps="plain")
    found = check(model, engine="symbolic")
    assert {each.name: each.verdict for each in found.properties} == {
        each.name: each.verdict for each in expected.properties
    }
    for each in found.properties:
        assert (each.trace is not None) == (each.verdict is Verdict.VIOLATED)
        if each.trace is not None:
            replay(model, each.trace)


def test_what_leads_to_all_processes_is_part_of_the_graph(tmp_path: Path) -> None:
    text = "byte n; proctype P() { n = 1; n = 2 } init { run P(); run P(); n == 2 }"
    formulas = [
        "AF n == 2",
        "AX n == 0",
        "EX n == 1",
        "EG n == 0",
        "E[n == 0 U n == 2]",
        "A[n == 0 U n == 1]",
        "AG EF n == 2",
    ]
    model = load(text.replace("n == 2 }", "false }"), formulas, tmp_path)
    assert verdicts(model, "symbolic", 1) == meaning(model)


def test_a_condition_without_a_value_is_reported(tmp_path: Path) -> None:
    text = "byte a[2]; byte i; active proctype P() { do :: i < 3 -> i++ od }"
    model = load(text, ["AG a[i] == 0", "AG (i < 2 -> a[i] == 0)"], tmp_path)
    found = check(model, engine="symbolic", properties=[each.name for each in model.properties]).properties
    assert [each.verdict for each in found] == [Verdict.UNKNOWN, Verdict.HOLDS]
    assert "a[i] == 0" in (found[0].reason or "")


# --- large ---------------------------------------------------------------------------------------


def test_more_states_than_can_be_visited(tmp_path: Path) -> None:
    """Philosophers, whose number of states is known by a recursion."""
    number, before, now = 30, 2, 3
    for _ in range(number - 1):
        before, now = now, 3 * now + before
    model = coset.load(MODELS / "philosophers.pml", {"N": str(number)}, ctl=["EF (taken[0] && taken[15])"])
    result = check(model, engine="symbolic")
    assert result.exploration.states == now - 1 > 10**15
    found = {each.name: each for each in result.properties}
    assert found["end states"].verdict is Verdict.VIOLATED
    assert found["end states"].trace is not None and len(found["end states"].trace) == 2 * number
    assert found["ctl_1"].verdict is Verdict.HOLDS


# --- the command line ----------------------------------------------------------------------------


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(MODELS / "philosophers.pml"), "-D", "N=3", "--engine", "symbolic", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["engine"], found["states"], found["depth"]) == ("symbolic", 35, None)
    assert found["nodes"] > 0
    assert main(["explore", str(MODELS / "philosophers.pml"), "--engine", "symbolic"]) == 0
    assert "1,297" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("active proctype P() { timeout }", "`timeout`"),
        ("hidden byte x; active proctype P() { x == 0 -> x = 1 }", "hidden"),
        ("byte x; active proctype P() { run P() }", "it must know all processes"),
        ("int x; active proctype P() { do :: x++ od }", "more than 1024 values"),
        ("byte x; active proctype P() { atomic { do :: x++ od } }", "does not end"),
        (
            "proctype P(byte k) { byte x; x = k; end: false } init { atomic { run P(1); run P(2) } } "
            "active proctype Q() { skip }",
            "lead to different systems",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(text: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coset.engines.symbolic.steps.LONGEST", 30)
    with pytest.raises(Refused, match=why):
        explore(coset.parse_text(text))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-states", "9"], "does not visit states one by one"),
        (["--threads", "2"], "has one thread"),
        (["--storage", "bits"], "the symbolic engine stores sets of states: --storage"),
        (["--order", "depth"], "does not visit states one by one: --order"),
    ],
)
def test_options_of_other_engines_are_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", str(MODELS / "philosophers.pml"), "--engine", "symbolic", *options]) == 2
    assert message in capsys.readouterr().err


def test_limits() -> None:
    model = coset.load(MODELS / "philosophers.pml", {"N": "40"})
    result = check(model, engine="symbolic", max_seconds=0.001)
    assert not result.exploration.complete and "--max-seconds" in (result.exploration.stopped or "")
    assert {each.verdict for each in result.properties} == {Verdict.UNKNOWN}


# --- naive twins ---------------------------------------------------------------------------------


def all_rows(encoding: Encoding) -> list[tuple[int, ...]]:
    return list(product(*encoding.values))


@pytest.mark.parametrize("seed", range(8))
def test_expressions(seed: int) -> None:
    """For each state the value that the sequential interpreter computes."""
    chance = random.Random(seed)
    text = random_model(chance)
    guard = condition(chance, 2)
    model = parse_text(text.replace("init p", f"+ 0..2 i, 0..1 j . [{guard}] step {{ x = 0; }}\ninit p", 1))
    order = list(range(len(model.elements)))
    chance.shuffle(order)
    encoding, interpreter = encoded(model, order), SequentialInterpreter(model)
    rows = all_rows(encoding)
    for summand in model.summands:
        places = interpreter.offset | {v: interpreter.size + k for k, v in enumerate(summand.choices)}
        function = interpreter.expression(summand.guard, places)
        chosen = {v: chance.randint(v.domain.low, v.domain.high) for v in summand.choices}
        yes, no = Evaluation(encoding, chosen).holds(summand.guard, encoding.valid)
        for row in chance.sample(rows, 60):
            try:
                expected: bool | None = bool(function([*row, *chosen.values()]))
            except Fault:
                expected = None
            assert encoding.contains(yes, row) is (expected is True)
            assert encoding.contains(no, row) is (expected is False)


@pytest.mark.parametrize("seed", range(8))
def test_arithmetic(seed: int) -> None:
    chance = random.Random(seed)
    model = parse_text("process p(-3..4 x, 0..6 y) = [x < y] step { x = y; } init p(0, 0);")
    x, y = map(e.Get, model.variables)
    encoding, interpreter = encoded(model), SequentialInterpreter(model)
    for operator in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<=", "=="):
        tree = e.Binary(operator, chance.choice([x, y, e.Unary("-", x)]), chance.choice([x, y, e.Const(2)]))
        found = Evaluation(encoding, {}).values(tree, encoding.valid)
        function = interpreter.expression(tree, interpreter.offset)
        for row in all_rows(encoding):
            try:
                expected = [int(function(list(row)))]
            except Fault:
                expected = []
            assert [value for value, states in found.items() if encoding.contains(states, row)] == expected


@pytest.mark.parametrize("seed", range(12))
def test_steps_of_random_models(seed: int) -> None:
    """From every state of some the same successors and faults, one by one and by images and preimages."""
    chance = random.Random(seed)
    model = parse_text(random_model(chance))
    encoding, interpreter = encoded(model), SequentialInterpreter(model)
    steps = symbolic_steps(encoding)
    relation = Relation(encoding, steps.taken)
    faulty = encoding.diagrams.union(flaw.states for flaw in steps.flaws if flaw.kind == "fault")
    assert not steps.overflows
    for row in chance.sample(all_rows(encoding), 40):
        targets = {target for _, target in interpreter.steps(row)}
        image = relation.following(encoding.states(row))
        assert encoding.count(image & encoding.valid) == len(targets)
        assert all(encoding.contains(image, target) for target in targets)
        assert all(encoding.contains(relation.preceding(encoding.states(target)), row) for target in targets)
        assert encoding.contains(faulty, row) is bool(interpreter.faults(row))


def explicit_graph(
    found: Space, model: SequentialModel
) -> tuple[list[tuple[int, ...]], dict[tuple[int, ...], set[tuple[int, ...]]]]:
    interpreter = SequentialInterpreter(model)
    states = list(interpreter.reachable())
    return states, {state: {target for _, target in interpreter.steps(state)} for state in states}


@pytest.mark.parametrize("seed", range(12))
def test_reachable_states_of_random_models(seed: int) -> None:
    """Chaining that leaves out independent parts finds what a plain search does."""
    model = parse_text(random_model(random.Random(seed)))
    found = space(model)
    states, _ = explicit_graph(found, model)
    assert found.size == len(states)
    assert all(found.encoding.contains(found.states, state) for state in states)


@pytest.mark.parametrize("seed", range(10))
def test_fair_paths(seed: int) -> None:
    """Naively: states from which a path leads to a state of each set again and again, by removing those without."""
    chance = random.Random(seed)
    model = parse_text(random_model(chance))
    found = space(model)
    states, successors = explicit_graph(found, model)
    fixpoints = Fixpoints(found.relation, found.states)
    x, y = (found.encoding.first[v] for v in model.variables[-2:])
    sets = [{s for s in states if s[x] != chance.randrange(3)}, {s for s in states if s[y] < 2}]
    inside = {s for s in states if s[x] + s[y] != 3}
    fair = [found.diagrams.union(map(found.encoding.states, each)) for each in sets]
    holds = found.diagrams.union(map(found.encoding.states, inside))
    result = fixpoints.some_always(holds, fair)
    left = set(inside)
    while True:
        follow = {s: (successors[s] or {s}) & left for s in left}
        kept = {s for s in left if all(meets(s, follow, goal & left) for goal in sets)}
        if kept == left:
            break
        left = kept
    assert {s for s in states if found.encoding.contains(result, s)} == left


def meets(
    start: tuple[int, ...], follow: dict[tuple[int, ...], set[tuple[int, ...]]], goal: set[tuple[int, ...]]
) -> bool:
    """Whether a path of at least one step leads into a set."""
    seen, todo = set[tuple[int, ...]](), [start]
    while todo:
        for target in follow[todo.pop()]:
            if target in goal:
                return True
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return False


def test_order_puts_neighbours_together() -> None:
    groups = [{k, (k + 7) % 16} for k in range(16)]
    start = list(range(16))
    assert span(force(start, groups), groups) < span(start, groups)


def test_the_graph_of_the_interpreter_is_the_same() -> None:
    """Every state and every edge, for a model with atomic sequences."""
    from coset.engines.symbolic.runs import ConcurrentSpace

    model = coset.load(MODELS / "philosophers.pml", {"N": "3"})
    found = ConcurrentSpace(model)
    states, successors = graph_of(found.interpreter, Limits())
    for state, targets in zip(states, successors, strict=True):
        image = found.space.relation.following(found.set_of(state))
        assert found.encoding.count(image) == len(set(targets))
        assert all(found.contains(image, states[target]) for target in targets)


@pytest.mark.parametrize("what", BEYOND, ids=lambda kind: kind.__name__)
def test_what_is_beyond_the_engine_is_a_refusal(what: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it turns out: while the space is made the model is refused, later a property is unknown."""
    model = coset.parse_text("byte x; active proctype A() { x = 1; assert(x == 1) }")

    def fail(*_: object) -> NoReturn:
        raise what("fault", "too much") if what is Fault else what("too much")

    with monkeypatch.context() as patch:
        patch.setattr(SymbolicEngine, "searched", fail)
        found = coset.check(model, engine="symbolic")
        assert {each.verdict for each in found.properties} == {Verdict.UNKNOWN}
    monkeypatch.setattr(SymbolicEngine, "count", fail)
    for command in (coset.check, coset.explore):
        with pytest.raises(Refused, match="too much"):
            command(model, engine="symbolic")
