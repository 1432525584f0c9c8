"""CSP#: messages about bad files, what a process is lowered to, and the naive reference on random files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from coset.languages.csp.load import load_suite
from coset.languages.csp.terms import Refused
from coset.model.validate import validate
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.methods.program.detect import detect
from tests.support.csp_random import compare, few_locations, labelled_model, write
from tests.support.mutations import broken
from tests.support.paths import CASES

CASES = CASES / "csp"
HEAD = "var x:{0..3} = 1; channel c 0; channel d 2;\n"
DATA = """
#define N 2; #define low x < 2; enum {red, green};
var x:{0..2} = 1; var y:{0..1}; var a[2][2]:{0..1} = [0(4)]; var b = [3, 5..4, 1(N)]; var flag = true;
channel c 0; channel d 2;
"""
CONSTRUCTS = {
    "indexed <>": "System = <>i:{0..2}@(e.i -> Stop);",
    "indexed [*]": "System = [*]i:{0..2}@(tau -> e.i -> Stop);",
    "indexed ;": "System = ;i:{0..2}@(e.i -> Skip);",
    "indexed ||": "P(i) = e.i -> e.((i + 1) % 3) -> P(i); System = ||i:{0..2}@P(i);",
    "indices that depend": "System = []i:{0..1}; j:{i..1}@(e.i.j -> Stop);",
    "counted, then more": "System = (|||{3}@(a1 -> b1 -> Skip)); done -> Stop;",
    "counted beside": "System = |||{3}@(a1 -> b1 -> Stop) ||| q -> Stop;",
    "interrupt": "System = (a1 -> b1 -> Skip) interrupt (tau -> stop -> Skip);",
    "hiding": "System = (a1 -> b1 -> System) \\ {a1};",
    "hiding, indexed": "System = (|||i:{0..1}@(a1.i -> b1.i -> Stop)) \\ {a1.0, b1.1};",
    "case": "System = up{x = (x + 1) % 3;} -> case { x == 0: zero -> System x == 1: one -> System default: two -> Stop };",
    "ifb": "System = (ifb (x == 2) { ready -> Stop }) ||| (up{x = 2;} -> Stop);",
    "else if": "System = if (x == 0) { z -> Stop } else if (low) { up{x++;} -> System } else { w{x = 0;} -> System };",
    "two dimensions": "System = |||i:{0..1}@(|||j:{0..1}@([a[i][j] == 0] set.i.j{a[i][j] = 1 - a[j][i];} -> Stop));",
    "truth": "System = [flag] f{flag = !flag;} -> [!flag] g{flag = true;} -> System;",
    "a list gives the length": "System = [b[0] == 3 && b[1] == 5 && b[2] == 4 && b[4] == 1] ok -> Stop;",
    "messages of two fields": "P = c!1.green -> P; Q = c?u.v -> got.u.v -> Q; System = P ||| Q;",
    "input with a guard": "P = d!x -> up{x = (x + 1) % 3;} -> P; Q = d?[u != 1]u -> got.u -> Q; System = P ||| Q;",
    "questions": "P = [!call(cfull, d)] d!1 -> P; Q = [call(ccount, d) > 1] d?u -> Q; System = P ||| Q;",
    "atomic": "P = a1 -> atomic{b1 -> c1 -> Skip}; Q = atomic{d1 -> e1 -> Skip}; System = P ||| Q;",
    "all is atomic": "P = [x == 1] atomic{a1 -> b1 -> Stop} [] [x == 2] atomic{c1 -> Stop}; Q = d1{x = 2;} -> e1 -> Stop; "
    "System = P ||| Q;",
    "both are atomic": "P = ifa (x == 1) { atomic{a1 -> b1 -> Skip} } else { atomic{c1 -> Skip} }; Q = d1{x = 2;} -> Stop; "
    "System = (go -> P) ||| Q;",
    "alphabet": "#alphabet P {a1, b1}; P = a1 -> P; Q = b1 -> a1 -> Q; System = P || Q;",
    "|| in |||": "System = |||i:{0..1}@((m.i -> k -> Stop) || (k -> n.i -> Stop));",
    "argument reads": "P(i) = e.i{x = (x + 1) % 3;} -> P(x); System = P(x) ||| P(x);",
    "one argument reads": "P(i, j) = [j != i] e.i.j{x = i;} -> P(i, x); System = |||i:{0..2}@P(i, x);",
    "argument reads an element": "P(i) = e.i{a[0][i] = 1 - i;} -> P(a[0][1 - i]); System = P(0) ||| P(1);",
    "event reads": "#alphabet P {e.0, e.1}; P = e.x -> P; Q = e.0 -> Q; R = up{x = (x + 1) % 3;} -> R; System = (P || Q) ||| R;",
    "hidden event reads": "System = (e.x{x = (x + 1) % 3;} -> System) \\ {e.1};",
    "loop": "System = go{var t = 0; while (t < 2) { x = (x + 1) % 3; t++; } if (x > 1) y = 1; else y = 0;} -> System;",
    "silent operation": "System = {x = (x + 1) % 3;} -> System;",
}


def model_of(text: str) -> str:
    """The model of the first asserted process, printed."""
    diagnostics = Diagnostics()
    suite = load_suite(Source("m.csp", text), {}, diagnostics)
    assert suite is not None, diagnostics.render()
    assert validate(suite.models[0]) == []
    return str(suite.models[0])


@pytest.mark.parametrize("path", sorted(CASES.glob("*.csp")), ids=lambda path: path.stem)
def test_diagnostics(path: Path) -> None:
    """`COSET_UPDATE=1 pytest` writes what is said now."""
    diagnostics = Diagnostics()
    assert load_suite(Source(path.name, path.read_text()), {}, diagnostics) is None
    expected = path.with_suffix(".txt")
    if os.environ.get("COSET_UPDATE"):
        expected.write_text(diagnostics.render() + "\n")
    assert diagnostics.render() + "\n" == expected.read_text()


def test_instances_share_a_kind() -> None:
    text = """
    #define N 3;
    var fork[N]:{0..1};
    P(i) = [fork[i] == 0] take.i{fork[i] = 1; fork[(i + 1) % N] = 0;} -> P(i);
    System = |||i:{0..N-1}@P(i);
    #assert System deadlockfree;
    """
    expected = """\
