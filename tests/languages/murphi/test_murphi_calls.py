"""Functions that change something, that call themselves, and loops that are left: states and rules fired are Rumur's."""

from __future__ import annotations

import pytest

import coset
from coset.languages.murphi.load import load
from coset.model.model import Model
from coset.results.verdict import Verdict
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source

NEXT = """type T: 0..3; var i: T; a: array[T] of T; z: 0..90;
function next(): T; begin i := (i + 1) % 4; return i; end;
function twice(): T; begin i := (i * 2) % 4; return i; end;
function apart(x: T; y: T): 0..9; begin if x > y then return x - y; else return y - x + 4; end; end;
startstate i := 0; for k: T do a[k] := 0; end; z := 0; end;
"""
BITS = """type T: 0..3; var a: array[T] of boolean; y: 0..9; n: 0..3;
function first(): 0..4; var i: 0..4; begin
  i := 0; while i < 4 do if a[i] then return i; end; i := i + 1; end; return 4; end;
function first_from(k: T): 0..4; begin for i := k to 3 do if a[i] then return i; end; end; return 4; end;
function none(): boolean; var i: 0..4; begin i := 0; while i < 4 & !a[i] do i := i + 1; end; return i = 4; end;
startstate for i: T do a[i] := false; end; y := 0; n := 0; end;
ruleset i: T do rule "flip" true ==> a[i] := !a[i]; end; end;
rule "while" true ==> y := first(); end;
rule "next" true ==> n := (n + 1) % 4; end;
rule "for" true ==> y := first_from(n); end;
rule "none" none() ==> y := 9; end;
rule "two" first() = 2 ==> y := 8; end;
invariant "agree" none() -> !a[0];
"""
FIB = """type T: 0..6; var x: T; y: 0..20;
function fib(n: T): 0..20; begin if n <= 1 then return n; end; return fib(n - 1) + fib(n - 2); end;
procedure count(var v: T; k: T); begin if k > 0 then v := (v + 1) % 7; count(v, k - 1); end; end;
startstate x := 0; y := 0; end;
rule "next" x < 6 ==> x := x + 1; end;
rule "fib" true ==> y := fib(x); end;
rule "count" true ==> count(x, y % 3); end;
rule "five" fib(x) = 5 ==> y := 13; end;
"""


def read(text: str) -> Model:
    diagnostics = Diagnostics()
    model = load(Source("m.m", text), {}, diagnostics)
    if model is None:
        raise InputError(diagnostics)
    return model


@pytest.mark.parametrize(
    ("text", "states", "fired"),
    [
        (NEXT + 'rule "r" true ==> a[i] := next(); end;', 7, 7),
        (NEXT + 'rule "r" true ==> z := i + next(); end;', 4, 4),
        (
            NEXT + 'rule "r" true ==> z := apart(i, next()); end; rule "s" true ==> z := apart(next(), i); end;'
            ' rule "t" true ==> a[next()] := i; end;', 90, 270,
        ),
        (
            NEXT + 'rule "r" true ==> z := next() * 10 + twice(); end; rule "u" true ==> z := twice() * 10 + next(); end;'
            ' rule "s" true ==> if next() <= twice() then z := 7; else z := 8; end; end;'
            ' rule "v" true ==> if next() >= twice() then z := 5; else z := 6; end; end;'
            ' rule "t" true ==> a[next()] := twice(); end; rule "w" true ==> a[next()] := a[twice()]; end;', 60, 360,
        ),
        (BITS, 448, 3220),
        (FIB, 45, 135),
    ],
)  # fmt: skip
def test_counts(text: str, states: int, fired: int) -> None:
    found = coset.explore(read(text), engine="reference", symmetry="off")
    assert (found.states, found.transitions, found.errors.total) == (states, fired, 0)


LOCAL = "var x: 0..3; y: 0..3; startstate x := 0; y := 0; end; rule true ==> x := (x + 1) % 4; end; "


