"""Random Murphi programs, and a comparison with Rumur.

    python -m tests.support.murphi_random --compare 0 100       programs 0 to 99 against Rumur: states, rules fired, verdicts

Programs read undefined variables, leave ranges and get stuck now and then: then both tools must find an error.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import coset
from coset.languages.murphi.load import load
from coset.model.model import Model
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source

HEAD = """
const N: {n};
type
  Proc: scalarset(N);
  Node: 1..{m};
  Colour: enum {{ red, green, blue }};
  Small: 0..3;
  Cell: record colour: Colour; owner: Proc; full: boolean; end;
var
  c: array[Proc] of Colour;
  f: array[Proc] of boolean;
  s: array[Node] of Small;
  w: array[Proc] of Cell;
  p: Proc;
  n: Small;
  k: Colour;

function count(x: Colour): Small;
var total: 0..10;
begin
  total := 0;
  for i: Proc do if c[i] = x then total := total + 1; end; end;
  return total;
end;

function idle(): boolean;
begin
  for i: Proc do if f[i] then return false; end; end;
  return true;
end;

procedure turn(var x: Colour; how: Small);
begin
  if how = 0 then return; end;
  switch x case red: x := green; case green: x := blue; else x := red; end;
end;

function advance(): Small;
begin n := (n + 1) % 3; return n; end;

function least(a: Small): Small;
var j: 0..9;
begin
  j := a;
  while j < 3 do if s[1] = j then return j; end; j := j + 1; end;
  return a;
end;

function down(a: Small): Small;
begin
  if a = 0 | s[2] = a then return n; end;
  return down(a - 1);
end;

function within(a: Small): boolean;
begin
  for v := a to n do if s[1] = v then return true; end; end;
  return a = n;
end;

procedure paint(i: Proc);
var cell: Cell;
begin
  cell.colour := c[i]; cell.full := f[i];
  if !isundefined(p) then cell.owner := p; end;
  w[i] := cell;
