"""The oracle's own tests: known figures, errors by kind, limits, the cache. A wrong oracle blesses wrong engines."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import spin_reference as harness
from tests.support.spin_compare import minimise
from tests.support.spin_reference import SpinReference, spin_automata, spin_reference, spin_reference_many, spin_version

# text, states, transitions, violated assertions, invalid end states
KNOWN = {
    "two processes that end, youngest first": ("active [2] proctype P() { skip }", 7, 9, 0, 0),
    "goto after a statement is free": ("byte x; active proctype P() { x = 1; goto L; L: x = 2 }", 4, 4, 0, 0),
    "atomic has no inner states": ("byte x; active proctype P() { atomic { x = 1; x = 2 } }", 3, 3, 0, 0),
    "handshake is one step": (
        "chan c = [0] of { bit }; active proctype P() { c!1 } active proctype Q() { c?1 }",
        4,
        4,
        0,
        0,
    ),
    "deadlock": ("active proctype P() { false }", 1, 1, 0, 1),
    "a label makes the end valid": ("active proctype P() { end: false }", 1, 1, 0, 0),
    # By hand: 3 x 3 positions, 3 with the second process gone, 1 with none; the assertion fails once both have counted.
    "assertion, counted per executed step": ("byte x; active [2] proctype P() { x++; assert(x == 1) }", 13, 19, 5, 0),
    "else next to a receive is accepted": (
        "chan c = [1] of { bit }; active proctype P() { if :: c?1 :: else fi }",
        3,
        3,
        0,
        0,
    ),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache, so that SPIN really runs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield


def model(folder: Path, text: str, name: str = "m.pml") -> Path:
    path = folder / name
    path.write_text(text + "\n")
    return path


@pytest.mark.parametrize("missing", ["nothing", "tcc"])
@pytest.mark.parametrize("name", KNOWN)
def test_known_figures(name: str, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with TinyCC and without it."""
    there = shutil.which
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == missing else there(tool))
    text, *figures = KNOWN[name]
    answer = spin_reference(model(tmp_path, text))
    assert answer.ok, answer
    assert [answer.states, answer.transitions, answer.assertions, answer.invalid_end_states] == figures
    assert answer.other_errors == ()


def test_errors_are_split_by_kind(tmp_path: Path) -> None:
    """All three kinds in one model; a failed event trace is neither an assertion nor an end state."""
    text = "chan c = [2] of { bit }; trace { c!0 } active proctype P() { c!1; assert(false); false }"
    answer = spin_reference(model(tmp_path, text))
    assert (answer.assertions, answer.invalid_end_states, answer.other_count) == (1, 1, 1)
    assert answer.other_errors == ("event_trace error (no matching event)",)


def test_rejected_models_say_why(tmp_path: Path) -> None:
    wrong = spin_reference(model(tmp_path, "byte x; active proctype P() { x = }"))
    assert (wrong.accepted, wrong.status) == (False, "rejected")
    assert "syntax error" in wrong.why
    assert spin_reference(model(tmp_path, '#include "missing.h"')).status == "rejected"
    # SPIN accepts this one; its verifier refuses to start.
    endless = spin_reference(model(tmp_path, "active proctype P() { do :: skip od }"))
    assert (endless.accepted, endless.status) == (False, "rejected")
    assert "self-loop" in endless.why


def test_defines_and_relative_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    model(tmp_path / "parts", "#define PROCESSES [N]", "head.h")
    path = model(tmp_path, '#include "parts/head.h"\nactive PROCESSES proctype P() { skip }')
    counts = [spin_reference(path, defines={"N": str(n)}).states for n in (1, 2, 3)]
    assert counts == [3, 7, 15]


def test_deep_searches_are_repeated_with_more_depth(tmp_path: Path) -> None:
    text = "int x; active proctype P() { do :: x < 100000 -> x++ :: else -> break od }"
    answer = spin_reference(model(tmp_path, text))
    assert answer.ok
    assert answer.depth > harness.FIRST_DEPTH
    assert answer.states == 200_003


def test_a_search_cut_short_is_not_an_answer(tmp_path: Path) -> None:
    endless = model(tmp_path, "int x; active [3] proctype P() { int y; do :: x++ :: y++ od }")
    assert spin_reference(endless, seconds=1).status in ("timeout", "memory")
    many = model(tmp_path, "active proctype P() { run P() }")
    answer = spin_reference(many)
    assert answer.status == "aborted"
    assert "too many processes" in answer.why


def test_cache_is_by_content_and_forgets_old_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "byte x; active proctype P() { x = 1 }"
    first = spin_reference(model(tmp_path, text))
    calls: list[Path] = []

    def measure(folder: Path, path: Path, *rest: object) -> SpinReference:
        calls.append(path)
        return SpinReference(True, "timeout")

    monkeypatch.setattr(harness, "_measure", measure)
    assert spin_reference(model(tmp_path, text, "same text, other name.pml")) == first
    assert spin_reference(model(tmp_path, f"/* comments do not count */ {text}")) == first
    assert calls == []
    other = model(tmp_path, text.replace("1", "2"))
    assert spin_reference(other, seconds=5).status == "timeout"
    assert spin_reference(other, seconds=5).status == "timeout"
    assert len(calls) == 1
    spin_reference(other, seconds=6)  # a longer limit than the one that was too short
    assert len(calls) == 2


def test_many_keep_their_order(tmp_path: Path) -> None:
    paths = [model(tmp_path, f"active [{n}] proctype P() {{ skip }}", f"{n}.pml") for n in (3, 1, 2)]
    assert [answer.states for answer in spin_reference_many(paths)] == [15, 3, 7]


def test_missing_spin_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = model(tmp_path, "init { skip }")
    monkeypatch.setenv("PATH", str(tmp_path))
    spin_version.cache_clear()
    try:
        with pytest.raises(RuntimeError, match="spin is missing"):
            spin_reference(path)
    finally:
        spin_version.cache_clear()


def test_automata_show_control_points(tmp_path: Path) -> None:
    text = spin_automata(model(tmp_path, "byte x; active proctype P() { x = 7 }"))
    assert "proctype P" in text
    assert "x = 7" in text


def test_minimise_keeps_only_what_matters() -> None:
    text = "a\nif\n  :: b\n  :: (c + 1)\nfi\nd\n"
    assert minimise(text, lambda candidate: "c" in candidate or "(c" in candidate) == "  :: (c + 1)\n"
    assert minimise(text, lambda candidate: "if" in candidate and "fi" in candidate) == "if\nfi\n"
    with pytest.raises(ValueError, match="does not fail"):
        minimise(text, lambda candidate: False)
