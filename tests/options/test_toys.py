"""A new name to choose is one entry in its registry: help, completion, the page of commands, the form and schemas follow."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest

from coset.cli import completion
from coset.cli.parser import make_parser
from coset.engines.choices import STORAGES, Storage
from coset.engines.registry import ENGINES, Engine, explore_by_reference, reference_properties
from coset.engines.settings import Settings
from coset.languages.language import Language
from coset.languages.registry import LANGUAGES
from coset.server.commands import fields
from coset.symmetry.canonical.strategies import STRATEGIES, Strategy
from coset.symmetry.methods.registry import METHODS, Method, by_program
from tests.support.paths import ROOT

TOYS: dict[str, tuple[dict[str, Any], Any]] = {
    "--engine": (ENGINES, Engine("toy", "for play", explore_by_reference, reference_properties)),
    "--symmetry": (METHODS, Method("toy", "for play", by_program)),
    "--representative": (STRATEGIES, Strategy("toy", "for play")),
    "--storage": (STORAGES, Storage("toy", "for play")),
    "--language": (LANGUAGES, Language("toy", "for play", (".toy",), lambda reading: None)),
}


@pytest.fixture(params=TOYS)
def flag(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The option of a registry that has one entry more."""
    registry, toy = TOYS[request.param]
    monkeypatch.setitem(registry, "toy", toy)
    return str(request.param)


def script(name: str) -> ModuleType:
    """A module of scripts/."""
    folder = str(ROOT / "scripts")
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def test_the_command_line(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        make_parser().parse_args(["explore", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert ("for play (.toy)" if flag == "--language" else "toy (for play)") in shown
    options = make_parser().parse_args(["explore", "m.pml", flag, "toy"])
    assert getattr(options, flag.lstrip("-")) == "toy"


@pytest.mark.parametrize("shell", completion.WRITERS)
def test_completion(flag: str, shell: str) -> None:
    (option,) = (
        each
        for level in completion.levels()
        if level.path == ("check",)
        for each in level.options
        if flag in each.flags
    )
    assert "toy" in option.names and " ".join(option.names) in completion.script(shell)


def test_the_page_of_commands(flag: str) -> None:
    assert f"`{flag} " in script("commands_page").page() and "|toy" in script("commands_page").page()


def test_the_form(flag: str) -> None:
    shown = {field.flag: field.values for field in fields()}
    assert flag not in ("--engine", "--symmetry") or "toy" in shown[flag]


def test_schemas(flag: str) -> None:
    schema = script("schema_names").filled((ROOT / "src/coset/formats/schemas/explore.json").read_text("utf-8"))
    assert ('"toy"' in schema) == (flag != "--language")


def test_settings(flag: str) -> None:
    field = flag.lstrip("-")
    if field in ("symmetry", "representative", "storage"):
        chosen: dict[str, Any] = {field: "toy"}
        assert getattr(Settings(**chosen), field) == "toy"
