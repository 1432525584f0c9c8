"""Text of a model that must not be obeyed: by no terminal, and by no program that reads what Coset writes.

A model is sent through every output with strings, comments and a file name made to be taken for something else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from coset.cli import main
from coset.formats.dot import Arrow, Diagram, DiagramNode, Part, dot
from coset.properties.automaton import Automaton, AutomatonEdge
from coset.results.notebook import grid, pairs
from coset.source.printable import CONTROL
from coset.views.svg import Svg
from tests.support.command_line import Run, runner
from tests.support.hostile_names import NAME
from tests.support.html_pages import Page
from tests.support.screen import Screen

STRING = (
    "\x1b]0;title\x07\x1b[2J\x1b[31mred\x9b8m\u202e\u2028\x7f\x01\x0c</script><script>alert(1)</script>]]>--&lt;%%s\\\\"
)
MODEL = f"""/* \x1b[2J \u202e </script><img src=x onerror=alert(1)> */
mtype = {{ zebra }};
byte x; chan c = [1] of {{ mtype }};
active [2] proctype P() {{
label: x = 1; printf("{STRING}%c%d\\n", 27, 3); c!zebra; assert(x == 2 /* \x1b[2J\u202e"]]> */)
}}
ltl often {{ [] (x /* \x1b[8m <b> " */ < 1) }}
"""
BROKEN = MODEL.replace("x = 1;", "x = 1 \x1b[2J\u202e y \x9b 2;") + '\n#include "\x1b[2J\n"\n"\x1b[2J'
SHARED = (
    '/* \x1b[2J */ bit x; active [2] proctype P() { printf("\x1b[2J\x9b"); x = 1 } ltl p { [] (x /* \x1b[8m */ < 2) }\n'
)
NETWORK = "no \x1b[2J\n<b>"
OURS = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\r"}


def unsafe(text: str) -> set[str]:
    """What is not to be shown as it is."""
    return {each for each in text if not each.isprintable() and each not in "\n\t"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the models, in which no command may create `pwned`."""
    monkeypatch.chdir(tmp_path)
    for name, text in {NAME: MODEL, f"broken{NAME}": BROKEN, f"shared{NAME}": SHARED}.items():
        Path(name).write_text(text)
    Path(NETWORK).mkdir()
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], here: Path) -> Run:
    return runner(capsys)


# --- terminals -------------------------------------------------------------------------------------

COMMANDS = [
    ["check", "./" + NAME, "--steps", "plain"],
    ["check", "./" + NAME, "--all-errors", "--engine", "reference"],
    ["check", "--", NAME],
    ["explore", "./" + NAME],
    ["simulate", "./" + NAME, "--seed", "1"],
    ["symmetry", "./" + NAME, "--explain"],
    ["show", "./" + NAME],
    *(["draw", "./" + NAME, "--what", what] for what in ("automata", "channels", "hypergraph", "property", "quotient")),
    ["prove", "shared" + NAME],
    ["prove", "./" + NAME],
    *(["features", action, NETWORK] for action in ("generate", "diagram", "interactions", "prove")),
    *([command, "broken" + NAME] for command in ("check", "explore", "simulate", "symmetry", "show", "prove")),
    ["check", "nowhere" + NAME],
    ["check", "./" + NAME, "--property", "\x1b[2J"],
    ["check", "./" + NAME, "-D", "\x1b[2J"],
    ["check", "./" + NAME, "--ltl", "[] \x1b[2J"],
    ["check", "./" + NAME, "--ctl", "AG \x1b[2J"],
    ["check", "./" + NAME, "--engine", "\x1b[2J"],
    ["check", "./" + NAME, "--\x1b[2J"],
    ["check", "./" + NAME, "--html", "nowhere\x1b[2J/o.html"],
    ["replay", "./" + NAME, "nowhere\x1b[2J.json"],
    ["\x1b[2J"],
    ["serve", "nowhere\x1b[2J"],
    ["doctor"],
]


