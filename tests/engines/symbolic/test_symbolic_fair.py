"""Formulas about weakly fair runs in the symbolic engine, against the definition on the interpreter's graph.

The naive twin: a run that stays in a set for ever ends up in a strongly connected component of it, and one that goes
through all of the component again and again is fair if any is.  So `EG p` holds where states with p lead into a component
of states with p in which each process is unable to move somewhere, or takes part in an inner step.  The other operators
go to states from which there is a fair run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import igraph
import pytest

import coset
from coset import check
from coset.cli import main
from coset.engines.reduction import UnusableSymmetry
from coset.engines.symbolic.engine import Refused
from coset.model import expression as e
from coset.model.interpreter import Interpreter, is_fault
from coset.model.model import CtlProperty, LtlProperty, Model, Property
from coset.properties.common_fragment import branching_form
from coset.properties.ctl import Branching, BranchingUntil
from coset.properties.formula import Atom, Constant, Formula, Logic, Not
from coset.results.trace import replay
from coset.results.verdict import Check, Verdict
from coset.source.diagnostics import InputError
from tests.support.confirmation import is_fair
from tests.support.ctl_random import formula, load, meaning
from tests.support.paths import MODELS
from tests.support.random_formulas import conditions
from tests.support.random_formulas import formula as linear_formula
from tests.support.symbolic_cases import program

Truth = Mapping[e.Expr, set[int]]


@dataclass(frozen=True)
class FairSteps:
    """From each state the steps, as targets and who takes part; and who can begin one.  A state without steps is its own
    successor, and nobody takes part in that."""

    arrows: list[list[tuple[int, frozenset[int]]]]
    able: list[set[int]]
    processes: range

    def naive(self, formula: Formula[e.Expr], atoms: Truth) -> set[int]:
        every = set(range(len(self.arrows)))
        fair = self.always(every)

        def step(goal: set[int]) -> set[int]:
            return {n for n in every if any(target in goal & fair for target, _ in self.arrows[n])}

        def until(p: set[int], q: set[int]) -> set[int]:
            found = q & fair
            while (more := found | p & step(found)) != found:
                found = more
            return found

        def all_until(p: set[int], q: set[int]) -> set[int]:
            return every - until(every - q, every - p - q)

        def states(formula: Formula[e.Expr]) -> set[int]:
            return self.naive(formula, atoms)

        match formula:
            case Constant(value):
                return every if value else set()
            case Atom(atom):
                return atoms[atom]
            case Not(operand):
                return every - states(operand)
            case Logic(operator, left, right):
                p, q = states(left), states(right)
                return {"&&": p & q, "||": p | q, "->": every - p | q, "<->": every - (p ^ q)}[operator]
            case Branching("E", operator, operand):
                p = states(operand)
                return {"X": step, "F": lambda p: until(every, p), "G": self.always}[operator](p)
            case Branching("A", operator, operand):
                return every - states(Branching("E", {"X": "X", "F": "G", "G": "F"}[operator], Not(operand)))
            case BranchingUntil(quantifier, operator, left, right):
                p, q = states(left), states(right)
                match quantifier + operator:
                    case "EU":
                        return until(p, q)
                    case "EW":
                        return until(p, q) | self.always(p)
                    case "ER":
                        return until(q, p & q) | self.always(q)
                    case "AU":
                        return all_until(p, q) - self.always(every - q)
                    case "AW":
                        return all_until(p, q)
                    case "AR":
                        return every - until(every - p, every - q)
        raise AssertionError(formula)

    def always(self, holds: set[int]) -> set[int]:
        inner = [(n, target) for n in holds for target, _ in self.arrows[n] if target in holds]
        graph = igraph.Graph(len(self.arrows), inner, directed=True)
        found = set[int]()
        for component in map(set, graph.connected_components("strong")):
            around = [(n, who) for n in component & holds for to, who in self.arrows[n] if to in component]
            if around and all(any(p in who or p not in self.able[n] for n, who in around) for p in self.processes):
                found |= component
        return set().union(*graph.neighborhood(sorted(found), len(self.arrows), "in")) if found else found


def fair_meaning(model: Model) -> dict[str, bool]:
    """Which formulas of a model hold if only fair runs count."""
    interpreter = Interpreter(model)
    states = [interpreter.initial()]
    numbers = {interpreter.key(states[0]): 0}
    arrows, able = [], []
    for number, state in enumerate(states):
        row, first = [], set[int]()
        for taken in interpreter.steps(state):
            if is_fault(taken.moves[-1]):
                continue
            key = interpreter.key(taken.state)
            if key not in numbers:
                numbers[key] = len(states)
                states.append(taken.state)
            partners = {move.partner[0] for move in taken.moves if move.partner is not None}
            row.append((numbers[key], frozenset(partners | {move.process for move in taken.moves})))
            first.add(taken.moves[0].process)
        arrows.append(row or [(number, frozenset())])
        able.append(first)
    steps = FairSteps(arrows, able, range(max(len(state.processes) for state in states)))
    assert steps.always(set(range(len(states)))) == set(range(len(states))), "every run can be made a fair one"
    found = {}
    for each in model.properties:
        assert isinstance(each, CtlProperty)
        atoms = {}
        for atom in each.formula.atoms():
            function = interpreter.evaluation.expression(atom)
            atoms[atom] = {n for n, state in enumerate(states) if function(interpreter.moment(state, -1))}
        found[each.name] = 0 in steps.naive(each.formula, atoms)
    return found


def fair_verdicts(model: Model) -> dict[str, bool]:
    """The verdicts of the symbolic engine; every trace is a fair run, and shows the violation unless it is said that it
    cannot."""
    names = [each.name for each in model.properties]
    result = check(model, engine="symbolic", fair=True, properties=names)
    assert_fair_traces(model, result)
    return {each.name: each.verdict is Verdict.HOLDS for each in result.properties}


def assert_fair_traces(model: Model, result: Check) -> None:
    for each in result.properties:
        assert each.verdict is not Verdict.UNKNOWN or (each.kind == "ltl" and "faults" in (each.reason or "")), each
        if each.verdict is Verdict.VIOLATED:
            assert each.trace is not None or each.reason is not None
        if each.trace is not None:
            run = replay(model, each.trace)
            assert is_fair(run), each
            assert each.reason is not None or run.message.endswith(f"{each.name} is violated")


# --- by hand -------------------------------------------------------------------------------------

UNFAIR = """
byte x; bool done;
active proctype Busy() { do :: x = 1 - x od }
active proctype Waits() { done = true; false }
"""
BY_HAND = {
    "EG !done": (True, False),
    "AF done": (False, True),
    "EX !done": (True, True),
    "EF EG done": (True, True),
    "AG (x == 1 -> AF x == 0)": (True, True),
    "A[!done U done]": (False, True),
    "A[!done W done]": (True, True),
    "AF AG done": (False, True),
    "EG (x == 0)": (False, False),
    "EG (x == 0 || !done)": (True, False),
}


@pytest.mark.parametrize("text", BY_HAND)
def test_fairness_by_hand(text: str, tmp_path: Path) -> None:
    model = load(UNFAIR, [text], tmp_path)
    plain, fair = BY_HAND[text]
    assert list(meaning(model).values()) == [plain]
    assert list(fair_meaning(model).values()) == [fair]
    assert list(fair_verdicts(model).values()) == [fair]


PROGRAMS = {
    "who can only answer is not able": """
        chan c = [0] of { bit }; bool got; byte x;
        active proctype S() { do :: c!1 :: x = 1 - x od } active proctype R() { do :: c?_ -> got = true od }""",
    "who answers moves": """
        chan c = [0] of { bit }; bool done;
        active proctype S() { do :: c!1 od } active proctype R() { do :: c?_ :: done = true od }""",
    "able now and then": """
        byte x; bool done;
        active proctype Busy() { do :: x = 1 - x od } active proctype Waits() { x == 1; done = true; false }""",
    "several loops at one state": """
        byte x; active [3] proctype P() { do :: skip :: x == 7 -> x = 0 od }""",
    "control handed on in an atomic sequence": """
        chan c = [0] of { bit }; byte x; bool done;
        active proctype S() { do :: atomic { x = 1 - x; c!1 } od }
        active proctype R() { do :: atomic { c?_; x = x } :: done = true od }""",
    "processes that end": "byte x; active [2] proctype P() { x++; x++ } active proctype Q() { do :: x > 1 -> x = 1 od }",
    "processes started while others run": """
        byte x, n; proctype P() { do :: x = 1 - x :: n == 2 -> n = 2 od }
        init { run P(); run P(); n = 1; n = 2; false }""",
    "a fault": """
        byte a[2], i; active proctype P() { do :: i < 3 -> a[i] = 1; i++ od } active proctype Q() { do :: i > 0 -> i-- od }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_constructs(name: str, tmp_path: Path) -> None:
    text, chance = PROGRAMS[name], random.Random(name)
    atoms = conditions(coset.parse_text(text))
    formulas = [f"{form}{atom}" for form in ("AF ", "EF EG !") for atom in atoms[:8]]
    formulas += [formula(chance, atoms, chance.randint(2, 6)) for _ in range(12)]
    model = load(text, [each for each in formulas if "a[" not in each], tmp_path)
    assert fair_verdicts(model) == fair_meaning(model)


