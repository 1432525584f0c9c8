"""Detection: the groups that models say they have, sorts, certificates, and soundness on every reachable state."""

from __future__ import annotations

from itertools import combinations, islice
from math import factorial
from pathlib import Path

import pytest

from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.source.diagnostics import InputError
from coset.symmetry.action import Action, Points
from coset.symmetry.certify import NotASymmetry, certify
from coset.symmetry.groups.aside import TooMuchMemory
from coset.symmetry.groups.automorphisms import ColouredGraph
from coset.symmetry.groups.permutation import Permutation
from coset.symmetry.methods.channels import channel_diagram
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.sort_inference import infer
from coset.symmetry.sorts import Sorts
from coset.symmetry.startup import StartedStates, startup
from coset.symmetry.symmetry import Symmetry
from coset.symmetry.values import find_values
from coset.tasks import load as load_task
from tests.support import ids_random, promela_random
from tests.support.expectations import Order, all_orders
from tests.support.paths import MODELS
from tests.support.symmetry_trial import FEW, MANY, commutes, hold_everywhere, reachable

EXAMPLES = sorted(Path("/usr/share/doc/spin/examples/Examples").rglob("*.pml"))


def found(text: str, **defines: int) -> Symmetry:
    return detect(load_task.parse_text(text, defines={name: str(number) for name, number in defines.items()}))


# --- orders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("expected", all_orders("group"), ids=str)
def test_models_have_the_groups_that_they_say(expected: Order) -> None:
    symmetry = detect(load_task.load(expected.path, dict(expected.defines)))
    assert symmetry.order == expected.order
    assert symmetry.group.order == symmetry.order
    assert symmetry.order == 1 or symmetry.certified > 0


@pytest.mark.parametrize("expected", all_orders("candidate"), ids=str)
def test_diagrams_have_the_groups_that_models_say(expected: Order) -> None:
    symmetry = detect(load_task.load(expected.path, dict(expected.defines)))
    assert symmetry.points is not None
    assert channel_diagram(symmetry.points).group.order == expected.order


@pytest.mark.parametrize(
    ("model", "defines", "order"),
    [
        ("peterson", {"N": "6"}, factorial(6)),
        ("philosophers", {"N": "20"}, 20),
        ("leader_election", {"N": "4"}, 1),
        ("hypercube", {"D": "2"}, 8),
        ("mutex_ticket", {"N": "6"}, factorial(6)),
        ("readers_writers", {"R": "5", "W": "4"}, factorial(5) * factorial(4)),
    ],
)
def test_orders_of_larger_instances(model: str, defines: dict[str, str], order: int) -> None:
    assert detect(load_task.load(MODELS / f"{model}.pml", defines)).order == order


def email(clients: int, blocked: str) -> str:
    """The email system of the FM 2005 paper with any number of clients."""
    numbers = range(1, clients + 1)
    boxes = "\n".join(f"chan box_{k} = [1] of {{ pid, pid }};" for k in numbers)
    choose = "\n".join(f":: dest = {k}" for k in numbers)
    deliver = "\n".join(f":: dest == {k} -> out = box_{k}" for k in numbers)
    runs = "\n".join(f"run client(box_{k});" for k in numbers)
    return f"""{boxes} chan network = [2] of {{ pid, pid }};
proctype mailer(chan in) {{ pid source, dest; pid blocked_client{blocked}; chan out;
  do :: in?source,dest; if :: source == blocked_client -> skip
     :: else -> if {deliver} fi; out!source,dest fi od }}
proctype client(chan in) {{ pid source, dest;
  do :: in?source,dest; assert(dest == _pid)
     :: atomic {{ source = _pid; if {choose} fi; network!source,dest }} od }}
init {{ atomic {{ {runs} run mailer(network) }} }}"""


@pytest.mark.parametrize("clients", [2, 6, 12])
def test_email_with_any_number_of_clients(clients: int) -> None:
    assert found(email(clients, "")).order == factorial(clients)
    assert found(email(clients, " = 1")).order == factorial(clients - 1)


