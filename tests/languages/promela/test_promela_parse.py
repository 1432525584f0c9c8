"""Promela text -> syntax tree: by example, against SPIN, and with broken text."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coset
from coset.languages.promela import tree
from coset.languages.promela.parse import parse
from coset.model.expression import Timeout
from coset.source.diagnostics import CODES, Diagnostics
from coset.source.preprocess import read_source
from coset.source.text import Source, Span
from tests.support.paths import CASES

CASES = CASES / "diagnostics"
EXAMPLES = sorted(Path("/usr/share/doc/spin/examples/Examples").rglob("*.pml"))
needs_spin = pytest.mark.skipif(shutil.which("spin") is None, reason="SPIN is not installed")
needs_examples = pytest.mark.skipif(not EXAMPLES, reason="SPIN's examples are not installed")


def run(text: str, path: str = "m.pml") -> tuple[tree.Program, Diagnostics]:
    diagnostics = Diagnostics()
    return parse(Source(path, text), None, [], diagnostics), diagnostics


def units(text: str) -> tuple[tree.Unit, ...]:
    program, diagnostics = run(text)
    assert not diagnostics.errors, diagnostics.render()
    return program.units


def body(text: str, before: str = "") -> tuple[tree.Statement, ...]:
    last = [unit for unit in units(f"{before}\ninit {{ {text} }}") if isinstance(unit, tree.Proctype)][-1]
    return last.body


# --- trees as short text -----------------------------------------------------------------------------


def show(node: object) -> str:
    """A tree on one line: `(Assign x (+ x 1))`."""
    match node:
        case None:
            return "-"
        case tree.Number(value=value):
            return str(value)
        case tree.Reference():
            index = f"[{show(node.index)}]" if node.index else ""
            return node.name + index + (f".{show(node.rest)}" if node.rest else "")
        case tree.Unary():
            return f"({node.operator} {show(node.operand)})"
        case tree.Binary():
            return f"({node.operator} {show(node.left)} {show(node.right)})"
        case tree.Bind():
            return show(node.target)
        case tree.Match():
            return f"={show(node.value)}"
        case tree.Guard():
            return show(node.condition)
        case tree.TypeName():
            return node.name + (f":{node.subtype}" if node.subtype else "")
        case tree.Node():
            parts = [show(getattr(node, each.name)) for each in fields(node) if each.name not in ("span", "header")]
            return f"({' '.join([type(node).__name__, *parts])})"
        case tuple():
            return f"[{' '.join(show(each) for each in node if not isinstance(each, Span))}]"
    return str(node)


EXPRESSIONS = [
    ("a + b * c", "(+ a (* b c))"),
    ("a - b - c", "(- (- a b) c)"),
    ("a || b && c", "(|| a (&& b c))"),
    ("a & b == c", "(& a (== b c))"),
    ("a << b + c", "(<< a (+ b c))"),
    ("!a == b", "(== (! a) b)"),
    ("!(a == b)", "(! (== a b))"),
    ("-a * ~b", "(* (- a) (~ b))"),
    ("- -1", "(- (- 1))"),
    ("a < b == c > d", "(== (< a b) (> c d))"),
    ("(a -> b : c)", "(Conditional a b c)"),
    ("a[1].b[c].d", "a[1].b[c].d"),
    ("true + false + skip + 'a' + '\\n'", "(+ (+ (+ (+ 1 0) 1) 97) 10)"),
    ("len(c) + 1", "(+ (ChannelQuery len c) 1)"),
    ("full(c) && x || empty(d)", "(|| (&& (ChannelQuery full c) x) (ChannelQuery empty d))"),
    ("c?[1, x] && c??[eval(y), -1]", "(&& (Poll c [=1 x] False) (Poll c [=y =-1] True))"),
    (
        "enabled(0) && pc_value(1) == get_priority(2)",
        "(&& (Builtin enabled 0) (== (Builtin pc_value 1) (Builtin get_priority 2)))",
    ),
    ("timeout", "(Timeout)"),
    ("np_", "(NonProgress)"),
    ("run P(1, x) priority 3", "(Run P [1 x] 3)"),
    ("P@L", "(RemoteLabel P - L)"),
    ("P[1]@L", "(RemoteLabel P 1 L)"),
    ("P[1]:x[2] == 3", "(== (RemoteVariable P 1 x[2]) 3)"),
    ("P:x", "(RemoteVariable P - x)"),
    ("red + _pid", "(+ red _pid)"),
    ("4294967295", "-1"),
]


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS)
def test_expression(text: str, expected: str) -> None:
    assert [show(each) for each in body(text, "mtype = {red}; proctype P() { skip }")] == [expected]


STATEMENTS = [
    ("x = a + 1", "(Assign x (+ a 1))"),
    ("x[2]++", "(Assign x[2] (+ x[2] 1))"),
    ("x--", "(Assign x (- x 1))"),
    ("c!1,x", "(Send c [1 x] False)"),
    ("c!!1(x,2)", "(Send c [1 x 2] True)"),
    ("c?red,x,3,-4,eval(y),_", "(Receive c [red x =3 =-4 =y _] False False)"),
    ("c?red(x,3)", "(Receive c [red x =3] False False)"),
    ("c?(x,3)", "(Receive c [x =3] False False)"),
    ("c??<x>", "(Receive c [x] True True)"),
    ("assert(x == 1)", "(Assert (== x 1))"),
    ("assert x", "(Assert x)"),
    ('printf("%d\\n", x)', "(Print %d\\n [x])"),
    ("printm(red)", "(Print - [red])"),
    ("set_priority(0, 2)", "(SetPriority 0 2)"),
    ("goto L", "(Goto L)"),
    ("L: M: x", "(Labelled L (Labelled M x))"),
    ("L:", "(Labelled L 1)"),
    ("skip", "1"),
    ("xr c, d", "(ChannelAccess xr [c d])"),
    ("if :: x -> y = 1 :: else fi", "(If [[x (Assign y 1)] [(Else)]])"),
    ("do :: break od", "(Do [[(Break)]])"),
    ("{ x; y }", "(Block [x y] - -)"),
    ("atomic { x; y }", "(Block [x y] atomic -)"),
    ("d_step { x }", "(Block [x] d_step -)"),
    ("for (i : 1 .. n) { x }", "(ForRange i 1 n [x])"),
    ("for (i in a) { x; y }", "(ForIn i a [x y])"),
    ("x unless y", "(Unless x y)"),
    ("L: { x } unless { y }", "(Labelled L (Unless (Block [x] - -) (Block [y] - -)))"),
    ("select (i : 1 .. 3)", "(Select i 1 3 True)"),
    ("select (i : 1..3)", "(Select i 1 3 True)"),
    ("select (i : 0 ..3)", "(Select i 0 3 True)"),
    ("select (i : 1 .. 33)", "(Select i 1 33 True)"),
    ("select (i : 1 .. 34)", "(Select i 1 34 False)"),
    ("select (i : 1 .. n)", "(Select i 1 n False)"),
    ("select (my_i : 1 .. 3)", "(Select my_i 1 3 False)"),
    ("select (i :\n1 .. 3)", "(Select i 1 3 False)"),
    (
        "byte x = 3, y[2]",
        "(DeclarationStatement (Declaration byte [(Declarator x - - 3) (Declarator y - 2 -)] -) True)",
    ),
    ("unsigned u : 5 = 2", "(DeclarationStatement (Declaration unsigned [(Declarator u 5 - 2)] -) True)"),
    (
        "chan q = [N + 1] of { byte, T }",
        "(DeclarationStatement (Declaration chan [(Declarator q - - (ChannelInitial (+ 3 1) [byte T]))] -) True)",
    ),
    (
        "byte a[2] = {1, red}",
        "(DeclarationStatement (Declaration byte [(Declarator a - 2 (ArrayInitial [1 red]))] -) True)",
    ),
]


@pytest.mark.parametrize(("text", "expected"), STATEMENTS)
def test_statement(text: str, expected: str) -> None:
    before = "#define N 3\nmtype = {red}; typedef T { byte f }"
    assert [show(each) for each in body(text, before)] == [expected]


SEQUENCES = [
    ("x = 1; y = 2 -> z", 3),
    ("x = 1\ny = 2\n\nz", 3),
    ("x\n-> y;\n; z;", 3),
    ("{ x } y; { z }", 3),
    ("if :: x fi\ny\nz", 3),
    ("(x\n&& y\n); y; z", 3),
    ("timeout\ny\nz", 3),
    ("x /* a\n*/ y \\\n z", 3),
    ("x\nT\n(y)\nE z", 3),  # macros: T is `;`, E is empty
    ("f(x)\ny\nf(\nz)", 3),  # inlines
]


@pytest.mark.parametrize(("text", "count"), SEQUENCES)
def test_separators(text: str, count: int) -> None:
    found = body(text, "#define T ;\n#define E\ninline f(p) { p }")
    assert len(found) == count


UNITS = [
    ("byte x", ["(Declaration byte [(Declarator x - - -)] -)"]),
    (
        "hidden byte x; show bit y",
        ["(Declaration byte [(Declarator x - - -)] hidden)", "(Declaration bit [(Declarator y - - -)] show)"],
    ),
    (
        "typedef T {\nbyte a\nint b[2]; }",
        ["(Typedef T [(Declaration byte [(Declarator a - - -)] -) (Declaration int [(Declarator b - 2 -)] -)])"],
    ),
    (
        "proctype P(byte a, b; chan c) { skip }",
        [
            "(Proctype P - [(Declaration byte [(Declarator a - - -) (Declarator b - - -)] -) "
            "(Declaration chan [(Declarator c - - -)] -)] [1] - - False)"
        ],
    ),
    ("active proctype P() { skip }", ["(Proctype P 1 [] [1] - - False)"]),
    ("active [3] D_proctype P() priority 2 provided (x) { skip }", ["(Proctype P 3 [] [1] 2 x True)"]),
    ("init { skip }", ["(Proctype init 1 [] [1] - - False)"]),
    ("init priority 3 { skip }", ["(Proctype init 1 [] [1] 3 - False)"]),
    ("never { skip } never n { x }", ["(Never never_0 [1])", "(Never n [x])"]),
    ("trace { c!1 }", ["(Trace [(Send c [1] False)] False)"]),
    ("notrace { c?1 }", ["(Trace [(Receive c [=1] False False)] True)"]),
    ("inline f() { skip };;", []),
]


@pytest.mark.parametrize(("text", "expected"), UNITS)
def test_unit(text: str, expected: list[str]) -> None:
    assert [show(each) for each in units(text)] == expected


def test_mtypes() -> None:
    first, second, third = units("mtype = { a, b } mtype:fruit = { apple pear, }; mtype { c }")
    assert isinstance(first, tree.MtypeDeclaration)
    assert isinstance(second, tree.MtypeDeclaration)
    assert isinstance(third, tree.MtypeDeclaration)
    assert ([name for name, _ in first.names], first.subtype) == (["a", "b"], None)
    assert ([name for name, _ in second.names], second.subtype) == (["apple", "pear"], "fruit")
    assert [(name, span.text) for name, span in third.names] == [("c", "c")]


FORMULAS = [
    ("[] <> p", "([] (<> p))"),
    ("always eventually p", "([] (<> p))"),
    ("p -> q -> r", "(-> (-> p q) r)"),
    ("p implies q equivalent r", "(<-> (-> p q) r)"),
    ("p U q U r", "(U (U p q) r)"),
    ("p until q || r weakuntil s", "(|| (U p q) (W r s))"),
    ("p V q release r stronguntil s", "(U (V (V p q) r) s)"),
    ("!p U X q", "(U (! p) (X q))"),
    ("[] p && q", "(&& ([] p) q)"),
    ("[] (x == 1) <-> <> y < 2 U z", None),
    ("[] (x == 1) <-> (y < 2 U z)", "(<-> ([] (== x 1)) (U (< y 2) z))"),
    ("a[0]==1 && P@L", "(&& (== a[0] 1) (RemoteLabel P - L))"),
]


@pytest.mark.parametrize(("text", "expected"), FORMULAS)
def test_formula(text: str, expected: str | None) -> None:
    program, diagnostics = run(f"ltl f {{ {text} }} active proctype P() {{ L: skip }}")
    if expected is None:
        assert [each.code for each in diagnostics] == ["S013"]
    else:
        assert not len(diagnostics)
        assert show(program.units[-1]) == f"(Ltl f {expected})"


def test_names_of_formulas() -> None:
    found = units("ltl { p } byte p; ltl U { p } ltl { p }")
    assert [unit.name for unit in found if isinstance(unit, tree.Ltl)] == ["ltl_0", "U", "ltl_1"]


# --- inlines -----------------------------------------------------------------------------------------


def test_inline() -> None:
    text = "inline inner(v) { v++ }\ninline outer(a, b) { inner(a); a = b }\ninit { outer(x[1], y + 1) }"
    (init,) = units(text)
    assert isinstance(init, tree.Proctype)
    assert show(init.body) == ("[(Block [(Block [(Assign x[1] (+ x[1] 1))] - inner) (Assign x[1] (+ y 1))] - outer)]")
    outer = init.body[0]
    assert isinstance(outer, tree.Block)
    inner = outer.body[0]
    assert isinstance(inner, tree.Block)
    assignment = outer.body[1]
    assert isinstance(assignment, tree.Assign)
    assert (outer.span.text, outer.span.line, outer.span.via) == ("outer", 3, None)
    assert (inner.span.text, inner.span.line) == ("inner", 2)
    assert inner.span.via == outer.span
    assert assignment.target.span.text == "x[1]"  # an argument is where it was written
    assert assignment.target.span.via is None


def test_return() -> None:
    found = body("t.x = f(y)", "inline f(p) { p > 0; return p + 1 }")
    assert show(found) == "[(Block [(> y 0) (Assign t.x (+ y 1))] - f)]"


def test_leading() -> None:
    text = """byte a; xr c; T b; byte d = 2; x = 1; byte e; { byte f; x = 2 };
        if :: byte g; skip fi; n(); atomic { byte h; skip }"""
    found = body(text, "typedef T { byte f }; inline n() { byte z; skip }")
    leading: dict[str, bool] = {}

    def visit(node: object) -> None:
        if isinstance(node, tree.DeclarationStatement):
            assert isinstance(node.declaration, tree.Declaration)
            leading[node.declaration.items[0].name] = node.leading
        if isinstance(node, tree.Node):
            for each in fields(node):
                visit(getattr(node, each.name))
        elif isinstance(node, tuple):
            for each in node:
                visit(each)

    visit(found)
    assert {name for name, value in leading.items() if value} == {"a", "b", "d"}
    assert {name for name, value in leading.items() if not value} == {"e", "f", "g", "h", "z"}


def test_spans() -> None:
    text = "byte x;\ninit {\n\tx = x +\n\t\t1;\n\tif :: x -> skip fi\n}\n"
    _, init = units(text)
    assert isinstance(init, tree.Proctype)
    assert [each.span.text for each in init.body] == ["x = x +\n\t\t1", "if :: x -> skip fi"]
    assert init.span.text == text[8:-1]


# --- against SPIN ------------------------------------------------------------------------------------


def verdicts() -> list[tuple[str, str, str]]:
    text = (CASES / "verdicts.txt").read_text()
    found = re.findall(r"^=== (\w+): (\w+)\n(.*?)\n(?==== |\Z)", text, re.DOTALL | re.MULTILINE)
    escapes = {"\\": "\\", "r": "\r", "f": "\f", "0": "\0"}
    return [(name, verdict, re.sub(r"\\(.)", lambda m: escapes[m[1]], program)) for name, verdict, program in found]


VERDICTS = verdicts()


@pytest.mark.parametrize(("name", "verdict", "text"), VERDICTS, ids=[name for name, _, _ in VERDICTS])
def test_verdict(name: str, verdict: str, text: str) -> None:
    _, diagnostics = run(text)
    assert bool(diagnostics.errors) == (verdict in ("reject", "stricter")), diagnostics.render()


@needs_spin
def test_verdicts_are_those_of_spin(tmp_path: Path) -> None:
    """A few each time; all of them with COSET_SPIN=1."""
    chosen = VERDICTS if os.environ.get("COSET_SPIN") else random.Random().sample(VERDICTS, 20)
    for name, verdict, text in chosen:
        (tmp_path / "m.pml").write_text(text, newline="")
        result = subprocess.run(["spin", "-a", "m.pml"], cwd=tmp_path, capture_output=True, check=False)
        assert (result.returncode != 0) == (verdict in ("reject", "later")), name


def plain(expression: tree.Expression, ltl: bool = False) -> str:
    """An expression with parentheses as SPIN prints it."""
    match expression:
        case tree.Binary(operator=operator):
            left, right = plain(expression.left, ltl), plain(expression.right, ltl)
            if operator == "->":
                return f"(!({left}))||({right})"
            if operator == "W":
                return f"([]({left}))||(({left})U({right}))"
            return f"({left}){operator}({right})" if ltl else f"({left}{operator}{right})"
        case tree.Unary():
            return f"{expression.operator}({plain(expression.operand, ltl)})"
        case tree.Reference():
            return expression.name
    raise AssertionError(expression)


def random_operators(rng: random.Random, binary: list[str], unary: list[str], length: int) -> str:
    parts = []
    for position in range(length):
        if position:
            parts.append(rng.choice(binary))
        if rng.random() < 0.25:
            parts.append(rng.choice(unary))
        nested = rng.random() < 0.15 and length > 2
        parts.append(f"({random_operators(rng, binary, unary, 2)})" if nested else rng.choice("abc"))
    return " ".join(parts)


@needs_spin
def test_precedence_as_spin(tmp_path: Path) -> None:
    """SPIN's verifier shows every expression with all parentheses."""
    rng = random.Random(5)
    binary = "+ - * / % & ^ | > < >= <= == != && || << >>".split()  # noqa: SIM905
    lines = [f"({random_operators(rng, binary, ['!', '~', '- '], rng.randint(2, 7))});" for _ in range(200)]
    text = "int a, b, c; init {\n" + "\n".join(lines) + "\nskip }\n"
    (tmp_path / "m.pml").write_text(text)
    subprocess.run(["spin", "-o1", "-o2", "-o3", "-a", "m.pml"], cwd=tmp_path, capture_output=True, check=True)
    shown = dict(re.findall(r"STATE \d+ - m\.pml:(\d+) - \[\((.*)\)\] \(", (tmp_path / "pan.m").read_text()))
    init = units(text)[-1]
    assert isinstance(init, tree.Proctype)
    for number, statement in enumerate(init.body[:-1], 2):
        assert isinstance(statement, tree.Guard)
        assert plain(statement.condition) == shown[str(number)].replace(" ", ""), lines[number - 2]


