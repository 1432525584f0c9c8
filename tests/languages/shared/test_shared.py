"""Shared-variable programs: messages about bad ones, what they are lowered to, families, and the naive reference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import coset
from coset.languages.shared.load import load, load_family
from coset.model import expression as e
from coset.model import model as m
from coset.model.family import Family, instance
from coset.model.interpreter import Interpreter
from coset.model.validate import validate
from coset.properties.formula import Atom
from coset.results.changes import table
from coset.results.trace import replay
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from tests.support.mutations import broken
from tests.support.paths import CASES
from tests.support.shared_random import compare, write

CASES = CASES / "shared"
HEAD = "global x: 0..3 = 1, y: 0..3 = 2, b: bool, a[2]: 0..3;\n"


def model_of(text: str, **values: int) -> m.Model:
    diagnostics = Diagnostics()
    model = load(Source("m.spl", text), {name: str(value) for name, value in values.items()}, (), diagnostics)
    assert model is not None, diagnostics.render()
    assert validate(model) == []
    return model


def family_of(text: str, **values: int) -> Family:
    diagnostics = Diagnostics()
    family = load_family(Source("m.spl", text), {name: str(value) for name, value in values.items()}, diagnostics)
    assert family is not None, diagnostics.render()
    return family


def refusal_of_family(text: str) -> str:
    diagnostics = Diagnostics()
    assert load_family(Source("m.spl", text), {}, diagnostics) is None
    return diagnostics.render()


def verdicts(tmp_path: Path, text: str, **options: object) -> dict[str, str]:
    path = tmp_path / "m.spl"
    path.write_text(text)
    result = coset.check(path, engine="reference", **options)  # type: ignore[arg-type]
    return {each.name: each.verdict.value for each in result.properties}


# --- bad programs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(CASES.glob("*.spl")), ids=lambda path: path.stem)
def test_diagnostics(path: Path) -> None:
    """`COSET_UPDATE=1 pytest` writes what is said now."""
    diagnostics = Diagnostics()
    assert load(Source(path.name, path.read_text()), {}, (), diagnostics) is None
    expected = path.with_suffix(".txt")
    if os.environ.get("COSET_UPDATE"):
        expected.write_text(diagnostics.render() + "\n")
    assert diagnostics.render() + "\n" == expected.read_text()


@pytest.mark.parametrize("seed", range(40))
def test_broken_text_gets_messages_and_no_traceback(seed: int) -> None:
    """A word less, a word more, or two words exchanged."""
    text = broken(write(seed), seed)
    for loader in (lambda source, d: load(source, {}, (), d), lambda source, d: load_family(source, {}, d)):
        diagnostics = Diagnostics()
        found = loader(Source("m.spl", text), diagnostics)
        assert (found is None) == bool(diagnostics.errors)


def test_defines_must_be_known_and_numbers() -> None:
    diagnostics = Diagnostics()
    text = "parameter n = 2;\nclass P[n] { a: skip; }\n"
    assert load(Source("m.spl", text), {"k": "3", "n": "many"}, (), diagnostics) is None
    assert "-D n=many: the value must be a number" in diagnostics.render()
    diagnostics = Diagnostics()
    assert load(Source("m.spl", text), {"k": "3"}, (), diagnostics) is None
    assert "the program has no constant or parameter `k`" in diagnostics.render()


def test_nesting_without_end_is_refused() -> None:
    diagnostics = Diagnostics()
    text = f"global b: bool;\nclass P {{ a: await {'(' * 5000}b{')' * 5000}; }}\n"
    assert load(Source("m.spl", text), {}, (), diagnostics) is None
    assert "nested more than 200 deep" in diagnostics.render()


# --- lowering ----------------------------------------------------------------------------------------


def test_statements_are_steps() -> None:
    text = """
    parameter n = 2;
    global y: sem where y = 1;
    class P[n] {
        local k: nat;
        loop forever do {
            0: noncritical;
            1: request (y, n);
            2: if k > 0 then { 3: k := k - 1; } else { goto 0; }
            4: while k < 2 do { 5: < await y = 0; k := k + 1 >; }
            6: choose { 7: release y; } or { 8: halt; }
        }
    }
    """
    expected = """\
sem y = 1;

process P() {
    nat k = 0;
    0 [start, 0:]
        -> 1
    1 [1:]
        -> 2  when y >= 2  do y = y - 2
    2 [2:]
        -> 3  when k > 0
        -> 0  when !(k > 0)
    3 [3:]
        -> 4  do assert(k - 1 >= 0); k = k - 1
    4 [4:]
        -> 5  when k < 2
        -> 6  when !(k < 2)
    5 [5:]
        -> 4  when y == 0  do k = k + 1
    6 [6:]
        -> 7
        -> 8
    7 [7:]
        -> 0  do y = y + 1
    8 [end, 8:]
}