def three_tiered(*clients: int) -> str:
    """Clients of servers of one database; as many clients as is said for each server."""
    servers = range(len(clients))
    channels = "\n".join(f"chan request{k} = [0] of {{ pid }}; chan reply{k} = [0] of {{ pid }};" for k in servers)
    runs = [f"run client(request{k}, reply{k});" * clients[k] for k in servers]
    runs += [f"run server(request{k}, reply{k});" for k in servers]
    return f"""{channels} chan query = [0] of {{ pid }}; chan data = [0] of {{ pid }};
proctype client(chan out, in) {{ do :: out!_pid; in?eval(_pid) od }}
proctype server(chan in, out) {{ pid from;
  do :: in?from; query!_pid; data?eval(_pid); out!from; from = 0 od }}
proctype database() {{ pid from; do :: query?from; data!from; from = 0 od }}
init {{ atomic {{ {"".join(runs)} run database() }} }}"""


@pytest.mark.parametrize(
    ("clients", "order"),
    [((3, 3, 2), 144), ((3, 3, 3), 1296), ((4, 4, 3), 6912), ((4, 4, 4), 82944), ((5, 5, 5, 5), 4976640000)],
)
def test_three_tiered_architectures(clients: tuple[int, ...], order: int) -> None:
    assert found(three_tiered(*clients)).order == order


# --- what a property costs -------------------------------------------------------------------------

TURN = """byte turn = 3; bool flag[3];
active [3] proctype P() { do :: flag[_pid] = true; turn = _pid; turn != _pid -> skip
spot: flag[_pid] = false od }
"""


@pytest.mark.parametrize(
    ("formula", "order"),
    [
        ("[] (turn < 4)", 6),
        ("[] (turn < 2)", 2),
        ("[] (turn != 0)", 2),
        ("[] (turn == 0 || turn == 1)", 2),
        ("<> P[1]@spot", 2),
        ("<> P@spot", 2),
        ("[] (flag[0] && flag[1] && flag[2])", 6),
        ("[] (flag[0] || flag[1])", 2),
        ("<> (turn == 3)", 6),
    ],
)
def test_what_a_property_leaves_of_the_group(formula: str, order: int) -> None:
    model = load_task.parse_text(f"{TURN} ltl p {{ {formula} }}")
    assert detect(model).order == order
    assert detect(model, ()).order == 6


def test_a_branching_property_joins_sorts_and_names_values(tmp_path: Path) -> None:
    """Values that only a formula of branching time compares are of one sort: `x == y` is not kept if x and y move apart."""
    path = tmp_path / "m.pml"
    path.write_text(
        """byte x = 3, y = 3;
active proctype A() { do :: x = 0 :: x = 1 :: x = 2 :: x = 3 od }
active proctype B() { do :: y = 0 :: y = 1 :: y = 2 :: y = 3 od }
"""
    )
    apart = detect(load_task.load(path)).order
    assert apart == 72  # A and B are copies of each other, too
    assert detect(load_task.load(path, ctl=["EF (x == y)"])).order == 2 * 6
    assert detect(load_task.load(path, ctl=["EF (x == 2)"])).order == 2 * 6


def test_hidden_variables_and_unsettled_systems_have_no_symmetry() -> None:
    hidden = found("hidden byte x; byte y; active [2] proctype P() { do :: x = 1; y = x od }")
    assert (hidden.order, hidden.points) == (1, None) and "hidden" in hidden.findings[0].text
    late = found(
        "proctype P() { skip } active proctype Q() { byte n; do :: n < 3 -> run P(); n++ :: n == 3 -> break od }"
    )
    assert late.order == 1


def test_nobody_comes_past_false() -> None:
    """A process that waits for ever at its end does not end, so its number does not matter."""
    stays = "active [3] proctype P() { byte x; x = 1; end: false }"
    assert found(stays).order == 6
    assert found(stays.replace("end: false", "skip")).order == 1


# --- sorts -----------------------------------------------------------------------------------------


def sorts_of(text: str) -> tuple[Model, Sorts]:
    model = load_task.parse_text(text)
    interpreter = Interpreter(model)
    started = startup(interpreter)
    assert isinstance(started, StartedStates)
    sorts = infer(interpreter, started)
    find_values(interpreter, started, sorts)
    return model, sorts


def test_a_byte_that_is_compared_with_an_id_is_one() -> None:
    model, sorts = sorts_of(
        "byte turn, other, count; active [2] proctype P() { do :: turn == _pid -> other = turn; count++ od }"
    )
    turn, other, count = (sorts.of_variable[variable].leader for variable in model.variables)
    assert turn is other is sorts.process.leader
    assert count is not turn and not count.objects


