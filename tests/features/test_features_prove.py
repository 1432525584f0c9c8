"""abs(m): the conditions of the theorem, and that whatever is proved holds in all networks that can be tried."""

from __future__ import annotations

import json
import random
from pathlib import Path

import jsonschema
import pytest

from coset.cli import main
from coset.features.load import load
from coset.features.prove import Proof, prove
from coset.features.verify import Formula, Limits, specification, verify
from coset.formats.json_output import schema
from coset.languages.features.abstract import abstracted
from coset.languages.features.conditions import obstacles
from coset.languages.features.load import flow_of
from coset.languages.features.tree import Network
from coset.results.verdict import Verdict
from coset.source.diagnostics import InputError
from tests.support.feature_folders import FOLDER, email_bad
from tests.support.spin_reference import spin_reference

HOLDS, VIOLATED, UNKNOWN = Verdict.HOLDS, Verdict.VIOLATED, Verdict.UNKNOWN


def asked(folder: Path, features: list[str], formula: str, others: str = "none", kept: int | None = None) -> Proof:
    network, _ = load(folder, None, features)
    return prove(network, Formula("p", formula), others=others, kept=kept)


# --- what is proved --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("feature", "label"), [("OCO", "talert"), ("TCO", "dialing")])
def test_telephone_with_one_user_kept(feature: str, label: str) -> None:
    found = asked(FOLDER / "telephone", [f"{feature}[1]"], f"[] ! user[1]@{label}", "any")
    assert found.verdict is HOLDS and found.for_all == "N >= 1" and not found.attempts
    assert found.abstraction is not None and found.abstraction.states < 200


def test_email_filter() -> None:
    found = asked(FOLDER / "email", ["FILTER[(1,2)]"], "[] (last_del_from[1] != 2)")
    assert found.verdict is HOLDS and found.kept == 2


@pytest.mark.long
def test_a_violation_is_shown_in_a_network() -> None:
    without = asked(FOLDER / "email", [], "[] (last_del_from[1] != 2)")
    assert without.verdict is VIOLATED and without.abstraction is not None and without.abstraction.verdict is VIOLATED
    assert without.attempts[0].outcome.trace is not None


TABLE = [
    ("email", ["FILTER[(1,2)]"], "[] (last_del_from[1] != 2)", "any", HOLDS),
    ("email", [], "[] (last_del_to[1] == 0 || last_del_to[1] == 1)", "none", HOLDS),
    ("email", [], "[] (last_del_to[1] == 0 || last_del_to[1] == 1)", "any", VIOLATED),
    ("email", ["ENCRYPT[1]"], "[] (last_del_from[2] == 1 -> last_del_key[2] != 0)", "none", HOLDS),
    ("email", ["ENCRYPT[1]", "AUTORESP[1]"], "[] (last_del_from[2] == 1 -> last_del_key[2] != 0)", "none", VIOLATED),
    ("email", ["FORWARD[(1,2)]"], "[] (last_del_to[1] != 1)", "any", HOLDS),
    ("telephone", ["TCS[(1,2)]"], "[] ! (user[1]@talert && partner[1] == 2)", "any", HOLDS),
    ("telephone", ["OCS[(1,2)]"], "[] ! (user[1]@oalert && partner[1] == 2)", "none", HOLDS),
    ("telephone", ["OCS[(1,2)]"], "[] ! (user[1]@oalert && partner[1] == 2)", "any", VIOLATED),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("name", "features", "formula", "others", "verdict"), TABLE)
def test_the_table(name: str, features: list[str], formula: str, others: str, verdict: Verdict) -> None:
    found = asked(FOLDER / name, features, formula, others, 2)
    assert found.verdict is verdict
    for size in (2, 3):
        if verdict is HOLDS:
            check_concrete(load(FOLDER / name, None, features)[0], size, formula, others)


def check_concrete(network: Network, size: int, formula: str, others: str, tries: int = 3) -> None:
    """What is proved holds in networks of some size, with random features of the components that were not kept."""
    first = network.definitions[0].name
    rng = random.Random(size)
    larger = network.sized({first: size})
    for _ in range(tries if others == "any" and size > 2 else 1):
        members = {each.name: each.members for each in larger.features}
        for each in larger.features if others == "any" else ():
            if rng.random() < 0.5 and size > 2:
                member = (size,) if each.arity == 1 else (size, rng.randint(1, size - 1))
                members[each.name] = (*members[each.name], member)
        configured = larger.featured(members)
        text = specification(configured, [Formula("p", formula)])
        (found,) = verify(text, "concrete.pml", [Formula("p", formula)], Limits())
        assert found.verdict is HOLDS, members


@pytest.mark.long
def test_filtering_too_early_is_not_proved(tmp_path: Path) -> None:
    """With no features of others it is true; with any it is not, as 3 may forward to 1."""
    folder = email_bad(tmp_path)
    formula = "[] (last_del_from[1] != 2)"
    network, _ = load(folder, None, ["FILTER[(1,2)]"])
    flow = flow_of(network)
    for others, verdict in ((False, HOLDS), (True, VIOLATED)):
        text = abstracted(network.sized({"client": 2}), flow, 2, others, [("p", formula)])
        (found,) = verify(text, "abs.pml", [Formula("p", formula)], Limits())
        assert found.verdict is verdict


