"""One description of every option: what is made from it agrees with it, and so does what is written by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

import pytest

import coset
from coset import api
from coset.cli import draw, features
from coset.cli.parser import make_parser
from coset.engines.settings import Settings, chosen
from coset.options.catalogue import OPTIONS, options_of
from coset.options.commands import ALL, COMMAND_NAMES, GROUPS, NETWORK
from coset.options.showing import DRAWINGS
from coset.server import commands as form
from coset.tasks.draw import Undrawable

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "check": coset.check,
    "explore": coset.explore,
    "prove": coset.prove,
    "symmetry": api.LoadedModel.symmetry,
    "draw": api.LoadedModel.draw,
}
"""The functions of commands in Python."""
LOADED = {"defines", "include_dirs", "language"}
"""Keywords of `coset.load`, which a loaded model need not be told again."""
PYTHON = {"settings", "listener", "warn"}
"""Keywords that are objects, for which the command line has several options or none."""


def keywords_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The keywords of a function and their defaults."""
    found = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in found if each.default is not inspect.Parameter.empty}


def parsed(command: str) -> Any:
    """The command line with nothing but its arguments."""
    arguments = ["x" for option in options_of(command, "arguments") if option.default is None]
    return make_parser().parse_args([*command.split(), *arguments])


# --- the catalogue ---------------------------------------------------------------------------------


def test_commands_of_options_are_known() -> None:
    assert {name for option in OPTIONS for name in option.commands} == {"", *ALL, *GROUPS}


@pytest.mark.parametrize("command", ["", *ALL])
def test_no_option_is_there_twice(command: str) -> None:
    flags = [flag for option in options_of(command) for flag in option.flags]
    attributes = [option.attribute for option in options_of(command)]
    assert len(set(flags)) == len(flags) and len(set(attributes)) == len(attributes)


@pytest.mark.parametrize("option", OPTIONS, ids=lambda it: f"{' '.join(it.flags) or it.value} {it.commands[0]}")
def test_descriptions_are_whole(option: Any) -> None:
    assert option.text and not option.text.endswith(".") and "  " not in option.text
    if option.choices is not None:
        assert option.value and (option.default is None or option.default in option.names)
    if not option.value:  # a switch
        assert option.default in (False, None) and option.read is str and not option.repeatable
    if option.repeatable:
        assert option.default == []


@pytest.mark.parametrize("command", ALL)
def test_the_parser_follows(command: str) -> None:
    options = parsed(command)
    for option in options_of(command):
        if option.flags and "--help" not in option.flags:
            assert getattr(options, option.attribute) == option.default


@pytest.mark.parametrize("command", COMMAND_NAMES)
def test_every_command_has_a_module(command: str) -> None:
    assert callable(import_module(f"coset.cli.{command}").run)


def test_what_is_chosen_by_name_is_there() -> None:
    assert list(draw.DIAGRAMS) == list(DRAWINGS)
    assert [f"features {action}" for action in features.ACTIONS] == list(NETWORK)


@pytest.mark.parametrize("what", DRAWINGS)
def test_python_draws_the_same(what: str) -> None:
    text = "chan c = [1] of { byte }; active proctype P() { c!1 } active proctype Q() { c?_ } ltl p { [] true }"
    try:
        assert coset.parse_text(text).draw(what).parts
    except Undrawable as reason:
        assert what == "features" and "feature" in str(reason)


# --- Python ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", FUNCTIONS)
def test_keywords_in_python(command: str) -> None:
    """The defaults are the same, where a keyword that is left out does not stand for it."""
    known = keywords_of(FUNCTIONS[command])
    described = {option.keyword: option for option in options_of(command) if option.keyword}
    if command in ("symmetry", "draw"):
        described = {name: option for name, option in described.items() if name not in LOADED}
    assert set(known) - PYTHON == set(described)
    for name, option in described.items():
        assert known[name] in (None, ()) or known[name] == option.default or (command, name) == ("draw", "what")


def test_keywords_of_a_loaded_model() -> None:
    """Those of the functions, but for what was said when the model was loaded."""
    named = {"properties", "ltl", "ctl", "invariants", *LOADED, "warn"}
    assert set(api.Search.__annotations__) == set(keywords_of(coset.explore)) - named
    assert set(api.Checking.__annotations__) | set(api.Search.__annotations__) == set(keywords_of(coset.check)) - named
    assert set(api.Proving.__annotations__) == set(keywords_of(coset.prove)) - named


def test_settings() -> None:
    """Each field has an option, and the defaults are the same in Python."""
    described = {option.setting: option.default for option in options_of("check") if option.setting}
    assert {field.name for field in fields(Settings)} == {*described, "log_bits", "checkpoints"}
    usual = chosen(None, None, None)
    assert {name: getattr(usual, name) for name in described} == described
    assert {option.setting for option in options_of("explore")} <= {*described, ""}


# --- the server ------------------------------------------------------------------------------------


def test_the_form_follows() -> None:
    shown = {field.flag: field for field in form.fields()}
    assert set(shown) == {option.flags[0] for option in OPTIONS if option.label}
    for flag, field in shown.items():
        taken = {name for option in OPTIONS if flag in option.flags for name in option.commands}
        assert set(field.commands) == taken & set(form.COMMANDS)


def test_the_form_means_options_that_there_are() -> None:
    """Whatever is filled in."""
    values = {"number": "3", "text": "1", "words": "N=3", "switch": "on"}
    for command in form.COMMANDS:
        filled = {field.name: [values.get(field.kind) or field.values[-1]] for field in form.fields()}
        line = form.command_line({**filled, "command": [command]}, "m.pml")
        assert make_parser().parse_args(line).command == command