def test_ids_are_followed_through_messages_parameters_and_arrays() -> None:
    model, sorts = sorts_of(
        """chan c = [1] of { byte, byte }; byte box[4]; byte last;
proctype P(chan out; byte to) { byte x, y; out!_pid,to; out?x,y; box[y] = x; last = box[to] }
init { atomic { run P(c, 1); run P(c, 2) } }"""
    )
    variables = {variable.name: variable for variable in (*model.variables, *model.kind("P").variables)}
    process = sorts.process.leader
    assert all(sorts.of_variable[variables[name]].leader is process for name in ("x", "last", "box"))
    index = sorts.index(variables["box"], 0)
    assert index is sorts.of_variable[variables["y"]].leader is sorts.of_variable[variables["to"]].leader
    assert index is not process
    assert sorts.of_variable[variables["out"]].leader.objects == "channel"


@pytest.mark.parametrize(
    ("statement", "why"),
    [("turn = len(q)", "it gets the value of 'len(q)'"), ("q!!turn", "messages are sorted by it (!!)")],
)
def test_what_pins_a_sort(statement: str, why: str) -> None:
    _, sorts = sorts_of(
        f"byte turn; chan q = [2] of {{ byte }}; active [2] proctype P() {{ do :: turn = _pid :: {statement} od }}"
    )
    assert sorts.process.leader.pinned == why
    assert sorts.process.leader.pinned_at is not None


def test_what_is_computed_from_a_pinned_sort_is_pinned() -> None:
    """`g` has no room for 100, so its values stay; then the indices that are computed from them have to stay, too."""
    model, sorts = sorts_of("unsigned g : 3 = 1; byte a[2]; active proctype P() { do :: a[g & 1] = 1; g = 100 od }")
    assert sorts.of_variable[model.variables[0]].leader.pinned == "g has no room for 100"
    index = sorts.index(model.variables[1], 0)
    assert index.pinned is not None
    assert detect(model).order == 1


def test_arithmetic_keeps_what_its_table_keeps() -> None:
    text = "byte n; active [{N}] proctype P() {{ do :: n = {x} :: n == _pid -> n = 99 od }}"
    assert found(text.format(N=4, x="(_pid + 1) % 4").replace("= 99", "= _pid")).order == 1  # n starts as 0
    ring = "bool b[4]; active [4] proctype P() { do :: b[(_pid + 1) % 4] = b[_pid] od }"
    assert found(ring).order == 4
    assert found(ring.replace("(_pid + 1) % 4", "3 - _pid")).order == 8
    assert found(ring.replace("(_pid + 1) % 4", "_pid ^ 1")).order == 8
    assert found(ring.replace("(_pid + 1) % 4", "_pid / 2")).order == 2


def test_a_ring_with_a_value_for_nobody() -> None:
    """`_pid` is never the number that stands for nobody, so what would be computed from that does not matter."""
    text = (
        "byte holder = 4; active [4] proctype P() { do :: holder = (_pid + 1) % 4 :: holder == _pid -> holder = 4 od }"
    )
    assert found(text).order == 4
    assert found(text.replace("holder = (_pid + 1) % 4", "holder = (holder + 1) % 4")).order == 1


# --- names -----------------------------------------------------------------------------------------


def test_descriptions_and_generators_are_by_name() -> None:
    hypercube = detect(load_task.load(MODELS / "hypercube.pml"))
    assert hypercube.describe() == "order 48 on node"
    paper = detect(load_task.load(MODELS / "email.pml"))
    assert paper.describe() == "S4 on client{1,2,4,5}"
    assert set(paper.generators()) == {"(1 2)(box_1 box_2)", "(2 4)(box_2 box_4)", "(4 5)(box_4 box_5)"}
    array = found("chan q[3] = [1] of { bit }; active proctype P() { do :: q[0]!1 :: q[1]!1 :: q[2]!1 od }")
    assert array.describe() in ("S3 on q", "S3 on index of q x S3 on q", "S3 on q x S3 on index of q")


# --- certificates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "defines"), [("peterson", {"N": "2"}), ("philosophers", {"N": "3"}), ("email_small", {}), ("dekker", {})]
)
def test_certification_catches_permutations_that_are_none(name: str, defines: dict[str, str]) -> None:
    """Two points more change places than should: what is not noticed must be a symmetry on all states."""
    symmetry = detect(load_task.load(MODELS / f"{name}.pml", defines))
    points = symmetry.points
    assert points is not None
    caught = 0
    for spoiled in wrong(symmetry, points):
        action = Action(points, spoiled)
        try:
            certify([action])
        except NotASymmetry:
            caught += 1
        else:
            for state in reachable(points.interpreter, points.started):
                assert commutes(points.interpreter, action, state)
    assert caught > 5


