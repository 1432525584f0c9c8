"""The files that `coset check` writes about its verdicts: the page, JUnit's XML and SARIF."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import coset
from coset.results.changes import table
from coset.results.trace import replay
from tests.support.command_line import BROKEN, Run, runner, written
from tests.support.html_pages import HOSTILE, LASSO, Page
from tests.support.paths import MODELS

run = pytest.fixture(runner)


def page(run: Run, path: Path, *arguments: str) -> Page:
    out = path.parent / "report.html" if path.parent != MODELS else Path("report.html")
    run("check", path, "--html", out, *arguments)
    found = Page(out.read_text("utf-8"))
    assert not found.open
    return found


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [HOSTILE, LASSO], ids=["messages", "cycle"])
def test_page_steps_through_the_run(run: Run, tmp_path: Path, text: str) -> None:
    path = written(tmp_path, text)
    found = page(run, path)
    model = coset.load(path)
    traces = {each.name: each.trace for each in coset.check(model).properties if each.trace is not None}
    assert [each["name"] for each in found.runs] == list(traces)
    for shown in found.runs:
        told = replay(model, traces[shown["name"]])
        values = dict(shown["start"])
        for number, move in enumerate(shown["moves"], 1):
            values = {name: new for name, new in {**values, **move["changes"]}.items() if new is not None}
            expected = table(told.interpreter, told.states[number])
            assert values == {name: value for name, value in expected.items() if not name.endswith("@")}
        assert shown["message"] == told.message and shown["loop"] == told.trace.loop_start
        assert len(shown["stands"]) == len(told.states)
    last = max(len(each["moves"]) for each in found.runs)
    marked = [attributes for _, attributes in found.seen if "data-first" in attributes]
    assert any(each["data-first"] == "0" for each in marked)
    assert all(0 <= int(each["data-first"] or -1) <= int(each["data-last"] or -1) < last for each in marked)


def test_page_needs_nothing_else(run: Run, tmp_path: Path) -> None:
    found = page(run, written(tmp_path, HOSTILE))
    for tag, attributes in found.seen:
        assert tag not in ("link", "img", "iframe", "object", "b"), (tag, attributes)
        for name in ("src", "href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    ids = {attributes["id"] for _, attributes in found.seen if "id" in attributes}
    links = {str(attributes["href"])[1:] for tag, attributes in found.seen if tag == "a" and "href" in attributes}
    assert links <= ids and {"verdicts", "counterexamples", "symmetry", "pictures", "model", "settings"} <= links
    assert len(found.scripts) == 2 and "</script><b>&amp; */" in found.words
    assert "B(1) waits at line 4: c?ping (c is empty)" in found.words


def test_page_tells_the_symmetry_and_the_command(run: Run) -> None:
    found = page(run, MODELS / "philosophers.pml", "-D", "N=3")
    text = found.words
    assert "C3 on philosopher" in text and "(0 1 2)" in text and re.search(r"10 states stored, representing\s+26", text)
    assert f"coset check {MODELS / 'philosophers.pml'} --html report.html -D N=3" in text
    assert "auto (reference)" in text and "N=3" in text and "philosopher 2" in text
    assert sum(tag == "svg" for tag, _ in found.seen) == 3  # the chart, the processes, the automata


def test_page_without_graphviz_says_so(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = page(run, MODELS / "philosophers.pml", "-D", "N=3", "--engine", "reference")
    assert "Not drawn: Graphviz is not installed" in found.words


@pytest.mark.parametrize("name", ["peterson.csp", "test_and_set.spl", "hanoi.seq"])
def test_page_for_every_language(run: Run, name: str) -> None:
    found = page(run, MODELS / name)
    assert name in found.words and "Symmetry" in found.words


# --- for servers ---------------------------------------------------------------------------------


def test_junit(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, HOSTILE)
    assert run("check", path, "--junit", "out.xml").code == 1
    root = ElementTree.parse("out.xml").getroot()
    (suite,) = root
    assert root.tag == "testsuites" and suite.tag == "testsuite" and suite.attrib["name"] == "m.pml"
    cases = {case.attrib["name"]: case for case in suite.iter("testcase")}
    assert list(cases) == ["assertions", "end states", "faults", "often"]
    assert int(suite.attrib["tests"]) == 4
    failed = {name: case.find("failure") for name, case in cases.items()}
    assert {name for name, found in failed.items() if found is not None} == {"end states", "often"}
    assert int(suite.attrib["failures"]) == int(root.attrib["failures"]) == 2 and suite.attrib["errors"] == "0"
    stuck = failed["end states"]
    assert stuck is not None and stuck.text is not None and "B(1)" in stuck.text and "c is empty" in stuck.text


def test_junit_of_what_is_not_decided(run: Run) -> None:
    assert run("check", MODELS / "peterson.pml", "--max-states", "5", "--junit", "out.xml").code == 3
    (suite,) = ElementTree.parse("out.xml").getroot()
    errors = [case.find("error") for case in suite.iter("testcase")]
    assert int(suite.attrib["errors"]) == sum(error is not None for error in errors) > 0
    assert suite.attrib["failures"] == "0"


PLACE = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": {"$ref": "#/$defs/message"},
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "additionalProperties": False,
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "pattern": "^[^ <>]+$"}},
                },
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "additionalProperties": False,
                    "properties": {
                        name: {"type": "integer", "minimum": 1}
                        for name in ("startLine", "startColumn", "endLine", "endColumn")
                    },
                },
            },
        },
    },
    "additionalProperties": False,
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["pass", "open", "informational", "notApplicable", "review", "fail"]},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {"$ref": "#/$defs/message"},
        "locations": {"type": "array", "items": {"$ref": "#/$defs/place"}},
        "relatedLocations": {"type": "array", "items": {"$ref": "#/$defs/place"}},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "codeFlows": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["threadFlows"],
                "properties": {
                    "threadFlows": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["locations"],
                            "properties": {
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "additionalProperties": False,
                                        "properties": {
                                            "location": {"$ref": "#/$defs/place"},
                                            "executionOrder": {"type": "integer", "minimum": -1},
                                            "state": {
                                                "type": "object",
                                                "additionalProperties": {"$ref": "#/$defs/message"},
                                            },
                                        },
                                    },
                                }
                            },
                        },
                    }
                },
            },
        },
    },
}
SARIF = {
    "$defs": {
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "place": PLACE,
    },
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {"rules": {"items": {"required": ["id"]}, "uniqueItems": True}},
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""What the standard demands of the parts that we write."""


