"""Symmetry by the hypergraph of shared variables: what it finds, and that all of it holds in every state."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import coset
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.symmetry.certify import value
from coset.symmetry.conditions import property_conditions
from coset.symmetry.methods.hypergraph import Hypergraph, detect_hypergraph
from coset.symmetry.methods.hypergraph import detect as detection
from coset.symmetry.methods.program.detect import detect
from coset.tasks import draw as drawing
from coset.tasks import explore as explore_task
from tests.support import ids_random, symmetric_random
from tests.support.channel_pairs import pairs
from tests.support.paths import MODELS
from tests.support.symmetry_naive import Naive, TooLarge
from tests.support.symmetry_trial import FEW, MANY, commutes, reachable

RING = """
#define N 4
bool fork[N];
active [N] proctype phil() {
  do :: atomic { !fork[_pid] && !fork[(_pid + 1) % N] -> fork[_pid] = 1; fork[(_pid + 1) % N] = 1 };
        d_step { fork[_pid] = 0; fork[(_pid + 1) % N] = 0 }
  od }
"""
STAR = """
byte hub, rim[5];
proctype leaf(byte me) { do :: hub == 0 -> rim[me] = 1 - rim[me] :: hub = 1 - hub od }
proctype centre() { do :: rim[1] == 1 || rim[2] == 1 -> hub = 0 :: rim[3] == 1 -> hub = 1 od }
init { atomic { run leaf(1); run leaf(2); run leaf(3); run leaf(4); run centre() } }
"""


def diagram(text: str) -> Hypergraph:
    found = detect_hypergraph(coset.parse_text(text)).hypergraph
    assert isinstance(found, Hypergraph)
    return found


# --- the hypergraph ----------------------------------------------------------------------------------


def test_a_ring_of_forks() -> None:
    found = diagram(RING)
    assert {edge.name: set(edge.members) for edge in found.edges} == {
        f"fork[{i}]": {i, (i - 1) % 4} for i in range(4)
    }  # fmt: skip
    assert [set(found.neighbourhood(i)) for i in range(4)] == [{i, (i - 1) % 4, (i + 1) % 4} for i in range(4)]
    assert len(set(found.colours)) == 1


def test_a_star_in_which_the_centre_knows_its_leaves_apart() -> None:
    found = detect_hypergraph(coset.parse_text(STAR))
    assert found.order == 2 and found.describe() == "S2 on leaf{1,2}"
    hypergraph = found.hypergraph
    assert isinstance(hypergraph, Hypergraph)
    members = {edge.name: set(edge.members) for edge in hypergraph.edges}
    assert members == {"hub": {1, 2, 3, 4, 5}, "rim[1]": {1, 5}, "rim[2]": {2, 5}, "rim[3]": {3, 5}, "rim[4]": {4}}
    assert hypergraph.neighbourhood(1) == {1, 2, 3, 4, 5}
    assert Counter(hypergraph.colours[1:]) == {hypergraph.colours[1]: 4, hypergraph.colours[5]: 1}


def test_who_comes_first_decides_which_way_a_ring_can_be_turned() -> None:
    """Both forks at once or one after the other: reflections would exchange the roles of a process and of a fork's index,
    so only the rotations are left, in both."""
    assert detect_hypergraph(coset.parse_text(RING)).describe() == "C4 on phil"
    greedy = RING.replace("atomic { !fork[_pid] && !fork[(_pid + 1) % N] ->", "atomic { !fork[_pid] ->")
    assert detect_hypergraph(coset.parse_text(greedy)).order == 4


def test_properties_are_kept() -> None:
    assert detect_hypergraph(coset.parse_text(RING + "ltl p { [] !(fork[0] && fork[1]) }")).order == 1
    assert detect_hypergraph(coset.parse_text(RING + "ltl p { [] !(fork[0] && fork[2]) }")).order == 2
    model = coset.parse_text(RING + "ltl p { [] (fork[0]) }")
    assert detect_hypergraph(model, []).order == 4


def test_candidates_that_are_none_are_left_out() -> None:
    """All four look alike piece by piece, but the first goes with the second and not with the third."""
    text = """bit s[4]; byte n; active proctype P() {
      do :: (s[0] && s[1]) || (s[2] && s[3]) -> n = 0 :: s[0] = 1 :: s[1] = 1 :: s[2] = 1 :: s[3] = 1 od }"""
    model = coset.parse_text(text)
    found = detect_hypergraph(model)
    assert found.candidate is not None
    assert (found.candidate.order, found.order) == (24, 8) and found.group == detect(model).group


def test_exact_roles_serve_where_the_search_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "TRIES", 0)
    text = RING.replace("!fork[_pid] && !fork[(_pid + 1) % N]", "fork[_pid] + fork[(_pid + 1) % N] == 0")
    assert detect_hypergraph(coset.parse_text(text)).order == 4
    pairs_of_bits = """bit s[4]; byte n; active proctype P() {
      do :: (s[0] && s[1]) || (s[2] && s[3]) -> n = 0 :: s[0] = 1 :: s[1] = 1 :: s[2] = 1 :: s[3] = 1 od }"""
    model = coset.parse_text(pairs_of_bits)
    assert detect_hypergraph(model).group <= detect(model).group  # what is valid among the generators


# --- models ------------------------------------------------------------------------------------------

ORDERS = {
    "barrier.pml": 6, "cache_coherence.pml": 6, "dekker.pml": 2, "futex_mutex.pml": 6, "mutex_ticket.pml": 24,
    "peterson.pml": 6, "philosophers.pml": 6, "philosophers_fixed.pml": 1, "producer_consumer.pml": 4,
    "readers_writers.pml": 12, "three_tiered.pml": 144, "token_ring.pml": 10, "two_phase_commit.pml": 6,
    "arbiter.spl": 6, "leader_complete.csp": 24, "peterson.csp": 6, "three_tiered.csp": 144,
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_models(name: str) -> None:
    found = detect_hypergraph(coset.load(MODELS / name))
    assert (found.order, found.method) == (ORDERS[name], "hypergraph")
    assert found.order == 1 or found.certified > 0


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_program_finds_no_less(path: Path) -> None:
    model = coset.load(path)
    assert detect_hypergraph(model, moves=0).group <= detect(model, moves=0).group


# --- soundness ---------------------------------------------------------------------------------------


def hold_everywhere(model: Model, most: int) -> int:
    """Try all generators on all reachable states, or the first of them; the order of the group."""
    symmetry = detect_hypergraph(model, moves=0)
    if symmetry.points is None or symmetry.order == 1:
        return symmetry.order
    interpreter = symmetry.points.interpreter
    states = reachable(interpreter, symmetry.points.started, most)
    complete, known = len(states) <= most, set(states)
    conditions = [interpreter.evaluation.expression(x) for x in property_conditions(model.properties)]
    for action in symmetry.actions:
        for state in states[:most]:
            image = action(state)
            assert commutes(interpreter, action, state)
            assert image in known or not complete
            assert all(value(interpreter, x, state) == value(interpreter, x, image) for x in conditions)
    return symmetry.order


def test_symmetries_of_random_models_hold_in_every_state() -> None:
    orders = [hold_everywhere(coset.parse_text(ids_random.generate(seed)), FEW) for seed in range(40)]
    assert sum(order > 1 for order in orders) > 8, orders


@pytest.mark.long
def test_symmetries_of_many_random_models_hold_in_every_state() -> None:
    orders = [hold_everywhere(coset.parse_text(ids_random.generate(seed)), MANY) for seed in range(40, 300)]
    orders += [hold_everywhere(coset.parse_text(symmetric_random.varied(seed)), MANY) for seed in range(100)]
    assert sum(order > 1 for order in orders) > 80


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 150), marks=pytest.mark.long)], ids=["few", "many"]
)
def test_contained_in_the_automorphisms_of_the_state_graph(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        model = coset.parse_text(symmetric_random.generate(seed))
        found = detect_hypergraph(model)
        try:
            naive = Naive(Interpreter(model), property_conditions(model.properties)).group()
        except TooLarge:
            continue
        compared += found.order > 1
        assert pairs(found) <= naive, seed
    assert compared


# --- in searches and pictures ------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["reference", "explicit"])
def test_a_search_with_the_group(engine: str) -> None:
    model = coset.parse_text(RING)
    plain = explore_task.explore(model, engine=engine, settings=Settings(symmetry="off"))
    reduced = explore_task.explore(model, engine=engine, settings=Settings(symmetry="hypergraph"))
    assert reduced.represents == plain.states > reduced.states
    assert reduced.symmetry.method == "hypergraph"
    assert reduced.states == explore_task.explore(model, engine=engine, settings=Settings(symmetry="program")).states


def test_pictures() -> None:
    shown = drawing.hypergraph(coset.parse_text(RING))
    (part,) = shown.parts
    assert shown.layout == "ring" and len(part.nodes) == 8 and len(part.arrows) == 8
    assert {node.orbit for node in part.nodes if "process" in node.marks} == {0}
    assert {node.orbit for node in part.nodes if "variable" in node.marks} == {1}
    assert {label for arrow in part.arrows for label in arrow.labels} in (set(), {"a", "b"})
    with pytest.raises(drawing.Undrawable):
        drawing.hypergraph(coset.load(MODELS / "dynamic_workers.pml"))