def wrong(symmetry: Symmetry, points: Points) -> list[Permutation]:
    """Generators, and the identity, with two values or locations more that change places; not in the group."""
    degree, found_ = len(points.points), list[Permutation]()
    processes = len(points.started.state.processes)
    for one, other in combinations(range(degree), 2):
        kinds = [points.points[k][:2] for k in (one, other)]
        exist = all(points.rank(points.points[k]) or points.points[k].item < processes for k in (one, other))
        if kinds[0] == kinds[1] and kinds[0][0] != "global" and exist:
            swap = Permutation.of_cycles(degree, [(one, other)])
            found_ += [base * swap for base in (Permutation.identity(degree), *symmetry.group.generators)]
    return [candidate for candidate in found_ if candidate not in symmetry.group][:40]


def test_a_variable_that_nobody_mentions_moves_with_its_process() -> None:
    """`me` is never read, but it is part of the state: the state after an exchange must be a state of the model."""
    unread = found("proctype P(byte me) { byte x; do :: x = 1 - x od } init { atomic { run P(4); run P(7) } }")
    assert unread.order == 2
    own = found("active [3] proctype P() { chan c = [1] of { bit }; byte x; do :: x = 1 - x od }")
    assert own.order == 6


# --- soundness on every state ----------------------------------------------------------------------


def test_symmetries_of_random_models_hold_in_every_state() -> None:
    orders = [
        hold_everywhere(detect(load_task.parse_text(ids_random.generate(seed)), moves=0), FEW) for seed in range(40)
    ]
    assert sum(order > 1 for order in orders) > 8, orders
    assert sum(order == 1 for order in orders) > 4, orders


@pytest.mark.long
def test_symmetries_of_many_random_models_hold_in_every_state() -> None:
    models = (load_task.parse_text(ids_random.generate(seed)) for seed in range(400))
    orders = [hold_everywhere(detect(model, moves=0), MANY) for model in models]
    assert sum(order > 1 for order in orders) > 100


# --- any input -------------------------------------------------------------------------------------


def detect_anything(model: Model) -> Symmetry:
    symmetry = detect(model)
    assert symmetry.order >= 1 and symmetry.describe() and len(symmetry.generators()) == len(symmetry.group.generators)
    assert symmetry.points is not None or symmetry.findings
    assert symmetry.order == 1 or symmetry.certified > 0
    return symmetry


def test_detection_of_random_programs() -> None:
    for seed in range(25):
        detect_anything(load_task.parse_text(promela_random.generate(seed)))


@pytest.mark.long
def test_detection_of_many_random_programs() -> None:
    for seed in range(25, 225):
        detect_anything(load_task.parse_text(promela_random.generate(seed)))


@pytest.mark.long
@pytest.mark.skipif(not EXAMPLES, reason="SPIN's examples are not installed")
def test_detection_of_spins_examples() -> None:
    tried = 0
    for path in EXAMPLES:
        try:
            model = load_task.load(path)
        except InputError:
            continue
        detect_anything(model)
        tried += 1
    assert tried > 60


def test_detection_of_some_of_spins_examples() -> None:
    names = ("hajek.pml", "manna_pnueli.pml", "train.pml", "ex_3c.pml")
    paths = [path for path in EXAMPLES if path.name in names]
    if not paths:
        pytest.fail("SPIN's examples are needed: apt-get install spin")
    orders = {path.name: detect_anything(load_task.load(path)).order for path in islice(paths, len(names))}
    assert orders == {"hajek.pml": 2, "manna_pnueli.pml": 2, "train.pml": 2, "ex_3c.pml": 2}


def test_a_graph_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coset.symmetry.methods.program.points.MOST_VERTICES", 10)
    found = detect(load_task.parse_text("byte x; active [2] proctype P() { do :: x = 1 - x od }"))
    assert found.order == 1 and "its graph has more than 10 vertices" in found.findings[0].text


def test_automata_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coset.symmetry.methods.program.detect.MOST_EDGES", 1)
    found = detect(load_task.parse_text("byte x; active [2] proctype P() { do :: x = 1 - x :: x = 2 od }"))
    assert found.order == 1 and "more than 1 edges" in found.findings[0].text


def test_automorphisms_that_need_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise TooMuchMemory("too much")

    monkeypatch.setattr(ColouredGraph, "group", fail)
    found = detect(load_task.parse_text("byte x; active [2] proctype P() { do :: x = 1 - x od }"))
    assert found.order == 1 and found.findings[0].text == "too much"
