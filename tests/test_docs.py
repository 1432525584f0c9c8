"""The documentation: links lead somewhere, pages that are made from other files are up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
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


def test_the_page_of_models_is_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "models_page.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
