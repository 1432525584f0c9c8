"""Imports between the packages go one way, as `design.md` draws them, also those inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGE = ROOT / "src" / "coset"

BASE = {"source", "properties", "model"}
ALLOWED: dict[str, set[str]] = {
    "source": set(),
    "properties": {"source"},
    "model": {"source", "properties"},
    "languages": BASE,
    "symmetry": BASE,
    "results": BASE,
    "engines": BASE | {"results", "symmetry"},
    "formats": BASE | {"results"},
    "views": BASE | {"results"},
}
ALLOWED["tasks"] = {*ALLOWED}
ALLOWED["features"] = {*ALLOWED}
ALLOWED["options"] = {"properties", "languages", "symmetry", "engines"}  # their registries, which are light
ALLOWED["api"] = {*ALLOWED}
ALLOWED["server"] = {*ALLOWED, "__init__"}
ALLOWED["cli"] = {*ALLOWED, "__init__"}
ALLOWED["__init__"] = {*ALLOWED}
ALLOWED["__main__"] = {"cli"}
ALLOWED["cli"].add("__main__")
"""What each part may import besides itself; who is not here may import nothing and be imported by nobody."""


def imported(tree: ast.AST, module: str) -> Iterator[tuple[str, int]]:
    """The modules of Coset that a file imports, wherever in the file, with the line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[: -node.level], *([base] if base else [])])
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def part(module: str) -> str | None:
    """The part of Coset that a module is in; None if it is not ours.

    >>> part("coset.model.state.State"), part("coset"), part("coset.__version__"), part("json")
    ('model', '__init__', '__init__', None)
    """
    names = module.split(".")
    if names[0] != "coset":
        return None
    return names[1] if len(names) > 1 and names[1] in {*ALLOWED, *parts()} else "__init__"


def parts() -> set[str]:
    """Every package and module right below `coset`."""
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    return folders | {path.stem for path in PACKAGE.glob("*.py")}


def test_every_part_is_known() -> None:
    assert parts() <= set(ALLOWED)


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    names = path.relative_to(PACKAGE.parent).with_suffix("").parts
    home = "__init__" if names == ("coset", "__init__") else names[1]
    wrong = [
        f"line {line}: {module}"
        for module, line in imported(ast.parse(path.read_text("utf-8")), ".".join(names))
        if (target := part(module)) is not None and target != home and target not in ALLOWED[home]
    ]
    assert not wrong, f"{home} may import only {sorted(ALLOWED[home])}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import coset.engines.reference", "coset.engines.reference"),
        ("def f():\n  from coset.engines import reference", "coset.engines.reference"),
        ("from ..engines import reference", "coset.engines.reference"),
        ("from .. import engines", "coset.engines"),
    ],
)
def test_every_way_to_import_is_seen(text: str, found: str) -> None:
    assert [module for module, _ in imported(ast.parse(text), "coset.model.state")] == [found]
    assert part(found) == "engines"
