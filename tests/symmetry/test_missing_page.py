"""docs/missing-symmetry.md, finding by finding: the model before has it, and the one after has more symmetry."""

from __future__ import annotations

import re

import pytest

from coset.tasks.load import parse_text
from coset.tasks.symmetry import symmetry
from tests.support.paths import DOCS

PAGE = (DOCS / "missing-symmetry.md").read_text("utf-8")
FINDINGS = PAGE.partition("## The findings, one by one")[2].partition("\n## ")[0].split("\n### ")[1:]


@pytest.mark.parametrize("section", FINDINGS, ids=lambda section: section.partition("\n")[0])
def test_before_and_after(section: str) -> None:
    finding = re.search(r"^> (.*)$", section, re.MULTILINE)
    before, after = re.findall(r"```promela\n(.*?)```", section, re.DOTALL)
    assert finding is not None
    report = symmetry(parse_text(before), method="program", explain=True)
    assert report.explanation is not None
    whys = [each.why for each in report.explanation.broken]
    assert any(finding[1] in why for why in whys), whys
    assert symmetry(parse_text(after), method="program").found.order > report.found.order


def test_every_kind_of_finding_has_a_section() -> None:
    assert len(FINDINGS) == 14
