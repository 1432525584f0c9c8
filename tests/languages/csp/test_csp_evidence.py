"""What never happens in CSP# models, and what holds vacuously."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import coset
from coset.languages.csp.terms import Refused
from coset.results.verdict import Check
from coset.source.diagnostics import InputError
from coset.tasks.check import check
from coset.tasks.load import load_suite
from tests.support.command_line import program
from tests.support.csp_random import few_locations, write
from tests.support.csp_reference import Reference
from tests.support.paths import MODELS

TEXT = """
channel c 1;
S() = c!1 -> c!2 -> Skip;
R() = c?v -> if (v == 3) { bad -> Skip } else { ok.v -> R() };
Two(i) = e.i -> [i == 7] never.i -> Skip;
System() = S() ||| R() ||| (||| i:{0..2}@Two(i));
Machine() = coin -> (tea -> Machine() [] coffee -> Machine());
Customer() = coin -> tea -> Customer();
Shop() = Machine() || Customer();
Unused() = unused -> Skip;
#assert System() |= [] (bad -> <> ok.1);
#assert System() |= [] (ok.2 -> X <> ok.1) || <> ok.2;
#assert Shop() deadlockfree;
"""


def checked(text: str, folder: Path, **options: object) -> Check:
    path = folder / "m.csp"
    path.write_text(text)
    return coset.check(path, **options)  # type: ignore[arg-type]


def test_what_never_happens(tmp_path: Path) -> None:
    result = checked(TEXT, tmp_path)
    assert result.coverage is not None
    assert [(each.process, each.span.line, each.text) for each in result.coverage.unreached] == [
        ("R", 4, "bad"), ("Two", 5, "never.i"),
    ]  # fmt: skip


def test_what_holds_vacuously(tmp_path: Path) -> None:
    result = checked(TEXT, tmp_path)
    vacuous, useful, *_ = result.properties
    assert (vacuous.vacuous, vacuous.vacuity) == (True, "bad never happens")
    assert useful.verdict.value != "holds" or useful.vacuous is not None
    path = tmp_path / "m.csp"
    found = program("check", path, "--property", vacuous.name, "--strict")
    assert found.code == 1 and "holds vacuously: bad never happens" in found.out


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.csp")), ids=lambda path: path.stem)
def test_no_false_alarm(path: Path) -> None:
    names = [each.name for each in load_suite(path).assertions]
    result = coset.check(path, max_states=20_000, properties=names)
    assert not any(each.vacuous for each in result.properties)


def compare(seed: int, folder: Path) -> int | None:
    """How many events are listed.  The reference semantics has none of them, and has every event with a name of its own that is
    not listed."""
    text = re.sub(r"^#assert.*$", "", write(seed), flags=re.MULTILINE) + "\n#assert System() deadlockfree;\n"
    try:
        with few_locations():
            suite = load_suite(saved(text, folder))
        space = Reference(text).explore("System", 600)
    except (Refused, InputError, RecursionError):
        return None
    result = check(suite, properties=["System() deadlockfree"], symmetry="off")
    if space is None or result.coverage is None:
        return None
    happen = {word for _, label, _ in space.transitions for word in re.findall(r"\w+", label)[:1]}
    listed = {(each.span.line, each.span.column) for each in result.coverage.unreached}
    for each in suite.written:
        place = each.span.line, each.span.column
        if each.event not in happen:
            assert place in listed, (seed, each)
        elif [other.event for other in suite.written].count(each.event) == 1:
            assert place not in listed, (seed, each)
    return len(listed)


def saved(text: str, folder: Path) -> Path:
    (folder / "m.csp").write_text(text)
    return folder / "m.csp"


def test_random_files(tmp_path: Path) -> None:
    found = [each for each in (compare(seed, tmp_path) for seed in range(60)) if each is not None]
    assert len(found) > 20 and sum(found) > 20