@pytest.mark.parametrize(
    ("rule", "is_wrong"),
    [
        ("rule true ==> var t: 0..3; begin if x = 2 then t := 1; end; y := t; end;", True),
        ("rule true ==> var t: 0..3; begin if x = 2 then t := 1; else t := 0; end; y := t; end;", False),
        ("rule true ==> var t, i: 0..9; begin i := x; while i < 5 do t := i; i := i + 1; end; y := t % 4; end;", False),
        ("rule true ==> var t, i: 0..9; begin i := x; while i < 3 do t := i; i := i + 1; end; y := t % 4; end;", True),
    ],
)
def test_a_local_variable_is_defined_where_it_was_assigned(rule: str, is_wrong: bool) -> None:
    assert bool(coset.explore(read(LOCAL + rule), symmetry="off").errors.faults) == is_wrong


def test_a_recursion_without_a_known_end_is_refused() -> None:
    text = """type T: 0..3; var next: array[T] of T; x: T;
    function last(k: T): T; begin return next[k] = k ? k : last(next[k]); end;
    startstate for k: T do next[k] := k; end; x := 0; end; rule true ==> x := last(x); end;"""
    with pytest.raises(InputError, match="calls itself"):
        read(text)


@pytest.mark.parametrize(
    ("deadlock", "verdicts"),
    [("stuttering", ["violated", "violated"]), ("stuck", ["violated", "holds"]), ("off", ["holds", "holds"])],
)
def test_deadlocks(deadlock: str, verdicts: list[str]) -> None:
    step = "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end; "
    texts = step + "rule x = 1 ==> x := 1; end;", step + "rule x = 3 ==> x := 3; end;"
    for text, verdict in zip(texts, verdicts, strict=True):
        assert coset.check(read(text), deadlock=deadlock).verdict.value == verdict
        explicit = coset.explore(read(text), engine="explicit", symmetry="off", deadlock=deadlock)
        assert explicit.errors.invalid_end_states == (verdict == "violated")


def formulas(**given: list[str]) -> list[Verdict]:
    text = """type P: scalarset(2); var s: array[P] of 0..2; turn: P;
    startstate for p: P do s[p] := 0; turn := p; end; end;
    ruleset p: P do
      rule s[p] = 0 ==> s[p] := 1; end;
      rule s[p] = 1 & forall q: P do s[q] != 2 end ==> s[p] := 2; end;
      rule s[p] = 2 ==> s[p] := 0; for q: P do if q != p then turn := q; end; end; end;
    end;"""
    diagnostics = Diagnostics()
    model = load(Source("m.m", text), {}, diagnostics, **given)
    if model is None:
        raise InputError(diagnostics)
    added = ("invariant", "command_line", "ctl")
    return [each.verdict for each in coset.check(model).properties if each.name.startswith(added)]


def test_formulas_of_the_command_line() -> None:
    holds, violated = Verdict.HOLDS, Verdict.VIOLATED
    one = "forall p: P do forall q: P do s[p] = 2 & s[q] = 2 -> p = q end end"
    assert formulas(invariants=[one, "exists p: P do s[p] = 0 end"]) == [holds, violated]
    some = "(exists p: P do s[p] = 2 end)"
    assert formulas(ltl=[f"[] {one}", f"[] <> {some}", f"F {some} | G !{some}"]) == [holds, holds, holds]
    assert formulas(ctl=[f"AG EF {some}", f"A[!{some} U {some}]", f"AG ({some} -> AX {some})"]) == [
        holds,
        holds,
        violated,
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ltl": ["[] s[1"]}, "expected `]`"),
        ({"ltl": ["[] x"]}, "`x` is not declared"),
        ({"ctl": ["AG [] turn"]}, "path quantifier"),
        ({"invariants": ["turn"]}, "as an invariant"),
        ({"constraints": ["turn = turn"]}, "fairness"),
    ],
)
def test_what_is_wrong_with_a_formula(given: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError) as error:
        formulas(**given)
    assert message in str(error.value)