# --- shipped models ------------------------------------------------------------------------------

SHIPPED: list[tuple[str, dict[str, str], list[str]]] = [
    ("peterson.pml", {"N": "2"}, ["AG AF inside == 1", "AF rung[0] == 1", "AG (rung[1] == 1 -> AF rung[1] == 0)"]),
    ("philosophers_fixed.pml", {"N": "3"}, ["AG AF meals > 0", "AF philosopher[0]@eating", "EG !taken[1]", "AF taken[2]"]),
    ("alternating_bit.pml", {}, ["AG AF accepted", "EF EG !accepted", "EG lost == 0", "A[!accepted U received == 1]"]),
    ("semaphore_mutex.spl", {}, ["AG AF y == 1", "EG y == 1", "AF y == 0"]),
    ("test_and_set.spl", {}, []),
    ("counting_semaphore.spl", {}, []),
    ("readers_writer.seq", {}, []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "defines", "formulas"), SHIPPED, ids=[name for name, _, _ in SHIPPED])
def test_shipped_models(name: str, defines: dict[str, str], formulas: list[str]) -> None:
    """Stated formulas and some more; those of linear time have the verdicts of the product with an automaton."""
    model, chance = coset.load(MODELS / name, defines), random.Random(name)
    if name.endswith(".pml"):
        formulas = formulas + [formula(chance, conditions(model), chance.randint(1, 5)) for _ in range(8)]
    model = coset.load(MODELS / name, defines, ctl=formulas)
    branching = replace(model, properties=tuple(filter(is_known, model.properties)))
    assert fair_verdicts(branching) == fair_meaning(branching)
    assert_linear(model)


