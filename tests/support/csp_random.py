"""Random small CSP# files: everything that the front end supports, in no sensible combination.

python -m tests.support.csp_random 17        print one
python -m tests.support.csp_random --compare 0 2000
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from coset.engines.labelled import Graph, label
from coset.languages.csp import automaton
from coset.languages.csp.assertions import Builder
from coset.languages.csp.names import resolve
from coset.languages.csp.parse import parse
from coset.languages.csp.terms import Refused
from coset.model.interpreter import Interpreter
from coset.model.model import Model
from coset.model.state import State
from coset.model.validate import validate
from coset.source.budget import Limits
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from tests.support.csp_reference import Reference

HEAD = """\
#define M 3;
#define low x < 2;
enum {red, green};
var x:{0..2} = 1;
var y:{0..1};
var a[2]:{0..1} = [0, 1];
channel c 0;
channel d 1;
channel e[2] 1;
"""


class Writer:
    """Writes one file; `urgent` allows `atomic` at the top, which goes with no handshake."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.handshakes = self.random.random() < 0.6
        self.atomic = not self.handshakes and self.random.random() < 0.3
        self.open = self.random.random() < 0.3  # calls and events that read variables
        self.bound = 0
        self.side_by_side = False  # PAT flattens `|||` inside of `|||`, also what appears later; we do not

    def text(self) -> str:
        pick = self.random.choice
        system = pick([
            "|||i:{0..1}@P(i)", "P(0) ||| Q", "P(0) || Q", "|||i:{0..1}@R(i, 0)", "P(1) ||| (Q || P(0))", "|||{2}@Q",
            "P(0) ||| P(0)", "(P(0); Q) ||| P(1)", "||i:{0..1}@P(i)", "P(0) ||| Q ||| R(0, 1)", "Q [] P(1)",
            "(Q ||| P(1)) \\ {e1, e2.1}", "|||i:{0..1}; j:{0..1}@R(i, j)", "P(0) interrupt Q", "|||{2}@P(1) ||| Q",
        ])  # fmt: skip
        if self.atomic:
            system = pick(["atomic{P(0)} ||| Q", "P(0) ||| atomic{Q}; P(1)", "|||i:{0..1}@atomic{P(i)}"])
        self.side_by_side = "|||" in system
        lines = [HEAD]
        lines.append(f"P(i) = {self.process(3, ['i'])};")
        lines.append(f"Q = {self.process(3, [])};")
        lines.append(f"R(i, j) = {self.prefix(2, ['i', 'j'])} [] {self.process(1, ['i', 'j'])};")
        if self.open:
            lines += ["#alphabet P {e1, e2.0};", "#alphabet Q {e1, e2.1};", "#alphabet R {e2.0, e2.1, e3};"]
        elif self.random.random() < 0.2:
            lines.append("#alphabet Q {e1, e2.0};")
        lines.append(f"System = {system};")
        lines.append("#assert System deadlockfree;")
        return "\n".join(lines) + "\n"

    # --- processes ---------------------------------------------------------------------------------

    def process(self, depth: int, names: list[str]) -> str:
        pick, roll = self.random.choice, self.random.random()
        if depth == 0 or roll < 0.1:
            return pick(["Skip", "Stop", self.prefix(0, names)])
        if roll < 0.55:
            return self.prefix(depth, names)

        def inner() -> str:
            return self.process(depth - 1, names)

        condition = self.condition(names)
        options: list[Callable[[], str]] = [
            lambda: f"({inner()} [] {inner()})",
            lambda: f"({inner()} [*] {inner()})",
            lambda: f"({inner()} <> {inner()})",
            lambda: f"[{condition}] {self.prefix(depth - 1, names)}",
            lambda: f"if ({condition}) {{ {inner()} }} else {{ {inner()} }}",
            lambda: f"ifa ({condition}) {{ {inner()} }} else {{ {inner()} }}",
            lambda: f"ifb ({condition}) {{ {inner()} }}",
            lambda: f"case {{ {condition}: {inner()} default: {inner()} }}",
            lambda: f"({inner()}; {inner()})",
            lambda: f"({inner()} {'||' if self.side_by_side else '|||'} {inner()})",
            lambda: f"({inner()} || {inner()})",
            lambda: f"({inner()} interrupt {inner()})",
            lambda: f"({inner()} \\ {{e1}})",
            lambda: f"([]k:{{0..1}}@{self.prefix(1, [*names, 'k'])})",
        ]
        return pick(options)()

    def prefix(self, depth: int, names: list[str]) -> str:
        pick, roll = self.random.choice, self.random.random()
        value = self.closed(names)
        if roll < 0.12:
            head, names = self.input(names)
        elif roll < 0.24:
            head = pick([f"c!{value}" if self.handshakes else "e1", f"d!{self.number(names)}", f"e[{value}]!{value}"])
        elif roll < 0.5:
            head = pick(["e1", "e3"]) + self.operation(names)
        else:
            head = pick(["e1", f"e2.{value}", "e3", f"e2.{'y' if self.open else value}", "tau"])
        return f"{head} -> {self.rest(depth, names)}"

    def input(self, names: list[str]) -> tuple[str, list[str]]:
        self.bound += 1
        name = f"v{self.bound}"
        value = self.closed(names)
        return self.random.choice([
            (f"d?{name}", [*names, name]), (f"d?[{name} > 0]{name}", [*names, name]), (f"e[{value}]?{value}", names),
            (f"c?{name}" if self.handshakes else f"d?{name}", [*names, name]), (f"d?{value}{{y = 1 - y;}}", names),
        ])  # fmt: skip

    def rest(self, depth: int, names: list[str]) -> str:
        roll = self.random.random()
        if depth > 0 and roll < 0.5:
            inner = self.process(depth - 1, names)
            return inner if inner.startswith(("(", "if", "case")) else f"({inner})"
        calls = [f"P({self.closed(names)})", "Q", f"R({self.closed(names)}, {self.closed(names)})", "Skip", "Stop"]
        if self.open:
            calls += [f"P({self.number(names)} % 2)", f"R(y, {self.closed(names)})"]
        return self.random.choice(calls)

    # --- values and operations ---------------------------------------------------------------------

    def closed(self, names: list[str]) -> str:
        """0 or 1, without variables."""
        return self.random.choice(["0", "1", "green", *(f"(1 - {n} % 2)" for n in names), *(f"{n} % 2" for n in names)])

    def number(self, names: list[str]) -> str:
        return self.random.choice(["x", "y", "(x + 1) % M", "a[y]", self.closed(names)])

    def condition(self, names: list[str]) -> str:
        return self.random.choice([
            "low", "x == 0", "y == 1 && x > 0", "!(x == 1)", f"a[{self.closed(names)}] == 1", "x != y", "call(cempty, d)",
            f"{self.closed(names)} == 0", "(x - 2) % M == 0",
        ])  # fmt: skip

    def operation(self, names: list[str]) -> str:
        count = self.random.randint(0, 2)
        return "{" + " ".join(self.statement(names, 1) for _ in range(count)) + "}"

    def statement(self, names: list[str], depth: int) -> str:
        simple = [
            "x = (x + 1) % M;", "y = 1 - y;", f"a[{self.closed(names)}] = y;", f"y = {self.closed(names)};",
            "x = (x - 1) % M;", "a[y] = 1 - a[y];", "var t = x; x = y; y = t % 2;",
        ]  # fmt: skip
        if depth == 0 or self.random.random() < 0.6:
            return self.random.choice(simple if depth else simple[:-1])
        inner = self.statement(names, 0)
        return self.random.choice([
            f"if ({self.condition(names)}) {{ {inner} }}",
            f"if ({self.condition(names)}) {{ {inner} }} else {{ {self.statement(names, 0)} }}",
            f"while (x > 0) {{ x--; {inner.replace('x = (x + 1) % M;', '').replace('x = (x - 1) % M;', '')} }}",
        ])  # fmt: skip


