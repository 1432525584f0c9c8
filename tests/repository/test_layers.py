"""Imports between packages go one way, and so do those between the parts of a package; those inside functions count, too."""

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
"""What each part may import besides itself; a part that is not here may import nothing and not be imported."""

LAYERS: dict[str, tuple[str, ...]] = {
    "languages": (
        "language reading tokens",
        "csp | murphi | promela | sequential | shared",
        "features | registry",
    ),
    "model": (
        "deadlock declared depth domain effects evaluate executable expression fairness family implicit interpreter model monitor"
        " printer rewrite sequential_model sequential_printer state state_formula suite",
        "analysis",
        "validate | passes | sequential",
    ),
    "symmetry": (
        "groups",
        "action certify certify_text channel_room conditions constants dead_starts declared describe elements faults free_starts"
        " joined_choices literal_action logical_values loop_summaries missing normal_form operators order sort_inference sorts"
        " startup symbolic symmetry values",
        "methods | passes",
        "canonical | explain",
        "property_orbits | user_generators",
    ),
    "symmetry.methods": (
        "program",
        "channels",
        "constraints | features | hypergraph",
        "auto | registry",
    ),
    "engines": (
        "analysis annotated branching choices claim connected contract errors evidence fair_formulas fair_runs fair_walk goals"
        " guided labelled lasso reduction settings streett",
        "reference",
        "explicit | spotlight | symbolic",
        "backward | distributed",
        "choose registry",
    ),
    "engines.explicit": (
        "build cache halves layout outlook packing quick reservation seam stubborn",
        "components emit footprints",
        "ahead attempts branching checkpoint checkpointed compile coverage cycle_search cycles deep_search encoded_run engine "
        "errors estimate fair_search first_errors on_disk properties safety source_map transfer",
    ),
    "views": (
        "folding lanes message_flow plan_text progress proof_text sequence_chart svg symmetry_text terminal wrapping",
        "html",
    ),
}
"""The modules and sub-packages of each package that has sub-packages, from the lowest layer to the highest.  A layer has groups,
separated by bars.  A part may import those of its own group and of lower layers."""


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


def parts_of(package: str) -> set[str]:
    """The modules and sub-packages of a package."""
    folder = PACKAGE.joinpath(*package.split("."))
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in folder.glob("*/__init__.py")}


def places(package: str) -> dict[str, tuple[int, int]]:
    """The layer and the group of each part of a package."""
    return {
        part: (height, number)
        for height, layer in enumerate(LAYERS[package])
        for number, group in enumerate(layer.split(" | "))
        for part in group.split()
    }


def test_every_package_with_packages_has_layers() -> None:
    nested = {".".join(path.relative_to(PACKAGE).parts[:-2]) for path in PACKAGE.glob("*/**/__init__.py")} - {""}
    assert nested == set(LAYERS)


@pytest.mark.parametrize("package", LAYERS)
def test_every_part_of_a_package_is_in_one_layer(package: str) -> None:
    named = [part for layer in LAYERS[package] for part in layer.replace("|", " ").split()]
    assert sorted(named) == sorted(parts_of(package))


@pytest.mark.parametrize("package", LAYERS)
def test_imports_inside_a_package_go_one_way(package: str) -> None:
    folder, found = PACKAGE.joinpath(*package.split(".")), []
    for path in sorted(folder.rglob("*.py")):
        home = path.relative_to(folder).with_suffix("").parts[0]
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if home != "__init__":
            for module, line in imported(ast.parse(path.read_text("utf-8")), name):
                if not allowed(package, home, module):
                    found.append(f"{path.relative_to(folder)}, line {line}: {module}")
    assert not found, f"the layers of {package} are {LAYERS[package]}"


def allowed(package: str, home: str, module: str) -> bool:
    """Whether a part of a package may import a module, as far as the layers of the package are concerned.

    >>> [allowed("engines", "symbolic", f"coset.{name}") for name in ("engines.reference", "engines.explicit", "model")]
    [True, False, True]
    """
    if not module.startswith(f"coset.{package}."):
        return module != f"coset.{package}"
    place = places(package)
    here, there = place[home], place.get(module.removeprefix(f"coset.{package}.").partition(".")[0])
    return here == there or (there is not None and there[0] < here[0])


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