@needs_spin
def test_formulas_as_spin(tmp_path: Path) -> None:
    rng = random.Random(6)
    binary, unary = ["&&", "||", "->", "<->", "U", "V", "W"], ["!", "[]", "<>"]
    formulas = [random_operators(rng, binary, unary, rng.randint(2, 4)) for _ in range(12)]
    text = "bool a, b, c; init { skip }\n" + "\n".join(f"ltl f{n} {{ {each} }}" for n, each in enumerate(formulas))
    (tmp_path / "m.pml").write_text(text)
    result = subprocess.run(["spin", "-a", "m.pml"], cwd=tmp_path, capture_output=True, check=False, timeout=60)
    shown = dict(re.findall(r"^ltl (f\d+): (.*)$", result.stdout.decode(), re.MULTILINE))
    for unit in units(text):
        if isinstance(unit, tree.Ltl):
            assert plain(unit.formula, True) == shown[unit.name].replace(" ", ""), formulas[int(unit.name[1:])]


@needs_examples
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.name for path in EXAMPLES])
def test_example(path: Path) -> None:
    diagnostics = Diagnostics()
    source = read_source(str(path), diagnostics)
    assert source is not None
    program = parse(source, None, [], diagnostics)
    assert program.units
    # this one writes `&` for `&&` before an X, and SPIN refuses it too
    assert [each.code for each in diagnostics] == (["S013"] if path.name == "patterns.pml" else [])