start P(), P()
"""
    assert str(model_of(text)) == expected


def edges(text: str) -> list[str]:
    return [line.strip() for line in str(model_of(text)).splitlines() if line.startswith("        ->")]


def test_assignments_that_happen_together_are_put_in_order() -> None:
    found = edges(HEAD + "class P { a: x := y, y := 0; b: x := 0, y := x; c: x := y, y := x; d: a[x] := 1, x := 2; }")
    assert found == [
        "-> 1  do x = y; y = 0",
        "-> 2  do y = x; x = 0",
        "-> 3  do kept0 = y; y = x; x = kept0; kept0 = 0",
        "-> 4  do a[x] = 1; x = 2",
    ]


def test_values_of_a_range_are_asserted_unless_they_are_certain() -> None:
    found = edges(HEAD + "class P { a: x := x + 1; b: x := (x + 1) % 4; c: x := oneof {0, y}; }")
    assert found == ["-> 1  do assert(x + 1 <= 3); x = x + 1", "-> 2  do x = (x + 1) % 4",
                     "-> 3  do x = 0", "-> 3  do x = y"]  # fmt: skip


def test_an_atomic_sequence_is_one_step_that_happens_only_as_a_whole() -> None:
    found = edges(HEAD + "class P { a: atomic { x := y; await x > 1; if b then { a[0] := x; } await a[x] = 0; } }")
    assert found == [
        "-> 1  when y > 1 && b && (y == 0 -> y : a[y]) == 0  do x = y; a[0] = x",
        "-> 1  when y > 1 && !b && a[y] == 0  do x = y",
    ]


def test_an_atomic_sequence_sees_its_own_variables_as_they_are() -> None:
    """Looking at everybody includes oneself, in the middle of a step, too."""
    text = "class P[2] { local u: bool, v: bool; a: atomic { u := true; v := exists j in P: j.u; } }\n"
    assert reached(text) == {(0, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1)}


def reached(text: str) -> set[tuple[int, ...]]:
    interpreter = Interpreter(model_of(text))
    start = interpreter.initial()
    seen, todo = {start}, [start]
    while todo:
        for step in interpreter.steps(todo.pop()):
            if step.state not in seen:
                seen.add(step.state)
                todo.append(step.state)
    return {tuple(int(value) for process in state.processes for value in process.values) for state in seen}


def test_transitions_are_edges() -> None:
    text = HEAD + "class P { l: x = 1 & b -> x := 2 || y := x : l'; l': true -> skip : l; l: !b -> b := true : l; }"
    assert edges(text) == ["-> 1  when x == 1 && b  do y = x; x = 2", "-> 0  when !b  do b = 1", "-> 0"]


def test_quantifiers_are_spelled_out() -> None:
    text = "class P[3] { local u: bool; a: await exists j in P, j != self: j@a & j.u; b: skip; }"
    guard = " || ".join(f"{k} != _pid && (P[{k}]@a && P[{k}]:u)" for k in range(3))
    assert edges(text)[0] == f"-> 1  when {guard}"


def test_variables_of_a_class_stand_for_different_processes() -> None:
    model = model_of("class P[2] { a: skip; b: skip; }\nproperty p: forall i, j in P: AG !(i@b & j@b);")
    (property_,) = model.properties
    assert str(property_.formula) == "AG (!(P[0]@b && P[1]@b) && !(P[1]@b && P[0]@b))"  # type: ignore[union-attr]


def test_neighbours_are_on_a_ring() -> None:
    text = "global f[P]: bool;\nclass P[3] { a: f[self + 1] := f[self - 1]; }\nclass Q { a: f[P[3]] := true; }"
    model = model_of(text)
    assert edges(text) == ["-> 1  do f[(self + 1) % 3] = f[(self + 2) % 3]", "-> 1  do f[2] = 1"]
    assert [str(argument) for p in model.processes for argument in p.arguments] == ["0", "1", "2"]
    assert model.variables[0].element(2) == "f[3]"


def test_an_abbreviation_is_outside_of_the_quantifiers_around_it() -> None:
    text = """
    define any = exists j in P: j.u;
    class P[2] { local u: bool; a: await exists j in P: any & j != self; }
    """
    assert edges(text)[0] == "-> 1  when (P[0]:u || P[1]:u) && 0 != _pid || (P[0]:u || P[1]:u) && 1 != _pid"


def test_names_of_processes_and_elements(tmp_path: Path) -> None:
    path = tmp_path / "m.spl"
    path.write_text("global f[P]: bool, who: P;\nclass P[2] { a: f[self] := true, who := self; b: halt; }\n")
    result = coset.check(path, ctl=["AG !f[2]"], engine="reference")
    (found,) = result.properties
    assert found.trace is not None
    run = replay(coset.load(path, ctl=["AG !f[2]"]), found.trace)
    last = table(run.interpreter, run.states[-1])
    assert last["f[2]"] == "1" and last["who"] == "P[2]" and "P[2]@" in last


def test_a_set_of_numbers_and_a_class_without_processes() -> None:
    text = "shared x{1, 2}: bool;\nclass P[n] { local kept0: 0..1, u: 0..1; a: x := !x; b: kept0 := u, u := kept0; }\n"
    assert "kept0' = u; u = kept0; kept0 = kept0'; kept0' = 0" in str(model_of(text, n=2))
    diagnostics = Diagnostics()
    assert load(Source("m.spl", text), {"n": "3"}, (), diagnostics) is None
    assert "P[3] does not share `x`" in diagnostics.render()
    some = "global x: 0..3;\nclass P[2] { a: x := x + 1; }\nclass Q[n] { a: x := 0; }\n"
    some += "property p: forall i in P, j in Q: EF (i@a & j@a & x = 0);\n"
    assert [coset.explore(model_of(some, n=n), engine="reference").represents for n in (0, 1)] == [4, 4 + 8]


def test_there_are_at_most_255_processes() -> None:
    diagnostics = Diagnostics()
    text = "class P[200] { a: skip; }\nclass Q[100] { a: skip; }\nclass R[256] { a: skip; }\n"
    assert load(Source("m.spl", text), {}, (), diagnostics) is None
    assert "`R` has 256 processes; up to 255 can be" in diagnostics.render()
    diagnostics = Diagnostics()
    assert load(Source("m.spl", text.rsplit("class", 1)[0]), {}, (), diagnostics) is None
    assert "there are 300 processes; up to 255 can be" in diagnostics.render()


# --- properties ----------------------------------------------------------------------------------------


def test_properties_in_three_ways(tmp_path: Path) -> None:
    text = """
    global x: 0..3;
    class P[2] { loop forever do { a: x := (x + 1) % 3; } }
    property can: EF x = 2;
    property until: A[x < 2 U x = 2];
    ltl again: [] <> x = 0;
    ltl strong: x < 2 U x = 2;
    invariant small: x < 3;
    property nested: AG (x = 1 -> AX (x = 2 & EX x = 0));
    property no: forall i in P: AG i@a & x < 2;
    """
    assert verdicts(tmp_path, text) == {
        "assertions": "holds", "end states": "holds", "faults": "holds", "again": "holds", "strong": "holds",
        "can": "holds", "until": "holds", "small": "holds", "nested": "holds", "no": "holds",
    }  # fmt: skip


def test_formulas_of_the_command_line(tmp_path: Path) -> None:
    text = "global x: 0..1;\nclass P[2] { a: x := 1; b: halt; }\n"
    found = verdicts(tmp_path, text, ctl=["forall i in P: EF i@b", "AG x = 0"], ltl=["<> x = 1"])
    assert found == {"command_line_1": "holds", "ctl_1": "holds", "ctl_2": "violated"}
    path = tmp_path / "m.spl"
    with pytest.raises(coset.InputError, match="--ctl:1:4: error"):
        coset.check(path, ctl=["AG z"])


def test_deadlocks_and_ends(tmp_path: Path) -> None:
    text = "global y: sem;\nclass P[2] { a: request y; b: skip; }\nproperty d: AG deadlock;\nproperty e: AF deadlock;"
    found = verdicts(tmp_path, text)
    assert found["end states"] == "violated" and found["d"] == found["e"] == "holds"
    text = "class P[2] { a: skip; b: halt; }\nproperty d: AG !deadlock;\nproperty e: AF deadlock;"
    found = verdicts(tmp_path, text)
    assert found["end states"] == "holds" and found["d"] == "violated" and found["e"] == "holds"


def test_leaving_a_range_is_found(tmp_path: Path) -> None:
    text = "global x: 0..2;\nclass P[3] { a: x := x + 1; }\n"
    assert verdicts(tmp_path, text)["assertions"] == "violated"
    assert verdicts(tmp_path, text.replace("[3]", "[2]"))["assertions"] == "holds"


# --- synchronous ---------------------------------------------------------------------------------------


def test_all_move_together(tmp_path: Path) -> None:
    text = """
    synchronous;
    class P[3] {
        local u: bool;
        a: !u -> u := true : b;
        b: forall j in P: j.u -> u := false : c;
    }
    property together: forall i, j in P: AG (i@b -> j@b);
    property ends: AF deadlock;
    property after: AX AX forall i in P: i@c & !i.u;
    """
    found = verdicts(tmp_path, text)
    assert set(found.values()) == {"holds"}


def test_who_cannot_move_stays(tmp_path: Path) -> None:
    text = """
    synchronous;
    class P { local k: 0..2; a: k < 2 -> k := k + 1 : a; }
    class Q { local go: bool; a: P.k = 2 -> go := true : b; b: true -> go := false : a; }
    property waits: AG (P.k < 2 -> Q@a);
    property swings: AG (Q@b -> AX Q@a);
    property ever: AG !deadlock;
    """
    assert set(verdicts(tmp_path, text).values()) == {"holds"}


def test_values_are_exchanged_between_processes() -> None:
    text = "synchronous;\nclass P[2] { local u: 0..3 = number(self); a: true -> u := P[self + 1].u : a; }\n"
    model = model_of(text)
    result = coset.explore(model, engine="reference", symmetry="off")
    assert result.states == 2
    (edge,) = model.kinds[0].locations[0].edges
    assert [str(effect) for effect in edge.effects] == [
        "kept0 = P[1].u", "P[1].u = P[0].u", "P[0].u = kept0", "kept0 = 0",
    ]  # fmt: skip


# --- families ------------------------------------------------------------------------------------------


def test_a_family_keeps_its_parameters() -> None:
    text = """
    parameter cap = 2;
    assume cap >= 1;
    global full: 0..cap, y: nat where y = n;
    class P[n] { local k: 0..n; a: request (y, cap); b: full := full + 1; }
    class Q { a: skip; }
    property p: forall i, j in P, i != j: AG !(i@b & j@b);
    ltl l: forall i in P: <> i@b;
    invariant v: forall i in P: i@b -> i.k = 0;
    property d: AG !deadlock;
    """
    family = family_of(text)
    assert [each.name for each in family.parameters] == ["cap", "n"]
    p, q = family.classes
    assert p.size is family.parameters[1] and q.size == 1
    assert [str(each) for each in family.assumptions] == ["cap >= 1"]
    first, linear, deadlock = family.properties
    assert [str(each) for each in first.quantifiers] == ["forall i, j in P"]
    assert not first.linear and linear.linear
    assert str(first.formula) == "AG (!(P[i]@b && P[j]@b))"
    assert isinstance(deadlock.formula.operand, Atom)  # type: ignore[attr-defined]
    assert [(each.name, str(each.condition)) for each in family.lemmas] == [
        ("range of full", "0 <= full && full <= cap"),
        ("range of k", "0 <= P[i]:k && P[i]:k <= n"),
        ("v", "!P[i]@b || P[i]:k == 0"),
    ]
    effects = [effect for _, edge in p.kind.edges() for effect in edge.effects]
    assert not any(isinstance(effect, m.Assert) for effect in effects), "ranges are to be proved, not asserted"
    model = instance(family, {"cap": 1, "n": 3})
    assert validate(model) == [] and len(model.processes) == 4
    assert not any(isinstance(x, e.Timeout) for each in model.properties for x in each.formula.atoms())  # type: ignore[union-attr]


def test_given_values_are_no_parameters() -> None:
    family = family_of("parameter cap = 2;\nglobal y: nat = cap;\nclass P[n] { a: request y; }", cap=3, n=5)
    assert family.parameters == () and family.classes[0].size == 5
    family = family_of("const n = 4;\nclass P[n] { a: skip; }")
    assert [each.name for each in family.parameters] == ["n"], "a constant that is a size is a default"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("global f[P]: bool;\nclass P[n] { a: skip; }", "an array has an element for every process"),
        ("global b: bool;\nclass P[n] { local k: nat = number(self); a: skip; }", "the number of a process"),
        ("class P[n] { a: skip; }\nproperty p: AG P[1]@a;", "this names a process"),
        ("class P[n] { a: skip; }\nproperty p: AG exists i in P: i@a;", "`exists` looks at all processes"),
        ("class P[n] { a: skip; }\nproperty p: exists i in P: EF i@a;", "looks at all processes"),
        ("synchronous;\nclass P[n] { a: true -> skip : a; }", "all processes move together"),
    ],
)
def test_what_is_no_family(text: str, why: str) -> None:
    said = refusal_of_family(text)
    assert "error[U201]" in said and why in said


# --- the naive reference ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_programs_mean_the_same_as_by_their_trees(first: int) -> None:
    results = [compare(write(seed), most=400) for seed in range(first, first + 10)]
    assert False not in results
    assert results.count(True) >= 5, "most are small enough to be compared"


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_many_random_programs_mean_the_same_as_by_their_trees(first: int) -> None:
    assert [seed for seed in range(first, first + 100) if compare(write(seed)) is False] == []
