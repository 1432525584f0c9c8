"""Random formulas on random programs: whether they hold vacuously, by the definition.

    python -m tests.support.vacuity_random FROM TO

An occurrence of a literal does not matter if the formula holds with *anything* in its place (Beer et al., 2001); for one
occurrence it suffices to try true and false.  No polarity is needed for that: the naive twin puts both into the text, and asks
the reference engine.  Only which occurrences count (literals `p` and `!p` in positive places) is known by how the formula
was made.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import coset
from coset.results.verdict import Verdict
from tests.support.promela_random import generate
from tests.support.random_formulas import conditions


@dataclass
class Template:
    """A formula whose literals are parts of a list, some of which are in positive places."""

    parts: list[str]
    literals: list[int]
    """The positions of literals in positive places."""

    def text(self, position: int | None = None, constant: str = "") -> str:
        return " ".join(constant if k == position else part for k, part in enumerate(self.parts))


def template(chance: random.Random, atoms: list[str], depth: int = 3, is_positive: bool = True) -> Template:
    found = Template([], [])

    def add(depth: int, is_positive: bool, is_negated: bool = False, is_below_negation: bool = False) -> None:
        if depth == 0 or chance.random() < 0.15:
            if is_negated if is_below_negation else is_positive:  # `!p` is one literal
                found.literals.append(len(found.parts))
            atom = chance.choice(atoms)
            found.parts.append(
                f"!({atom})" if is_positive and not is_below_negation and chance.random() < 0.3 else f"({atom})"
            )
            return
        operator = chance.choice(
            ["[]", "<>", *(["!"] * (not is_below_negation)), "U", "V", "W", "&&", "||", "->", "->"]
        )
        found.parts.append("(")
        if operator in ("[]", "<>", "!"):
            found.parts.append(operator)
            found.parts.append("(")
            add(depth - 1, is_positive is (operator != "!"), is_positive and operator == "!", operator == "!")
            found.parts.append(")")
        else:
            add(depth - 1, is_positive is (operator != "->"))
            found.parts.append(operator)
            add(depth - 1, is_positive)
        found.parts.append(")")

    add(depth, is_positive)
    return found


def differences(seed: int, folder: Path, formulas: int = 4) -> Iterator[tuple[bool | None, str | None]]:
    """For each formula that holds and is judged: whether it is vacuous, and what differs from the definition."""
    chance = random.Random(seed)
    path = folder / f"vacuity-{seed}.pml"
    path.write_text(generate(seed))
    model = coset.load(path)
    atoms = conditions(model)
    if not atoms or model.explore(engine="reference", max_states=400, symmetry="off").complete is False:
        return
    for _ in range(formulas):
        made = template(chance, chance.sample(atoms, min(3, len(atoms))))
        result = coset.check(path, ltl=[made.text()])["command_line_1"]
        if result.verdict is not Verdict.HOLDS or result.vacuous is None:
            continue
        texts = [made.text(each, constant) for each in made.literals for constant in ("false", "true")]
        found = coset.check(path, ltl=texts, engine="reference", symmetry="off", keep_going=True).properties
        holds = [each.verdict is Verdict.HOLDS for each in found if each.name.startswith("command_line")]
        is_vacuous = any(one and other for one, other in zip(holds[::2], holds[1::2], strict=True))
        problem = f"seed {seed}: {made.text()}: {result.vacuous}, by definition {is_vacuous}"
        yield result.vacuous, problem if result.vacuous is not is_vacuous else None


def main() -> int:
    first, last = map(int, sys.argv[1:3])
    judged = vacuous = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            for is_vacuous, problem in differences(seed, Path(folder)):
                judged, vacuous, wrong = judged + 1, vacuous + bool(is_vacuous), wrong + (problem is not None)
                if problem:
                    print(problem, flush=True)
    print(f"{judged} formulas that hold, {vacuous} vacuously; {wrong} judged wrongly")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
