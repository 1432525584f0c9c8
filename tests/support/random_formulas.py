"""Random programs with random formulas of linear temporal logic: Coset's verdicts must be SPIN's, whichever way they come.

    python -m tests.support.random_formulas FROM TO      programs with seeds from FROM to below TO, every way, every run replayed

A program is one of `promela_random` with four formulas about its global variables, so that SPIN is compiled once for
all of them.  SPIN's search with weak fairness has two gaps, which `test_check` tells of: where Coset shows a run that
stops and SPIN with fairness finds nothing, SPIN is not asked; every other program gets a process that never
stops, so that it can be.  Nor is it asked about fairness where there is a `provided` clause.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import coset
from coset.engines.explicit.compile import Unsupported
from coset.model.model import Model, Temporal
from coset.results.verdict import Verdict
from coset.source.budget import Limits
from coset.tasks.checker import check
from tests.support.confirmation import confirmed, stops
from tests.support.promela_random import generate
from tests.support.seeds import compare_seeds
from tests.support.spin_claims import HOLDS, VIOLATED, Question, plain, spin_verdicts

FORMULAS = 4
LARGEST = 50_000
DIFFERENT, NOT_COMPARED, MISSED = "DIFFERENT", "not compared", "not found by SPIN"
TYPES = ("bit", "bool", "byte", "short", "int", "unsigned", "pid", "mtype")
RESTLESS = "active proctype Restless() { do :: true; true od }\n"
BINARY, PREFIXES = ("U", "V", "&&", "||", "->"), ("[]", "<>", "!", "[] <>", "<> []")


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a verdict."""

    engine: str
    steps: str = "plain"
    threads: int = 1

    def __str__(self) -> str:
        return f"{self.engine}, {self.steps} steps, {self.threads} threads"


REFERENCE, MERGED = Way("reference"), Way("explicit", "merged")
WAYS = (REFERENCE, MERGED, Way("explicit"), Way("explicit", threads=2), Way("explicit", "merged", 2))


def conditions(model: Model) -> list[str]:
    """Comparisons of global variables with small numbers."""
    found = []
    for variable in model.variables:
        if variable.domain.name in ("bit", "bool", "byte") and not variable.hidden:
            for k in range(variable.size):
                found += [f"({variable.element(k)} == {value})" for value in (0, 1)]
                found += [f"({variable.element(k)} >= 1)", f"({variable.element(k)} != 2)"]
    return found


def formula(chance: random.Random, atoms: Sequence[str], size: int) -> str:
    """A formula with at most so many operators, in brackets wherever precedence could matter."""
    if size <= 0 or chance.random() < 0.1:
        return chance.choice(atoms)
    if size == 1 or chance.random() < 0.5:
        return f"({chance.choice(PREFIXES)} {formula(chance, atoms, size - 1)})"
    left = chance.randrange(size)
    operator = chance.choice(BINARY)
    return f"({formula(chance, atoms, left)} {operator} {formula(chance, atoms, size - 1 - left)})"


def random_case(seed: int, folder: Path, most: int) -> tuple[Path, list[Question]] | None:
    """A program with formulas; None if it has no variable to speak of, or more than so many states."""
    chance, text = random.Random(seed), plain(generate(seed))
    bare = coset.parse_text(text)
    atoms = conditions(bare)
    if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=most).complete:
        return None
    blocks = "".join(f"ltl f{k} {{ {formula(chance, atoms, chance.randint(1, 5))} }}\n" for k in range(FORMULAS))
    path = folder / f"seed-{seed}.pml"
    path.write_text(text + RESTLESS * (seed % 2) + blocks)
    fairness = (False,) if "provided" in text else (False, True)
    return path, [(f"f{k}", fair) for k in range(FORMULAS) for fair in fairness]


def simulator_agrees(text: str) -> bool:
    """Whether SPIN's simulator, which replays trails, gives a program the meaning that its verifier gives it.  It does not
    where a channel of capacity 0 is asked whether it is full, nor where a variable starts with the number of processes:
    the verifier has created all of them by then.

    >>> simulator_agrees("chan c = [1] of { bit }; active proctype P() { nfull(c) }")
    True
    >>> simulator_agrees("active proctype P() { int x = (_nr_pr > 2 -> 1 : 2) }")
    False
    """
    asks_handshake = "[0] of" in text and re.search(r"\bn?full\(", text)
    starts_with_count = re.search(rf"\b({'|'.join(TYPES)})\b[^;\n]*=[^;\n]*\b_nr_pr\b", text)
    return not asks_handshake and not starts_with_count


def comparisons(path: Path, questions: Sequence[Question], ways: Sequence[Way]) -> Iterator[tuple[str, str]]:
    """For each way and question what became of it, for counting, and what is to be said of it."""
    model = coset.load(path)
    replayed = path if simulator_agrees(path.read_text()) else None
    theirs = dict(zip(questions, spin_verdicts(path, questions, seconds=5.0)))
    formulas = {each.name: each.text for each in model.properties if isinstance(each, Temporal)}
    for way in ways:
        for fair in sorted({fair for _, fair in questions}):
            names = [name for name, each in questions if each == fair]
            try:
                result = check(
                    model, engine=way.engine, steps=way.steps, threads=way.threads, properties=names, fair=fair,
                    limits=Limits(states=LARGEST),
                )  # fmt: skip
            except Unsupported as reason:
                yield from [(NOT_COMPARED, f"{path.name} ({way}): {reason}")] * len(names)
                continue
            confirmed(model, result, fair, replayed)
            for each in result.properties:
                spin, ours = theirs[each.name, fair], each.verdict.value
                if spin not in (HOLDS, VIOLATED) or each.verdict is Verdict.UNKNOWN:
                    yield NOT_COMPARED, f"{path.name} {each.name}: SPIN {spin}, {each.reason}"
                elif spin != ours and fair and stops(each):
                    yield MISSED, ""
                elif spin != ours:
                    how = f"{way}{', fair' * fair}"
                    yield DIFFERENT, f"{path.name} {each.name} ({how}): {formulas[each.name]}: {ours}, SPIN {spin}"
                else:
                    yield ours + " fair" * fair, ""


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="coset-check-") as folder:
        try:
            case = random_case(seed, Path(folder), 5_000)
            if case is None:
                return Counter(["left out"]), []
            found = list(comparisons(*case, WAYS))
        except Exception as error:
            return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    return Counter(kind for kind, _ in found), [text for kind, text in found if kind == DIFFERENT]


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
