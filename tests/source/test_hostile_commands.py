"""Every command line that Coset builds: no shell reads it, and no name in it is taken for an option.

Programs are started in five places: the compiler (engines/explicit/build.py), SPIN (formats/spin_replay.py), Graphviz
(formats/dot.py), versions of tools (cli/installation.py) and Coset itself (server/runs.py).
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import coset
from coset.cli import installation
from coset.engines.explicit import build, quick
from coset.formats.spin_replay import check_with_spin
from coset.formats.spin_trail import trail
from coset.results.trace import replay, shortest_safety_trace
from coset.server import runs
from coset.server.commands import command_line
from coset.source import children
from tests.support.hostile_names import NAME

PACKAGE = Path(coset.__file__).parent
NAMES = ["-x.pml", "--help.pml", "a b.pml", "a'b\"c.pml", "$(touch pwned).pml", "`touch pwned`;.pml", "a\nb.pml", NAME]
FAILING = '#include "two.h"\nbyte x; active proctype P() { x = 1; assert(x == TWO) }\n'
STARTERS = {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"}


def test_no_shell_is_asked() -> None:
    """A call that starts a program has no `shell=True`, and there is none in a place that is not tested here."""
    found, callers = set[str](), set[str]()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            assert (owner, node.func.attr) not in {("os", "system"), ("os", "popen")}
            if owner == "subprocess" and node.func.attr in STARTERS:
                assert not any(each.arg in ("shell", None) for each in node.keywords)
                found.add(str(path.relative_to(PACKAGE)))
            if owner == "children" and node.func.attr == "run":
                assert isinstance(node.args[0], ast.List | ast.Name)
                callers.add(str(path.relative_to(PACKAGE)))
    assert found == {"source/children.py", "server/runs.py"}
    assert callers == {
        "cli/installation.py", "engines/explicit/build.py", "engines/explicit/quick.py", "formats/dot.py",
        "formats/spin_replay.py",
    }  # fmt: skip


class Recorded:
    """Stands for `children.run`: keeps the command lines, and runs them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.commands: list[list[str]] = []
        self.real = children.run
        monkeypatch.setattr(children, "run", self)

    def __call__(self, command: list[str], **settings: Any) -> Any:
        assert isinstance(command, list)
        self.commands.append(command)
        return self.real(command, **settings)


@pytest.mark.parametrize("tier", ["quick", "optimised"])
def test_the_compiler_is_told_names_of_ours(tier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSET_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COSET_QUICK", "off" if tier == "optimised" else "")
    (tmp_path / "two.h").write_text("#define TWO 2\n")
    (tmp_path / NAME).write_text(FAILING)
    recorded = Recorded(monkeypatch)
    model = coset.load(tmp_path / NAME, defines={"A": "$(touch pwned)", "B": "-x\n"})
    coset.explore(model, engine="explicit")
    assert recorded.commands
    flags = ("-O2", *build.FLAGS, *build.machine_flags()) if tier == "optimised" else ()
    folder = quick.tiny_compiler()
    compiler = build.compiler() if folder is None else str(folder / "bin" / "tcc")
    for command in recorded.commands:
        assert command[0] == compiler and tuple(command[1 : 1 + len(flags)]) == flags
        assert all(word.isascii() and str(tmp_path) not in word for word in command) and "pwned" not in " ".join(
            command
        )
    assert not (tmp_path / "pwned").exists()


@pytest.mark.skipif(shutil.which("spin") is None, reason="no SPIN")
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_spin_is_told_names_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """SPIN gives the name of the file to a shell, in double quotes: `$(...)` in a name was executed."""
    work = tmp_path / name.removesuffix(".pml")
    work.mkdir()
    canary = tmp_path / "bin" / "touch"
    canary.parent.mkdir()
    canary.write_text(f"#!/bin/sh\necho > '{tmp_path}/executed'\n")
    canary.chmod(0o755)
    monkeypatch.setenv("PATH", str(canary.parent), prepend=":")
    (work / name).write_text(FAILING)
    (tmp_path / "more $(touch pwned)").mkdir()
    (tmp_path / "more $(touch pwned)" / "two.h").write_text("#define TWO (2 + N - N)\n")
    defines, folders = {"N": "3", "M": "$(touch pwned)`touch pwned`\"'"}, [str(tmp_path / "more $(touch pwned)")]
    model = coset.load(work / name, defines=defines, include_dirs=folders)
    trace = shortest_safety_trace(model, "assertion")
    assert trace is not None
    run = replay(model, trace)
    recorded = Recorded(monkeypatch)
    found = check_with_spin(work / name, trail(run), defines, folders)
    assert found.finished and any("assertion violated" in each.text for each in found.errors), found.output
    assert recorded.commands[0][-1] == "model.pml" and not (tmp_path / "executed").exists()


@pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz")
def test_graphviz_is_told_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from coset.cli import main

    monkeypatch.chdir(tmp_path)
    Path(NAME).write_text("active proctype P() { skip }")
    recorded = Recorded(monkeypatch)
    assert main(["draw", f"./{NAME}", "-o", "./-T \x1b$(touch pwned).svg"]) == 0
    assert [command[1:] for command in recorded.commands] == [["-Tsvg"]]
    assert Path("-T \x1b$(touch pwned).svg").read_text().startswith("<?xml") and not Path("pwned").exists()


def test_tools_are_asked_for_their_version_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = Recorded(monkeypatch)
    monkeypatch.setenv("CC", "$(touch pwned) -x")
    monkeypatch.chdir(tmp_path)
    assert list(installation.look()) and not (tmp_path / "pwned").exists()
    assert all(Path(command[0]).is_absolute() and len(command) == 2 for command in recorded.commands)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_the_server_starts_coset_on_a_file(tmp_path: Path, name: str) -> None:
    """What a form says is the value of an option, and the name of a file is the name of a file."""
    (tmp_path / name).write_text("byte x; active proctype P() { x = 1 }")
    assert "error" not in runs.shown(tmp_path, name, ["N=$(touch pwned)"])
    form = {"command": ["check"], "define": ["N='--html=pwned $(touch pwned)'"], "ltl": ["--html=pwned"]}
    line = command_line(form, name)
    assert line[0] == "check" and not line[1].startswith("-") and all(word.startswith("-") for word in line[2:])
    done = subprocess.run([*runs.COSET, *line, "--json"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "pipe", ".", "/proc/self"])
def test_only_files_are_included(tmp_path: Path, name: str) -> None:
    """A device has no end, and a pipe may never have a writer."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "m.pml").write_text(f'#include "{name}"\nactive proctype P() {{ skip }}\n')
    with pytest.raises(coset.InputError, match="cannot find the included file"):
        coset.load(tmp_path / "m.pml")


def test_a_module_beside_a_model_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("open('pwned', 'w')")
    (tmp_path / "m.pml").write_text("byte x; active proctype P() { x = 1 }")
    assert runs.COSET[0] == sys.executable and "error" not in runs.shown(tmp_path, "m.pml", [])
    assert not (tmp_path / "pwned").exists()
