"""Registries: one description of each language and each method, from which everything else follows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset.languages import registry
from coset.languages.language import Language
from coset.languages.reading import Reading
from coset.model.model import Model
from coset.source.diagnostics import InputError
from coset.tasks.load import parse_text


def test_no_ending_belongs_to_two_languages() -> None:
    endings = registry.endings()
    assert len(set(endings)) == len(endings)


def test_a_language_is_a_folder_and_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A toy: each line is the name of a process that is started once and ends."""

    def read(reading: Reading) -> Model | None:
        names = reading.source.text.split()
        if not names:
            reading.diagnostics.error("T001", "there is no process", None)
            return None
        return replace(parse_text("".join(f"active proctype {name}() {{ skip }}" for name in names)), name="toy")

    monkeypatch.setitem(registry.LANGUAGES, "toy", Language("toy", "toy", (".toy",), read))
    file = tmp_path / "model.toy"
    file.write_text("A\nB\n")
    assert coset.explore(file).states == 7 and coset.load(file).name == "toy"
    (tmp_path / "empty.toy").write_text("")
    with pytest.raises(InputError, match="there is no process"):
        coset.load(tmp_path / "empty.toy")


def test_a_language_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    file.write_text("active proctype P() { skip }")
    with pytest.raises(InputError, match="--language"):
        coset.load(file)
    assert coset.load(file, language="promela").check().verdict.value == "holds"
    with pytest.raises(InputError, match="unknown language 'latin'"):
        coset.load(file, language="latin")


@pytest.mark.parametrize("name", ["m.p", "m.pr", "m.prm", "m.prom", "M.PML"])
def test_the_endings_of_promela(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("active proctype P() { skip }")
    assert coset.explore(file).states == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("byte x;\nactive [2] proctype P(byte n)\n{ x++ }", "this looks like Promela: add --language promela"),
        ("init { skip }", "--language promela"),
        ("The init process of a proctype { is described here", "--language NAME"),
        ("P() = a -> P();", "--language NAME"),
    ],
)
def test_a_file_without_an_ending_is_recognised(text: str, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "model"
    file.write_text(text)
    with pytest.raises(InputError, match=expected):
        coset.load(file)


def test_a_suite_by_the_name_of_its_language(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    file.write_text("P() = a -> P();\n#assert P() deadlockfree;\n")
    loaded = coset.load(file, language="csp")
    assert [each.verdict.value for each in loaded.check().properties][:1] == ["holds"]
