"""Random formulas of computation tree logic, and what they mean on a model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import coset
from coset import check
from coset.engines.reference.branching import reachable
from coset.model.interpreter import Interpreter
from coset.model.model import Branching, Model
from coset.results.trace import replay
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from tests.support.ctl_naive import naive

LIGHTS = """
#define both (green[0] && green[1])
mtype = { north, south };
bool green[2], broken; byte cars; chan c = [1] of { mtype };
active proctype North() {
waits: c?north; green[0] = true;
drives: cars = (cars + 1) % 3; green[0] = false; c!south; goto waits
}
active proctype South() {
waits: c?south; green[1] = true; green[1] = false; c!north; goto waits
}
active proctype Start() { c!north; if :: broken = true; c?_ :: skip fi }
"""
STATED = {
    "AG !both": "holds",
    "AG (North@drives -> green[0])": "holds",
    "EF green[1]": "holds",
    "AF green[0]": "violated",
    "AG EF green[0]": "violated",
    "AG (broken || EF green[0] && EF green[1])": "holds",
    "E[!green[1] U green[0]]": "holds",
    "A[!green[1] U green[0]]": "violated",
    "A[!green[1] W green[0]]": "holds",
    "A[green[0] R !green[1]]": "holds",
    "EG cars == 0": "holds",
    "AG cars == 0": "violated",
    "AX AX len(c) == 1": "violated",
    "EX len(c) == 1": "holds",
    "AG (cars == 1 -> AX cars >= 1)": "holds",
    "EF (broken && AG !green[0])": "holds",
    "EF EG (len(c) == 0 && !broken) -> false": "holds",
    "AG (South@waits || EX South[1]@waits) ": "violated",
    "!EF cars > 1": "violated",
    "true": "holds",
    "AG false": "violated",
}


def load(text: str, formulas: Sequence[str], folder: Path) -> Model:
    path = folder / "model.pml"
    path.write_text(text)
    return coset.load(path, ctl=formulas)


def meaning(model: Model) -> dict[str, bool]:
    """Which formulas of a model hold, by the naive evaluation of each."""
    interpreter = Interpreter(model)
    states, successors = reachable(interpreter, Limits())
    found = {}
    for each in model.properties:
        assert isinstance(each, Branching)
        atoms = {}
        for atom in each.formula.atoms():
            function = interpreter.evaluation.expression(atom)
            moments = [interpreter.moment(state, -1) for state in states]
            atoms[atom] = {number for number, now in enumerate(moments) if function(now)}
        found[each.name] = 0 in naive(each.formula, successors, atoms)
    return found


def verdicts(model: Model, engine: str, threads: int) -> dict[str, bool]:
    """The verdicts of an engine; every trace must be a run, and show the violation unless it is said that it cannot."""
    result = check(model, engine=engine, threads=threads, properties=[each.name for each in model.properties])
    for each in result.properties:
        assert each.kind == "ctl" and each.verdict is not Verdict.UNKNOWN, each
        if each.verdict is Verdict.VIOLATED:
            assert each.trace is not None or each.reason is not None
        if each.trace is not None and each.reason is None:
            assert replay(model, each.trace).message.endswith(f"{each.name} is violated")
    return {each.name: each.verdict is Verdict.HOLDS for each in result.properties}


def formula(chance: random.Random, atoms: Sequence[str], size: int) -> str:
    """A random formula with at most so many operators."""
    if size <= 0:
        return chance.choice(atoms)
    if chance.random() < 0.5:
        return f"{chance.choice(['AX', 'EX', 'AF', 'EF', 'AG', 'EG', '!'])} ({formula(chance, atoms, size - 1)})"
    left = chance.randrange(size)
    parts = formula(chance, atoms, left), formula(chance, atoms, size - 1 - left)
    if chance.random() < 0.5:
        return f"({parts[0]} {chance.choice(['&&', '||', '->', '<->'])} {parts[1]})"
    return f"{chance.choice('AE')}[{parts[0]} {chance.choice('UWR')} {parts[1]}]"