def write(seed: int) -> str:
    return Writer(seed).text()


def labelled_model(text: str) -> Model:
    """The model of `System` in which every step prints its event; raises `Refused`."""
    diagnostics = Diagnostics()
    program = resolve(parse(Source("random.csp", text), {}, diagnostics), diagnostics)
    diagnostics.check()
    builder = Builder(program, "random.csp")
    return builder.models[builder.place(program.assertions[0].process, "deterministic")]


@contextmanager
def few_locations() -> Iterator[None]:
    """Automata that grow without end are given up early."""
    before = automaton.MOST_LOCATIONS, automaton.MOST_SYMBOLIC
    automaton.MOST_LOCATIONS = automaton.MOST_SYMBOLIC = 300
    try:
        yield
    finally:
        automaton.MOST_LOCATIONS, automaton.MOST_SYMBOLIC = before


def merged(model: Model, state: State) -> State:
    """The state, but for one thing: where all sides have ended, it does not matter where each of them stands."""
    if model.variables and model.variables[-1].name == "ended" and state.values[-1]:
        return state._replace(processes=())
    return state


def compare(text: str, most: int = 3000) -> bool | None:
    """Whether the lowered model has as many states, deadlocks and transitions with the same labels as the reference;
    None if the file is refused or too large."""
    try:
        with few_locations():
            model = labelled_model(text)
    except Refused:
        return None
    assert validate(model) == []
    try:
        space = Reference(text).explore("System", most)
    except RecursionError:  # terms that grow without end
        return None
    if space is None:
        return None
    graph = Graph(model, Limits())
    interpreter = Interpreter(model)
    transitions, deadlocks = set(), 0
    for state, steps in graph.rows():
        transitions |= {(state, label(step), merged(model, step.state)) for step in steps}
        deadlocks += not steps and not interpreter.valid_end(state)
    found = (
        len({merged(model, state) for state in graph.parents}),
        deadlocks,
        sorted(event for _, event, _ in transitions),
    )
    wanted = len(space.states), len(space.deadlocks), sorted(event for _, event, _ in space.transitions)
    return found == wanted


def main() -> None:
    if sys.argv[1] != "--compare":
        print(write(int(sys.argv[1])))
        return
    counts: dict[bool | None, int] = {True: 0, False: 0, None: 0}
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        result = compare(write(seed))
        counts[result] += 1
        if result is False:
            print(f"seed {seed} differs")
    print(f"{counts[True]} agree, {counts[False]} differ, {counts[None]} are refused or too large")


if __name__ == "__main__":
    main()