def sarif(path: str) -> Any:
    document = json.loads(Path(path).read_text("utf-8"))
    jsonschema.Draft202012Validator(SARIF).validate(document)
    (shown,) = document["runs"]
    rules = [rule["id"] for rule in shown["tool"]["driver"]["rules"]]
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in shown["results"])
    assert all((each["level"] == "none") == (each.get("kind", "fail") != "fail") for each in shown["results"])
    return shown


def test_sarif(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, HOSTILE, "with blank.pml")
    assert run("check", path.name, "--sarif", "out.sarif").code == 1
    shown = sarif("out.sarif")
    stuck, often = shown["results"]
    assert (stuck["ruleId"], often["ruleId"]) == ("deadlock", "ltl")
    place = stuck["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "with%20blank.pml"
    assert place["physicalLocation"]["region"]["startLine"] == 4 and place["message"]["text"].startswith("B(1) waits")
    result = coset.check(path)
    lengths = [len(each.trace) for each in result.properties if each.trace is not None]
    flows = [each["codeFlows"][0]["threadFlows"][0]["locations"] for each in (stuck, often)]
    assert [len(flow) for flow in flows] == lengths
    assert any(step["location"]["message"]["text"] == "A(0): c!ping" for step in flows[0])
    assert shown["invocations"][0]["executionSuccessful"]


def test_sarif_of_what_holds_and_of_what_is_not_decided(run: Run) -> None:
    assert (
        run("check", MODELS / "philosophers_fixed.pml", "-D", "N=2", "--property", "faults", "--sarif", "x").code == 0
    )
    assert sarif("x")["results"] == []
    assert run("check", MODELS / "peterson.pml", "--max-states", "5", "--sarif", "x").code == 3
    assert {each["kind"] for each in sarif("x")["results"]} == {"open"}


def test_a_model_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, BROKEN)
    assert run("check", path, "--sarif", "x.sarif", "--junit", "x.xml", "--html", "x.html").code == 2
    shown = sarif("x.sarif")
    assert shown["results"] and not shown["invocations"][0]["executionSuccessful"]
    assert shown["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    (suite,) = ElementTree.parse("x.xml").getroot()
    assert suite.attrib["errors"] == "1" and suite.find("testcase/error") is not None
    assert not Path("x.html").exists()


@pytest.mark.parametrize("option", ["--html", "--junit", "--sarif"])
def test_a_file_that_cannot_be_written_is_told_before_the_search(run: Run, tmp_path: Path, option: str) -> None:
    missing = run("check", MODELS / "peterson.pml", option, tmp_path / "nowhere" / "out")
    assert missing.code == 2 and "there is no folder" in missing.err and missing.out == ""
    folder = run("check", MODELS / "peterson.pml", option, tmp_path)
    assert folder.code == 2 and "is a folder; expected a file" in folder.err
