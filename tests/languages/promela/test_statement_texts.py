"""Statements are shown as the user wrote them, at their own lines."""

from __future__ import annotations

import pytest

import coset
from coset.source.diagnostics import InputError

INLINES = """#define LIM 2
#define INC(x) x++
byte a, b, c[3]; chan q = [1] of { byte };
inline two(r, v) {
  r = v;
  INC(r);
  if
  :: r > LIM -> skip
  :: else -> goto out
  fi;
out: q!v, q?r;
}
""".replace("q!v, q?r", "q!v; q?r")


def texts(program: str, kind: str = "P") -> list[tuple[int, str]]:
    """The lines and texts of the steps of a process, without its end."""
    model = coset.parse_text(program)
    (automaton,) = [each for each in model.kinds if each.name == kind]
    found = {(edge.span.line, edge.text) for _, edge in automaton.edges() if edge.span is not None}
    return sorted(each for each in found if each[1] != "-end-")


def test_arguments_are_in_the_place_of_parameters() -> None:
    program = "byte a, b;\ninline set(r, v) { r = v; r = r + 1 }\nactive proctype P() { set(a, b); set(b, 3) }"
    assert texts(program) == [(2, "a = a + 1"), (2, "a = b"), (2, "b = 3"), (2, "b = b + 1")]


def test_inlines_in_inlines_with_macros() -> None:
    program = f"{INLINES}inline outer(z) {{ two(c[z], z + 1) }}\nactive proctype P() {{ outer(1) }}"
    assert texts(program) == [
        (5, "c[1] = 1 + 1"), (6, "c[1]++"), (8, "c[1] > LIM"), (8, "skip"), (9, "else"), (11, "q!1 + 1"), (11, "q?c[1]"),
    ]  # fmt: skip


def test_macros() -> None:
    macros = "#define INC(v) v = v + 1\n#define SET(u, w) u = w; skip\n#define OPEN (x > 0)\n#define WAIT x == 1 -> y = OPEN\n"
    program = f"{macros}byte x, y;\nactive proctype P() {{\nINC(x);\nSET(x, y);\nOPEN;\nWAIT }}"
    assert texts(program) == [
        (7, "x = x + 1"), (8, "skip"), (8, "x = y"), (9, "OPEN"), (10, "x == 1"), (10, "y = (x > 0)"),
    ]  # fmt: skip


def test_macros_in_macros() -> None:
    program = "#define N 3\n#define next ((_pid + 1) % N)\nbool t[N];\ninline take(f) { t[f] = true }\n"
    assert texts(f"{program}active proctype P() {{ take(next) }}") == [(4, "t[next] = true")]


def test_loops_and_jumps() -> None:
    loop = "for (i : 0 .. n - 1) { skip }\nselect(i : 1 .. n);\ndo\n:: break\n:: i++\nod"
    program = f"byte i, n = 3;\nactive proctype P() {{\n{loop} }}"
    assert texts(program) == [
        (3, "for (i : 0 .. n - 1)"), (3, "skip"), (4, "select(i : 1 .. n)"), (6, "break"), (7, "i++"),
    ]  # fmt: skip


def test_an_error_in_an_argument_is_shown_at_the_call() -> None:
    with pytest.raises(InputError) as caught:
        coset.parse_text("inline set(r) {\n r = 1 }\nactive proctype P() { set(nothing) }")
    assert ":3:" in str(caught.value)
