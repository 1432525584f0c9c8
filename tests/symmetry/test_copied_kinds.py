"""Definitions that are copies of each other under other names are interchangeable; copies that differ are not."""

from __future__ import annotations

import pytest

import coset
from coset.languages.csp.load import load_suite
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.results.trace import replay
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.certify import NotASymmetry
from coset.symmetry.certify_text import Text, certify_text
from coset.symmetry.explain.explanation import explain
from coset.symmetry.methods.program.detect import detect
from tests.support import copied_kinds_random
from tests.support.quotient import EXACT, explored
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

MUTEX = """
bool flag1, flag2; byte n;
active proctype P1() { do :: atomic { !flag2 -> flag1 = 1; n++ }; n--; flag1 = 0 od }
active proctype P2() { do :: atomic { !flag1 -> flag2 = 1; n++ }; n--; flag2 = 0 od }
"""
THREE = """
bool flag1, flag2, flag3; byte n; chan q1 = [1] of { byte }; chan q2 = [1] of { byte }; chan q3 = [1] of { byte };
active proctype P1() { byte a;
  do :: atomic { !flag2 && !flag3 -> flag1 = 1; n++ }; n--; flag1 = 0 :: q1!n :: q1?a :: a == 1 -> a = 0 od }
active proctype P2() { byte b;
  do :: atomic { !flag1 && !flag3 -> flag2 = 1; n++ }; n--; flag2 = 0 :: q2!n :: q2?b :: b == 1 -> b = 0 od }
active proctype P3() { byte c;
  do :: atomic { !flag1 && !flag2 -> flag3 = 1; n++ }; n--; flag3 = 0 :: q3!n :: q3?c :: c == 1 -> c = 0 od }
"""
TWO_OF_EACH = """
byte a, b;
active [2] proctype P1() { do :: a < 3 -> a++; a-- od }
active [2] proctype P2() { do :: b < 3 -> b++; b-- od }
"""
PROVIDED = """
bool flag1, flag2;
active proctype P1() provided (!flag2) { do :: flag1 = 1; flag1 = 0 od }
active proctype P2() provided (!flag1) { do :: flag2 = 1; flag2 = 0 od }
"""
ROWS = """
var x[2];
A() = a{x[0] = 1;} -> b{x[0] = 0;} -> A();
B() = c{x[1] = 1;} -> d{x[1] = 0;} -> B();
S() = A() ||| B();
#assert S() deadlockfree;
"""


def from_csp(text: str) -> m.Model:
    suite = load_suite(Source("m.csp", text), {}, Diagnostics())
    assert suite is not None
    return suite.models[0]


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (MUTEX, 2), (THREE, 6), (TWO_OF_EACH, 8), (PROVIDED, 2),
        (MUTEX.replace("n--; flag2", "n = 0; flag2"), 1),
        (MUTEX.replace("flag2 = 0", "flag2 = 1"), 1),
        (MUTEX.replace("bool flag1, flag2", "bool flag1, flag2 = 1"), 1),
        (MUTEX.replace("active proctype P2", "active [2] proctype P2"), 2),
        (MUTEX + "active proctype P3() { do :: n == 7 -> n = 0 od }", 2),
        (MUTEX + "ltl p { [] (flag1 + flag2 < 2) }", 2),
        (MUTEX + "ltl p { [] !flag1 }", 1),
        (MUTEX.replace("P2() {", "P2() provided (n < 3) {"), 1),
        (PROVIDED.replace("provided (!flag1)", "provided (flag1)"), 1),
    ],
)  # fmt: skip
def test_orders(text: str, order: int) -> None:
    assert detect(coset.parse_text(text)).order == order


@pytest.mark.parametrize("text", [MUTEX, TWO_OF_EACH, PROVIDED])
def test_by_brute_force(text: str) -> None:
    assert compared(coset.parse_text(text)).symmetry is not None


def test_definitions_of_csp() -> None:
    model = from_csp(ROWS)
    found = detect(model)
    assert (found.order, found.describe()) == (2, "S2 on A, B")
    assert compared(model).symmetry is not None
    assert detect(from_csp(ROWS.replace("d{x[1] = 0;}", "d{x[1] = 1;}"))).order == 1


@pytest.mark.parametrize("strategy", [*EXACT, "local"])
@pytest.mark.parametrize("text", [THREE, TWO_OF_EACH], ids=["three", "two of each"])
def test_the_compiled_engine_exchanges_kinds(text: str, strategy: str) -> None:
    model = coset.parse_text(text)
    if text is TWO_OF_EACH and strategy == "sort":
        pytest.skip("a wreath product is not sorted")
    plain, reduced = explored(model, symmetry="off"), explored(model, representative=strategy)
    assert reduced.represents in (plain.states, None if strategy == "local" else plain.states)
    assert reduced.states < plain.states


def test_decision_diagrams_exchange_kinds() -> None:
    model = coset.parse_text(MUTEX)
    plain, reduced = (explored(model, "symbolic", symmetry=each) for each in ("off", "program"))
    assert (reduced.represents or reduced.states) == plain.states


def test_generators_name_what_the_user_knows() -> None:
    found = detect(coset.parse_text(THREE))
    assert found.generators() == ["(1 2)(q2 q3)(flag2 flag3)", "(0 1)(q1 q2)(flag1 flag2)"]


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_a_run_is_one_of_the_model(engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("copies") / "m.pml"
    path.write_text(MUTEX + "active proctype Q() { (flag2 && n == 1); assert(false) }")
    traces = [each.trace for each in coset.check(path, symmetry="program", engine=engine).properties if each.trace]
    model = coset.load(path)
    for trace in traces:
        states = replay(model, trace).states
        assert states[0] == Interpreter(model).initial() and states[-1].values[1] == 1  # flag2
    assert traces


def test_explanations_are_about_processes_of_one_kind() -> None:
    assert not explain(coset.parse_text(TWO_OF_EACH), order=8).reasons
    named = TWO_OF_EACH.replace("b < 3 ->", "b < 3 && _pid != 3 ->")
    (reason,) = explain(coset.parse_text(named), order=2).reasons
    assert reason.gain == 4


def test_sorts_that_no_statement_uses() -> None:
    """Kinds that look alike, but are not: what no statement mentions is not exchanged either."""
    text = "byte n, row; byte x[2], y[2];" + MUTEX.replace("flag2 = 0", "flag2 = 1").replace("byte n;", "byte k;")
    assert detect(coset.parse_text(text.replace("n++", "k++").replace("n--", "k--"))).order == 1


def test_a_kind_goes_as_a_whole() -> None:
    """The second certificate finds a permutation that moves the locations of a kind, but not its processes."""
    found = detect(coset.parse_text(MUTEX))
    (action,) = found.actions
    assert Text(action.points, ()).difference(action) is None
    action.process = {}
    with pytest.raises(NotASymmetry, match="does not go where its kind goes"):
        certify_text([action])


@pytest.mark.parametrize("seeds", [range(30)], ids=str)
def test_random_copies(seeds: range) -> None:
    """By brute force on all states, whether or not sums are wanted."""
    exchanged = 0
    for seed in seeds:
        model = coset.parse_text(copied_kinds_random.generate(seed))
        try:
            for counts in (True, False):
                found = compared(model, counts)
        except TooLarge:
            continue
        exchanged += any(action.numbers for action in getattr(found.symmetry, "actions", ()))
    assert exchanged > len(seeds) // 4
