"""Initial values that no run reads do not distinguish processes; those that some run may read do."""

from __future__ import annotations

import pytest

import coset
from coset.model import model as m
from coset.model.interpreter import Interpreter
from coset.results.trace import replay
from coset.symmetry.dead_starts import Starts, dead_variables
from coset.symmetry.methods.hypergraph import detect_hypergraph
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.startup import StartedStates, startup
from tests.support import dead_starts_random
from tests.support.state_graph import TooLarge
from tests.support.unreduced import compared

PETERSON = """
byte turn; bool flag[2]; byte critical;
active [2] proctype P() {
  do
  :: flag[_pid] = true; turn = 1 - _pid;
     (!flag[1 - _pid] || turn == _pid);
     critical++; assert(critical == 1); critical--;
     flag[_pid] = false
  od
}
"""
FILTER = """
byte level[3], last[2]; byte critical;
active [3] proctype P() {
  byte k;
  do
  :: k = 1;
     do
     :: k < 3 ->
        level[_pid] = k; last[k - 1] = _pid;
        (last[k - 1] != _pid || ((_pid == 0 || level[0] < k) && (_pid == 1 || level[1] < k) && (_pid == 2 || level[2] < k)));
        k++
     :: else -> break
     od;
     critical++; assert(critical == 1); critical--;
     level[_pid] = 0; k = 0
  od
}
"""
STARTED = """
byte turn; byte flag[2];
proctype P(byte me) { do :: turn = me; flag[me] = 1; turn == me -> flag[me] = 0 od }
init { atomic { turn = 0; run P(0); run P(1) } }
"""
ONCE = "byte turn; byte x[2]; active [2] proctype P() { turn = _pid; turn == _pid -> x[turn] = 1; end: false }"


def started(model: m.Model) -> tuple[Interpreter, StartedStates]:
    interpreter = Interpreter(model)
    found = startup(interpreter)
    assert isinstance(found, StartedStates)
    return interpreter, found


def names(text: str) -> set[str]:
    return {variable.name for variable in dead_variables(*started(coset.parse_text(text)))}


@pytest.mark.parametrize(
    ("text", "order"), [(PETERSON, 2), (FILTER, 6), (STARTED, 2)], ids=["Peterson", "filter", "run"]
)
def test_values_that_are_written_first(text: str, order: int) -> None:
    model = coset.parse_text(text)
    found = detect(model, starts=Starts.REACHED)
    assert found.order == order and found.sums
    if text is not FILTER:  # it has 20,000 states: the engines are compared on it
        assert compared(model).symmetry is not None


def test_symmetries_keep_the_start_if_asked_to() -> None:
    assert detect(coset.parse_text(PETERSON)).order == 1


ROOM = """
byte flag[10];
proctype P(byte me) { do :: flag[me] == 0 -> flag[me] = 1 :: flag[me] == 1 -> flag[me] = 0 od }
init { atomic { run P(2); run P(3); run P(5) } }
"""


def test_no_sum_where_the_image_of_the_start_is_not_reachable() -> None:
    model = coset.parse_text(ONCE)
    assert detect(model, starts=Starts.REACHED).order == 1
    found = detect(model, starts=Starts.FREE)
    assert found.order == 2 and not found.sums
    assert compared(model, counts=False).symmetry is not None


def test_elements_that_no_step_accesses_are_not_exchanged() -> None:
    """To exchange them changes no state, so they do not count in the order of the group."""
    model = coset.parse_text("byte x[3], y; active proctype P() { do :: x[0] = y; y = 1 - y od }")
    assert detect(model, starts=Starts.FREE).order == detect(model).order == 1
    model = coset.parse_text(ROOM)
    found = detect(model)
    assert (found.order, found.describe()) == (6, "S3 on P")
    assert detect_hypergraph(model).group == found.group
    assert compared(model).symmetry is not None


@pytest.mark.parametrize(
    "text",
    [
        "byte turn; active [2] proctype P() { do :: turn == _pid -> turn = 1 - _pid od }",
        "byte turn; active [2] proctype P() { do :: turn = _pid :: turn == _pid -> skip od }",
        "byte turn; active [2] proctype P() { if :: turn = _pid :: skip fi; turn == _pid; end: false }",
        "byte turn; active [2] proctype P() { do :: turn = _pid od } active proctype Q() { end: turn == 2 }",
        "byte turn; active [2] proctype P() { do :: turn = _pid; turn == _pid od } ltl p { [] (turn == 0) }",
        "byte turn; active [2] proctype P() provided (turn == _pid) { do :: turn = _pid od }",
        "byte turn; active [2] proctype P() { byte x; do :: x = turn; turn = _pid; x == _pid od }",
        "byte turn; active [2] proctype P() { do :: turn = turn; turn == _pid od }",
    ],
)
def test_values_that_may_be_read(text: str) -> None:
    assert "turn" not in names(text)


@pytest.mark.parametrize(
    ("body", "is_dead"),
    [
        ("last[k] = _pid; last[k] == _pid", True),
        ("last[k] = _pid; k = 1 - k; last[k] == _pid", False),
        ("last[k] = _pid; last[0] == _pid", False),
        ("last[g] = _pid; last[g] == _pid", False),
        ("last[0] = _pid; last[0] == _pid", True),
        ("q?k, last[k]; last[k] == _pid", False),
    ],
)
def test_elements_are_known_by_their_indices(body: str, is_dead: bool) -> None:
    text = (
        f"byte last[2], g; chan q = [1] of {{ byte, byte }}; active [2] proctype P() {{ byte k; do :: {body}; g++ od }}"
    )
    assert ("last" in names(text)) == is_dead


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("reference", PETERSON), ("reference", STARTED), ("reference", ONCE), ("explicit", PETERSON),
        ("explicit", STARTED), ("explicit", FILTER),
    ],
)  # fmt: skip
def test_engines_agree_on_sums_and_verdicts(engine: str, text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("dead") / "m.pml"
    path.write_text(text)
    plain, reduced = (coset.explore(path, engine=engine, symmetry=each) for each in ("off", "auto"))
    assert reduced.represents == plain.states
    every, few = (coset.check(path, engine=engine, symmetry=each) for each in ("off", "auto"))
    assert [(p.name, p.verdict) for p in every.properties] == [(p.name, p.verdict) for p in few.properties]


def test_runs_begin_in_the_initial_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("dead") / "m.pml"
    path.write_text(PETERSON.replace("assert(critical == 1)", "assert(turn != 1 || !flag[0])"))
    result = coset.check(path, engine="explicit", symmetry="program")
    (trace,) = [each.trace for each in result.properties if each.trace is not None]
    assert trace is not None and replay(coset.load(path), trace).states[0] == Interpreter(coset.load(path)).initial()


@pytest.mark.parametrize("seeds", [range(40)], ids=str)
def test_random_programs(seeds: range) -> None:
    """By brute force on all states, whether or not sums are wanted."""
    larger = 0
    for seed in seeds:
        model = coset.parse_text(dead_starts_random.generate(seed))
        try:
            for counts in (True, False):
                found = compared(model, counts)
        except TooLarge:
            continue
        larger += found.used.group.order > detect(model, moves=0).order
    assert larger > len(seeds) // 10
