"""The preprocessor: by example, and against GCC where it is installed."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coset.source.diagnostics import Diagnostics
from coset.source.preprocess import preprocess, read_source
from coset.source.text import Source
from coset.source.tokens import PreprocessingToken, scan, spell

EXAMPLES = sorted(Path("/usr/share/doc/spin/examples/Examples").rglob("*.pml"))
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def run(text: str, defines: dict[str, str] | None = None) -> tuple[list[PreprocessingToken], Diagnostics]:
    diagnostics = Diagnostics()
    tokens, _ = preprocess(Source("m.c", text), defines or {}, [], diagnostics)
    return tokens, diagnostics


def codes(text: str) -> list[str]:
    return [each.code for each in run(text)[1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 3\nx = N;", "x = 3;"),
        ("#define N\nx N y", "x y"),
        ("#define F(a) (a)\nF(1) F (2) F", "(1) (2) F"),
        ("#define F(a, b) a b\nF((1, 2), 3)", "(1, 2) 3"),
        ("#define F() x\nF() F( )", "x x"),
        ("#define F(a) a\nF()y", "y"),
        ("#define S(a) #a\nS(x  +\ty) S(\"q\\n\") S('a')", '"x + y" "\\"q\\\\n\\"" "\'a\'"'),
        ("#define P(a, b) a ## b\nP(x, 1) P(, y) P(z,) P(,)", "x1 y z"),
        ("#define N 2\n#define P(a) p ## a\nP(N)", "pN"),
        ("#define V(...) f(__VA_ARGS__)\nV() V(1) V(1, 2)", "f() f(1) f(1, 2)"),
        ("#define V(a, ...) f(a, ## __VA_ARGS__)\nV(1) V(1, 2, 3)", "f(1) f(1,2, 3)"),
        ("#define V(a...) [a]\nV(1, 2)", "[1, 2]"),
        ("#define x x + 1\nx", "x + 1"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define f(x) x * g\n#define g(x) f(x)\nf(2)(9)", "2 * 9 * g"),  # as GCC decides it
        ("#define N 3\n#undef N\nN", "N"),
        ("#define N 3\n1..N 1 .. N", "1..N 1 .. 3"),  # the first is one preprocessing number
        ("a /* x */ b // y\nc", "a b c"),
        ("a /* don't */ b", "a b"),
        ("#if 0\ndon't /* ' */ \" \n#endif\nx", "x"),
        ("ab\\\ncd", "abcd"),
        ("#define M a \\\n b\nM", "a b"),
        ("# define N 1\n#\nN", "1"),
        ("#ifdef N\na\n#else\nb\n#endif", "b"),
        ("#ifndef N\na\n#else\nb\n#endif", "a"),
        ("#if 0\n#if 1\na\n#endif\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#if 1\na\n#elif 1 / 0\nb\n#endif", "a"),
        ("#define N 3\n#if defined N && defined(N) && !defined M && N == 3\na\n#endif", "a"),
        ("#define F(x) x > 2\n#if F(3) && UNKNOWN == 0\na\n#endif", "a"),
        ("#if 'a' == 97 && 010 == 8 && 0x10 == 16 && -1 < 0 && -1 > 0u\na\n#endif", "a"),
        ("#if 1 ? 2 : (1 / 0)\na\n#endif", "a"),
        ('#pragma once\n#ident "x"\na', "a"),
        ("__LINE__\n__LINE__\n#line 10\n__LINE__ __FILE__", '1 2 10 "m.c"'),
        ('#line 7 "other"\n__FILE__', '"other"'),
        ("#define EMPTY\n#define F(a) a\nF(EMPTY) x", "x"),
        ("x y\f z\v w\r\nv", "x y z w v"),
    ],
)
def test_expansion(text: str, expected: str) -> None:
    tokens, diagnostics = run(text)
    assert spell(tokens) == expected
    assert not diagnostics.errors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/* x", ["P001"]),
        ("#foo", ["P002"]),
        ("#ifdef\n#endif", ["P002"]),
        ("#undef 1", ["P002"]),
        ("#include foo", ["P002"]),
        ("#line x", ["P002"]),
        ("#if 1", ["P003"]),
        ("#endif", ["P003"]),
        ("#else", ["P003"]),
        ("#if 1\n#else\n#elif 1\n#endif", ["P003"]),
        ("#if 0\n#else\n#else\n#endif", ["P003"]),
        ("#if\n#endif", ["P004"]),
        ("#if 1 +\n#endif", ["P004"]),
        ("#if (1\n#endif", ["P004"]),
        ("#if 1 2\n#endif", ["P004"]),
        ("#if 1 / 0\n#endif", ["P004"]),
        ("#if 1.5\n#endif", ["P004"]),
        ('#if "x"\n#endif', ["P004"]),
        ("#if defined\n#endif", ["P004"]),
        ("#if " + "(" * 5000 + "1\n#endif", ["P004"]),
        ('#include "nowhere.h"', ["P005"]),
        ("#include <nowhere.h>", ["P005"]),
        ("#error no", ["P007"]),
        ("#warning hm", ["P008"]),
        ("#define", ["P010"]),
        ("#define 1", ["P010"]),
        ("#define defined", ["P010"]),
        ("#define F(", ["P010"]),
        ("#define F(a", ["P010"]),
        ("#define F(a,", ["P010"]),
        ("#define F(a,)", ["P010"]),
        ("#define F(a b)", ["P010"]),
        ("#define F(a, a)", ["P010"]),
        ("#define F(1)", ["P010"]),
        ("#define F(..., a)", ["P010"]),
        ("#define F(a) #b", ["P010"]),
        ("#define F ## x", ["P010"]),
        ("#define F(a, b) a ## b\nF(+, -)", ["P011"]),
        ("#define N 1\n#define N 2", ["P012"]),
        ("#define N 1\n#define N 1", []),
        ("#define F(a) a\nF(1, 2)", ["P013"]),
        ("#define F(a, b) a\nF(1)", ["P013"]),
        ("#define F(a) a\nF(1", ["P014"]),
        ("don't", []),
        ("\x00\x01 é", []),  # left to the lexer of the language
    ],
)
def test_errors(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


def test_newlines() -> None:
    """What GCC's output shows as the first of a line; newlines in macros do not count."""
    text = (
        "#define ID(a) a\n#define E\na\nb c /* x\n*/ d\nID(e\nf) g\nE h\ni \\\nj\nk\\\n+ l\nID(m) n ID(\n) o\nID\np\n"
    )
    tokens, _ = run(text)
    first = [token.text for token in tokens if token.newline_before]
    assert first == ["a", "b", "d", "e", "g", "h", "i", "j", "k", "l", "m", "o", "ID", "p"]


