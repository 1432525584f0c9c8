"""Symmetry by the hypergraph of shared variables: what it finds, and that all of it holds in every state."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import coset
from coset.engines.settings import Settings
from coset.model.interpreter import Interpreter
from coset.symmetry.conditions import property_conditions
from coset.symmetry.methods.hypergraph import Hypergraph, detect_hypergraph
from coset.symmetry.methods.hypergraph import detect as detection
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry
from coset.tasks import draw as drawing
from coset.tasks import explore as explore_task
from tests.support import ids_random, symmetric_random
from tests.support.channel_pairs import pairs
from tests.support.paths import MODELS
from tests.support.symmetry_naive import Naive, TooLarge
from tests.support.symmetry_trial import FEW, MANY, hold_everywhere

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
    "email.pml": 24, "email_symmetric.pml": 120, "email_featured.pml": 6, "hypercube.pml": 48, "load_balancer.pml": 432,
    "load_balancer_parameters.pml": 432, "raft_election.pml": 6, "resource_allocator.pml": 576, "leader_ring.csp": 4,
    "arbiter.spl": 6, "leader_complete.csp": 24, "peterson.csp": 6, "three_tiered.csp": 144,
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_orders_of_models(name: str) -> None:
    found = detect_hypergraph(coset.load(MODELS / name))
    assert (found.order, found.method) == (ORDERS[name], "hypergraph")
    assert found.order == 1 or found.certified > 0


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_program_finds_the_same(path: Path) -> None:
    model = coset.load(path)
    assert detect_hypergraph(model, moves=0).group == detect(model, moves=0).group


READINGS = {
    "a sum in a guard": """bool f[3]; byte n;
      active [3] proctype P() { do :: f[_pid] = 1 - f[_pid] od }
      active proctype B() { do :: f[0] + f[1] + f[2] == 2 -> n = 0 od }""",
    "a sum that is assigned": """bool f[3]; byte n;
      active [3] proctype P() { f[_pid] = 1; false }
      active proctype B() { n = f[0] + f[1] + f[2]; false }""",
    "a loop in a d_step": """bool f[3]; byte n;
      active [3] proctype P() { do :: f[_pid] -> f[_pid] = false; n++ od }
      active proctype B() { byte i;
        do :: n == 0 -> d_step { for (i : 0 .. 2) { f[i] = true }; i = 0 } :: n == 3 -> n = 0 od }""",
    "variables that are chosen from": """chan q[3] = [1] of { bit };
      proctype B(chan a; chan b; chan c) { do :: a!0 :: b!0 :: c!0 od }
      proctype S(chan a) { do :: a?_ od }
      init { atomic { run S(q[0]); run S(q[1]); run S(q[2]); run B(q[0], q[1], q[2]) } }""",
}


@pytest.mark.parametrize("text", READINGS.values(), ids=list(READINGS))
def test_meaning_instead_of_text(text: str) -> None:
    model = coset.parse_text(text)
    found = detect_hypergraph(model)
    assert found.order == 6 and found.certified > 0
    assert found.group == detect(model).group


def test_renamed_copies_are_found_by_program_only() -> None:
    """Roles are compared within one proctype."""
    model = coset.parse_text(
        "bit x, y; active proctype A() { do :: x = 1 - x od } active proctype B() { do :: y = 1 - y od }"
    )
    assert (detect(model).order, detect_hypergraph(model).order) == (2, 1)


# --- soundness ---------------------------------------------------------------------------------------


def test_symmetries_of_random_models_hold_in_every_state() -> None:
    orders = [
        hold_everywhere(detect_hypergraph(coset.parse_text(ids_random.generate(seed)), moves=0), FEW)
        for seed in range(40)
    ]
    assert sum(order > 1 for order in orders) > 8, orders


@pytest.mark.long
def test_symmetries_of_many_random_models_hold_in_every_state() -> None:
    texts = [ids_random.generate(seed) for seed in range(40, 300)] + [
        symmetric_random.varied(seed) for seed in range(100)
    ]
    orders = [hold_everywhere(detect_hypergraph(coset.parse_text(text), moves=0), MANY) for text in texts]
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
        if moves_objects_only(found):
            assert pairs(found) <= naive, seed
        hold_everywhere(found, FEW)
    assert compared


def moves_objects_only(found: Symmetry) -> bool:
    """Whether all values that are moved name processes or channels: a `pid` that is never compared with one is plain data,
    which may be permuted besides."""
    assert found.points is not None
    moved = [found.points.points[k] for generator in found.group.generators for k in generator.support()]
    return all(found.points.sort(point.number).objects for point in moved if point.what == "value")


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
