"""Text with positions, and the diagnostics that are shown with it."""

from __future__ import annotations

import pytest

from coset.source.diagnostics import (
    CODES,
    Diagnostic,
    Diagnostics,
    InputError,
    Severity,
    register,
    render,
    suggest,
)
from coset.source.text import Source, Span

CODE = register("X999", "A code of these tests.")


@pytest.mark.parametrize(
    ("text", "offset", "position"),
    [
        ("", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nbc\n", 0, (1, 1)),
        ("a\nbc\n", 1, (1, 2)),
        ("a\nbc\n", 2, (2, 1)),
        ("a\nbc\n", 3, (2, 2)),
        ("a\nbc\n", 5, (3, 1)),
        ("é\u4e2d\nx", 1, (1, 2)),  # columns count characters
        ("a\r\nb", 3, (2, 1)),
    ],
)
def test_position(text: str, offset: int, position: tuple[int, int]) -> None:
    assert Source("m", text).position(offset) == position


def test_position_agrees_with_counting() -> None:
    text = "one\n\n  two\nthree"
    source = Source("m", text)
    for offset in range(len(text) + 1):
        before = text[:offset]
        assert source.position(offset) == (before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def test_line_text() -> None:
    source = Source("m", "a\r\n\nlast")
    assert [source.line_text(line) for line in range(5)] == ["", "a", "", "last", ""]


def test_span() -> None:
    source = Source("m.pml", "byte x;\nx = 1")
    first, second = Span(source, 0, 4), Span(source, 8, 9)
    assert (second.line, second.column, second.file, second.text, str(second)) == (2, 1, "m.pml", "x", "m.pml:2:1")
    assert first.join(second) == second.join(first) == Span(source, 0, 9)
    assert first.join(Span(source, 1, 2)) is first
    assert first.join(Span(Source("n", "abc"), 0, 1)) is first


def test_used_at_extends_the_chain() -> None:
    source = Source("m", "abcdef")
    outer, inner = Span(source, 0, 1), Span(source, 2, 3)
    span = Span(source, 4, 5).used_at(inner).used_at(outer)
    assert span.via == inner
    assert span.via is not None
    assert span.via.via == outer


def show(text: str, start: int, end: int) -> list[str]:
    return render(Diagnostic(CODE, "bad", Span(Source("m", text), start, end))).splitlines()


@pytest.mark.parametrize(
    ("text", "start", "end", "line", "caret"),
    [
        ("x = 1", 4, 5, "    1 | x = 1", "      |     ^"),
        ("x = 123", 4, 7, "    1 | x = 123", "      |     ^~~"),
        ("\tx = 1", 5, 6, "    1 | \tx = 1", "      | \t    ^"),
        ("ab\ncd", 0, 5, "    1 | ab", "      | ^~"),  # never beyond the line
        ("ab", 2, 2, "    1 | ab", "      |   ^"),  # the end of the file
        ("", 0, 0, "    1 |", "      | ^"),
        ("\u4e2dx", 1, 2, "    1 | \u4e2dx", "      |   ^"),  # wide characters take two places
        ("e\u0301x", 2, 3, "    1 | e\u0301x", "      |  ^"),  # combining ones none
        ("\x00x", 0, 1, "    1 | \ufffdx", "      | ^"),
    ],
)
def test_excerpt(text: str, start: int, end: int, line: str, caret: str) -> None:
    assert show(text, start, end) == [f"m:1:{start + 1}: error[{CODE}]: bad", line, caret]


def test_excerpt_of_a_long_line() -> None:
    text = "a" * 500 + "!" + "b" * 500
    _, line, caret = show(text, 500, 501)
    assert len(line) < 130
    assert line[caret.index("^")] == "!"


def test_hint_notes_and_origins() -> None:
    source = Source("m", "#define N 3\nx = N;")
    definition, use = Span(source, 8, 9), Span(source, 16, 17)
    call = Span(source, 12, 13)
    span = Span(source, use.start, use.end, call, definition)
    diagnostic = Diagnostic(CODE, "bad", span, "do this", (("see", use), ("plain", None)))
    assert render(diagnostic).splitlines()[3:] == [
        "  help: do this",
        "  note: see (m:2:5)",
        "  note: plain",
        "  note: in the expansion of macro `N`, defined here (m:1:9)",
        "  note: in the body of inline `x`, called here (m:2:1)",
    ]


def test_without_a_place() -> None:
    assert render(Diagnostic(CODE, "no file", None, "look")) == f"error[{CODE}]: no file\n  help: look"


def test_codes_are_registered() -> None:
    with pytest.raises(ValueError, match="unregistered"):
        Diagnostic("X000", "?", None)
    with pytest.raises(ValueError, match="already means"):
        register(CODE, "Something else.")
    assert register(CODE, CODES[CODE]) == CODE


def test_collector() -> None:
    source = Source("m", "abcdef")
    diagnostics = Diagnostics()
    diagnostics.error(CODE, "second", Span(source, 3, 4))
    diagnostics.warning(CODE, "first", Span(source, 1, 2))
    diagnostics.error(CODE, "second", Span(source, 3, 4))
    assert [each.message for each in diagnostics] == ["first", "second"]
    assert [each.message for each in diagnostics.errors] == ["second"]
    assert [each.severity for each in diagnostics.warnings] == [Severity.WARNING]
    with pytest.raises(InputError) as caught:
        diagnostics.check()
    assert str(caught.value) == diagnostics.render()
    assert [each.message for each in caught.value.diagnostics] == ["first", "second"]


def test_warnings_alone_are_no_error() -> None:
    diagnostics = Diagnostics()
    diagnostics.warning(CODE, "hm", None)
    diagnostics.check()


def test_limit() -> None:
    source = Source("m", "x" * 300)
    diagnostics = Diagnostics(limit=10)
    for offset in range(300):
        diagnostics.error(CODE, "bad", Span(source, offset, offset + 1))
    assert len(diagnostics) == 10
    assert diagnostics.full


def test_warnings_do_not_hide_errors() -> None:
    source = Source("m", "x" * 300)
    diagnostics = Diagnostics(limit=10)
    for offset in range(300):
        diagnostics.warning(CODE, "hm", Span(source, offset, offset + 1))
    diagnostics.error(CODE, "bad", Span(source, 299, 300))
    assert len(diagnostics.warnings) == 10
    assert len(diagnostics.errors) == 1


@pytest.mark.parametrize(
    ("name", "candidates", "found"),
    [
        ("proctpye", ["proctype", "printf"], "proctype"),
        ("prinft", ["printf", "printm"], "printf"),
        ("inti", ["int", "init"], "init"),
        ("xyz", ["proctype"], None),
        ("same", ["same"], None),
        ("x", [], None),
    ],
)
def test_suggest(name: str, candidates: list[str], found: str | None) -> None:
    assert suggest(name, candidates) == found
