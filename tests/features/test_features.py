"""Featured networks: reading, restrictions, generation, the feature configuration diagram and its group."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

import coset
from coset.features.load import diagram, load
from coset.features.verify import specification
from coset.languages.features.flow import sends_to
from coset.languages.features.load import flow_of, load_network
from coset.languages.features.openness import canonical, exchanges
from coset.languages.features.tree import Network
from coset.languages.promela import tree as t
from coset.source.diagnostics import Diagnostics
from coset.symmetry.methods.features import FeatureDiagram, detect_features
from coset.symmetry.methods.program.detect import detect
from coset.symmetry.symmetry import Symmetry
from tests.support.paths import MODELS
from tests.support.spin_reference import spin_reference

FOLDER = MODELS / "features"
PROCS = "2: node <- [1] of {mtype, pid}\n1: hub <- [2] of {mtype, pid}\n"
GLOBALS = "mtype = { ping, pong };\npid seen[NCOMP];\nbyte plain;\n"
HUB = "pid x; chan c; do :: atomic { in?ping,x; lookup(x, c) }; c!pong,_pid od"
NODE = "pid x; byte n; chan out, other; bool b;\nif :: for h in hub { lookup(h, out) } fi;\n"


def written(folder: Path, node: str, procs: str = PROCS, globals_: str = GLOBALS, features: str = "") -> Path:
    files = {"procs.def": procs, "globals.def": globals_, "features.def": features, "node.tmpl": node, "hub.tmpl": HUB}
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def network_of(folder: Path) -> Network:
    return load(folder)[0]


# --- reading ---------------------------------------------------------------------------------------


def test_a_network_is_read(tmp_path: Path) -> None:
    network = network_of(
        written(tmp_path, NODE + "out!ping,_pid; if :: F[_pid] && G[x].to[_pid] -> skip fi", features="F[1,2]")
    )
    assert network.types == {1: "node", 2: "node", 3: "hub"}
    assert [(each.name, each.arity, each.members) for each in network.features] == [
        ("F", 1, ((1,), (2,))),
        ("G", 2, ()),
    ]
    flow = flow_of(network)
    assert sends_to(flow, "node") == ["hub"] and sends_to(flow, "hub") == ["node"]


WRONG_FILES = [
    ("procs", "2 node <- [1] of {pid}", "W002", 1, 1),
    ("procs", "1: hub <- [1] of {mtype,pid}\n0: node <- [1] of {pid}", "W002", 2, 1),
    ("procs", "2: node <- [1] of {mtype, pid}\n1: hub -> [2] of {mtype, pid}\n1: node <- [1] of {pid}", "W002", 3, 4),
    ("features", "F[1\n", "W003", 1, 1),
    ("features", "F[1]\nNONE[2]", "W004", 2, 1),
    ("features", "F[(1,2)]", "W005", 1, 1),
    ("features", "F[1,(1,2)]", "W005", 1, 1),
    ("features", "F[4]", "W006", 1, 1),
    ("globals", "chan c = [1] of { pid };", "W007", 1, 1),
    ("globals", "proctype p() { skip }", "W007", 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(("file", "text", "code", "line", "column"), WRONG_FILES)
def test_wrong_files(tmp_path: Path, file: str, text: str, code: str, line: int, column: int) -> None:
    folder = written(tmp_path, NODE + "F[_pid]; out!ping,_pid")
    (folder / f"{file}.def").write_text(text)
    check_wrong(folder, code, line, column)


def check_wrong(folder: Path, code: str, line: int, column: int) -> None:
    diagnostics = Diagnostics()
    assert load_network(folder, diagnostics) is None
    found = [(each.code, each.span.line, each.span.column) for each in diagnostics.errors if each.span is not None]
    assert (code, line, column) in found


def test_missing_files_are_named(tmp_path: Path) -> None:
    for name in ("procs.def", "hub.tmpl"):
        folder = written(tmp_path, NODE + "skip")
        (folder / name).unlink()
        with pytest.raises(coset.InputError, match=name):
            load(folder)
    with pytest.raises(coset.InputError, match="no such folder"):
        load(tmp_path / "nowhere")


WRONG_TEMPLATES = [
    ("x = 1", "W011", 5), ("x == 2", "W011", 6), ("x = x + 1", "W012", 5), ("x < _pid", "W012", 1),
    ("n = x", "W013", 5), ("x = n", "W013", 5), ("x == n", "W013", 1), ("x", "W012", 1),
    ("seen[n] = x", "W014", 6), ("out = link1", "W010", 7), ("link1!ping,x", "W015", 1), ("out?ping,x", "W015", 1),
    ("out == other", "W015", 1), ("other!ping,x", "W015", 1), ("out!ping", "W016", 1), ("out!ping,n", "W013", 10),
    ("in?ping", "W016", 1), ("in?ping,n", "W013", 9), ("run hub(in)", "W010", 1), ("timeout", "W010", 1),
    ("n = _nr_pr", "W010", 5), ("out!!ping,x", "W010", 1), ("select (n : 1 .. 2)", "W010", 1), ("xs out; skip", "W010", 1),
    ("{ skip } unless { b }", "W010", 1), ("for (n : 1 .. 2) { skip }", "W010", 1), ("hub[3]@l", "W010", 1),
    ("F[_pid] = 1; F[_pid]", "W010", 1), ("F[_pid] && F[x].to[x]", "W005", 12), ("F[n]", "W014", 3),
    ("if :: for i in nobody { skip } fi", "W008", 16), ("for i in node { skip }", "W008", 1),
    ("if :: for x in node { skip } fi", "W008", 7), ("if :: for i in node { l: x = i } fi", "W008", 23),
    ("if :: x = 0; for i in node { x = i } fi", "W008", 14), ("lookup(n, out)", "W013", 8), ("lookup(x, n)", "W015", 11),
    ("out!ping,_pid; n = unknown", "N001", 20), ("plain = NCOMP", "W010", 9), ("x = (b -> 3 : x)", "W013", 5),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "code", "column"), WRONG_TEMPLATES)
def test_restrictions_of_templates(tmp_path: Path, statement: str, code: str, column: int) -> None:
    check_wrong(written(tmp_path, NODE + statement), code, 3, column)


@pytest.mark.parametrize(
    "statement",
    ["chan new = [1] of { pid }; skip", "pid y = 2; skip", "pid link3; skip", "inline f() { skip }", "ltl p { true }"],
)
def test_declarations_that_templates_do_not_have(tmp_path: Path, statement: str) -> None:
    diagnostics = Diagnostics()
    assert load_network(written(tmp_path, statement), diagnostics) is None and diagnostics.errors


def test_what_templates_may_say(tmp_path: Path) -> None:
    text = """x = 0; x = _pid; seen[_pid] = x; seen[x] = 0; n = n + 1; b = (x == _pid); out!ping,_pid; other = out; out = in;
        if :: for i in node { for j in hub { i != x && j == j -> x = i; lookup(j, out) } }; skip :: else -> skip fi;
        do :: in?pong,x :: in??ping,eval(_pid) :: atomic { nfull(in) -> in!pong,x }; break od; assert(x != 0)"""
    network = network_of(written(tmp_path, NODE + text))
    model = coset.parse_text(specification(network, []))
    assert coset.explore(model, max_states=2000).states > 10


# --- generation ------------------------------------------------------------------------------------

GENERATED = [
    ("email", {"client": 2}, []), ("email", {"client": 2}, ["AUTORESP[1]", "ENCRYPT[2]", "FORWARD[(2,1)]"]),
    ("telephone", {"user": 2}, []), ("telephone", {"user": 2}, ["CFU[(1,2)]", "TCS[(2,1)]"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "counts", "features"), GENERATED)
def test_counts_are_those_of_spin(tmp_path: Path, name: str, counts: dict[str, int], features: list[str]) -> None:
    network, _ = load(FOLDER / name, counts, features)
    path = tmp_path / "generated.pml"
    path.write_text(specification(network, []))
    spin = spin_reference(path)
    assert spin.ok, spin.why
    found = coset.explore(path, symmetry="off")
    assert (found.states, found.transitions) == (spin.states, spin.transitions)
    assert found.errors.assertions == spin.assertions == 0 and found.errors.invalid_end_states == 0
    reduced = coset.explore(path, symmetry="features")
    assert reduced.represents == found.states


def test_generated_text_has_the_parts_of_the_paper() -> None:
    network, _ = load(FOLDER / "email", {"client": 5}, ["AUTORESP[1,2]", "FILTER[(3,5),(4,5)]"])
    text = specification(network, [])
    for part in (
        "#define NCOMP 7", "chan link6 = [1] of { pid, pid, pid };", ":: id == 6 -> link = link6", "run mailer(link6)",
        "AUTORESP[2] = 1", "FILTER[4].to[5] = 1", "to = 5", ":: else -> assert(false)",
    ):  # fmt: skip
        assert part in text


def test_open_symmetry_is_looked_at_again() -> None:
    network, _ = load(FOLDER / "email")
    body = network.templates["client"].body
    at = body[0].span
    assert list(exchanges(network)) == [(1, 2), (2, 3)]
    from coset.languages.features.tree import Component

    named = (t.Assign(at, t.Reference(at, "to"), Component(at, 1)),)
    choice = t.If(at, ((*named,), (t.Assign(at, t.Reference(at, "to"), Component(at, 2)),)))
    assert canonical(named, {1: 2, 2: 1}) != canonical(named, {})
    assert canonical((choice,), {1: 2, 2: 1}) == canonical((choice,), {})


# --- the diagram and its group -----------------------------------------------------------------------


def naive_automorphisms(diagram: FeatureDiagram) -> int:
    """By trying all permutations (Definition 11)."""
    colours = {number: (type_, names) for number, type_, names in diagram.components}
    edges = {(host, partner): names for host, partner, names in diagram.edges}
    count = 0
    for images in itertools.permutations(colours):
        alpha = dict(zip(colours, images, strict=True))
        keeps = all(colours[x] == colours[alpha[x]] for x in colours)
        moved = {(alpha[host], alpha[partner]): names for (host, partner), names in edges.items()}
        count += keeps and moved == edges
    return count


def test_groups_of_random_diagrams() -> None:
    rng = random.Random(7)
    for _ in range(150):
        size = rng.randint(1, 6)
        types = {number: rng.choice("ab") for number in range(1, size + 1)}
        unary = {"U": [(n,) for n in types if rng.random() < 0.3]}
        pairs = [(i, j) for i in types for j in types if i != j]
        binary = {name: [pair for pair in pairs if rng.random() < 0.2] for name in "BC"}
        found = FeatureDiagram.of(types, unary, binary)
        assert found.group.order == naive_automorphisms(found)


def components_group(symmetry: Symmetry) -> set[frozenset[tuple[int, int]]]:
    """How all elements of a small group move processes."""
    from coset.symmetry.action import Action
    from coset.symmetry.groups.permutation import Permutation

    assert symmetry.points is not None
    degree = symmetry.group.degree
    seen = {Permutation.identity(degree)}
    todo = list(seen)
    while todo:
        one = todo.pop()
        for generator in symmetry.group.generators:
            product = one * generator
            if product not in seen:
                seen.add(product)
                todo.append(product)
    return {frozenset(Action(symmetry.points, each).process.items()) for each in seen}


CONFIGURATIONS = [
    ("email", {"client": 5}, ["AUTORESP[1]", "FILTER[(2,1)]"], 6), ("email", {"client": 3}, [], 6),
    ("email", {"client": 4}, ["FORWARD[(1,2),(2,1)]"], 4), ("email", {"client": 3}, ["FILTER[(1,2),(2,3),(3,1)]"], 3),
    ("telephone", {"user": 4}, ["OCS[(1,2)]", "CFU[(3,4)]"], 1), ("telephone", {"user": 3}, ["OCO[1,2]"], 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "counts", "features", "order"), CONFIGURATIONS)
def test_features_and_program_find_the_same_group(
    name: str, counts: dict[str, int], features: list[str], order: int
) -> None:
    network, _ = load(FOLDER / name, counts, features)
    model = coset.parse_text(specification(network, []))
    found = detect_features(model)
    assert found.order == order == diagram(network).group.order and not found.findings
    assert components_group(found) == components_group(detect(model))


def test_the_group_of_the_paper() -> None:
    network, _ = load(FOLDER / "email", {"client": 5}, ["AUTORESP[1]", "FILTER[(2,1)]"])
    found = diagram(network)
    assert {found.show(generator) for generator in found.group.generators} == {"(3 4)", "(4 5)"}


def test_a_property_keeps_the_components_that_it_names() -> None:
    network, properties = load(FOLDER / "email", {"client": 4})
    from coset.features.load import instance
    from coset.features.verify import formula_of

    asked = instance("FILTER(1,2)", network, properties)
    model = coset.parse_text(specification(network, [formula_of(properties["FILTER"], asked, network)]))
    assert detect_features(model).order == 2
    assert detect_features(model, ()).order == 24


def test_other_models_have_no_feature_diagram() -> None:
    found = detect_features(coset.parse_text("active [2] proctype P() { skip }"))
    assert found.order == 1 and found.findings