# --- diagnostics ---------------------------------------------------------------------------------------

DIAGNOSED = sorted(CASES.glob("*.pml"))


@pytest.mark.parametrize("path", DIAGNOSED, ids=[path.stem for path in DIAGNOSED])
def test_diagnostics(path: Path) -> None:
    """COSET_REGENERATE=1 writes what is said now; read the difference before you commit it."""
    diagnostics = run(path.read_text(), path.name)[1]
    text = diagnostics.render() + "\n"
    expected = path.with_suffix(".txt")
    if os.environ.get("COSET_REGENERATE"):
        expected.write_text(text)
    assert text == expected.read_text()


def test_every_code_of_the_parser_is_shown() -> None:
    """Each code of the lexer and the grammar has a case, except those that need huge or many files."""
    shown = set(re.findall(r"\[([A-Z]\d{3})\]", "".join(path.with_suffix(".txt").read_text() for path in DIAGNOSED)))
    elsewhere = {"P006", "P009", "P011", "P014", "P015", "S043", "S055"}
    wanted = {code for code in CODES if code[0] in "PLS" and int(code[1:]) < 100} | {"U001"}  # others are of CSP#
    assert wanted - shown == elsewhere


# --- nothing raises --------------------------------------------------------------------------------------


def check_survives(text: str) -> None:
    program, diagnostics = run(text)
    assert isinstance(program, tree.Program)
    assert isinstance(diagnostics.render(), str)


