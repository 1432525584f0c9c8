"""On a terminal no line is wider than that; in a pipe every fact stays on its line."""

from __future__ import annotations

import pytest

from coset.cli import main
from coset.views.wrapping import length, wrapped
from tests.support.command_line import Run, runner
from tests.support.paths import MODELS
from tests.support.screen import Screen

run = pytest.fixture(runner)

COMMANDS = {
    "check": ["check", "philosophers.pml", "-D", "N=3", "--engine", "reference"],
    "check csp": ["check", "peterson.csp", "--engine", "reference"],
    "explore": ["explore", "philosophers.pml", "--engine", "reference"],
    "symmetry": ["symmetry", "email_small.pml", "--explain"],
    "prove": ["prove", "test_and_set.spl"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_fit(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    command, file, *rest = COMMANDS[name]
    arguments = [command, str(MODELS / file), *rest]
    monkeypatch.setenv("NO_COLOR", "1")
    plain = run(*arguments)
    for width in (40, 60, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        screen = Screen()
        with monkeypatch.context() as context:
            context.setattr("sys.stdout", screen)
            assert main(arguments) == plain.code
        lines = screen.getvalue().splitlines()
        wide = [line for line in lines if len(line) > width]
        assert not wide, f"{width}: {wide[0]}"
        assert all(line == line.rstrip() for line in lines)
    assert max(map(len, plain.out.splitlines())) > 40  # so that something had to be done


def test_colours_take_no_room() -> None:
    text = "\x1b[1mm.pml: \x1b[0m\x1b[31mviolated\x1b[0m (end states), symmetry"
    assert length(text) == 38 and wrapped(text, 38) == text
    assert wrapped(text, 37).splitlines()[1] == " " * 7 + "symmetry"


def test_a_pipe_is_not_wrapped(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("check", str(MODELS / "peterson.csp"), "--engine", "reference").out.splitlines()
    assert max(map(len, lines)) > 80
