"""`coset draw --what quotient`: the state graph modulo symmetry, against counts of states and a graph that is folded naively."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.engines.reference.quotient import TooManyOrbits
from coset.formats.dot import DiagramNode, dot
from coset.formats.quotient import state_graph
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.symmetry.canonical.representative import orbit
from coset.symmetry.methods.program.detect import detect
from coset.tasks import explore as explore_task
from tests.support.command_line import Run, runner
from tests.support.graphviz import needs_graphviz
from tests.support.paths import MODELS

run = pytest.fixture(runner)

BROKEN = """
byte inside; bool once;
active [2] proctype P() { inside++; assert(inside == 1); inside-- }
active proctype Q() { byte a[2]; byte k = 2; once = true; a[k] = 1 }
"""


def nodes(model: Model, **options: str) -> tuple[DiagramNode, ...]:
    (part,) = state_graph(explore_task.quotient(model, **options)).parts  # type: ignore[arg-type]
    return part.nodes


@pytest.mark.parametrize(
    ("name", "defines", "orbits", "states"),
    [
        ("philosophers.pml", {"N": "3"}, 13, 35),
        ("philosophers.csp", {"N": "3"}, 13, 35),
        ("philosophers.seq", {"N": "3"}, 13, 35),
        ("philosophers.spl", {"n": "3"}, 35, 99),
        ("peterson.pml", {"N": "2"}, 72, 139),
        ("peterson.spl", {}, 16, 30),
        ("readers_writers.csp", {}, 5, 10),
    ],
)
def test_orbits_have_all_states(name: str, defines: dict[str, str], orbits: int, states: int) -> None:
    model = coset.load(MODELS / name, defines=defines)
    shown = nodes(model)
    assert (len(shown), sum(node.states or 0 for node in shown)) == (orbits, states)
    whole = nodes(model, symmetry="off")
    assert len(whole) == states and {node.states for node in whole} == {1}
    assert states == coset.explore(model, engine="reference", symmetry="off").states


def test_merged_steps() -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "3"})
    counted = coset.explore(model, engine="reference", symmetry="off", steps="merged").states
    shown = nodes(model, steps="merged")
    assert counted < 35 and sum(node.states or 0 for node in shown) == counted


def test_a_choice_of_the_start_is_no_state() -> None:
    model = coset.load(MODELS / "token_circulation.seq")
    assert model.prelude
    found = explore_task.quotient(model, max_states=5000)
    assert found.represents == coset.explore(model, engine="reference", symmetry="off").states


@pytest.mark.parametrize(("name", "defines"), [("philosophers.pml", {"N": "4"}), ("peterson.pml", {"N": "2"})])
def test_steps_are_those_of_the_whole_graph(name: str, defines: dict[str, str]) -> None:
    """Every state and every step of the model, folded by its orbits, and nothing else."""
    model = coset.load(MODELS / name, defines=defines)
    actions, interpreter = detect(model).actions, Interpreter(model)
    least: dict[State, State] = {}

    def folded(state: State) -> State:
        if state not in least:
            members = orbit(state, actions)
            least.update(dict.fromkeys(members, min(members)))
        return least[state]

    initial = interpreter.initial()
    seen, queue, edges = {initial}, [initial], set()
    for state in queue:
        for step in interpreter.steps(state):
            text = step.moves[0].edge.text
            edges.add((folded(state), folded(step.state), text))
            if step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    found = explore_task.quotient(model)
    places = [folded(each.state) for each in found.orbits]
    assert len(set(places)) == len(places) and set(places) == {folded(state) for state in seen}
    assert edges == {(places[p.source], places[p.target], p.moves[0].edge.text) for p in found.passages}


def test_what_is_wrong_is_marked() -> None:
    shown = nodes(coset.load(MODELS / "philosophers.pml", defines={"N": "3"}))
    wrong = [node for node in shown if "error" in node.marks]
    assert [(node.title, node.states, node.problem) for node in wrong] == [("31 31 31", 1, "invalid end state")]
    assert [node.title for node in shown if "start" in node.marks] == ["30 30 30"]

    (part,) = state_graph(explore_task.quotient(coset.parse_text(BROKEN))).parts
    problems = {line for node in part.nodes for line in node.problem.splitlines()}
    assert problems >= {"assert(inside == 1) is violated", "index 2 of a is not in 0..1"}
    red = {(arrow.source, arrow.target) for arrow in part.arrows if "error" in arrow.marks}
    assert red and all("assert(inside == 1)" in label for a in part.arrows if "error" in a.marks for label in a.labels)
    assert {source for source, _ in red} <= {node.name for node in part.nodes if "error" in node.marks}


def test_a_valid_end_and_the_words_of_a_state() -> None:
    text = "chan c = [1] of { byte }; active [2] proctype P() { byte x; c!3; x = 2 } active proctype Q() { end: c?_; goto end }"
    (part,) = state_graph(explore_task.quotient(coset.parse_text(text))).parts
    assert sum("end state" in node.marks for node in part.nodes) == 1
    assert any("c: (3)" in node.note for node in part.nodes) and any("x = 0 2" in node.note for node in part.nodes)
    assert {label.split(":")[0] for arrow in part.arrows for label in arrow.labels} == {"P", "Q"}
    assert not any("x = 0 0" in node.note for node in part.nodes)


def test_places_on_one_line_are_told_apart() -> None:
    model = coset.parse_text("byte x; active [2] proctype P() { x = 1; x = 2; x = 1 }")
    titles = {node.title for node in nodes(model)}
    assert "1a 1b" in titles or "1b 1a" in titles


# --- the command -----------------------------------------------------------------------------------


@needs_graphviz
def test_command(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "quotient.svg"
    answer = run("draw", MODELS / "philosophers.pml", "-D", "N=3", "--what", "quotient", "-o", out, "--json")
    (part,) = answer.json["parts"]
    assert answer.code == 0 and sum(node["states"] for node in part["nodes"]) == 35
    text = out.read_text()
    assert text.count("×3<") == 11 and "invalid end state" in text and "35 states in 13 orbits" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-D", "N=3", "--max-states", "12"], "more than 12 orbits of states; make it smaller (-D NAME=VALUE)"),
        (["-D", "N=3", "--max-states", "34", "--symmetry", "off"], "more than 34 states"),
        ([], "more than 200 orbits of states"),
    ],
)
def test_too_large(run: Run, words: list[str], message: str) -> None:
    answer = run("draw", MODELS / "philosophers.pml", "--what", "quotient", *words)
    assert answer.code == 2 and message in answer.err and not answer.out


def test_as_many_as_allowed() -> None:
    model = coset.load(MODELS / "philosophers.pml", defines={"N": "3"})
    assert len(explore_task.quotient(model, max_states=13).orbits) == 13
    with pytest.raises(TooManyOrbits):
        explore_task.quotient(model, max_states=12)


def test_a_group_that_is_too_large(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "many.pml"
    path.write_text("byte x; active [8] proctype P() { do :: x = 1 - x od }")
    answer = run("draw", path, "--what", "quotient")
    assert answer.code == 2 and "40,320 symmetries" in answer.err


def test_no_first_state(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.pml"
    path.write_text("byte k = 0; byte x = 1 / k; active proctype P() { x++ }")
    answer = run("draw", path, "--what", "quotient")
    assert answer.code == 2 and "no first state: division by zero" in answer.err


def test_from_python() -> None:
    model = coset.parse_text("byte x; active proctype P() { x++ }")
    assert "3 states; steps: P" in dot(state_graph(explore_task.quotient(model)))
    philosophers = coset.load(MODELS / "philosophers.pml", defines={"N": "3"})
    assert "35 states in 13 orbits of 3 symmetries" in dot(philosophers.draw("quotient"))
