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


def test_a_suite_by_the_name_of_its_language(tmp_path: Path) -> None:
    file = tmp_path / "model.txt"
    file.write_text("P() = a -> P();\n#assert P() deadlockfree;\n")
    loaded = coset.load(file, language="csp")
    assert [each.verdict.value for each in loaded.check().properties][:1] == ["holds"]
