"""The command line under test: in this process, or as a program."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from coset.cli import main
from coset.formats.json_output import schema
from tests.support.paths import ROOT

MODELS = ROOT / "models"
FAILING = "active proctype P() { byte x = 1; assert(x == 2); x = 3 }\n"
BROKEN = "active proctype P() { byte x; x = ; y = 1 }\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on standard output, which must hold one line and nothing else, valid for its schema."""
        assert self.out.count("\n") == 1 and self.out.endswith("\n"), self.out
        document = json.loads(self.out)
        name = "error" if "error" in document else document["command"]
        jsonschema.Draft202012Validator(schema(name)).validate(document)
        return document


def program(*arguments: str | Path, stdin: str = "", **settings: Any) -> Answer:
    """`coset` as a program."""
    command = [sys.executable, "-m", "coset.cli", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=120, cwd=ROOT, **settings)
    return Answer(done.returncode, done.stdout, done.stderr)


Run = Callable[..., Answer]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """`coset` in this process, which is quicker."""

    def run(*arguments: str | Path) -> Answer:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Answer(code, out, err)

    return run


def written(folder: Path, text: str, name: str = "m.pml") -> Path:
    path = folder / name
    path.write_text(text)
    return path
