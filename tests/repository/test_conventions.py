"""What holds for the repository as a whole: tests depend neither on a clock nor on each other, and all
places name one version."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import coset
from tests.support.paths import ROOT
from tests.walk_of_check import MARKED, PAGE

TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time_ns", "process_time"}
ALLOWED = {("test_fuzz.py", "process_time")}
"""A command that computes for too long, which the fuzzer must notice."""
VISIT = re.compile(r"^ *\d+  (\S+)/ +(.+(?:\n {9}.+)*)$", re.MULTILINE)
"""A visit in the walk of a check: a package, and the files of it that are opened next."""
MOST_CHANGES = 61


def clocks(path: Path) -> set[str]:
    """The functions of `time` that a module calls to read a clock."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Attribute)]
    found = {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == "time"}
    return {name for name in found & {*CLOCKS, "time"} if (path.name, name) not in ALLOWED}


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_no_test_reads_a_clock(path: Path) -> None:
    """Speed is measured in benchmarks/."""
    assert clocks(path) == set()


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.name)
def test_no_module_imports_a_test(path: Path) -> None:
    """What tests share is in tests/support."""
    imports: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports += [f"{node.module}.{alias.name}" for alias in node.names]
    assert [name for name in imports if re.match(r"tests\.(\w+\.)*test_", name)] == []


def test_one_version() -> None:
    """It is written in the package; the distribution takes it from there, and what people read has the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" in project["project"]["dynamic"] and "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/coset/__init__.py"
    texts = {name: (ROOT / name).read_text("utf-8") for name in ("README.md", "CITATION.cff", "CHANGELOG.md")}
    assert f"version = {{{coset.__version__}}}" in texts["README.md"]
    assert f"\nversion: {coset.__version__}\n" in texts["CITATION.cff"]
    versions = re.findall(r"^## \[(.+?)\]", texts["CHANGELOG.md"], re.MULTILINE)
    assert versions[:2] == ["Unreleased", coset.__version__]


def test_the_package_is_typed() -> None:
    assert (ROOT / "src" / "coset" / "py.typed").exists()


def test_the_walk_of_a_check() -> None:
    """A check passes all layers, with few changes of package.  In a new process, where nothing is known yet."""
    found = subprocess.run(
        [sys.executable, "-m", "tests.walk_of_check"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    packages = VISIT.findall(found.stdout)
    tops = list(dict.fromkeys(package.partition("/")[0] for package, _ in packages))
    assert {"source", "languages", "model", "symmetry", "engines", "results", "views"} <= set(tops)
    assert tops[0] == "cli" and tops.index("languages") < tops.index("symmetry")
    assert len(packages) - 1 <= MOST_CHANGES, found.stdout


def test_the_page_names_files_of_the_walk() -> None:
    """The walk on the page is made by `make docs`."""
    written = MARKED.search(PAGE.read_text("utf-8"))
    assert written is not None
    files = [f"{package}/{name}.py" for package, names in VISIT.findall(written[0]) for name in names.split()]
    assert len(files) > 100
    assert [file for file in files if not (ROOT / "src" / "coset" / file).exists()] == []
