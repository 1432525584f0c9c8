"""Formulas in the spellings of TLA+, Spot and SPIN, and invariants of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

import coset
from coset.properties.spellings import AmbiguousFormula, respelled
from coset.source.diagnostics import InputError
from tests.support.paths import MODELS

MODEL = "byte x, y; bool p, q, G; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0; p = !p od }"
SAME = {
    "G F p": "[] <> p",
    "GF": "GF",
    "F(G(!p))": "<>([](!p))",
    "p R q": "p V q",
    "(p) R (q)": "(p) V (q)",
    "p /\\ q \\/ ~p": "p && q || !p",
    "~(p => q)": "!(p -> q)",
    "p <=> q": "p <-> q",
    "not p and q or p": "! p && q || p",
    'G "x == 1"': "[] (x == 1)",
    "(~x & 1) == 0": "(~x & 1) == 0",
    "~x == 0": "~x == 0",
    "(~x) == 0": "(~x) == 0",
    "~a[i] => p": "!a[i] -> p",
    "~~p": "!!p",
    "p U ~q": "p U !q",
    "a[~i] == 1": "a[~i] == 1",
    "G == 1": "G == 1",
    "[] (G && F)": "[] (G && F)",
    "x <= 3 && y >= 2": "x <= 3 && y >= 2",
    "G(p)": "[](p)",
    "GF p": "[]<> p",
    "GFp && FG(q)": "[]<>p && <>[](q)",
    "XXp": "X X p",
    "GFz": "GFz",
    "p M q": "p strongrelease q",
    "p ~> x = 1": "p leadsto x == 1",
    "x # 1 /\\ y /= 2 \\/ x =< 1": "x != 1 && y != 2 || x <= 1",
    "TRUE => ~(x = 1)": "true -> !(x == 1)",
    "[] (x & 1)": "[] (x & 1)",
}


@pytest.mark.parametrize("text", SAME)
def test_spellings(text: str) -> None:
    found = respelled(text, is_name={"p", "q", "x", "y"}.__contains__)
    assert found.text == SAME[text]
    assert len(found.offsets) == len(found.text) + 1 and found.offsets[-1] == len(text)
    assert list(found.offsets) == sorted(found.offsets)


@pytest.mark.parametrize(
    "text",
    [
        "p => q => r", "p ~> q ~> r", "p => q ~> r", "p R q R r", "p U q M r", "G p & q", "p & q U r", "p U q ^ r", "p | F q",
        "not x == 1", "~x = 1", "not (x) + 1 == 2", "p'", "p } ltl z { q", "WF_v(p)",
    ],
)  # fmt: skip
def test_what_can_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(AmbiguousFormula):
        respelled(text)


@pytest.mark.parametrize(
    "text", ["(p => q) => r", "p R (q R r)", "G (p & q)", "p & q && F r", "not p && x == 1", "'a' == x"]
)
def test_what_can_be_read_in_one_way_is_not(text: str) -> None:
    respelled(text)


BRANCHING = {
    "AGEF p": "AG EF p",
    "AG (p => EF x = 1)": "AG (p -> EF x == 1)",
    "~EF p \\/ A[~p U q]": "!EF p || A[!p U q]",
    "AG p && EFGx": "AG p && EFGx",
    "AG ((~x & 1) == 0)": "AG ((~x & 1) == 0)",
    "A[p R q]": "A[p R q]",
}


@pytest.mark.parametrize("text", BRANCHING)
def test_spellings_of_branching_time(text: str) -> None:
    found = respelled(text, is_name={"p", "q", "x", "EFGx"}.__contains__, is_branching=True)
    assert found.text == BRANCHING[text] and len(found.offsets) == len(found.text) + 1


def test_a_weak_connective_beside_a_quantifier_is_refused() -> None:
    with pytest.raises(AmbiguousFormula):
        respelled("AG p & q", is_branching=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [("p M q", "q U (p && q)"), ("x = 3 ~> p", "[] (x == 3 -> <> p)"), ("GFp => FGp", "([]<> p) -> (<>[] p)")],
)
def test_other_spellings_mean_the_same(one: str, other: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(MODEL)
    assert verdict(path, one) == verdict(path, other) and verdict(path, f"({one}) <-> ({other})") == "holds"


def test_macros_keep_their_meaning(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(f"#define F(a) (a == 0)\n{MODEL}")
    assert verdict(path, "F(x)") == "holds"
    assert verdict(path, "F(y == 1)") == "holds"
    path.write_text(MODEL)
    assert verdict(path, "F(x == 2)") == "holds" and verdict(path, "F(y == 1)") == "violated"
    assert verdict(path, "[] (G == 0)") == "holds"


def verdict(path: Path, formula: str) -> str:
    (found,) = coset.check(path, ltl=[formula]).properties
    return found.verdict.value


@pytest.mark.parametrize(
    ("formula", "place", "message"),
    [
        ("G F zz", ":1:5:", "'zz' is not declared"),
        ("[] (x == 1))", ":1:12:", "the formula ends before `)`"),
        ("G (x ==", ":1:8:", "the end of the formula"),
        ("p R q R p", ":1:7:", "a second operator `R` can be read in two ways"),
        ("GF zz", ":1:4:", "'zz' is not declared"),
    ],
)
def test_errors_are_about_what_the_user_wrote(formula: str, place: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(MODEL)
    with pytest.raises(InputError) as caught:
        coset.check(path, ltl=[formula])
    assert place in str(caught.value) and message in str(caught.value) and "`}`" not in str(caught.value)


def test_invariants(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(MODEL)
    result = coset.check(path, invariants=["x <= 3", "x < 2"])
    assert [(each.name, each.verdict.value) for each in result.properties] == [
        ("faults", "holds"), ("invariant_1", "holds"), ("invariant_2", "violated"),
    ]  # fmt: skip
    trace = result.properties[-1].trace
    assert trace is not None and trace.loop_start is None and len(trace.moves) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [("x) || (y", "closes nothing"), ("<> p", "a condition on one state"), ("x <", "the end of the formula")],
)
def test_wrong_invariants(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(MODEL)
    with pytest.raises(InputError) as caught:
        coset.check(path, invariants=[text])
    assert message in str(caught.value)


def test_an_invariant_of_a_shared_variable_program() -> None:
    result = coset.check(min(MODELS.glob("*.spl")), invariants=["true"])
    assert result.properties[-1].verdict.value == "holds"
