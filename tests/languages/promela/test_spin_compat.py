"""docs/spin-compat.md and docs/spin-control.md, item by item: a small model for each, and what SPIN says of it.

The first table is held to the page: what is written there as code has a model here, and the other way round.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import coset
from tests.support.paths import DOCS
from tests.support.spin_claims import HOLDS, VIOLATED, spin_verdicts
from tests.support.spin_compare import OK, compare
from tests.support.spin_reference import spin_reference

UNDERSTOOD = {
    "`proctype` `active` `_pid` `_nr_pr`": "byte a[3]; active [3] proctype P() { a[_pid] = _nr_pr; a[_pid] = 0 }",
    "`init` `run` `pid`": """
        byte x; proctype P(byte n; pid who) { x = n + who }
        init { pid p; p = run P(3, _pid); (_nr_pr == 1); p = run P(4, p); (_nr_pr == 1) }""",
    "`priority` `set_priority` `get_priority`": """
        byte x; proctype P() { x = get_priority(_pid); set_priority(0, 9); x++ }
        init priority 2 { run P() priority 5; x = 7; x++ }""",
    "`provided`": """
        byte x; active proctype P() provided (x < 2) { x++; x++; x++ } active proctype Q() { x == 2 -> x = 0 }""",
    "`enabled`": """
        byte x; active proctype P() { x == 1; x = 2 } active proctype Q() { !enabled(0); x = 1; enabled(0);
        x = 3 }""",
    "`D_proctype`": "byte x; active D_proctype P() { do :: x < 3 -> x++ :: x < 4 -> x = 4 :: else -> break od }",
    "`atomic` `goto` `skip`": """
        byte x; active [2] proctype P() { L: atomic { x == 0 -> x = 1; x = 2 }; skip; x = 0;
        if :: goto L :: goto M fi; M: skip }""",
    "`d_step`": "byte x, y; active [2] proctype P() { d_step { x++; if :: x > 1 -> y = x :: else -> y = 7 fi }; y-- }",
    "`unless`": """
        byte x; active proctype P() { { x = 1; x = 2; x = 3 } unless { x == 9 -> x = 4 } }
        active proctype Q() { x = 9 }""",
    "`for`": "byte i, s, a[3]; active proctype P() { for (i : 1 .. 3) { s = s + i }; for (i in a) { a[i] = s } }",
    "`select`": "byte x, y; active proctype P() { select (x : 1 .. 3); y = x; select (x : y .. 4) }",
    "`if` `do` `break` `else`": """
        byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x > 1 -> break od;
        if :: x > 2 -> x-- :: else fi }""",
    "`timeout`": "chan c = [1] of { bit }; active proctype P() { c?1 } active proctype Q() { timeout -> c!1 }",
    "`inline` `return`": """
        byte x; inline next(v, n) { return (v + 1) % n } inline twice(v) { v = next(v, 3); v = next(v, 3) }
        active [2] proctype P() { twice(x); assert(x != 1) }""",
    "`assert` `printf` `printm`": """
        mtype = { on, off }; byte x; active proctype P() { printf("%d\\n", x); printm(on); x++; assert(x == 2) }""",
    "`bit` `bool` `byte` `short` `int` `unsigned`": """
        bit a; bool b; byte c = 254; short d = 32767; int e = 2147483647; unsigned f : 3 = 7;
        active proctype P() { a = 3; b = !a; c++; c++; d++; e++; f++; c = -1; d = e; f = 13 }""",
    "`mtype`": """
        mtype = { a, b, c }; mtype:fruit = { apple, pear }; mtype x = b; mtype:fruit f;
        active proctype P() { f = pear; x == b; x = c }""",
    "`typedef`": """
        typedef In { byte b[2] } typedef Out { In i[2]; bit k } Out o; active proctype P() { o.i[1].b[0] = 3;
        o.k = o.i[1].b[0] == 3 }""",
    "`hidden`": "hidden byte h; byte x; active proctype P() { h = 3; x = h; h = 4 }",
    "`local` `show`": "local byte l; show byte s; active proctype P() { l = 1; s = 2 } active proctype Q() { s = 3 }",
    "`xr` `xs` `chan`": """
        chan c = [1] of { byte }; active proctype S() { xs c; c!1; c!2 } active proctype R() { byte x; xr c;
        c?x; c?x }""",
    "`[0]`": """
        chan c = [0] of { byte, chan }; chan d = [1] of { bit }; active proctype S() { c!3,d }
        active proctype R() { chan e; c?3,e; e!1 }""",
    "`!` `?` `?<>`": """
        chan c = [2] of { byte }; active proctype S() { c!1; c!2 } active proctype R() { byte x; c?<x>; c?x;
        c?x; c?1 }""",
    "`!!` `??`": """
        chan c = [3] of { byte }; active [2] proctype S() { c!!_pid; c!!3 } active proctype R() { byte x; c??3;
        c?x; c??<x> }""",
    "`?[]` `??[]`": """
        chan c = [2] of { byte }; active proctype S() { c!1; c!2 } active proctype R() { c?[1]; c??[2]; !c??[7];
        c?1; !c?[1] }""",
    "`eval`": """
        chan c = [2] of { byte }; byte x = 2; active proctype S() { c!1; c!2 }
        active proctype R() { do :: c?eval(x) -> break :: c?1 -> skip od }""",
    "`len` `empty` `nempty` `full` `nfull`": """
        chan c = [2] of { bit }; active proctype S() { nfull(c) -> c!1; full(c); empty(c) }
        active proctype R() { nempty(c); len(c) == 1 -> c!0; c?1; c?0 }""",
    "`trace`": """
        chan c = [1] of { bit }; active proctype S() { c!1; c!0 } active proctype R() { c?1; c?0 }
        trace { do :: c!1; c!0 od }""",
    "`notrace`": """
        chan c = [1] of { bit }; active proctype S() { c!1; c!0 } active proctype R() { c?1; c?0 }
        notrace { c!1; c!0 }""",
    "`#define` `#include` `#if` `#ifdef` `#undef`": """
        #define TWICE(x) (2 * (x))
        #define N 2
        #if N > 1 && defined(TWICE)
        byte x; active [N] proctype P() { x = TWICE(x + 1) % 7 }
        #endif
        #undef N
        #ifdef N
        #include "nowhere.h"
        #endif""",
}
"""Counts of states, transitions and errors are SPIN's."""