def is_known(property_: Property) -> bool:
    """Whether it is of branching time, and does not ask who is able to move, which the engine cannot tell."""
    return isinstance(property_, CtlProperty) and not any(
        isinstance(x, e.Enabled) for atom in property_.formula.atoms() for x in atom.walk()
    )


def assert_linear(model: Model) -> set[Verdict]:
    """Formulas of linear time that are of branching time as well have the verdicts of the interpreter's search."""
    kept = [each for each in model.properties if isinstance(each, LtlProperty) and branching_form(each.formula)]
    model = replace(model, properties=tuple(kept))
    names = [each.name for each in kept]
    found = check(model, engine="symbolic", fair=True, properties=names)
    expected = check(model, engine="reference", symmetry="off", steps="plain", fair=True, properties=names)
    for ours, theirs in zip(found.properties, expected.properties, strict=True):
        assert ours.verdict in (theirs.verdict, Verdict.UNKNOWN)
    assert_fair_traces(model, found)
    return {each.verdict for each in found.properties} - {Verdict.UNKNOWN}


# --- random --------------------------------------------------------------------------------------


BUSY = "active proctype Busy() { do :: skip od }"
OPTIONS = [
    "x == {k} -> y = (y + 1) % 3", "y != {k} -> x = (x + 1) % 3", "x = {k}", "skip", "c!{b}", "c?{b}", "c?_ -> y = {k}",
    "atomic {{ x = {k}; c!{b} }}", "atomic {{ c?_; y = {k} }}", "atomic {{ y == {k}; x = 0; y = 2 }}", "x > {k} -> break",
    "y == {k} -> false", "x != y -> x = y; y = {k}", "d!x", "d?y",
]  # fmt: skip


