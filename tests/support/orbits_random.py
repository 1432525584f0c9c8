"""Random programs with a formula for each process, and their conjunction: decided by orbit and one by one, the verdicts agree.

    python -m tests.support.orbits_random FROM TO      programs with seeds from FROM to below TO

Two programs of three have something that may tell processes apart: a line for one of them, a start value, writes before the
processes start that are undone or not, starts one by one.  What the symmetry must notice, and what it may overlook.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence

from coset.engines.settings import Settings
from coset.languages.promela.language import PROMELA
from coset.languages.reading import Reading
from coset.model import model as m
from coset.results.trace import replay
from coset.results.verdict import Check
from coset.source.budget import Limits
from coset.source.text import Source
from coset.tasks.by_symmetry import by_orbit
from coset.tasks.checker import check
from coset.tasks.load import parse_text
from tests.support.seeds import compare_seeds

MOST = 4_000
STATEMENTS = (
    "x[I] = 1", "x[I] = 0", "x[I] = 1 - x[I]", "turn = I", "(turn == I)", "(turn != I || x[I] == 0)", "n = 1 - n",
    "(n == 0)", "atomic { x[I] == 0 -> x[I] = 2; n = 1 }", "c?_", "c!I", "c?eval(I)", "if :: x[I] > 0 :: else -> n = 0 fi",
)  # fmt: skip
ATOMS = ("x[I] == 1", "x[I] > 0", "turn == I", "turn == I && n == 1", "P[Q]@there", "x[I] <= n", "x[I] == 0 || n == 0")
SHAPES = (
    "[] (A)", "<> (A)", "[] ((A) -> <> (B))", "[] <> (A)", "(A) U (B)", "<> [] (A)", "[] ((A) -> (B))", "! ((A) U (B))",
    "X (A)", "[] ((A) -> X (B))", "(B) -> ([] (A))",
)  # fmt: skip

BRANCHING = (
    "AG (A)", "EF (A)", "AG ((A) -> AF (B))", "AG EF (A)", "A[(A) U (B)]", "EG (A)", "AG ((A) -> EX (B))", "AF AG (A)",
    "E[(A) U (B)]", "AG ((A) -> A[(A) W (B)])",
)  # fmt: skip
"""Shapes of formulas of computation tree logic."""


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    return "\n".join([*program(seed)[0], *program(seed)[1]]) + "\n"


def generate_branching(seed: int) -> tuple[str, list[str]]:
    """A random program without formulas, and formulas of computation tree logic for it."""
    lines, _, formulas = program(seed, BRANCHING)
    return "\n".join(lines) + "\n", [*formulas, " && ".join(f"({text})" for text in formulas)]


def program(seed: int, shapes: Sequence[str] = SHAPES) -> tuple[list[str], list[str], list[str]]:
    """The lines of a program, those with its formulas, and the formula about each process."""
    rng = random.Random(seed)
    count = rng.choice((2, 2, 3))
    odd = rng.choice(("", "", "", "line", "start", "undone", "written", "turn", "one by one", "formula"))
    has_init = odd in ("undone", "written", "one by one") or rng.random() < 0.4
    base = 1 if has_init else 0
    me = f"(_pid - {base})" if has_init else "_pid"
    body = [rng.choice(STATEMENTS).replace("I", "me" if has_init else "_pid") for _ in range(rng.randint(2, 4))]
    body.insert(rng.randrange(len(body)), "there: skip")
    if odd == "line":
        body.insert(rng.randrange(len(body)), f"if :: {me} == {rng.randrange(count)} -> n = 1 :: else fi")
    loop = f"do :: {'; '.join(body)} od"
    lines = [
        f"byte x[{count}]{' = 1' if rng.random() < 0.2 else ''}; bit n; byte turn = {0 if odd == 'turn' else 7};",
        "chan c = [1] of { byte };",
    ]
    if odd == "start":
        lines[0] = f"byte x[{count}] = {{ {', '.join(['1'] + ['0'] * (count - 1))} }}; bit n; byte turn = 7;"
    if has_init:
        which = rng.randrange(count)
        early = {"undone": f"x[{which}] = 2; x[{which}] = 0;", "written": f"x[{which}] = 2;"}.get(odd, "")
        starts = " ".join(f"run P({k});" for k in range(count))
        wrapped = starts if odd == "one by one" else f"atomic {{ {starts} }}"
        lines += [f"proctype P(byte me) {{ {loop} }}", f"init {{ {early} {wrapped} }}"]
    else:
        lines += [f"active [{count}] proctype P() {{ {loop} }}"]
    shape = rng.choice(shapes)
    one, other = rng.choice(ATOMS), rng.choice(ATOMS)

    plain = "[] (n == 0)" if shapes is SHAPES else "AG (n == 0)"

    def about(process: int) -> str:
        text = (
            shape.replace("(A)", f"({one})").replace("(B)", f"({other})")
            if not (odd == "formula" and process == 1)
            else plain
        )
        return text.replace("Q", str(process + base)).replace("I", str(process))

    formulas = [about(process) for process in range(count)]
    stated = [f"ltl p{number} {{ {text} }}" for number, text in enumerate(formulas)]
    stated += [f"ltl all {{ {' && '.join(f'({text})' for text in formulas)} }}"]
    return lines, stated, formulas


def verdicts(result: Check) -> dict[str, str]:
    return {each.name: each.verdict.value for each in result.properties}


def compare_seed(seed: int, engines: Sequence[str] = ("reference",)) -> tuple[Counter[str], list[str]]:
    """What kind of case it is, and what is wrong."""
    model = parse_text(generate(seed))
    names = [each.name for each in model.properties if isinstance(each, m.LtlProperty)]
    limits = Limits(states=MOST)
    counted = Counter[str]()
    wrong: list[str] = []
    fair = seed % 3 == 0
    alone = check(
        model, engine="reference", settings=Settings(), limits=limits, properties=names, fair=fair, steps="plain"
    )
    if "unknown" in verdicts(alone).values():
        return Counter({"too large": 1}), []
    asked = by_orbit(model, list(model.properties), Settings(symmetry="auto"), fair, lambda event: None)
    counted["by orbit" if asked.images else "one by one"] += 1
    counted["violated"] += "violated" in verdicts(alone).values()
    for engine in engines:
        settings = Settings(symmetry="auto")
        found = check(model, engine=engine, settings=settings, limits=limits, properties=names, fair=fair)
        if verdicts(found) != verdicts(alone):
            wrong.append(f"seed {seed}, {engine}: {verdicts(found)}, but one by one {verdicts(alone)}")
        for each in found.properties:
            if each.verdict.value == "violated":
                assert each.trace is not None
                if not replay(model, each.trace).shows_violation:
                    wrong.append(f"seed {seed}, {engine}: the run of {each.name} shows nothing")
    return counted, wrong


def compare_branching(seed: int, engine: str) -> tuple[bool, list[str]]:
    """Whether formulas of computation tree logic were decided by orbit, and what is wrong."""
    text, formulas = generate_branching(seed)
    model = PROMELA.read(Reading(Source("m.pml", text), ctl=formulas))
    assert model is not None
    names = [each.name for each in model.properties]
    limits = Limits(states=MOST)
    alone = check(model, engine="reference", settings=Settings(symmetry="off"), limits=limits, properties=names)
    if "unknown" in verdicts(alone).values():
        return False, []
    asked = by_orbit(model, list(model.properties), Settings(symmetry="auto"), False, lambda event: None)
    found = check(model, engine=engine, settings=Settings(symmetry="auto"), limits=limits, properties=names)
    is_wrong = verdicts(found) != verdicts(alone)
    wrong = [f"seed {seed}, {engine}: {verdicts(found)}, but one by one {verdicts(alone)}"] if is_wrong else []
    return bool(asked.images), wrong


if __name__ == "__main__":
    raise SystemExit(compare_seeds(compare_seed, sys.argv[1:]))