CLAIMED = {
    "`ltl`": (
        "byte x; active proctype P() { do :: x = 1 - x od } ltl yes { [] <> (x == 1) } ltl no { [] (x == 0) }",
        "yes", "no",
    ),
    "`never` `np_`": (
        "byte x; active proctype P() { do :: x = 1 - x od } never no { do :: true :: x == 1 && np_ -> break od }",
        None, "no",
    ),
    "`_last` `P[1]@label` `P[1]:x`": (
        "active [2] proctype P() { byte x; do :: x = 1; in: x = 0 od } "
        "ltl yes { [] (P[1]@in -> P[1]:x == 1) } ltl no { [] (_last != 1) }",
        "yes", "no",
    ),
    "`pc_value`": (
        "byte x; active proctype P() { x = 1; do :: x = 2 od } never no { do :: true :: pc_value(0) > 1 -> break od }",
        None, "no",
    ),
}  # fmt: skip
"""A claim that holds and one that does not, by name; verdicts are SPIN's."""

LABELLED = {
    "`accept`": ("byte x; active proctype P() { do :: x = 1 - x; accept: skip od }", "-a", "acceptance cycles"),
    "`progress`": ("byte x; active proctype P() { do :: x = 1 :: x = 0; progress: skip od }", "-l", "progress"),
    "`end`": ("byte x; active proctype P() { end: do :: x == 1 -> x = 0 od }", "", "end states"),
}
"""A model, the option of pan that looks for it, and the property that decides the same here."""

