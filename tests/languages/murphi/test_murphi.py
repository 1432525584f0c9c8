"""Murphi: what is read, what it means, and what is said of what is wrong.  The counts were compared with Rumur's."""

from __future__ import annotations

import pytest

import coset
from coset.languages.murphi.load import load
from coset.model.model import Model
from coset.model.validate import validate
from coset.results.verdict import Verdict
from coset.source.diagnostics import Diagnostics, InputError
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from tests.support import murphi_random


def read(text: str, **defines: str) -> Model:
    diagnostics = Diagnostics()
    model = load(Source("m.m", text), defines, diagnostics)
    if model is None:
        raise InputError(diagnostics)
    assert validate(model) == []
    return model


def counted(text: str) -> tuple[int, int, dict[str, int]]:
    """States, transitions, and faults by the interpreter."""
    found = coset.explore(read(text), engine="reference", symmetry="off")
    return found.states, found.transitions, dict(found.errors.faults)


MUTEX = """
const N: 3;
type P: scalarset(N); S: enum { idle, trying, critical };
var s: array[P] of S; free: boolean; last: P; n: 0..N;
startstate begin
  for p: P do s[p] := idle; end; free := true; undefine last; n := 0;
end;
ruleset p: P do
  rule "try" s[p] = idle ==> s[p] := trying; end;
  rule "enter" s[p] = trying & free ==> s[p] := critical; free := false; last := p;
    n := 0; for q: P do if s[q] != idle then n := n + 1; end; end; end;
  rule "leave" s[p] = critical ==> s[p] := idle; free := true; if last = p then undefine last; end; n := 0; end;
end;
invariant "one at most" forall p: P do forall q: P do s[p] = critical & s[q] = critical -> p = q end end;
"""


def test_counts_and_symmetry() -> None:
    model = read(MUTEX)
    found = coset.explore(model, engine="reference", symmetry="off")
    assert (found.states, found.errors.total) == (32, 0)
    assert detect(model).group.order == 6
    reduced = coset.explore(model, engine="reference")
    assert (reduced.states, reduced.represents) == (10, 32)
    assert coset.check(model).verdict is Verdict.HOLDS


def test_constants_are_given_on_the_command_line() -> None:
    assert detect(read(MUTEX, N="4")).group.order == 24


@pytest.mark.parametrize(
    ("rules", "states", "fired", "faults"),
    [
        ("var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end; rule x = 3 ==> x := 0; end;", 4, 4, {}),
        ("var x: 0..3; startstate x := 0; end; rule x := x + 1; end;", 4, 3, {"range": 1}),
        ("var x, y: 0..1; startstate x := 0; end; rule x := y; end;", 1, 0, {"undefined": 1}),
        ("var x: 0..1; ruleset i: 0..1 do startstate x := i; end; end; rule x := 1 - x; end;", 2, 2, {}),
        ('var x: 0..3; startstate x := 0; end; rule x := (x + 1) % 4; assert "small" x < 3; end;', 3, 2, {"error": 1}),
        ("var x: 0..3; startstate x := 0; end; rule x := (x + 1) % 4; end; assume x < 2;", 2, 1, {}),
        ("var x: 0..9; startstate x := 8; end; rule while x > 3 do x := x - 2; end; x := x + 4; end;", 2, 2, {}),
        ("var x: 0..9; startstate x := 1; end; rule x := x << 1 > 9 ? x >> 3 : x << 1; end;", 4, 4, {}),
        ("var x: 0..3; function f(a: 0..3): 0..3; begin if a = 0 then return 2; end; return a - 1; end;"
         " startstate x := 3; end; rule x := f(f(x)); end;", 4, 4, {}),
        ("type r: record a: 0..1; b: boolean end; var x, y: r; startstate clear x; undefine y; end;"
         " rule y := x; end; rule isundefined(y.a) = false ==> x.b := !x.b; end; rule x = y ==> undefine y.b; end;", 7, 15, {}),
        ("type p: scalarset(2); u: union { p, enum { home } }; var x: u; startstate x := home; end;"
         " ruleset i: u do rule x := i; end; end; rule ismember(x, p) ==> x := home; end;", 3, 11, {}),
        ('var x: 0..1; startstate x := 0; end; rule 2 "late" x := 1 - x; end; rule 1 "early" x = 0 ==> x := 1; end;', 2, 2, {}),
        ("var m: multiset[2] of 0..1; startstate undefine m; end;"
         " ruleset i: 0..1 do rule multisetcount(k: m, true) < 2 ==> multisetadd(i, m); end; end;"
         " choose k: m do rule multisetremove(k, m); end; end;", 9, 22, {}),
    ],
)  # fmt: skip
def test_meaning(rules: str, states: int, fired: int, faults: dict[str, int]) -> None:
    assert counted(rules) == (states, fired, faults)


