"""`coset draw`: what is in the diagrams, that Graphviz reads them, and what is said when it cannot be."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import coset
from coset.formats.automata import processes, properties
from coset.formats.dot import Part, dot, picture
from coset.model.model import GONE, Claim, CtlProperty, LtlProperty, Model
from coset.properties.buchi import translate
from coset.properties.formula import Not
from tests.support.command_line import Run, runner
from tests.support.graphviz import needs_graphviz
from tests.support.paths import MODELS

run = pytest.fixture(runner)

TEXT = """
byte x; bool done;
active proctype P() {
progress: if :: x < 3 -> d_step { x++; if :: x > 1 -> x = 0 :: else fi } :: x == 2 -> goto accept_here fi;
  goto progress;
accept_here: do :: { x = 1; x = 5 } unless { done -> break } :: printf("a \\"quoted\\" <text> & more\\n") od
}
active proctype Q() { atomic { done = true; x = 0 }; end_here: x > 200 }
never { T0: do :: x == 1 -> goto accept_S :: else od; accept_S: do :: x == 1 od }
"""
LTL = "byte x; active proctype P() { x = 1 } ltl p { []<> (x == 1) -> []<> (x == 0) } ltl q { [] (x < 2) }"


def text_of(part: Part) -> set[str]:
    return {label for arrow in part.arrows for label in arrow.labels}


def assert_complete(model: Model) -> None:
    """Every statement that a process can come to is on an arrow, between the places where it leads."""
    for kind, part in zip(model.kinds, processes(model, model.kinds).parts, strict=True):
        names = {node.name for node in part.nodes}
        assert [node.name for node in part.nodes if "start" in node.marks] == [str(kind.start)]
        for number, edge in kind.edges():
            if str(number) not in names or (edge.target == GONE and edge.text == "-end-"):
                continue
            target = "gone" if edge.target == GONE else str(edge.target)
            label = " ".join(edge.text.split()) or str(edge.guard)
            assert any(
                (arrow.source, arrow.target) == (str(number), target) and label in arrow.labels for arrow in part.arrows
            )
        for node in part.nodes:
            if node.name != "gone":
                location = kind.locations[int(node.name)]
                assert ("accept" in node.marks, "progress" in node.marks) == (location.accept, location.progress)
        assert {end for arrow in part.arrows for end in (arrow.source, arrow.target)} <= names


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.pml")), ids=lambda path: path.name)
def test_automata_of_models_are_complete(path: Path) -> None:
    assert_complete(coset.load(path))


def test_marks_and_labels() -> None:
    model = coset.parse_text(TEXT)
    assert_complete(model)
    shown = processes(model, model.kinds)
    first, second = shown.parts
    titles = {node.title: node.marks for node in first.nodes}
    assert "progress" in titles["progress"] and "start" in titles["progress"] and "accept" in titles["accept_here"]
    assert {"end"} <= next(node.marks for node in second.nodes if node.title == "end_here")
    assert any("hold" in arrow.marks for arrow in second.arrows)
    assert any("transient" in node.marks for node in first.nodes)
    assert shown.legend == ("end", "accept", "progress", "transient", "hold")


def test_automata_of_formulas_are_those_of_their_negation() -> None:
    model = coset.parse_text(LTL)
    formulas = [each for each in model.properties if isinstance(each, LtlProperty)]
    for part, each in zip(properties(model, formulas).parts, formulas, strict=True):
        automaton = translate(Not(each.formula))
        assert len(part.nodes) == automaton.states
        assert {(int(a.source), int(a.target)) for a in part.arrows} == {(x.source, x.target) for x in automaton.edges}
        marked = {(x.source, x.target) for x in automaton.edges if x.marks or not automaton.sets}
        assert {(int(a.source), int(a.target)) for a in part.arrows if "accept" in a.marks} == marked
        assert each.text in part.subtitle
    assert "x >= 2" in text_of(properties(model, formulas).parts[1])


@needs_graphviz
@pytest.mark.parametrize("text", [TEXT, LTL], ids=["processes", "formulas"])
def test_graphviz_draws_all_of_it(text: str) -> None:
    model = coset.parse_text(text)
    drawn = [each for each in model.properties if not isinstance(each, CtlProperty)]
    for diagram in (processes(model, model.kinds), properties(model, drawn)):
        tree = ElementTree.fromstring(picture(dot(diagram), "svg"))
        words = " ".join("".join(each.itertext()) for each in tree.iter() if each.tag.endswith("text"))
        for part in diagram.parts:
            for wanted in (part.title, *(node.title for node in part.nodes), *text_of(part)):
                assert all(word in words for word in wanted.split()), wanted
    assert isinstance(model.properties[0], Claim | LtlProperty)


# --- the command -----------------------------------------------------------------------------------


@needs_graphviz
def test_pictures_by_suffix(run: Run, tmp_path: Path) -> None:
    for suffix, head in {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph"}.items():
        out = tmp_path / f"picture.{suffix}"
        answer = run("draw", MODELS / "peterson.pml", "-o", out)
        assert (answer.code, answer.out) == (0, "") and out.read_bytes().startswith(head)


def test_without_a_file_it_is_text(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no Graphviz
    answer = run("draw", MODELS / "peterson.pml")
    assert answer.code == 0 and answer.out.startswith("digraph") and "competitor" in answer.out
    one = run("draw", MODELS / "peterson.pml", "--kind", "init")
    assert one.code == 0 and "assert" not in one.out and "run competitor" in one.out
    assert run("draw", MODELS / "peterson.pml", "-o", tmp_path / "x.dot").code == 0
    missing = run("draw", MODELS / "peterson.pml", "-o", tmp_path / "x.svg", "--json")
    assert missing.code == 4 and missing.json["error"]["kind"] == "environment"
    assert "Graphviz is not installed" in missing.json["error"]["message"] and not (tmp_path / "x.svg").exists()


def test_json(run: Run) -> None:
    answer = run("draw", MODELS / "peterson.pml", "--what", "property", "--ltl", "<> (inside == 1)", "--json")
    assert answer.code == 0 and answer.json["what"] == "property"
    assert [part["title"] for part in answer.json["parts"]] == ["against command_line_1"]
    assert answer.json["dot"].startswith("digraph") and answer.json["output"] is None
    both = run("draw", MODELS / "peterson.pml", "--what", "property", "--property", "exclusion", "--json")
    assert [part["title"] for part in both.json["parts"]] == ["against exclusion"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-states", "9"], "--symmetry, --steps and --max-states are for --what quotient"),
        (["--what", "everything"], "'everything' is not known"),
        (["--kind", "nobody"], "--kind nobody: the model has competitor, init"),
        (["--what", "property", "--property", "nothing"], "--property nothing: the model has exclusion"),
        (["--what", "property", "--kind", "init"], "--kind is for --what automata"),
        (["--ltl", "[] p"], "--ltl and --property are for --what property"),
        (["-o", "picture.jpeg"], "the name must end in .svg, .png, .pdf, .dot"),
        (["-o", "/nowhere/picture.dot"], "No such file or directory"),
    ],
)
def test_mistakes(run: Run, words: list[str], message: str) -> None:
    answer = run("draw", MODELS / "peterson.pml", *words)
    assert answer.code == 2 and re.search(re.escape(message), answer.err)


def test_nothing_to_draw(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bare.pml"
    path.write_text("active proctype P() { skip }")
    answer = run("draw", path, "--what", "property")
    assert answer.code == 2 and "try --ltl" in answer.err