CONTROL = {
    "points and jumps": """
        byte x; active proctype P() { x = 1; goto L; L: if :: goto M :: x = 2 fi; M: atomic { x = 3;
        if :: x == 3 -> goto N :: else fi; x = 4 };
        N: if :: skip; skip; skip; x = 5 :: x == 3 fi; if :: if :: x = 6 :: x = 7 fi :: x = 8 fi }""",
    "late declarations": """
        byte g; active proctype P() { g = 1; byte x; g = 2; byte a[2] = 3; a[1] = 4; g = a[0] + a[1]; x = g }""",
    "labels": """
        byte x; active proctype P() { do :: x < 2 -> x++;
        progress: if :: end1: x = x :: skip fi :: else -> accept2: goto out od; out: skip }""",
    "else of an inner choice": """
        byte x; chan c = [0] of { bit };
        active proctype P() { if :: if :: x == 1 -> x = 2 :: else -> x = 3 fi :: x == 0 -> x = 4 fi;
        if :: c!1 :: else -> x = 5 fi } active proctype Q() { x > 2 -> c?1 }""",
    "escapes": """
        byte x; active proctype P() { { { x = 1; x = 2; x = 3 } unless { x == 2 -> x = 4 } } unless { x == 1 -> x = 5 };
        L: { do :: x < 9 -> x++ :: else -> break od } unless { x == 8 } }""",
    "a d_step takes the first option": """
        byte x; active proctype P() { d_step { if :: x = 1 :: x = 2 :: x = 3 fi; x++ }; x = 0 }""",
    "the youngest dies first, with its channels": """
        byte n; proctype P(byte k) { chan c = [1] of { byte }; c!k; c?n } init { run P(1); run P(2); n = 7;
        _nr_pr == 1 -> run P(3) }""",
    "initial values by type": """
        int a = 5; byte b = a; byte c = 3; short d = c; active proctype P() { byte e = 4; byte f = e;
        b = f + d }""",
}
"""What docs/spin-control.md says."""


RARE = {
    "a long arrow between statements": """
        byte x; active proctype P() { do :: x < 3 --> x++ :: else --> break od; x == 3 -->
        x-- }""",
    "a long arrow in a conditional expression": "byte x, y; active proctype P() { y = (x == 0 --> 3 : 4); x-->y = 2 }",
    "a long arrow from a macro and in an inline": """
        #define IF(c) c --> y = 1
        byte x, y; inline f(a) { a > 0 --> x-- } active proctype P() { x = 1; f(x); if :: IF(x == 0) :: else --> skip fi }""",
    "a receive into _pid of its own number": """
        chan c[2] = [1] of { bit, byte }; active [2] proctype P() { do :: c[_pid]!0,_pid :: c[_pid]?0,_pid od }""",
    "a handshake into _pid": """
        chan c = [0] of { byte }; byte n; active proctype P() { c?_pid; n++ } active proctype Q() { c!0 }""",
    "a poll of _pid takes any number": """
        chan c = [1] of { bit, byte }; byte n; active [2] proctype P() { c?[0,_pid] -> n++ } active proctype Q() { c!0,7 }""",
}
"""Spellings that SPIN accepts and few people know."""

UNREADABLE = {
    "a long arrow in a formula": "byte x; active proctype P() { x++ } ltl a { [] ((x == 1) --> (x == 2)) }",
    "a long arrow in two parts": "byte x; active proctype P() { x == 0 -- > x = 1 }",
}


def spans(text: str) -> set[str]:
    """What is written as code."""
    return set(re.findall(r"`[^`]+`", text))


def written(folder: Path, text: str) -> Path:
    path = folder / "m.pml"
    path.write_text(re.sub(r"^ +(?=#)", "", text, flags=re.MULTILINE) + "\n", "utf-8")
    return path


def test_every_item_of_the_page_has_a_model() -> None:
    page = (DOCS / "spin-compat.md").read_text("utf-8")
    said = spans(page.partition("## What is understood")[2].partition("\n## ")[0])
    assert said == set().union(*(spans(key) for key in (*UNDERSTOOD, *CLAIMED, *LABELLED)))


