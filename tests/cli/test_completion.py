"""Completion: bash offers what the parser knows; the other scripts name all of it."""

from __future__ import annotations

import subprocess

import pytest

from coset.cli import completion
from coset.engines.registry import ENGINES
from coset.options.commands import COMMAND_NAMES
from coset.options.searching import symmetries
from coset.options.showing import SHELLS
from tests.support.command_line import Run, runner

run = pytest.fixture(runner)


def offered(*words: str) -> set[str]:
    """What bash offers for the last of the words after `coset`."""
    program = 'eval "$0"; COMP_WORDS=(coset "$@"); COMP_CWORD=$#; _coset; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-u", "-c", program, completion.script("bash"), *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash() -> None:
    assert offered("") == set(COMMAND_NAMES)
    assert offered("s") == {"symmetry", "simulate", "show", "serve"}
    assert offered("--comp") == {"--completion"} and offered("--completion", "") == set(SHELLS)
    assert offered("check", "m.pml", "--max") == {"--max-states", "--max-seconds", "--max-memory"}
    assert offered("check", "m.pml", "--engine", "") == set(ENGINES)
    assert offered("explore", "--symmetry", "ch", "m.pml") == set()  # a file: bash itself goes on
    assert offered("explore", "--symmetry", "c") == {name for name in symmetries() if name.startswith("c")}
    assert offered("features", "") >= {"generate", "interactions"} and "--only" in offered(
        "features", "interactions", "--"
    )
    assert "--only" not in offered("features", "generate", "--") and offered("check", "--trace", "") == set()


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_is_in_every_script(run: Run, shell: str) -> None:
    answer = run("--completion", shell)
    assert answer.code == 0 and answer.err == ""
    for level in completion.levels():
        for name, _ in level.commands:
            assert name in answer.out
        for each in level.options:
            for name in each.flags:
                dash = "-l" if name.startswith("--") else "-s"
                shown = f"{dash} {name.lstrip('-')}" if shell == "fish" else name
                assert shown in answer.out
            assert " ".join(each.names) in answer.out


def test_every_shell_has_a_writer() -> None:
    assert tuple(completion.WRITERS) == tuple(SHELLS)


def test_an_unknown_shell_is_refused(run: Run) -> None:
    answer = run("--completion", "tcsh")
    assert answer.code == 2 and "'tcsh' is not known (available: bash, zsh, fish)" in answer.err