def test_places() -> None:
    text = "#define TWO(x) N + x\n#define N 7\na = TWO(b);\n"
    tokens, _ = run(text)
    assert [(token.text, token.span.text, token.span.line) for token in tokens] == [
        ("a", "a", 3),
        ("=", "=", 3),
        ("7", "TWO", 3),  # the place of use ...
        ("+", "TWO", 3),
        ("b", "b", 3),  # ... but an argument is where it was written
        (";", ";", 3),
    ]
    definitions = [token.definition.line if token.definition else None for token in tokens]
    assert definitions == [None, None, 2, 1, None, None]


def test_places_of_continued_lines() -> None:
    text = "ab \\\n  cd e\\\nf g"
    tokens, _ = run(text)
    assert [(token.text, token.span.text, token.span.line) for token in tokens] == [
        ("ab", "ab", 1),
        ("cd", "cd", 2),
        ("ef", "e\\\nf", 2),
        ("g", "g", 3),
    ]


def test_defines() -> None:
    assert spell(run("N M F(2)", {"N": "1", "M": "x y", "F(a)": "a+a"})[0]) == "1 x y 2+2"


def test_includes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "dir").mkdir()
    (tmp_path / "m.pml").write_text('#define N "sub/a.h"\n#include N\n#include <b.h>\nmain F\n')
    (tmp_path / "sub" / "a.h").write_text('a\n#include "c.h"\n#define F 3\n')
    (tmp_path / "sub" / "c.h").write_text("c /* no newline */")
    (tmp_path / "dir" / "b.h").write_bytes(b"b /* \xe9 */\n")
    diagnostics = Diagnostics()
    source = read_source(str(tmp_path / "m.pml"), diagnostics)
    assert source is not None
    tokens, included = preprocess(source, {}, [str(tmp_path / "dir")], diagnostics)
    assert not len(diagnostics)
    assert [(token.text, token.newline_before) for token in tokens] == [
        ("a", True),
        ("c", True),
        ("b", True),
        ("main", True),
        ("3", False),
    ]
    assert [Path(each.path).name for each in included] == ["a.h", "c.h", "b.h"]


