"""Text and bytes that are nearly right.

Text is changed by tokens, so that many changes reach what lies behind the parser.  All chance comes from a `random.Random`.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
NUMBERS = (
    "0", "-1", "1", "2", "255", "256", "32768", "65536", "2147483647", "2147483648", "-2147483648", "4294967296",
    "9223372036854775808", "1" + "0" * 30, "00", "0x10", "1.5", "9" * 5000,
)  # fmt: skip
OPERATORS = (
    "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "~", "&", "|", "^", "<<", ">>", "->", "=", ":",
    ";", ",", ".", "(", ")", "[", "]", "{", "}", "?", "??", "!!", "@", "#", ":=", "::", "..", "++", "--", "\\", "|||", "[]",
    "<>", "'", '"', "/*", "*/", "//",
)  # fmt: skip
ODD = (
    "\0", "\ufeff", "\r", "\r\n", "\x1b[31m", "\x07", "\x7f", "\u202e", "\u2028", "\x85", "\udcff", "\udcc0\udcaf", "é", "𝔸",
    "٣", "\\\n", "\f", "\v", "\t", "\u0301", "ﬁ",
)  # fmt: skip
WORDS = {
    ".pml": (
        ":: else -> skip", "else", "break", "goto L", "L:", "goto end", "end:", "progress:", "accept:", "atomic {", "d_step {",
        "unless {", "if", "fi", "do", "od", "run P()", "timeout", "np_", "_pid", "_nr_pr", "_last", "_", "skip", "assert(0)",
        "assert(", "active [3] proctype Z() {", "proctype", "init {", "never {", "ltl q { [] (x", "inline f(a) {",
        "typedef T {",
        "chan c = [0] of { int, chan };", "chan c[3];", "mtype = { a, b }", "byte b[0];", "int z = -1;", "unsigned u : 33;",
        "xr c;", "xs c;", "hidden", "show", "local", "c!1,2", "c?eval(x),_", "c??1", "c!!2", "c?<x>", "len(c)", "full(c)",
        "nempty(c)", "enabled(0)", "pc_value(1)", "printf(\"%d\")", "printm(x)", "select(x : 0 .. 9);", "for (x : 1 .. 3) {",
        "for (x in c) {", "return", "provided (0)", "priority 2", "eval(", "trace {", "notrace {", "c_code { }", "#define N N",
        "#include \"model.pml\"", "#if 1", "#endif", "#ifdef", "#else", "#undef N", "#define F(x) F(F(x))", "-> ->", ";;",
        "set_priority(0, 1)", "x = run P()", "P[0]:x", "P[1]@L", "pid", "short", "D_proctype", "true", "false", "nfull(c)",
    ),
    ".csp": (
        "Skip", "Stop", "[]", "<>", "|||", "||", "->", "atomic{", "if (x) {", "} else {", "ifa(x)", "case {", "default:", "tau",
        "interrupt", "\\ {", "[x > 0]", "c!1", "c?x", "channel c 3;", "var v;", "var v = -1;", "var w:{0..99999};",
        "enum {a, a};",
        "#define X X;", "#assert P() deadlockfree;", "#assert P() |= [] x;", "#assert P() reaches x;",
        "#assert P() refines Q();",
        "#import \"x\";", "#alphabet P {a};", "P() = P();", "P() = a -> P() ||| P();", "while (true) {", "|||i:{0..9999}@",
        "hvar",
        "call(f, 1)", "{x = 1;}", "assert(x)", "Wait[3]", "deadline[1]", "; Skip", "atomic{Stop}", "x[99]", "with max(x)",
    ),
    ".seq": (
        "const", "type", "process", "init", "all", "exists", "if (x == 0) {", "} else {", "a[0] = 1;", "*", "= *", "{0, 1}",
        "bit",
        "0..2", "0..99999999", "-5..5", "+ [true] go { }", "[x == 1]", "step {", "true", "false", "2..1", "type T = 0..T;",
        "const N = N;", "x = x / 0;", "x = x % 0;", "a[a[a[0]]]", "&&", "?", "a = 0, a = 1", "all k : 0..9999 (", ". .",
    ),
    ".spl": (
        "parameter n = 3;", "global", "local", "class P[n] {", "class Q[0] {", "loop forever do {", "if", "then", "else",
        "while",
        "when", "request y;", "release y;", "sem", "nat", "bool", "0..2", "none", "self", "forall i in P:", "exists j in P:",
        "AG", "EF", "AF", "i@2", "deadlock", "property q:", "invariant r: x >= 0;", "define d = d;", "critical;",
        "noncritical;",
        "goto 0;", "await x;", "synchronous;", "0: x := 1;", ":= 1 || y := 2", "true -> x := 1 : a;", "where", "n - 1",
        "atomic",
        "fair", "choose", "or", "not", "and", "f[i]", "i.u", "# P", "lemma l:", "P[99]",
    ),
    ".def": (
        "3: client <- [1] of {pid, pid}", "0: x", "99999: x", "F[1]", "F[(1,2)]", "F[(9,9)]", "F(i, j), forall k:", "[] !",
        "<-",
        "of", "NCOMP", "pid", "mtype = { a };", ": hub", "W", "U", "X", "[]", "//", "/*",
    ),
    ".tmpl": (
        "for i in node {", "lookup(h, out)", "in?x", "out!x", "U[x]", "B[_pid].to[x]", "goto start", "start:", "atomic {",
        "if", "fi",
        "do", "od", "::", "else", "chan out;", "_pid", "NCOMP", "break", "run x()", "for", "d_step {", "skip", "feature",
    ),
}  # fmt: skip
BRACKETS = {
    ".pml": (("(", ")"), ("{ ", " }"), ("if :: ", " fi"), ("do :: ", " od"), ("atomic { ", " }"), ("!", ""), ("-", ""),
             ("1+", ""),
             ("a[", "]"), ("{ skip } unless { ", " }"), ("if :: true -> ", " :: else -> skip fi"), ("(1 -> ", " : 0)"),
             ("skip; ", ""),
             ("d_step { ", " }"), ("for (x : 0 .. 1) { ", " }"), ("[] ", ""), ("#if 1\n", "\n#endif\n"), ("x U ", ""),
             ("x && ", "")),
    ".csp": (("(", ")"), ("a -> ", ""), ("a -> (", ")"), ("if (x == 0) { ", " }"), ("!", ""), ("-", ""), ("1+", ""),
             ("Skip; ", ""),
             ("Skip ||| (", ")"), ("atomic{ ", " }"), ("[x == 0] ", ""), ("a[", "]"), ("Stop [] ", ""), ("[] ", ""),
             ("while (true) { ", " }")),
    ".seq": (("(", ")"), ("if (1 == 1) { ", " }"), ("!", ""), ("-", ""), ("1 + ", ""), ("a[", "]"), ("all k : 0..1 (", ")"),
             ("if (1 == 1) { } else { ", " }"), ("exists k : 0..1 (", ")"), ("1 == 1 && ", ""), ("x = 1; ", "")),
    ".spl": (("(", ")"), ("!", ""), ("-", ""), ("1 + ", ""), ("if true then { ", " }"), ("loop forever do { ", " }"),
             ("AG ", ""),
             ("forall i in P: ", ""), ("exists j in P: ", ""), ("true & ", ""), ("while true do { ", " }"), ("AF (", ")"),
             ("f[", "]")),
}  # fmt: skip
DEPTHS = (3, 30, 150, 400, 1_000, 5_000, 30_000)
Text = Callable[[random.Random, list[str], str, Sequence[str]], None]


def mutated(chance: random.Random, text: str, language: str, others: Sequence[str], most: int = 4) -> bytes:
    """The text after one to `most` changes; `others` are texts to take parts from."""
    words = TOKENS.findall(text) or [""]
    for _ in range(chance.randint(1, most)):
        chance.choices(CHANGES, WEIGHTS)[0](chance, words, language, others)
        words = words or [""]
    return "".join(words).encode("utf-8", "surrogateescape")


def indices(words: Sequence[str], pattern: str) -> list[int]:
    """Where tokens match."""
    return [at for at, word in enumerate(words) if re.fullmatch(pattern, word)]


def delete(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    at = chance.randrange(len(words))
    del words[at : at + chance.choice((1, 1, 2, 5, 20))]


def duplicate(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    at = chance.randrange(len(words))
    part = words[at : at + chance.choice((1, 3, 10, 40))]
    words[at:at] = part * chance.choice((1, 1, 1, 2, 50))


def swap(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    one, two = chance.randrange(len(words)), chance.randrange(len(words))
    words[one], words[two] = words[two], words[one]


def splice(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    """A part of another text."""
    other = TOKENS.findall(chance.choice(others)) if others else []
    if other:
        start, at = chance.randrange(len(other)), chance.randrange(len(words))
        words[at : at + chance.choice((0, 0, 5))] = other[start : start + chance.choice((1, 5, 20, 60))]


def number(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    if found := indices(words, r"\d+"):
        words[chance.choice(found)] = chance.choice(NUMBERS[:5] if chance.random() < 0.6 else NUMBERS)


def operator(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    if found := indices(words, r"[^\w\s]"):
        words[chance.choice(found)] = chance.choice(OPERATORS)


def name(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    """One name in the place of another."""
    if found := indices(words, r"[A-Za-z_]\w*"):
        words[chance.choice(found)] = words[chance.choice(found)]


def keyword(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    words.insert(chance.randrange(len(words) + 1), f" {chance.choice(WORDS.get(language, OPERATORS))} ")


def truncate(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    del words[chance.randrange(len(words)) :]


def odd(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    words.insert(chance.randrange(len(words) + 1), chance.choice(ODD))


def nest(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    """Something, many times around a part of the text."""
    opening, closing = chance.choice(BRACKETS.get(language, (("(", ")"), ("{", "}"), ("[", "]"), ("!", ""))))
    depth = chance.choice(DEPTHS)
    at = chance.randrange(len(words))
    end = at + chance.choice((1, 1, 3, 9))
    words[at:end] = [opening * depth, *words[at:end], closing * (depth - chance.choice((0, 0, 0, 1)))]


def stretch(chance: random.Random, words: list[str], language: str, others: Sequence[str]) -> None:
    """A very long token."""
    at = chance.randrange(len(words))
    words[at] = (words[at] or "x") * chance.choice((2, 100, 20_000))


CHANGES: tuple[Text, ...] = (
    delete,
    duplicate,
    swap,
    splice,
    number,
    operator,
    name,
    keyword,
    truncate,
    odd,
    nest,
    stretch,
)
WEIGHTS = (3, 3, 2, 3, 6, 3, 6, 5, 1, 1, 2, 0.5)


# --- other forms -----------------------------------------------------------------------------------------------------


def bytes_changed(chance: random.Random, content: bytes, most: int = 4) -> bytes:
    """A file that is no text: bits and bytes changed, parts lost, doubled or set to one value."""
    data = bytearray(content)
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(data) or 1)
        if chance.random() < 0.5:  # the beginning, where sizes are
            at = min(at, chance.randrange(400))
        match chance.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(data):
                data[at] = chance.choice((0, 1, 127, 128, 255))
            case 2:
                data[at : at + 8] = chance.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)).to_bytes(8, "little")
            case 3:
                del data[at:]
            case 4:
                del data[at : at + chance.choice((1, 8, 4096))]
            case 5:
                data[at:at] = data[at : at + chance.choice((1, 8, 4096))]
            case _:
                data[at : at + 64] = bytes([chance.randrange(256)]) * 64
    return bytes(data)


VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 1.5, 1e308, "", "x", "\0", "\ud800", [], {}, [[]], [None], {"": 0},
)  # fmt: skip


def json_changed(chance: random.Random, document: str, most: int = 4) -> bytes:
    """A JSON document with other values, keys or lengths."""
    whole = [json.loads(document)]
    for _ in range(chance.randint(1, most)):
        holder, key = chance.choice(places(whole))
        match chance.randrange(6):
            case 0 if holder is not whole:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, holder[key])
            case 2:
                other, at = chance.choice(places(whole))
                holder[key] = json.loads(json.dumps(other[at]))
            case 3 if isinstance(holder[key], int):
                holder[key] += chance.choice((-1, 1, 2, 100))
            case 4 if isinstance(holder[key], str):
                holder[key] += chance.choice(("x", " ", "\n", "0"))
            case _:
                holder[key] = copy.deepcopy(chance.choice(VALUES))
    return json.dumps(whole[0], allow_nan=True).encode()


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every place of a document: what holds a value, and its key there."""
    found: list[tuple[Any, Any]] = []
    todo = [document]
    while todo:
        each = todo.pop()
        below = (
            list(each.items()) if isinstance(each, dict) else list(enumerate(each)) if isinstance(each, list) else []
        )
        found += [(each, key) for key, _ in below]
        todo += [value for _, value in below]
    return found