def test_stuttering_is_a_deadlock() -> None:
    text = "var x: 0..2; startstate x := 0; end; rule x < 2 ==> x := x + 1; end; rule x := x; end;"
    found = coset.check(read(text))
    (violated,) = [each for each in found.properties if each.verdict is Verdict.VIOLATED]
    assert violated.name == "end states" and violated.trace is not None and len(violated.trace) == 2
    explicit = coset.explore(read(text), engine="explicit", symmetry="off")
    assert (explicit.states, explicit.errors.invalid_end_states) == (3, 1)


def test_cover_and_liveness() -> None:
    text = "var x: 0..2; startstate x := 0; end; rule x := x = 2 ? 2 : x + 1; end; rule x = 2 ==> x := 1; end;"
    found = coset.check(read(text + "cover x = 2 liveness x = 2 liveness x = 0"))
    assert {each.name: each.verdict.value for each in found.properties if each.kind == "ctl"} == {
        "cover": "holds", "liveness": "holds", "liveness_2": "violated",
    }  # fmt: skip


def test_conditions_are_false_before_a_start_state_is_chosen() -> None:
    """There `p` has no value, so that `f[p]` has none."""
    text = """type P: scalarset(2); var f: array[P] of boolean; p: P;
    ruleset o: P do startstate for i: P do f[i] := true; end; p := o; end; end;
    ruleset i: P do rule p := i; end; end;
    invariant "one" f[p]; cover "two" f[p] cover "three" !f[p] liveness "four" f[p]"""
    for engine in ("reference", "explicit"):
        verdicts = {each.name: each.verdict.value for each in coset.check(read(text), engine=engine).properties}
        assert [verdicts[name] for name in ("one", "two", "three", "four")] == ["holds", "holds", "violated", "holds"]


def test_a_loop_with_an_order_breaks_symmetry() -> None:
    """`last` is the greatest element that is set: scalarsets have no order, and Rumur accepts it."""
    text = """type P: scalarset(3); var f: array[P] of boolean; last: P;
    startstate for p: P do f[p] := false; end; undefine last; end;
    ruleset p: P do rule f[p] := !f[p]; for q: P do if f[q] then last := q; end; end; end; end;"""
    assert detect(read(text)).group.order == 1


def test_errors_are_all_reported_with_their_places() -> None:
    text = """var x: 0..3; b: boolen;
startstate x := true; y := 0; end;
rule x ==> x := x +; end;
"""
    with pytest.raises(InputError) as raised:
        read(text)
    assert [(d.code, d.span.line, d.span.column) for d in raised.value.diagnostics if d.span] == [("S301", 3, 20)]
    with pytest.raises(InputError) as raised:
        read(text.replace("x +;", "x + b;"))
    found = [(d.code, d.span.line, d.span.column) for d in raised.value.diagnostics if d.span is not None]
    assert found == [("N301", 1, 17), ("T301", 2, 17), ("N301", 2, 23), ("T301", 3, 6)]
    assert raised.value.diagnostics[3].hint is not None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("var x: real(3, 2); startstate end;", "U301"),
        ("function f(x: 0..1): 0..1; begin return f(x); end; var x: 0..1; startstate x := f(0); end;", "U303"),
        ("var x: 3..1; startstate end;", "T305"),
        ("var x: 0..1; rule x := 1; end;", "M302"),
        ("var x: 0..1; startstate x := /* 1; end;", "L302"),
        ("var x: 0..1; procedure p(var a: 0..1); begin end; startstate p(1); end;", "T303"),
        ("var x: 0..1; startstate return 1; end;", "T306"),
        ("var x: 0..1; startstate x := 0; end; rule x = undefined ==> x := 1; end;", "N304"),
    ],
)
def test_refusals(text: str, code: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    assert code in {d.code for d in raised.value.diagnostics}


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 6, 7, 8])
def test_engines_agree_on_random_programs(seed: int) -> None:
    model = murphi_random.read(murphi_random.program(seed))
    by_interpreter = coset.explore(model, engine="reference", symmetry="off")
    reduced = coset.explore(model, engine="reference")
    assert reduced.represents == by_interpreter.states
    assert (reduced.errors.total > 0) == (by_interpreter.errors.total > 0)
    if seed < 3:
        compiled = coset.explore(model, engine="explicit", symmetry="off")
        assert (compiled.states, compiled.transitions) == (by_interpreter.states, by_interpreter.transitions)
        assert compiled.errors.faults == by_interpreter.errors.faults