# --- random networks ---------------------------------------------------------------------------------------

RANDOM_NODE = """pid x, y; chan out, hub_box;
atomic {{ if :: for h in hub {{ lookup(h, hub_box) }} fi }};
do
:: atomic {{ {receive} -> {effect}; y = 0 }}
:: atomic {{ {guard} && nfull(hub_box) -> {choose}; hub_box!{mtype},{argument}; y = 0 }}
:: atomic {{ x != 0 && {second} -> lookup(x, out); if :: nfull(out) -> out!pong,{back} :: full(out) -> skip fi; x = 0 }}
od"""
RANDOM_HUB = """pid x, last; chan out;
do
:: atomic {{ in?{pattern},x -> if :: {test} -> last = x :: else -> {otherwise} fi; lookup(last, out) }};
    atomic {{ nfull(out) -> out!ping,{reply}; out = in; x = 0; last = {after} }}
od"""
FORMULAS = [
    "[] (seen[1] != 2)", "[] (seen[1] == 0 || seen[1] == 1)", "[] (seen[1] != 1)", "[] (flag[1] == 0)",
    "[] (flag[1] == 1 -> seen[1] != 0)", "(seen[1] == 0) W (flag[1] == 1)", "[] (seen[2] == 1 -> flag[2] == 0)",
]  # fmt: skip


def random_network(rng: random.Random, folder: Path) -> Path:
    pick = rng.choice
    node = RANDOM_NODE.format(
        receive=pick(["in?ping,y", "in?pong,y", "in?_,y"]),
        effect=pick(["seen[_pid] = y", "seen[_pid] = y; x = y", "x = y", "seen[_pid] = x; x = y", "flag[_pid] = 1; x = y"]),
        guard=pick(["empty(in)", "U[_pid]", "!U[_pid]", "x == 0", "x != _pid", "flag[_pid] == 0"]),
        choose=pick([
            "if :: for i in node { y = i } fi", "y = _pid",
            "if :: for i in node { B[_pid].to[i] -> y = i } :: else -> y = x fi",
        ]),
        mtype=pick(["ping", "pong"]), argument=pick(["y", "_pid", "x"]),
        second=pick(["x != _pid", "U[x]", "!B[_pid].to[x]", "!B[x].to[_pid]", "empty(in)"]), back=pick(["_pid", "x"]),
    )  # fmt: skip
    hub = RANDOM_HUB.format(
        pattern=pick(["ping", "pong", "_"]), test=pick(["x != 0 && last == 0", "x != last && x != 0", "U[x]", "x != 0"]),
        otherwise=pick(["last = x", "if :: for j in node { last = j } fi"]), reply=pick(["x", "last"]), after=pick(["0", "last"]),
    )  # fmt: skip
    files = {
        "procs.def": "2: node <- [1] of {mtype, pid}\n1: hub <- [1] of {mtype, pid}", "node.tmpl": node, "hub.tmpl": hub,
        "globals.def": "mtype = { ping, pong };\npid seen[NCOMP];\nbit flag[NCOMP];",
    }  # fmt: skip
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def check_random(seed: int, folder: Path, sizes: range) -> int:
    """How many formulas of a random network were proved; all of them hold in the networks that are tried."""
    rng = random.Random(seed)
    path = random_network(rng, folder / str(seed))
    try:
        network, _ = load(path)
    except InputError:  # nobody sends an id that is looked up
        return 0
    configured = network.featured({
        each.name: rng.choice([(), ((1,) if each.arity == 1 else (1, 2),)]) for each in network.features
    })  # fmt: skip
    flow, proved = flow_of(configured), 0
    if obstacles(configured, flow):
        return 0
    for formula in rng.sample(FORMULAS, 2):
        others = rng.choice(["none", "any"])
        asked_ = Formula("p", formula)
        text = abstracted(configured, flow, 2, others == "any", [("p", formula)])
        (found,) = verify(text, "abs.pml", [asked_], Limits(states=300_000))
        if found.verdict is HOLDS:
            proved += 1
            for size in sizes:
                check_concrete(configured, size, formula, others, tries=2)
    return proved


def test_random_networks(tmp_path: Path) -> None:
    assert sum(check_random(seed, tmp_path, range(3, 4)) for seed in range(4, 5)) > 0


@pytest.mark.long
def test_many_random_networks(tmp_path: Path) -> None:
    assert sum(check_random(seed, tmp_path, range(2, 5)) for seed in range(100, 150)) > 20


# --- conditions ----------------------------------------------------------------------------------------------

TRAP_CLIENT = "chan out; if :: for s in server { lookup(s, out) } fi; do :: out!_pid od"
TRAP_SERVER = "pid x; chan out; do :: atomic { in?x -> lookup(x, out); out!x; mid[_pid] = 1; mid[_pid] = 0 } od"


