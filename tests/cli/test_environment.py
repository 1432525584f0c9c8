"""What is around Coset may be strange: files, folders, streams, locales, compilers.  Every failure is said in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import FAILING, Answer, Run, program, runner, written
from tests.support.paths import MODELS

run = pytest.fixture(runner)

SMALL = (MODELS / "philosophers.pml", "-D", "N=3")


def shell(line: str, **environment: str) -> Answer:
    """`coset` in a line of the shell, as `"$@"`, with everything that it prints."""
    command = ["bash", "-c", line, "bash", sys.executable, "-m", "coset.cli"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    assert "Traceback" not in done.stdout + done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)


# --- files -----------------------------------------------------------------------------------------


def test_a_file_that_is_no_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_bytes(b"\x7fELF\0\0\x01")
    answer = run("check", path)
    assert answer.code == 2 and answer.err == f"error[I001]: {path}: not a text file: it contains NUL bytes\n"


def test_a_name_that_is_empty(run: Run) -> None:
    assert run("check", "").err == "error[I001]: '': Is a directory\n"


@pytest.mark.parametrize("name", ["with space.pml", "-D.pml", "a'b\"c.pml", "grün.pml", os.fsdecode(b"gr\xfcn.pml")])
@pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
def test_names_of_files(tmp_path: Path, name: str, locale: str) -> None:
    written(tmp_path, FAILING, name)
    answer = subprocess.run(
        [sys.executable, "-m", "coset.cli", "check", f"./{name}", "--html", "o.html", "--junit", "o.xml", "--sarif",
         "o.sarif", "--json"],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )  # fmt: skip
    assert answer.returncode == 1 and answer.stderr == "" and json.loads(answer.stdout)["verdict"] == "violated"
    assert {"o.html", "o.xml", "o.sarif"} <= set(os.listdir(tmp_path))


@pytest.mark.parametrize("option", ["--html", "--junit", "--sarif", "--trace", "--svg"])
def test_a_file_that_cannot_be_written(run: Run, tmp_path: Path, option: str) -> None:
    """What can be known is said before the search, and the rest afterwards, when the verdict has been printed."""
    missing = run("check", *SMALL, option, tmp_path / "nowhere" / "out")
    assert missing.code == 2 and "there is no folder" in missing.err and missing.out == ""
    full = run("check", *SMALL, option, "/dev/full")
    assert full.code == 4 and "violated" in full.out
    assert full.err == f"coset: error: {option} /dev/full: No space left on device\n"


def test_a_checkpoint_into_a_file(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, FAILING)
    answer = run("check", path, "--engine", "explicit", "--checkpoint", path)
    assert answer.code == 2 and f"--checkpoint {path}: is a file; expected a folder" in answer.err


# --- formulas and options ----------------------------------------------------------------------------


@pytest.mark.parametrize("formula", ["[] (", "", "<> [] p &&"])
def test_a_formula_ends_too_early(run: Run, tmp_path: Path, formula: str) -> None:
    answer = run("check", written(tmp_path, "bool p; " + FAILING), "--ltl", formula)
    assert answer.code == 2 and "not the end of the formula" in answer.err and "}" not in answer.err


def test_what_is_wrong_is_not_lost_among_options(run: Run) -> None:
    answer = run("check", *SMALL, "--engine", "quick")
    assert answer.code == 2 and answer.err.splitlines() == [
        "usage: coset check ... (see coset check --help)",
        "coset: error: argument --engine: 'quick' is not known (available: auto, explicit, symbolic, distributed, reference)",
    ]
    assert "argument --seed: 'x' is not a whole number" in run("simulate", *SMALL, "--seed", "x").err


# --- streams ---------------------------------------------------------------------------------------

CHECK = f'"$@" check {SMALL[0]} -D N=3'


def test_streams_that_are_closed() -> None:
    assert shell(f"{CHECK} >&-").code == 1
    silent = shell(f"{CHECK} 2>&-")
    assert silent.code == 1 and "end states  deadlock   violated" in silent.out
    wrong = shell('"$@" check nowhere.pml --json 2>&-')
    assert wrong.code == 2 and json.loads(wrong.out)["error"]["kind"] == "input"


@pytest.mark.parametrize("option", ["", "--json"])
def test_a_disk_that_is_full(option: str) -> None:
    """The exit code must not be that of a verdict."""
    answer = shell(f"{CHECK} {option} > /dev/full")
    assert answer.code == 4 and "No space left on device" in answer.err


def test_a_reader_that_has_seen_enough() -> None:
    answer = shell(f'"$@" show {MODELS / "raft_election.pml"} --json | head -c 10; exit ${{PIPESTATUS[0]}}')
    assert answer.code in (0, 141) and answer.out == '{"schema":' and answer.err == ""


# --- programs and folders ----------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["/dev/null/cache", "/proc/cache"])
def test_a_cache_that_cannot_be_written(folder: str) -> None:
    answer = program("explore", *SMALL, "--engine", "explicit", env={**os.environ, "COSET_CACHE": folder})
    assert answer.code == 0 and answer.err == ""


def test_nothing_is_set() -> None:
    answer = program("check", *SMALL, env={})
    assert answer.code == 1 and answer.err == ""


def test_a_compiler_that_fails(tmp_path: Path) -> None:
    settings = {**os.environ, "CC": "/bin/false", "COSET_QUICK": "off", "COSET_CACHE": str(tmp_path)}
    answer = program("explore", *SMALL, "--engine", "explicit", env=settings)
    assert answer.code == 4 and "it said nothing, exit code 1" in answer.err
    assert "--engine reference needs none" in answer.err