def looping(seed: int) -> str:
    """Processes that are in each other's way, or make way for each other, again and again."""
    chance = random.Random(seed)
    processes = []
    for number in range(chance.randint(2, 4)):
        options = [chance.choice(OPTIONS).format(k=chance.randrange(3), b=chance.randrange(2)) for _ in range(3)]
        body = " ".join(f":: {each}" for each in options[: chance.randint(1, 3)])
        processes.append(f"active proctype P{number}() {{ do {body} od }}")
    return "\n".join(["byte x, y; chan c = [0] of { bit }; chan d = [1] of { byte };", *processes])


def source(seed: int) -> str:
    """Every other program with a process that never stops, so that it matters whether runs are fair."""
    return looping(seed) if seed % 2 else f"{program(seed // 2)}\n{BUSY if seed % 4 else ''}"


def random_models(seeds: Sequence[int], most: int) -> list[tuple[int, str, list[str]]]:
    """Small programs with conditions to ask about."""
    found = []
    for seed in seeds:
        try:
            bare = coset.parse_text(source(seed))
        except InputError:
            continue
        atoms = conditions(bare)
        if not atoms or bare.properties:
            continue
        if coset.explore(bare, engine="reference", symmetry="off", max_states=most).complete:
            found.append((seed, source(seed), atoms))
    return found


def assert_random_formulas(seeds: Sequence[int], number: int, folder: Path) -> int:
    """How often fairness made a difference."""
    seen, different = set[bool](), 0
    for seed, text, atoms in random_models(seeds, 600):
        chance = random.Random(seed)
        some = [f"{chance.choice(['AF', 'EG', 'AG AF', 'EF EG'])} {chance.choice(atoms)}" for _ in range(number // 2)]
        more = [formula(chance, atoms, chance.randint(1, 6)) for _ in range(number - number // 2)]
        model = load(text, some + more, folder)
        try:
            found = fair_verdicts(model)
        except Refused:
            continue
        assert found == fair_meaning(model), seed
        seen |= set(found.values())
        plain = meaning(model)
        different += sum(plain[name] != holds for name, holds in found.items())
    assert seen == {True, False}
    return different


def test_random_formulas_on_random_programs(tmp_path: Path) -> None:
    assert assert_random_formulas(range(60), 6, tmp_path) > 5


@pytest.mark.long
@pytest.mark.parametrize("first", range(5000, 5400, 100))
def test_many_random_formulas_on_random_programs(first: int, tmp_path: Path) -> None:
    assert assert_random_formulas(range(first, first + 100), 8, tmp_path) > 5


def assert_linear_formulas(seeds: Sequence[int], folder: Path) -> None:
    seen, path = set[Verdict](), folder / "model.pml"
    for seed, text, atoms in random_models(seeds, 300):
        chance = random.Random(seed)
        path.write_text(text)
        formulas = [linear_formula(chance, atoms, chance.randint(1, 5)) for _ in range(6)]
        try:
            seen |= assert_linear(coset.load(path, formulas=formulas))
        except Refused:
            continue
    assert seen == {Verdict.HOLDS, Verdict.VIOLATED}


def test_formulas_of_linear_time(tmp_path: Path) -> None:
    assert_linear_formulas(range(24), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(6000, 6400, 100))
def test_many_formulas_of_linear_time(first: int, tmp_path: Path) -> None:
    assert_linear_formulas(range(first, first + 100), tmp_path)


# --- the command line, and what is refused -------------------------------------------------------


def test_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "unfair.pml"
    path.write_text(UNFAIR)
    command = ["check", str(path), "--engine", "symbolic", "--property", "ctl_1", "--ctl", "AF done", "--json"]
    assert main(command) == 1
    capsys.readouterr()
    assert main([*command, "--fair"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["engine"], found["fair"], found["properties"][0]["verdict"]) == ("symbolic", True, "holds")


def test_what_stays_refused(tmp_path: Path) -> None:
    model = load(UNFAIR, ["AF done"], tmp_path)
    with pytest.raises(Refused, match="all errors"):
        check(model, engine="symbolic", fair=True, all_errors=True)
    with pytest.raises(UnusableSymmetry, match="visits every state"):
        check(model, engine="symbolic", fair=True, symmetry="program")