@pytest.mark.parametrize("item", UNDERSTOOD)
def test_understood(item: str, tmp_path: Path) -> None:
    assert "nowhere" in UNDERSTOOD[item] or all(f"{each.strip('`?![]<>0')}" in UNDERSTOOD[item] for each in spans(item))
    found = compare(written(tmp_path, UNDERSTOOD[item]))
    assert found.verdict == OK, found


@pytest.mark.parametrize("item", CLAIMED)
def test_claims(item: str, tmp_path: Path) -> None:
    text, yes, no = CLAIMED[item]
    path = written(tmp_path, text)
    for name, expected in ((yes, HOLDS), (no, VIOLATED)):
        if name is not None:
            assert spin_verdicts(path, [(name, False)]) == [expected]
            assert coset.check(coset.load(path), properties=[name])[name].verdict.value == expected


@pytest.mark.parametrize("item", LABELLED)
def test_labels(item: str, tmp_path: Path) -> None:
    text, option, name = LABELLED[item]
    path = written(tmp_path, text)
    define = ["-DNP"] if option == "-l" else []
    subprocess.run(["spin", "-a", path.name], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(["gcc", "-w", "-DNOREDUCE", *define, "-o", "pan", "pan.c"], cwd=tmp_path, check=True)
    said = subprocess.run(["./pan", *option.split()], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    errors = re.search(r"errors: (\d+)", said)
    assert errors is not None
    assert (
        (coset.check(coset.load(path))[name].verdict.value == VIOLATED) == (errors[1] != "0") == (name != "end states")
    )


@pytest.mark.parametrize("item", CONTROL)
def test_control(item: str, tmp_path: Path) -> None:
    found = compare(written(tmp_path, CONTROL[item]))
    assert found.verdict == OK, found


@pytest.mark.parametrize("item", RARE)
def test_rare_spellings(item: str, tmp_path: Path) -> None:
    found = compare(written(tmp_path, RARE[item]))
    assert found.verdict == OK, found


@pytest.mark.parametrize("item", UNREADABLE)
def test_rare_spellings_that_nobody_accepts(item: str, tmp_path: Path) -> None:
    path = written(tmp_path, UNREADABLE[item])
    assert not spin_reference(path).accepted
    with pytest.raises(coset.InputError):
        coset.load(path)


def test_another_number_received_into_pid_is_an_error(tmp_path: Path) -> None:
    """SPIN's verifier overwrites `_pid`, its simulator calls it an illegal assignment and does not."""
    path = written(tmp_path, "chan c = [1] of { bit, byte }; active [2] proctype P() { c!0,1; c?0,_pid }")
    said = subprocess.run(["spin", path.name], cwd=tmp_path, check=False, capture_output=True, text=True).stdout
    assert "illegal assignment to _pid" in said
    for engine in ("reference", "explicit"):
        result = coset.check(coset.load(path), engine=engine)["assertions"]
        assert result.verdict.value == VIOLATED and result.trace is not None, engine


@pytest.mark.parametrize(
    "text", ["c_code { x = 1 }", "c_expr { x }", "c_decl { int y; };", 'c_state "int y" "Global";', 'c_track "&x" "4";']
)
def test_embedded_c_is_refused_by_name(text: str) -> None:
    word = text.split(maxsplit=1)[0]
    inside = word in ("c_code", "c_expr")
    program = f"active proctype P() {{ {text} }}" if inside else f"{text} active proctype P() {{ skip }}"
    with pytest.raises(coset.InputError) as refused:
        coset.parse_text(program)
    assert ("U001", f"embedded C (`{word}`) is not supported") in [
        (each.code, each.message) for each in refused.value.diagnostics
    ]


def test_an_index_out_of_range_is_a_fault_here_and_chance_there(tmp_path: Path) -> None:
    path = written(tmp_path, "byte a[2], i = 2; active proctype P() { a[i] = 1; assert(i == 1) }")
    assert coset.check(coset.load(path))["faults"].verdict.value == VIOLATED
    assert coset.explore(coset.load(path)).errors.assertions == 0, "nothing is executed after it"
    assert any("index" in each for each in spin_reference(path).other_errors)
