"""The Python interface: its page and its notebook run, and a loaded model answers as the functions do."""

from __future__ import annotations

import ast
import doctest
import json
import sys
import types
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.api import loaded
from coset.tasks import load as load_task
from tests.support.paths import MODELS

ROOT = MODELS.parent
TOUR = ROOT / "examples" / "tour.ipynb"


def test_examples_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / "docs" / "api.md"), module_relative=False)
    assert found.attempted > 20 and found.failed == 0


# --- the notebook --------------------------------------------------------------------------------


def value(code: str, names: dict[str, Any]) -> Any:
    """Execute a cell; the value of its last line if that is an expression, as notebooks do."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    del tree.body[-1]
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def shown(result: Any) -> str | None:
    """What a notebook shows of a value: a picture if it has one, or a table."""
    for method in ("_repr_svg_", "_repr_html_"):
        if hasattr(result, method):
            return str(getattr(result, method)())
    return None


def test_the_tour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every cell runs; those that end with a value show a table or a picture."""
    monkeypatch.chdir(TOUR.parent)
    notebook = json.loads(TOUR.read_text("utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {}
    pages = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            result = value("".join(cell["source"]), names)
            if result is not None:
                page = shown(result)
                assert page is not None, cell["source"]
                pages.append(page)
    printed = capsys.readouterr().out
    assert "invalid end state, after 6 moves" in printed and "    13 stored for     35, group of order 3" in printed
    kinds = [ElementTree.fromstring(page[page.index("<svg") :]).tag if "<svg" in page else "table" for page in pages]
    assert sum(kind.endswith("svg") for kind in kinds) == 2 and kinds.count("table") == 7
    assert any("holds for every number of processes" in page for page in pages)
    assert any("C3 on philosopher" in page for page in pages)


# --- a loaded model ------------------------------------------------------------------------------


def test_a_loaded_model_is_the_model() -> None:
    path = MODELS / "peterson.pml"
    plain = load_task.load(path)
    model = loaded(plain, path)
    assert isinstance(coset.load(path), coset.LoadedModel) and type(plain) is coset.Model
    assert model == plain and plain == model and hash(model) == hash(plain) and str(model) == str(plain)
    assert model != replace(plain, properties=()) and model != "peterson.pml"
    fewer = replace(model, properties=())
    assert isinstance(fewer, coset.LoadedModel) and fewer.file == path and fewer != model


@pytest.mark.parametrize("name", ["peterson.csp", "hanoi.seq", "test_and_set.spl", "dekker.pml"])
def test_every_language(name: str) -> None:
    model = coset.load(MODELS / name)
    by_function = coset.check(MODELS / name)
    by_method = model.check()
    assert [(p.name, p.verdict) for p in by_method.properties] == [(p.name, p.verdict) for p in by_function.properties]
    assert model.symmetry(properties=[]).found.order > 1
    assert model.explore().represents == coset.explore(MODELS / name, symmetry="off").states


def test_formulas_use_the_macros_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte x = START; active proctype P() { x++ }\n#define done (x == START + 1)\n")
    model = coset.load(path, {"START": "5"})
    assert model.check(ltl="<> done").verdict.value == "holds"
    assert model.check(ctl="AG !done").verdict.value == "violated"


def test_properties_of_labels_have_names() -> None:
    model = coset.parse_text("bool x; active proctype P() { do :: x -> progress: x = false :: !x od }")
    assert model.check(["progress"])["progress"].verdict.value == "violated"


@pytest.mark.parametrize("name", ["counter.csp", "philosophers.csp", "readers_writers.pml"])
def test_counterexamples_of_every_assertion_are_shown(name: str) -> None:
    model = coset.load(MODELS / name)
    traces = [each.trace for each in model.check().properties if each.trace is not None]
    assert traces
    for trace in traces:
        assert len(model.replay(trace).moves) == len(trace) and model.text(trace)
        assert str(model.chart(trace)).startswith("<svg")


def test_what_cannot_be_had_is_said() -> None:
    model = coset.parse_text("active proctype P() { skip }")
    with pytest.raises(ValueError, match="write it into the text"):
        model.check(ltl="[] true")
    with pytest.raises(ValueError, match="unknown method 'magic'"):
        model.symmetry(method="magic")
    with pytest.raises(ValueError, match="unknown drawing 'cat'"):
        model.draw("cat")
    with pytest.raises(ValueError, match="no property 'p'"):
        model.symmetry(properties=["p"])
    with pytest.raises(KeyError, match="there are assertions"):
        model.check()["p"]


def test_statistics() -> None:
    model = coset.load(MODELS / "dekker.pml")
    check, explore = coset.statistics([model.check(), model.explore()])
    assert check["verdict"] == model.check().verdict.value and "verdict" not in explore
    assert explore["represents"] == 167 and explore["symmetry"] == 2


def test_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pandas is not installed the rows can still be had."""
    result = coset.load(MODELS / "philosophers.pml", {"N": "3"}).check()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        result.to_frame()
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=tuple))
    rows = result.to_frame()
    assert [(row["property"], row["verdict"], row["moves"]) for row in rows] == [
        ("assertions", "holds", None), ("end states", "violated", 6), ("faults", "holds", None),
    ]  # fmt: skip
    assert result.exploration.to_frame() == (result.exploration.as_dict(),)
    assert [result.as_dict()] == coset.statistics([result]) and list(result.as_dict())[:3] == [
        "model",
        "verdict",
        "engine",
    ]


# --- orbits of states --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "defines", "method"),
    [
        ("philosophers.pml", {"N": "4"}, "auto"),
        ("email_symmetric_small.pml", {}, "program"),
        ("hypercube.pml", {}, "channels"),
        ("peterson.spl", {}, "auto"),
        ("hypercube.seq", {}, "auto"),
        ("readers_writers.pml", {}, "constraints"),
    ],
)
def test_orbits_are_those_of_all_elements(name: str, defines: dict[str, str], method: str) -> None:
    """By brute force: the images of a state under every product of generators, and no others."""
    model = coset.load(MODELS / name, defines)
    report = model.symmetry(method=method)
    states = [model.initial_state()]
    for state in states:
        states += [each for each in model.successors(state) if each not in states]
        if len(states) > 25:
            break
    del states[40:]
    actions = report.state_orbits.generators
    for state in states[::3]:
        images = {state}
        while more := {action(image) for action in actions for image in images} - images:
            images |= more
        assert report.orbit_size(state) == len(images) and report.found.order % len(images) == 0
        assert report.representative(state) == min(images)
        for other in states:
            assert report.same_orbit(state, other) == (other in images)


def test_an_orbit_that_is_too_large() -> None:
    from coset.symmetry.canonical.state_orbits import LargeOrbit, StateOrbits

    model = coset.parse_text("byte x[6]; active [6] proctype P() { do :: x[_pid] = 1 - x[_pid] od }")
    few = StateOrbits(model.symmetry().state_orbits.generators, most=5)
    (state, *_) = model.successors(model.initial_state())
    assert few.orbit_size(model.initial_state()) == 1
    with pytest.raises(LargeOrbit, match="more than 5 states"):
        few.orbit_size(state)