@pytest.mark.parametrize(
    "text",
    [
        "init { " + "(" * 5000 + "1" + ")" * 5000 + " }",
        "init { " + "{" * 3000 + "skip" + "}" * 3000 + " }",
        "init { " + "if :: " * 3000 + "skip" + " fi" * 3000 + " }",
        "init { x = " + "!" * 5000 + "x }",
        "init { " + "L: " * 5000 + "skip }",
        "init { x" + ".x" * 5000 + " }",
        "init { " + "x = 1 " * 2000 + " }",
        "init { " + ")" * 5000,
        "ltl p { " + "[] " * 5000 + "x }",
        "inline i0() { skip }"
        + "".join(f"inline i{n}() {{ {f'i{n - 1}(); ' * 9} }}\n" for n in range(1, 15))
        + "init { i14() }",
    ],
    ids=["parentheses", "braces", "ifs", "negations", "labels", "fields", "separators", "closers", "always", "inlines"],
)
def test_extremes(text: str) -> None:
    check_survives(text)


def test_long_expressions_are_fine() -> None:
    assert len(body("x = " + " + ".join(["1"] * 2000))) == 1


CORPUS = [path.read_text() for path in DIAGNOSED]
CORPUS += [path.read_text(errors="replace") for path in EXAMPLES if path.stat().st_size < 3000]
WORDS = re.findall(r"\w+|\s+|[^\w\s]+", "\n".join(CORPUS))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_mutated_programs(rng: random.Random) -> None:
    words = re.findall(r"\w+|\s+|[^\w\s]", rng.choice(CORPUS))
    for _ in range(rng.randint(1, 4)):
        position = rng.randrange(len(words))
        match rng.randrange(5):
            case 0:
                del words[position]
            case 1:
                words.insert(position, rng.choice(WORDS))
            case 2:
                words[position] = rng.choice(words)
            case 3:
                words = words[: position + 1]
            case 4:
                end = rng.randrange(position, len(words))
                del words[position : min(end, position + 20)]
        if not words:
            break
    check_survives("".join(words))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS), max_size=60))
def test_mixed_words(words: list[str]) -> None:
    check_survives("init { " + " ".join(words))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.one_of(st.binary(max_size=80).map(lambda data: data.decode("latin-1")), st.text(max_size=80)))
def test_any_text(text: str) -> None:
    check_survives(text)


def test_a_bare_timeout_is_where_it_is_written() -> None:
    """SPIN puts parentheses around it; they are not in the text."""
    model = coset.parse_text("active proctype P() { timeout; do :: timeout -> break od; (timeout) }")
    edges = [edge for _, edge in model.kinds[0].edges() if edge.guard == Timeout()]
    assert [edge.text for edge in edges] == ["timeout", "timeout", "(timeout)"]
    assert [edge.span.text for edge in edges if edge.span] == ["timeout", "timeout", "(timeout)"]