0..1 fork[3] = 0;

process P(byte i) {
    0 [start]
        -> 0  when fork[i] == 0  do fork[i] = 1; fork[(i + 1) % 3] = 0
}

start P(0), P(1), P(2)
"""
    assert model_of(text) == expected


def test_parameters_that_count_up_are_put_in() -> None:
    text = "P(i) = ifa (i < 2) { a.i -> P(i + 1) } else { Stop };\nS = P(0) ||| P(1);\n#assert S deadlockfree;"
    printed = model_of(text)
    assert "process P_0()" in printed and "process P_1()" in printed


def test_an_operation_with_branches_is_one_step() -> None:
    text = HEAD + "P = a{while (x > 0) { x--; } if (x == 0) { x = 3; }} -> P;\n#assert P deadlockfree;"
    printed = model_of(text)
    assert printed.count("transient") == 2
    assert "assert(x - 1 >= 0)" in printed


def test_a_range_that_cannot_be_left_is_not_asserted() -> None:
    assert "assert" not in model_of(HEAD + "P = a{x = (x + 1) % 4;} -> P;\n#assert P deadlockfree;")


def test_a_remainder_is_never_negative() -> None:
    assert "% 4 < 0" in model_of(HEAD + "P = a{x = (x - 1) % 4;} -> P;\n#assert P deadlockfree;")


def test_messages_are_bound_value_by_value() -> None:
    text = HEAD + "P = d!1 -> d!3 -> Stop;\nQ = d?v -> got.v -> Stop;\nS = P ||| Q;\n#assert S deadlockfree;"
    printed = model_of(text)
    assert "d ? eval(1)" in printed and "d ? eval(3)" in printed and "eval(2)" not in printed


def test_sides_end_together() -> None:
    text = "P(i) = a.i -> Skip;\nS = |||i:{0..1}@P(i);\n#assert S deadlockfree;"
    assert "when P[0]@Skip && P[1]@Skip" in model_of(text)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_constructs_mean_the_same_as_by_the_rules(name: str) -> None:
    assert compare(f"{DATA}{CONSTRUCTS[name]}\n#assert System deadlockfree;\n") is True


def test_bodies_of_an_index_share_a_kind() -> None:
    text = "S = |||i:{0..2}@(a.i -> b.((i + 1) % 3) -> Stop);\n#assert S deadlockfree;"
    assert "start Part(0), Part(1), Part(2)" in model_of(text)


@pytest.mark.parametrize("capacity", [0, 2])
def test_values_that_are_only_passed_on_are_interchangeable(capacity: int) -> None:
    text = f"""
    channel d {capacity};
    P = []v:{{0..2}}@(d!v -> P);
    Q = d?v -> d?w -> ifa (v == w) {{ same.v -> Q }} else {{ other -> Q }};
    S = P ||| Q;
    #assert S deadlockfree;
    """
    diagnostics = Diagnostics()
    suite = load_suite(Source("m.csp", text), {}, diagnostics)
    assert suite is not None and detect(suite.models[0]).order == 6


def test_what_grows_without_end_is_refused() -> None:
    with few_locations(), pytest.raises(Refused, match="control states"):
        labelled_model("P = a -> (P ||| b -> Skip);\n#assert P deadlockfree;")


def test_defines_are_replaced_from_outside() -> None:
    diagnostics = Diagnostics()
    text = "#define N 3;\nS = |||i:{0..N-1}@(a.i -> Stop);\n#assert S deadlockfree;"
    suite = load_suite(Source("m.csp", text), {"N": "5"}, diagnostics)
    assert suite is not None and len(suite.models[0].processes) == 5
    assert load_suite(Source("m.csp", text), {"M": "5"}, diagnostics) is None
    assert "defines no `M`" in diagnostics.render()


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_files_mean_the_same_as_by_the_rules(first: int) -> None:
    results = {seed: compare(write(seed), most=800) for seed in range(first, first + 10)}
    assert [seed for seed, agrees in results.items() if agrees is False] == []
    assert sum(agrees is True for agrees in results.values()) >= 4, "most are neither refused nor too large"


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_many_random_files_mean_the_same_as_by_the_rules(first: int) -> None:
    assert [seed for seed in range(first, first + 100) if compare(write(seed)) is False] == []


@pytest.mark.parametrize("seed", range(40))
def test_broken_text_gets_messages_and_no_traceback(seed: int) -> None:
    """A word less, a word more, or two words exchanged, in a file of which every part is used."""
    text = broken(write(seed), seed)
    diagnostics = Diagnostics()
    with few_locations():
        suite = load_suite(Source("m.csp", text), {}, diagnostics)
    assert (suite is None) == bool(diagnostics.errors)
    assert "m.csp:" in diagnostics.render() or suite is not None
