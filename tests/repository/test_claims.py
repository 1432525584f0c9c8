"""What the pages claim and no transcript shows: numbers are those of the code, and what is said to be refused is."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.cli import reports
from coset.languages.csp import automaton
from coset.languages.shared import synchronous
from coset.results.verdict import Verdict
from coset.symmetry.explain import explanation
from coset.symmetry.methods.constraints import domains
from coset.views.html.page import LONGEST
from tests.support.paths import DOCS

NUMBERS = [
    ("csp.md", f"at most {automaton.MOST_LOCATIONS:,} terms and {automaton.MOST_EDGES:,} steps"),
    ("csp.md", f"has at most {automaton.MOST_VALUES} values"),
    ("spl.md", f"the combinations of steps, at most {synchronous.MOST_STEPS:,}"),
    ("warts.md", f"at most {synchronous.MOST_STEPS:,} combinations"),
    ("warts.md", f"small enough ({domains.MOST_STATES:,} states)"),
    ("warts.md", f"no chart of more than {LONGEST} moves and no diagram of more than {reports.LARGEST} nodes"),
]


@pytest.mark.parametrize(("page", "words"), NUMBERS)
def test_limits_are_those_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((DOCS / page).read_text("utf-8").split())


def test_explanations_give_up() -> None:
    assert f"{explanation.WORK:,} vertices it gives up" in " ".join((DOCS / "warts.md").read_text("utf-8").split())


REFUSED = {
    "#import": ('#import "Lib"; P = a -> P; #assert P deadlockfree;', "`#import` is not supported"),
    "call": ("var x = 0; P = a{x = call(f, 1);} -> P; #assert P deadlockfree;", "code of the user"),
    "refines": ("P = a -> P; Q = a -> Q; #assert P refines Q;", "`refines` is not supported"),
    "hvar": ("hvar x = 0; P = a -> P; #assert P deadlockfree;", "`hvar` is not supported"),
    "with": ("var x = 0; #define c x == 0; P = a -> P; #assert P reaches c with max(x);", "`with` is not supported"),
    "case": ("var x = 0; P = case { x == 0: a -> P }; #assert P deadlockfree;", "a `case` without `default`"),
    "handshake with an operation": (
        "var x = 0; channel c 0; P = c!1{x++;} -> P; Q = c?1 -> Q; S = P ||| Q; #assert S deadlockfree;",
        "capacity 0",
    ),
    "growing": ("P = (a -> P) interrupt (b -> Skip); #assert P deadlockfree;", "has more than"),
}
"""docs/csp.md: what is not understood."""


@pytest.mark.parametrize(
    "item", [pytest.param(item, marks=pytest.mark.long if item == "growing" else ()) for item in REFUSED]
)
def test_csp_is_refused_by_name(item: str, tmp_path: Path) -> None:
    text, why = REFUSED[item]
    path = tmp_path / "m.csp"
    path.write_text(text)
    with pytest.raises(coset.InputError) as refused:
        model = coset.load(path)
        coset.explore(model)
    assert any(why in each.message for each in refused.value.diagnostics), [
        each.message for each in refused.value.diagnostics
    ]


def test_a_claim_with_assignments_is_unknown_and_says_why() -> None:
    text = "byte x, y; active proctype P() { do :: x = 1 - x od } never { do :: x = 1; x == 1 -> break :: true od }"
    (found,) = coset.check(coset.parse_text(text), properties=["never_0"]).properties
    assert found.verdict is Verdict.UNKNOWN and str(found.reason).startswith("a never claim with assignments that")


def test_a_formula_about_the_next_state_is_checked_on_the_plain_model(tmp_path: Path) -> None:
    """Merged, P would go from 0 to 2 in one step that others cannot notice."""
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype P() { byte y; y = 1; y = 2; x = y; x = 0 }")
    for formula, verdict in (("<> (x == 2)", "holds"), ("X (x == 2)", "violated"), ("X X X (x == 2)", "holds")):
        assert coset.check(path, ltl=[formula]).verdict.value == verdict