end;
"""


class Writer:
    """Writes one random program.  `procs` and `nodes` are the names in scope."""

    def __init__(self, seed: int, has_covers: bool = False) -> None:
        self.random = random.Random(seed)
        self.has_covers = has_covers
        self.covers = 0
        self.depth = 0
        self.is_risky = self.random.random() < 0.2
        """Whether undefined variables may be read; otherwise most programs are without error, so that counts are compared."""

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def proc(self, procs: list[str]) -> str:
        rare = 0.85 if self.is_risky else 0.97
        return self.random.choice(procs) if procs and self.random.random() < rare else "p"

    def node(self, nodes: list[str]) -> str:
        return self.random.choice(nodes) if nodes else self.pick("1", "2")

    def number(self, procs: list[str], nodes: list[str]) -> str:
        return self.pick(
            "n",
            f"s[{self.node(nodes)}]",
            "0",
            "1",
            "2",
            "count(green)",
            f"count(c[{self.proc(procs)}])",
            "least(n)",
            "down(n)",
        )

    def colour(self, procs: list[str]) -> str:
        return self.pick("k", "red", "green", "blue", f"c[{self.proc(procs)}]")

    def condition(self, procs: list[str], nodes: list[str], depth: int = 0) -> str:
        i, j = self.proc(procs), self.proc(procs)
        simple = [
            f"f[{i}]", f"!f[{i}]", f"c[{i}] = {self.colour(procs)}", f"c[{i}] != k", "n < 2", f"s[{self.node(nodes)}] > n",
            f"isundefined(w[{i}].owner)", "isundefined(p)", "!isundefined(p) & f[p]", f"{i} = {j}", "idle()",
            "count(red) = 1", "within(n)", f"(!isundefined(w[{i}].owner) & w[{i}].owner = {j})",
            f"{self.number(procs, nodes)} = {self.number(procs, nodes)}",
        ]  # fmt: skip
        if depth < 2 and self.random.random() < 0.35:
            one, other = self.condition(procs, nodes, depth + 1), self.condition(procs, nodes, depth + 1)
            inner = self.condition([*procs, "q"], nodes, 2)
            return self.pick(
                f"({one}) {self.pick('&', '|', '->')} ({other})", f"forall q: Proc do {inner} end",
                f"exists q: Proc do {inner} end", f"!({one})",
            )  # fmt: skip
        return self.random.choice(simple)

    def cover(self, condition: str) -> str:
        """A `cover` of its own name."""
        self.covers += 1
        return f'cover "c{self.covers}" {condition};'

    def statement(self, procs: list[str], nodes: list[str], depth: int = 0) -> str:
        if self.has_covers and self.random.random() < 0.3:
            return self.plain(procs, nodes, depth) + " " + self.cover(self.condition(procs, nodes))
        return self.plain(procs, nodes, depth)

    def plain(self, procs: list[str], nodes: list[str], depth: int = 0) -> str:
        i = self.proc(procs)
        simple = [
            f"c[{i}] := {self.colour(procs)};", f"f[{i}] := {self.condition(procs, nodes, 2)};", f"f[{i}] := !f[{i}];",
            f"turn(c[{i}], {self.number(procs, nodes)});", f"paint({i});",
            "undefine p;" if self.is_risky else f"undefine w[{i}].owner;", f"p := {i};", "k := c[" + i + "];",
            f"n := (n + {self.number(procs, nodes)}) % 3;", f"s[{self.node(nodes)}] := {self.number(procs, nodes)};",
            f"undefine w[{i}];" if self.is_risky else f"w[{i}].full := f[{i}];", f"w[{i}].full := true;",
            f"clear w[{i}].colour;", "n := n > 0 ? n - 1 : 2;", f"n := (advance() + {self.number(procs, nodes)}) % 3;",
            f"n := ({self.number(procs, nodes)} * 2 + advance()) % 3;", f"turn(c[{i}], advance());",
            f"if advance() <= {self.number(procs, nodes)} then k := red; end;",
            f"if {self.condition(procs, nodes, 2)} then t := n; end; if !isundefined(t) then n := t % 3; end;",
            f"if {self.condition(procs, nodes, 2)} then t := {self.number(procs, nodes)}; end;",
            "n := t % 3;" if self.is_risky else "t := 1; n := t % 3;", "for v := n to 2 do s[1] := v; t := v; end;",
            f"while n < 2 do n := n + 1; t := n; end; if !isundefined(t) then s[{self.node(nodes)}] := t; end;",
            f"alias cell: w[{i}] do cell.owner := {i}; cell.full := f[{i}]; end;",
        ]  # fmt: skip
        if depth < 2 and self.random.random() < 0.3:
            inner = self.statement(procs, nodes, depth + 1)
            other = self.statement(procs, nodes, depth + 1)
            condition = self.condition(procs, nodes)
            each = self.statement([*procs, "r"], nodes, depth + 1)
            asked = self.condition([*procs, "r"], nodes, 2)
            return self.pick(
                f"if {condition} then {inner} else {other} end;", f"if {condition} then {inner} {other} end;",
                f"for r: Proc do {each} end;", f"for r: Proc do if {asked} then {each} end; end;",
                f"for v := 1 to 2 do s[v] := {self.number(procs, [*nodes, 'v'])}; end;",
                inner if "n :=" in inner else f"while n > 0 do n := n - 1; {inner} end;",
            )  # fmt: skip
        return self.random.choice(simple)

    def rule(self, number: int) -> str:
        procs, nodes, head = list[str](), list[str](), ""
        if self.random.random() < 0.7:
            procs, head = ["i"], "ruleset i: Proc do "
            if self.random.random() < 0.3:
                procs, head = ["i", "j"], "ruleset i: Proc; j: Proc do "
        elif self.random.random() < 0.5:
            nodes, head = ["a"], "ruleset a: Node do "
        guard = self.condition(procs, nodes)
        body = " ".join(self.statement(procs, nodes) for _ in range(self.random.randint(1, 3)))
        return f'{head}rule "r{number}" {guard} ==> var t: Small; begin {body} end;{" end;" if head else ""}'

    def program(self) -> str:
        text = HEAD.format(n=self.random.choice((2, 2, 3)), m=2)
        if self.has_covers:
            text = text.replace("switch x", self.cover(f"x = {self.pick('red', 'blue')}") + " switch x")
        start = "for i: Proc do c[i] := red; f[i] := false; clear w[i]; undefine w[i].owner; end; "
        start += "for a: Node do s[a] := 0; end; n := 0; k := red;"
        several = self.pick("", "ruleset o: Proc do ", "ruleset b: boolean do ")
        extra = "for i: Proc do p := i; end; "
        if "boolean" in several:
            extra += "for i: Proc do f[i] := b; end;"
        elif several:
            extra = "p := o;"  # so that no process is told apart at the start
        text += f'{several}startstate "go" begin {start} {extra} end;{" end;" if several else ""}\n'
        text += "\n".join(self.rule(number) for number in range(self.random.randint(2, 4)))
        if self.random.random() < 0.7:
            text += '\nruleset i: Proc do rule "go" true ==> f[i] := !f[i]; end; end;'
        if self.random.random() < 0.5:
            text += '\nruleset a: Node do rule "walk" n = 0 ==> s[a] := (s[a] + 1) % 3; end; end;'
        if self.random.random() < 0.2:
            text += f'\ninvariant "holds" {self.condition([], [])};'
        return text + "\n"


class Answer(NamedTuple):
    """States and rules fired, if no error was found."""

    states: int
    fired: int
    is_wrong: bool


def program(seed: int) -> str:
    return Writer(seed, has_covers=seed % 5 == 4).program()


def remembered(text: str) -> str:
    """The program with a variable for each `cover` in a rule, which remembers that it was hit: what `cover` means."""
    names = re.findall(r'cover "(c\d+)"', text)
    text = re.sub(r'cover "(c\d+)" (.*?);', r"if \2 then \1 := true; end;", text)
    text = text.replace("  k: Colour;", "  k: Colour; " + " ".join(f"{each}: boolean;" for each in names), 1)
    text = text.replace("k := red; ", "k := red; " + " ".join(f"{each} := false;" for each in names) + " ", 1)
    return text + " ".join(f'cover "{each}" {each}' for each in names) + "\n"


def read(text: str) -> Model:
    diagnostics = Diagnostics()
    model = load(Source("random.m", text), {}, diagnostics)
    assert model is not None, diagnostics.render() + text
    return model


def deadlock(seed: int) -> str:
    """What the comparison takes for a deadlock."""
    return ("stuttering", "stuck", "off", "off")[seed % 4]


def ours(model: Model, deadlock: str = "stuttering") -> Answer:
    """What the interpreter finds."""
    found = coset.explore(model, engine="reference", symmetry="off", deadlock=deadlock)
    checked = coset.check(model, symmetry="off", deadlock=deadlock)
    return Answer(
        found.states,
        found.transitions,
        str(checked.verdict) != "Verdict.HOLDS" and checked.verdict.value != "holds",
    )


def rumur(text: str, symmetry: str = "off", deadlock: str = "stuttering") -> Answer:
    """What Rumur finds."""
    with tempfile.TemporaryDirectory() as folder:
        source, verifier = Path(folder, "model.c"), Path(folder, "model")
        options = [
            "--threads",
            "1",
            "--symmetry-reduction",
            symmetry,
            "--deadlock-detection",
            deadlock,
            "--color",
            "off",
        ]
        subprocess.run(
            ["rumur", *options, "--output", str(source)], input=text, text=True, check=True, capture_output=True
        )
        compiler = [
            "gcc",
            "-std=c11",
            "-O0",
            "-march=native",
            "-mcx16",
            "-w",
            "-o",
            str(verifier),
            str(source),
            "-lpthread",
        ]
        subprocess.run(compiler, check=True, capture_output=True)
        said = subprocess.run([str(verifier)], text=True, capture_output=True, timeout=120).stdout
    counts = re.search(r"(\d+) states, (\d+) rules fired", said)
    assert counts is not None, said
    return Answer(int(counts[1]), int(counts[2]), "No error found" not in said)


def difference(seed: int) -> str | None:
    """Where Rumur and we differ, if we do."""
    text = program(seed)
    mine, other = ours(read(text), deadlock(seed)), rumur(text, deadlock=deadlock(seed))
    if mine.is_wrong != other.is_wrong or (not mine.is_wrong and mine != other):
        return f"program {seed}: {mine}, Rumur {other}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.murphi_random", description="Compare with Rumur.")
    parser.add_argument("--compare", nargs=2, type=int, metavar=("FIRST", "LAST"))
    parser.add_argument("--show", type=int)
    options = parser.parse_args()
    if options.show is not None:
        print(program(options.show))
        return 0
    if shutil.which("rumur") is None:
        print("nothing is compared, as Rumur is not installed: apt-get install rumur")
        return 0
    wrong = 0
    for seed in range(*options.compare):
        found = difference(seed)
        if found is not None:
            wrong += 1
            print(found, flush=True)
    print(f"{options.compare[1] - options.compare[0]} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
