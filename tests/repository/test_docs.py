"""The documentation: links lead somewhere, pages that are made from other files are up to date."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from coset.cli.completion import levels
from coset.formats.json_output import schema
from tests.support.paths import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "models" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tests" / "transcripts").glob("*.md")),
]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    """The links of a page that do not lead to other places in the world."""
    return [each for each in LINK.findall(CODE.sub("", page.read_text("utf-8"))) if "://" not in each]


def anchors(page: Path) -> set[str]:
    """The names under which headings of a page can be reached, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", CODE.sub(lambda match: match[0].strip("`"), page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in anchors(path), f"{page.name}: {link}"


def test_there_are_links() -> None:
    assert sum(len(links(page)) for page in PAGES) > 50


def test_every_page_can_be_found() -> None:
    """From the index, in one step or more."""
    index = ROOT / "docs" / "index.md"
    seen, todo = {index}, [index]
    while todo:
        page = todo.pop()
        for link in links(page):
            path = (page.parent / link.partition("#")[0]).resolve()
            inside = [path] if path.suffix == ".md" else sorted(path.glob("*.md")) if path.is_dir() else []
            todo += [each for each in inside if each not in seen]
            seen.update(inside)
    assert set((ROOT / "docs").rglob("*.md")) <= seen


@pytest.mark.parametrize("script", ["models_page", "commands_page", "schema_names", "json_page"])
def test_page_is_up_to_date(script: str) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / f"{script}.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_examples_of_json_are_what_the_schemas_say() -> None:
    sections = re.split(r"^## (\w+)$", (ROOT / "docs" / "json.md").read_text("utf-8"), flags=re.MULTILINE)
    names, texts = sections[1::2], sections[2::2]
    folder = ROOT / "src" / "coset" / "formats" / "schemas"
    assert sorted(names) == sorted(path.stem for path in folder.glob("*.json"))
    for name, text in zip(names, texts, strict=True):
        (example,) = re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        jsonschema.Draft202012Validator(schema(name)).validate(json.loads(example))


def test_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """MkDocs checks the links again, as they are in the site, and that every page is in its contents."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "peterson.pml" in (tmp_path / "site" / "models.html").read_text("utf-8")
    assert (tmp_path / "site" / "repository" / "models" / "peterson.pml").exists()


def test_readme_is_short() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme.count("\n") < 300


def test_python_of_the_readme(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What its comments say is what it prints."""
    (code,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(ROOT)
    exec(code, {})
    printed = capsys.readouterr().out.splitlines()
    assert ", ".join(printed[:3]) == "assertions holds, end states violated, faults holds"
    assert printed[3:] == ["13", "35"]
    assert "# assertions holds, end states violated, faults holds\n" in code and "# 13, representing 35\n" in code


FOREIGN = {"--bound", "--strict", "--symmetry-reduction", "--value-type"}
"""Options of other programs."""
OWN = [page for page in PAGES if "transcripts" not in page.parts]


@pytest.mark.parametrize("page", OWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_options_and_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    known = {name for level in levels() for option in level.options for name in option.flags}
    for path in (ROOT / "benchmarks").glob("*.py"):
        known |= set(re.findall(r'"(--[a-z-]+)"', path.read_text("utf-8")))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known | FOREIGN
    for name in set(re.findall(r"`([\w./]+\.(?:py|c|h|md|pml|spl|csp|seq|json|sh))`", text)):
        near = [ROOT / name, page.parent / name, ROOT / "src" / "coset" / name, ROOT / "models" / name]
        assert (
            any(path.exists() for path in near) or any((ROOT / "src").rglob(name)) or any((ROOT / "models").rglob(name))
        ), name


@pytest.mark.parametrize("page", [page for page in OWN if ">>> " in page.read_text("utf-8") and page.name != "api.md"])
def test_python_of_a_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the API has a test of its own."""
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted and not found.failed
