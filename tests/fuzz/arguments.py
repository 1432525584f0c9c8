"""Command lines, from the options that there are: an option that is new is fuzzed without a change here."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

from coset.options.catalogue import options_of
from coset.options.commands import ALL
from coset.options.option import Option
from tests.fuzz.mutate import NUMBERS, ODD, OPERATORS

TAME_OUTPUTS = ("out", "out.svg", "out.dot", "out.html", "out.json", "/dev/null", "/dev/full")
TAME_COUNTS = ("1", "2", "3", "10", "1000")
PROMELA = frozenset({"--ltl", "--ctl", "--empty-channels", "--trail", "-I"})
"""Options that models in other languages are refused with."""
WITHOUT = frozenset({"serve"})
"""Commands that do not end."""
APART = frozenset({
    "-h", "--help", "--max-seconds", "--max-memory", "--max-states", "--engine", "--resume", "--checkpoint",
    "--checkpoint-every",
    "--bits",
})  # fmt: skip
"""Options that are given for a reason, need another one, or end the command."""
ODD_VALUES = (
    "", "-", "--", "=", "--ctl", "-D", "-1", "0", "x", "N", "None", "nan", "inf", "-inf", "1e308", "1e-308", "1_0", "٣", "0x10",
    "a=b", "=1", "A=", "../..", ".", "/", "/dev/null", "/dev/full", "missing/file", "a" * 300, "a" * 5000, "é", "\udcff", "\n",
    "*", "%s", "{}", "{0}", "auto", "off", "\x1b[31m", " ", "1 2", "1,2", "()", "(1 2)", "[1]", "\u202e", "$HOME", "~",
    "@file", "'", '"',
)  # fmt: skip
SIZES = ("1", "0", "1K", "300M", "1.5G", "99999T", "1e9", "-1M", "M", "1 k", "1" + "0" * 40, "1" + "0" * 400 + "T")
OUTPUTS = (
    "out", "out.svg", "out.dot", "out.html", "out.json", "model.pml", ".", "", "no/where.svg", "/dev/full",
    "/dev/null", "-", "out.xyz",
)  # fmt: skip
ATOMS = (
    "x", "y", "true", "false", "x == 1", "(x > 0)", "P[0]@L", "_nr_pr > 1", "np_", "timeout", "1", "0", "a.b", "c",
    "len(c) > 0",
)  # fmt: skip
LINEAR = (
    "[]", "<>", "!", "X", "U", "W", "V", "R", "&&", "||", "->", "<->", "(", ")", "always", "eventually", "until",
    "next", "G", "F",
)  # fmt: skip
BRANCHING = (
    "AG", "EF", "AF", "EG", "AX", "EX", "A[", "E[", "U", "W", "R", "]", "(", ")", "!", "&&", "||", "->", "<->", "A",
    "E",
)  # fmt: skip
WHOLE = (
    "", " ", "--", "[]", "<>", "((((", "p U", "U p", "[] <>", "A[x U", "A[x U y", "E[]", "AG", "}", "{", "/*", "//", "\\",
    "\0", '"', "'a'",
    "#define x", "ltl p { [] x }", "x; y", "x = 1", "x++", "run P()", "1/0", "9" * 400, "_", "else", "[] [] []",
    "!" * 3000 + "true",
    "[] " * 3000 + "true", "(" * 3000 + "true" + ")" * 3000, "X " * 200 + "true", "AG " * 3000 + "true", "EX " * 300 + "true",
    " && ".join(f"[] <> (x == {k})" for k in range(12)), " U ".join(["(x == 1)"] * 30), " && ".join(["x"] * 3000),
    "true -> " * 2000 + "true",
    "<> " * 20 + "(x U (y U x))", "A[" * 500 + "true" + " U true]" * 500,
)  # fmt: skip


@cache
def commands() -> dict[tuple[str, ...], tuple[Option, ...]]:
    """The options of every command that ends."""
    return {
        tuple(name.split()): tuple(option for option in options_of(name) if option.flags)
        for name in ALL
        if name not in WITHOUT
    }


def has(command: tuple[str, ...], name: str) -> bool:
    return any(name in each.flags for each in commands()[command])


def formula(chance: random.Random, atoms: Sequence[str] = (), branching: bool = False) -> str:
    """A formula of linear or branching time, of which few are well formed."""
    if chance.random() < 0.1:
        return chance.choice(WHOLE)
    text = formed(chance, [*ATOMS, *atoms], branching, chance.choice((1, 2, 3, 5)))
    if chance.random() < 0.4:
        words = text.split(" ")
        words[chance.randrange(len(words))] = chance.choice(
            (*(BRANCHING if branching else LINEAR), *OPERATORS, *ODD, *NUMBERS)
        )
        text = " ".join(words)
    return text


def formed(chance: random.Random, atoms: Sequence[str], branching: bool, depth: int) -> str:
    if depth == 0:
        return chance.choice(atoms)
    one, two = (formed(chance, atoms, branching, depth - 1) for _ in range(2))
    if chance.random() < 0.4:
        return chance.choice((f"! ( {one} )", f"( {one} && {two} )", f"( {one} || {two} )", f"( {one} -> {two} )"))
    if branching:
        pair = f"{chance.choice('AE')}[ {one} {chance.choice('UWR')} {two} ]"
        return chance.choice((f"{chance.choice(BRANCHING[:6])} ( {one} )", pair))
    return chance.choice((f"[] ( {one} )", f"<> ( {one} )", f"X ( {one} )", f"( {one} {chance.choice('UWV')} {two} )"))


def count(chance: random.Random, names: Sequence[str]) -> str:
    return chance.choice(("1", "2", "3", "10", "1000", *NUMBERS))


def macro(chance: random.Random, names: Sequence[str]) -> str:
    name = chance.choice(("N", "M", "D", "x", *names))
    return chance.choice(
        (name, f"{name}={chance.choice(NUMBERS)}", f"{name}=", f"{name}=({name})", f"{name}=2", f"{name}=x")
    )


def sized(chance: random.Random, names: Sequence[str]) -> str:
    return f"{chance.choice(('node', 'hub', 'user', 'client', '', *names))}={chance.choice(('0', '1', '2', '3', '-1', '40', ''))}"


def feature(chance: random.Random, names: Sequence[str]) -> str:
    who = chance.choice(("1", "(1,2)", "(2,1)", "(1,1)", "(9,9)", "0", "()", "", "(1,2,3)", "99999999999", "(1,2"))
    return f"{chance.choice(('U', 'B', 'CFU', 'TCS', 'OCO', 'FILTER', *names))}[{who}{chance.choice((']', ']', ']', '', ']]'))}"


MAKERS: dict[str, Callable[[random.Random, Sequence[str]], str]] = {
    "N": count,
    "M": count,
    "LOG2": count,
    "S": lambda chance, names: chance.choice(("0.1", "1e-9", "1e308", "0", "-1", "nan", "inf", "1e400", "x", "")),
    "SIZE": lambda chance, names: chance.choice(SIZES),
    "FORMULA": lambda chance, names: formula(chance, names, chance.random() < 0.5),
    "OUT": lambda chance, names: chance.choice(OUTPUTS),
    "NAME[=VALUE]": macro,
    "TYPE=N": sized,
    "F": feature,
    "P": lambda chance, names: feature(chance, names).replace("[", "(").replace("]", ")"),
    "NAME": lambda chance, names: chance.choice(("assertions", "end states", "faults", "P", "p", *names)),
}


def value(chance: random.Random, given: Option, names: Sequence[str], tame: bool) -> str:
    """What follows an option: if `tame`, usually something that is accepted."""
    if chance.random() < (0.02 if tame else 0.3):
        return chance.choice(ODD_VALUES)
    if tame and given.value in ("N", "OUT"):
        return chance.choice(TAME_COUNTS if given.value == "N" else TAME_OUTPUTS)
    if given.names:
        return chance.choice(given.names)
    maker = MAKERS.get(given.value)
    return chance.choice(ODD_VALUES) if maker is None else maker(chance, names)


def options(
    chance: random.Random,
    command: tuple[str, ...],
    names: Sequence[str],
    most: int,
    tame: bool = False,
    language: str = ".pml",
) -> list[str]:
    """Some options of a command, with values; if `tame`, usually such as are accepted with a model of the language."""
    found: list[str] = []
    for _ in range(chance.randint(0, most)):
        each = chance.choice(commands()[command])
        if APART.intersection(each.flags) and (tame or chance.random() < 0.5):
            continue
        if tame and each.value in ("NAME", "NAME[=VALUE]") and not each.names and chance.random() < 0.8:
            continue  # a name of which the model knows nothing, most likely
        if language != ".pml" and PROMELA.intersection(each.flags) and chance.random() < 0.9:
            continue
        written = chance.choice(each.flags)
        if not each.value:
            found.append(written)
            continue
        text = value(chance, each, names, tame)
        # A value after `=` may begin with a dash.
        found += [f"{written}={text}"] if written.startswith("--") and chance.random() < 0.5 else [written, text]
    return [each.replace("\0", "") for each in found]  # no program can be given a NUL