def trap(folder: Path) -> Path:
    """A server that can be parked in the middle of an atomic block, before the full box of a client."""
    files = {
        "procs.def": "1: client <- [1] of {pid}\n1: server <- [1] of {pid}", "globals.def": "bit mid[NCOMP];",
        "client.tmpl": TRAP_CLIENT, "server.tmpl": TRAP_SERVER,
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_the_trap_is_rejected(tmp_path: Path) -> None:
    network, _ = load(trap(tmp_path))
    found = obstacles(network, flow_of(network))
    assert len(found) == 1 and "can block" in found[0].why
    assert found[0].span is not None and found[0].span.file.endswith("server.tmpl") and found[0].span.column == 57
    proof = prove(network, Formula("p", "[] (mid[1] == 0)"))
    assert proof.verdict is UNKNOWN and proof.abstraction is None and "can block" in proof.reasons[0]


BLOCKING = [
    ("atomic { x == 0 -> y = x; x == y }", "condition"), ("atomic { x = 0; in?_,x }", "receive"),
    ("atomic { x = 0; if :: x == 0 -> skip :: x == y -> skip fi }", "choice"), ("atomic { x = 0; do :: break od }", "loop"),
    ("atomic { nfull(out) -> out!ping,x; out!ping,x }", "can block"), ("d_step { x = 0; y = x }", "d_step"),
    ("atomic { nfull(out) -> out = in; out!ping,x }", "can block"), ("atomic { x = 0; l: y = x }", "label"),
    ("shared = 1", "not safely featured"), ("seen[x] = y", "not safely featured"), ("n = (x == y)", "depends"),
    ("n = F[x]", "depends"), ("in??ping,eval(x)", "depends"), ("own[x] = 1", "abstracted"),
]  # fmt: skip
FINE = [
    "atomic { in?_,x -> in!ping,x }", "atomic { nfull(out) && x != y -> x = y; out!ping,x }",
    "atomic { x == 0 -> if :: empty(out) -> out!ping,x :: nempty(out) -> skip fi }", "out!ping,x", "in??ping,eval(_pid)",
    "atomic { x == 0 -> if :: for i in node { x = i } fi; if :: F[x] -> skip :: !F[x] -> skip fi }",
]  # fmt: skip


def conditions_of(statement: str, folder: Path) -> list[str]:
    head = "pid x, y; chan out; byte n; {}if :: for i in node {{ lookup(i, out) }} fi; "
    files = {
        "procs.def": "2: node <- [2] of {mtype, pid}", "globals.def": "mtype = { ping };\npid seen[NCOMP];\nGLOBAL",
        "node.tmpl": head.format("bit own[NCOMP]; " if "own" in statement else "") + statement,
    }  # fmt: skip
    files["globals.def"] = files["globals.def"].replace("GLOBAL", "byte shared;" if "shared" in statement else "")
    for name, text in files.items():
        (folder / name).write_text(text)
    network, _ = load(folder)
    return [each.why for each in obstacles(network, flow_of(network))]


@pytest.mark.parametrize(("statement", "why"), BLOCKING)
def test_what_the_theorem_does_not_allow(tmp_path: Path, statement: str, why: str) -> None:
    found = conditions_of(statement, tmp_path)
    assert any(why in each for each in found), found


@pytest.mark.parametrize("statement", FINE)
def test_what_the_theorem_allows(tmp_path: Path, statement: str) -> None:
    assert conditions_of(statement, tmp_path) == []


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("X (last_del_to[1] == 0)", "next"), ("[] (last_del_to[1] == last_del_from[1])", "with each other"),
        ("[] (last_del_to[4] == 0)", "component 4"), ("[] (client[1]:from == 0)", "asks for more"),
        ("[] (last_del_to[1] < 2)", "other than in a comparison"),
    ],
)  # fmt: skip
def test_formulas_that_do_not_carry_over(formula: str, why: str) -> None:
    from coset.features.prove import conditions

    network, _ = load(FOLDER / "email")
    assert any(why in str(each) for each in conditions(network, Formula("p", formula), 3))


def test_spin_accepts_abs(tmp_path: Path) -> None:
    for name, kept in (("email", 1), ("telephone", 1)):
        network, _ = load(FOLDER / name)
        path = tmp_path / f"{name}.pml"
        path.write_text(abstracted(network, flow_of(network), kept, any_features=True))
        spin = spin_reference(path)
        assert spin.accepted and spin.ok and spin.states > 10, spin.why


def test_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, output = str(FOLDER / "telephone"), tmp_path / "abs.pml"
    command = ["features", "prove", folder, "--property", "TCO(1)", "--feature", "TCO[1]", "-o", str(output), "--json"]
    assert main(command) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema("features"))
    assert document["for_all"] == "N >= 1" and document["promela"] == output.read_text()
    assert main(["features", "prove", folder]) == 2
    assert main(["features", "prove", str(trap(tmp_path)), "--ltl", "[] (mid[1] == 0)"]) == 3
    assert "can block" in capsys.readouterr().out
