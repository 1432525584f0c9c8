"""The layout of generated C: nothing but blanks changes, and no line is long."""

from __future__ import annotations

import pytest

import coset
from coset.engines.explicit.emit import program
from coset.engines.explicit.emit.formatted import WIDTH, formatted
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.stubborn import reducible
from coset.symmetry.canonical.plan import plan
from coset.symmetry.methods.program.detect import detect
from tests.support.paths import MODELS


def without_blanks(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("name", ["cache_coherence.pml", "hypercube.pml", "email_small.pml"])
def test_generated_lines_are_short(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw: list[str] = []

    def kept(text: str) -> str:
        raw.append(text)
        return formatted(text)

    monkeypatch.setattr(program, "formatted", kept)
    model = coset.load(MODELS / name)
    layout = Engine(model).layout()
    emitted = [
        program.emit(layout, facts=reducible(model)),
        program.emit(layout, plan=plan(detect(model, ()), "auto")),
    ]
    assert max(len(line) for text in raw for line in text.splitlines()) > 2 * WIDTH, "these were short anyway"
    for before, after in zip(raw, emitted, strict=True):
        assert max(map(len, after.source.splitlines())) <= WIDTH
        assert without_blanks(before) == without_blanks(after.source)


def test_a_long_table_takes_no_longer_for_each_row() -> None:
    """Tables of large groups have many thousands of numbers in a single statement."""
    rows = ", ".join(["{" + ", ".join(map(str, range(100))) + "}"] * 3000)
    text = formatted(f"static const u16 table[][100] = {{{rows}}};")
    assert max(map(len, text.splitlines())) <= WIDTH and len(text.splitlines()) > 10_000


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("switch (v) { case 0: case 1: v++; break; default: return 0; }",
         ["switch (v) {", "  case 0: case 1:", "    v++;", "    break;", "  default: return 0;", "}"]),
        ("if (a) { b(); c(); } else { d(); }", ["if (a) {", "  b();", "  c();", "} else { d(); }"]),
        ("for (int k = 0; k < 3; k++) { }", ["for (int k = 0; k < 3; k++) {}"]),
        ('f();\n#include "g.h"\n/* h */\nh(); (void)p; (void)q;', ["f();", '#include "g.h"', "/* h */", "h();",
         "(void)p; (void)q;"]),
        ("enum { A = 1, B = 2 };\n\nstruct s x = {1, {2}};", ["enum { A = 1, B = 2 };", "", "struct s x = {1, {2}};"]),
    ],
)  # fmt: skip
def test_layout_of_statements(text: str, lines: list[str]) -> None:
    assert formatted(text).splitlines() == lines