@pytest.mark.parametrize("json_", [False, True])
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda words: " ".join(map(ascii, words))[:60])
def test_nothing_but_text_is_printed(
    run: Run, here: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], json_: bool
) -> None:
    monkeypatch.setenv("CC", "gcc\x1b[2J" if arguments == ["doctor"] else "gcc")
    command, *rest = arguments
    answer = run(command, *(["--json"] if json_ and rest else []), *rest)
    assert not unsafe(answer.out + answer.err)
    assert answer.code != 70 and not (here / "pwned").exists()
    if json_ and rest and command != "features":
        assert answer.json
    elif not json_ and f"./{NAME}" in rest and answer.code < 2 and command != "draw":
        assert "\\x1b" in answer.out + answer.err or command in ("show", "symmetry")


def test_a_terminal_gets_our_colours_and_no_others(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also not a colour that the model asks for, which could make a verdict look like another."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out, err = Screen(), Screen()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        assert main(["check", f"./{NAME}", "--engine", "reference"]) == 1
        assert (sys.stdout, sys.stderr) == (out, err)
    text = out.getvalue()
    assert "\x1b[31mviolated" in text and "\\x1b[31mred" in text and "\x1b[31mred" not in text
    codes = re.compile("|".join(map(re.escape, OURS)))
    assert not unsafe(codes.sub("", text + err.getvalue())) and not CONTROL.search(text)


def test_a_name_does_not_begin_a_line(run: Run) -> None:
    """Or it could look like a message of ours."""
    for arguments in (
        ["check", f"./{NAME}"],
        ["check", f"broken{NAME}"],
        ["symmetry", f"./{NAME}"],
        ["check", f"no{NAME}"],
    ):
        answer = run(*arguments)
        assert not re.search(r"^\$\(touch", answer.out + answer.err, re.MULTILINE)


# --- documents -------------------------------------------------------------------------------------


@pytest.fixture
def documents(run: Run, here: Path) -> Path:
    """Everything that commands write about the model."""
    files = ["--html=o.html", "--junit=o.xml", "--sarif=o.sarif", "--svg=o.svg", "--trace=o.json", "--trail"]
    assert run("check", f"./{NAME}", "--steps=plain", *files).code == 1
    assert run("replay", f"./{NAME}", "o.json", "--itf=o.itf", "--svg=r.svg", "--trail=o.trail").code == 1
    assert run("explore", f"./{NAME}", "--html=e.html").code == 0
    assert run("symmetry", f"./{NAME}", "--explain", "--html=s.html").code == 0
    run("check", f"broken{NAME}", "--junit=b.xml", "--sarif=b.sarif")
    return here


def test_documents(documents: Path) -> None:
    written = [path for path in documents.iterdir() if path.name[:2] in ("o.", "r.", "e.", "s.", "b.")]
    assert len(written) == 12
    for path in written:
        assert not unsafe(path.read_bytes().decode("utf-8")), path.name
    for name in ("o.html", "e.html", "s.html"):
        check_page((documents / name).read_text())
    for name in ("o.xml", "b.xml", "o.svg", "r.svg"):
        check_xml((documents / name).read_text())
    check_sarif(json.loads((documents / "o.sarif").read_text()), f"./{NAME}")
    check_sarif(json.loads((documents / "b.sarif").read_text()), f"broken{NAME}")
    assert json.loads((documents / "o.json").read_text()) and json.loads((documents / "o.itf").read_text())["states"]
    trail = Path(f"./{NAME}.trail").read_text()
    assert trail == (documents / "o.trail").read_text() and re.fullmatch(r"(-?\d+:-?\d+:-?\d+\n)+", trail)


def check_page(text: str) -> None:
    """No element or attribute comes from the model, and what the script shows is printable as well."""
    page = Page(text)
    assert not page.open and "\\x1b[2J" in page.words
    assert "img" not in {tag for tag, _ in page.seen}
    assert not any(name.startswith("on") for _, attributes in page.seen for name in attributes)
    assert [tag for tag, _ in page.seen].count("script") == len(page.scripts) in (0, 2)
    for script in page.scripts[:1]:
        data = json.loads(script)
        assert not unsafe("".join(strings(data))) and any("\\u202e" in each for each in strings(data))
    assert not any("alert(1)" in script for script in page.scripts[1:])


def strings(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inner = [*data, *data.values()] if isinstance(data, dict) else data if isinstance(data, list) else []
    return [each for part in inner for each in strings(part)]


def check_xml(text: str) -> None:
    root = ElementTree.fromstring(text)
    names = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert not names & {"script", "img", "b"}
    if root.tag == "testsuites":
        assert "\\x1b" in text and "\\u202e" in text


def check_sarif(document: Any, file: str) -> None:
    uris = set(re.findall(r'"uri": "([^"]*)"', json.dumps(document)))
    assert uris and all(re.fullmatch(r"[\w.~/%-]+", each) for each in uris)
    assert {os.path.normpath(unquote(each)) for each in uris} == {os.path.normpath(file)}


def test_lines_of_a_page_are_those_of_the_text(documents: Path) -> None:
    """`str.splitlines` would break a line at the form feed and at U+2028."""
    page = (documents / "o.html").read_text()
    assert '<span id="line7"><i>7</i>ltl often' in page


# --- diagrams --------------------------------------------------------------------------------------

TOKEN = re.compile(r'\s+|"(?:[^"\\]|\\.)*"|->|[\w.]+|-?[\d.]+|[\[\]{};,=]', re.DOTALL)


def labels(text: str) -> list[str]:
    """The HTML-like labels of a text for Graphviz; everything else must be words, punctuation and quoted strings."""
    found, place = [], 0
    while place < len(text):
        if text[place] == "<":
            end, depth = place + 1, 1
            while depth:
                depth += {"<": 1, ">": -1}.get(text[end], 0)
                end += 1
            found.append(text[place + 1 : end - 1])
            place = end
            continue
        token = TOKEN.match(text, place)
        assert token is not None, text[place : place + 40]
        place = token.end()
    return found


@pytest.mark.parametrize("what", ["automata", "channels", "hypergraph", "property", "quotient"])
def test_diagrams(run: Run, here: Path, what: str) -> None:
    text = run("draw", f"./{NAME}", "--what", what).out
    for each in labels(text):
        elements = {part.tag for part in ElementTree.fromstring(f"<p>{each}</p>").iter()}
        assert elements <= {"p", "table", "tr", "td", "font", "b", "br"}
    if shutil.which("dot"):
        assert run("draw", f"./{NAME}", "--what", what, "-o", "o.svg").code == 0
        check_xml(Path("o.svg").read_text().partition("<svg")[1] + Path("o.svg").read_text().partition("<svg")[2])


def test_every_text_of_a_diagram() -> None:
    bad = 'a"b\\\\"] <b>&\x1b\0\u202e\n]]> -> {'
    nodes = (DiagramNode(bad, bad, bad), DiagramNode("s", bad, bad, states=3, problem=bad))
    text = dot(Diagram(bad, (Part(bad, nodes, (Arrow(bad, bad, (bad,), badge=bad),), bad, ((bad,),)),)))
    assert not unsafe(text) and len(labels(text)) > 3
    if shutil.which("dot"):
        assert subprocess.run(["dot", "-Tdot"], input=text.encode(), capture_output=True).returncode == 0
    automaton = Automaton(1, (0,), (AutomatonEdge(0, 0, frozenset({(0, True)}), frozenset()),), 0, (bad,))
    assert not unsafe(automaton.to_dot(bad)) and not labels(automaton.to_dot(bad).replace("<b>", "b"))


def test_drawings_and_tables() -> None:
    bad = "<b>&\x1b\0\u202e\"'"
    drawing = Svg()
    drawing.text(0, 0, bad, fill=bad)
    drawing.rect(0, 0, 1, 1, bad)
    assert not unsafe(str(drawing)) and ElementTree.fromstring(str(drawing)) is not None
    for table in (pairs(bad, [(bad, bad), (bad, [bad])]), grid(bad, [bad], [[bad]])):
        assert not unsafe(table) and "b" not in {each.tag for each in ElementTree.fromstring(table).iter("td")}
        assert table.count("<b>") == 1
