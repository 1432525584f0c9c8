"""Random symmetric programs with random formulas: what is found on the quotient is what is found without it.

    python -m tests.support.quotient_random FROM TO      programs with seeds from FROM to below TO

Compared with the reference engine, which visits every state: the number of states that the stored ones stand for, which
kinds of errors there are, and every verdict.  Every counterexample is executed by the interpreter, with SPIN at hand by SPIN.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import coset
from coset.engines.explicit.emit import numbered
from coset.model.model import Model
from coset.results.exploration import Exploration
from coset.results.verdict import Check, Verdict
from tests.support.confirmation import confirmed
from tests.support.quotient import EXACT, explored
from tests.support.random_formulas import formula, simulator_agrees
from tests.support.seeds import compare_seeds
from tests.support.symmetric_random import crowd, generate, varied

FORMULAS = 2
SMALL = 3_000
"""States that the interpreter still explores quickly."""
SYMMETRIC = ("(x == 0)", "(gone == 1)", "(len(net) > 0)", "(flag[0] + flag[1] == 1)")
SINGLE = ("(flag[1] == 1)", "(owner == 1)", "(owner != 2)", "(seen[1] == 1)", "(x == 1)")


def program(seed: int) -> str:
    """A program with formulas; half of the formulas of `varied` programs are about all processes alike, half about one."""
    if seed % 4 == 3:
        return generate(seed)
    if seed % 8 == 6:
        return crowd(seed)
    chance, text = random.Random(seed), varied(seed)
    blocks = [
        f"ltl f{k} {{ {formula(chance, atoms, chance.randint(1, 4))} }}\n"
        for k, atoms in zip(range(FORMULAS), (SYMMETRIC, SYMMETRIC + SINGLE))
    ]
    return text + "".join(blocks)


def kinds(result: Exploration) -> set[str]:
    """Which kinds of errors there are."""
    errors = result.errors
    found = {"assertion": errors.assertions, "end": errors.invalid_end_states, "trace": errors.trace, **errors.faults}
    return {kind for kind, count in found.items() if count}


@contextmanager
def optimised(largest: int) -> Iterator[None]:
    """Without the quick tier, which has no representatives of packed states.  In groups with more elements than `largest`,
    columns are sorted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COSET_QUICK", "off")
        patch.setattr(numbered, "LARGEST", largest)
        yield


def verdicts(result: Check) -> dict[str, str]:
    return {each.name: each.verdict.value for each in result.properties}


def differences(model: Model, seed: int, path: Path | None = None) -> tuple[str, list[str]]:
    """The order of the group of a program, and what differs on its quotient; "large" if the program is too large."""
    bare = replace(model, properties=())
    whole = coset.explore(bare, engine="reference", symmetry="off", max_states=SMALL)
    if not whole.complete:
        return "large", []
    problems = []
    naive = coset.explore(bare, engine="reference", symmetry="program")
    strategy, threads, steps = EXACT[seed % 3], seed % 2 + 1, ("plain", "merged")[seed // 2 % 2]
    try:
        fast = explored(bare, representative=strategy, threads=threads)
    except ValueError:  # 'sort' is not for every group
        fast = explored(bare, threads=threads)
    if naive.represents != whole.states or kinds(naive) != kinds(whole):
        problems.append(
            f"naive: {naive.states} for {naive.represents}, but {whole.states}: {naive.errors} {whole.errors}"
        )
    if fast.represents not in (whole.states, None):
        problems.append(f"{strategy}: {fast.states} for {fast.represents}, but there are {whole.states}")
    if naive.symmetry.representative is None:  # the reference engine does not visit orbits of such a size
        naive = fast
    if (fast.states, fast.represents, fast.transitions) != (naive.states, naive.represents, naive.transitions):
        problems.append(f"{strategy}: {fast.states} for {fast.represents}, but {naive.states} for {naive.represents}")
    if fast.errors != naive.errors:
        problems.append(f"{strategy}: {fast.errors}, but {naive.errors}")
    for largest in (numbered.LARGEST, 1):
        with optimised(largest):
            auto = explored(bare, threads=threads)
        if (auto.states, auto.represents, auto.transitions) != (naive.states, naive.represents, naive.transitions):
            counts = f"{auto.states} for {auto.represents}, but {naive.states} for {naive.represents}"
            problems.append(f"optimised, {largest}: {counts}")
    expected = verdicts(coset.check(model, engine="reference", symmetry="off", steps="plain"))
    found = coset.check(model, engine="explicit", symmetry="auto", steps=steps, threads=threads)
    if verdicts(found) != expected:
        problems.append(f"{steps} steps: {verdicts(found)}, but {expected}")
    elif not any(each.verdict is Verdict.UNKNOWN for each in found.properties):
        confirmed(model, found, path=path)
    return f"order {naive.symmetry.group.order}", problems


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong."""
    text = program(seed)
    with tempfile.TemporaryDirectory(prefix="coset-quotient-") as folder:
        path = Path(folder) / f"seed-{seed}.pml"
        path.write_text(text)
        try:
            model = coset.load(path)
            replayed = path if seed % 8 == 0 and simulator_agrees(text) else None
            what, problems = differences(model, seed, replayed)
        except Exception as error:
            return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    return Counter([what] + ["DIFFERENT"] * bool(problems)), [f"seed {seed}: {problem}" for problem in problems]


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