def test_endless_include(tmp_path: Path) -> None:
    (tmp_path / "m.pml").write_text('#include "m.pml"\n')
    diagnostics = Diagnostics()
    source = read_source(str(tmp_path / "m.pml"), diagnostics)
    assert source is not None
    preprocess(source, {}, [], diagnostics)
    assert [each.code for each in diagnostics] == ["P006"]


def test_unreadable(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    assert read_source(str(tmp_path / "none.pml"), diagnostics) is None
    assert [each.code for each in diagnostics] == ["P009"]


@pytest.mark.parametrize(
    "text",
    [
        "#define F(x) F(x) F(x)\n" + "F(" * 300 + ")" * 300,
        "#define A B B\n#define B C C\n#define C D D\n#define D E E\n#define E 1 1\nA",
        "\n".join(f"#define M{n} M{n + 1}" for n in range(3000)) + "\nM0",
        "#define F(x) x\n" + "F(" * 400 + "1" + ")" * 400,
        "#if 1\n" * 3000,
        "-" * 10000 + "\n#if " + "-" * 10000 + "1\n#endif",
    ],
    ids=["self", "doubling", "chain", "arguments", "ifs", "signs"],
)
def test_extremes(text: str) -> None:
    """Each of these would not end if the time were exponential (how fast it is: benchmarks/preprocess.py)."""
    run(text)


# --- against GCC -----------------------------------------------------------------------------------


def gcc(path: Path) -> tuple[list[tuple[str, bool]], bool]:
    """GCC's tokens, whether each starts a line, and whether there was no error."""
    result = subprocess.run(["gcc", "-std=gnu99", "-E", "-x", "c", str(path)], capture_output=True, check=False)
    lines = ["" if line.startswith("# ") else line for line in result.stdout.decode("latin-1").split("\n")]
    return lines_of(scan(Source("gcc", "\n".join(lines)), Diagnostics())), result.returncode == 0


def lines_of(tokens: list[PreprocessingToken]) -> list[tuple[str, bool]]:
    """Blanks inside strings are left out: GCC's rules for those of nested arguments are its own."""
    return [
        (re.sub(r"\s", "", token.text) if token.text[0] == '"' else token.text, token.newline_before)
        for token in tokens
    ]


@needs_gcc
@pytest.mark.skipif(not EXAMPLES, reason="SPIN's examples are not installed")
def test_examples_as_gcc() -> None:
    for path in EXAMPLES:
        diagnostics = Diagnostics()
        source = read_source(str(path), diagnostics)
        assert source is not None
        tokens, _ = preprocess(source, {}, [], diagnostics)
        assert (lines_of(tokens), not diagnostics.errors) == gcc(path), path


class RandomMacros:
    """Random definitions and uses of five macros; about two texts in three are without error."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.arities: dict[str, int | None] = {}

    def text(self) -> str:
        lines = []
        for name in "ABFGH":
            choices = [0, 1, 1, 2] if name in "FGH" else [None, None, 0, 1, 2, 3]
            arity = self.arities[name] = self.random.choice(choices)
            parameters = ["p", "q", "r"][: arity or 0]
            head = name if arity is None else f"{name}({', '.join(parameters)})"
            gap = self.random.choice([" ", "  ", " \\\n "])
            lines.append(f"#define {head} " + gap.join(self.body(parameters)))
        for _ in range(self.random.randint(1, 5)):
            before, after = self.random.choice(["", "k ", "k"]), self.random.choice(["", " e", ";"])
            lines.append(before + self.call(self.random.choice("ABFGH"), 3, []) + after)
        return "\n".join(lines) + "\n"

    def body(self, parameters: list[str]) -> list[str]:
        output: list[str] = []
        depth = 0
        for _ in range(self.random.randint(0, 7)):
            kind = self.random.random()
            if kind < 0.3 and parameters:
                prefix = self.random.choice(["", "", "", "", "#", "## " if output and output[-1].isalnum() else ""])
                output.append(prefix + self.random.choice(parameters))
            elif kind < 0.55:
                output.append(self.call(self.random.choice("ABFGH"), 2, parameters))
            else:
                piece = self.random.choice(["x", "1", "+", "(", ")", ",", "=", "z w", "!", "<", '"s t"', "'c'"])
                if piece == ")" and depth == 0:
                    continue
                depth += (piece == "(") - (piece == ")")
                output.append(piece)
        return output + [")"] * depth

    def call(self, name: str, depth: int, parameters: list[str]) -> str:
        arity = self.arities.get(name, 1)
        if arity is None or self.random.random() < 0.15:
            return name
        arguments = []
        for _ in range(arity):
            pieces = []
            for _ in range(self.random.randint(0, 3)):
                kind = self.random.random()
                if kind < 0.4 and depth > 0:
                    pieces.append(self.call(self.random.choice("ABFGH"), depth - 1, parameters))
                elif kind < 0.6 and parameters:
                    pieces.append(self.random.choice(parameters))
                else:
                    pieces.append(self.random.choice(["a", "b", "(c, d)", "1", "+", '"q\\n"', "e"]))
            arguments.append(self.random.choice([" ", " ", "\n" if not parameters else " "]).join(pieces))
        return name + self.random.choice(["", " "]) + "(" + ", ".join(arguments) + ")"


@needs_gcc
def test_random_macros_as_gcc(tmp_path: Path) -> None:
    compared = 0
    for seed in range(60):
        path = tmp_path / f"{seed}.c"
        path.write_text(RandomMacros(seed).text())
        tokens, diagnostics = run(path.read_text())
        expected, fine = gcc(path)
        assert (not diagnostics.errors) == fine, path.read_text()
        if fine:
            compared += 1
            assert lines_of(tokens) == expected, path.read_text()
    assert compared > 20


def random_condition(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice(
            ["0", "1", "2", "3", "7", "-1", "1u", "0x7fffffffffffffff", "010", "'a'", "name", "defined X"]
        )
    kind = rng.random()
    left = random_condition(rng, depth - 1)
    if kind < 0.15:
        return rng.choice(["!", "~", "- ", "+ "]) + left
    right = random_condition(rng, depth - 1)
    if kind < 0.25:
        return f"({left} ? {right} : {random_condition(rng, depth - 1)})"
    if kind < 0.35:
        return f"{left} {rng.choice(['/', '%'])} {rng.choice(['3', '-2', '5u'])}"
    if kind < 0.45:
        return f"{left} {rng.choice(['<<', '>>'])} {rng.choice(['1', '3'])}"
    if kind < 0.6:
        return f"({left})"
    return f"{left} {rng.choice(['+', '-', '*', '&', '|', '^', '&&', '||', '==', '!=', '<', '>', '<=', '>='])} {right}"


@needs_gcc
def test_random_conditions_as_gcc(tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = []
    for number in range(300):
        lines += [f"#if {random_condition(rng, 4)}", f"yes{number}", "#else", f"no{number}", "#endif"]
    path = tmp_path / "m.c"
    path.write_text("\n".join(lines) + "\n")
    tokens, diagnostics = run(path.read_text())
    expected, fine = gcc(path)
    assert fine
    assert not diagnostics.errors, diagnostics.render()
    assert [token.text for token in tokens] == [text for text, _ in expected]


# --- nothing raises ----------------------------------------------------------------------------------

PIECES = [
    "#",
    "##",
    "define",
    "if",
    "endif",
    "else",
    "elif",
    "include",
    "F",
    "G",
    "(",
    ")",
    ",",
    "\n",
    " ",
    "\\\n",
    "1",
]
PIECES += ['"', "'", "/*", "*/", "//", "defined", "...", "__VA_ARGS__", "a", "..", "\x00", "é", "undef", "line", "&&"]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=40).map("".join)))
def test_any_text(text: str) -> None:
    diagnostics = run(text)[1]
    diagnostics.render()
