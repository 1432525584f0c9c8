"""Random programs with random formulas: the recorded graph of a product decides as the other ways do.

    python -m tests.support.products_random FROM TO      programs with seeds from FROM to below TO

Compared are the verdicts of the reference engine, of the depth-first search of whole states (which is that of the quick tier),
and of the breadth-first search of packed states by one and two threads, all states and one of each orbit.  Where a formula
holds, both searches visit the whole product and count the same states and transitions.  Every run is executed.
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
from coset.engines.branching import Decision
from coset.engines.contract import Unsupported
from coset.engines.explicit import branching, compile, cycles
from coset.engines.explicit.emit import numbered
from coset.engines.explicit.engine import Engine
from coset.engines.explicit.seam import Result, Stop
from coset.engines.reduction import reduction
from coset.engines.reference import branching as reference_branching
from coset.engines.reference import cycles as reference_cycles
from coset.engines.settings import Settings
from coset.model.model import CtlProperty, LtlProperty, Model
from coset.results.trace import replay
from coset.source.budget import Limits
from tests.support import ctl_random, promela_random
from tests.support.quotient_random import SINGLE, SYMMETRIC
from tests.support.random_formulas import conditions, formula
from tests.support.seeds import compare_seeds
from tests.support.spin_claims import plain
from tests.support.symmetric_random import varied

SMALL = 2_500
"""States that the interpreter still explores quickly."""
DECIDED = (Stop.DONE, Stop.ERROR)


def program(seed: int, folder: Path) -> Model | None:
    """A program with formulas of both logics; None if it is too large or has no variable to speak of."""
    chance = random.Random(seed)
    text = varied(seed) if seed % 2 else plain(promela_random.generate(seed))
    bare = coset.parse_text(text)
    atoms = conditions(bare) if seed % 2 == 0 else SYMMETRIC if seed % 4 == 1 else SYMMETRIC + SINGLE
    if not atoms or not coset.explore(bare, engine="reference", symmetry="off", max_states=SMALL).complete:
        return None
    linear = [f"ltl f{k} {{ {formula(chance, atoms, chance.randint(1, 5))} }}\n" for k in range(2)]
    path = folder / f"seed-{seed}.pml"
    path.write_text(text + "".join(linear))
    return coset.load(path, ctl=[ctl_random.formula(chance, atoms, chance.randint(1, 5)) for _ in range(2)])


@contextmanager
def tier(is_quick: bool, largest: int = numbered.LARGEST) -> Iterator[None]:
    """The quick tier, or the optimised one; there, groups with more elements than `largest` sort columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COSET_QUICK", "on" if is_quick else "off")
        patch.setattr(numbered, "LARGEST", largest)
        if is_quick:
            patch.delattr(compile, "library")  # no program of the other tier is to take its place
        yield


def engine_for(model: Model, property_: LtlProperty | CtlProperty, symmetry: str, threads: int, quick: bool) -> Engine:
    settings = Settings(threads=threads, symmetry=symmetry)
    plan = reduction(model, (property_,), settings).plan
    return Engine(model, settings=settings, symmetry=plan, begin_quick=quick)


def linear(model: Model, property_: LtlProperty, symmetry: str, threads: int, quick: bool) -> Result:
    result, trace = cycles.check_property(engine_for(model, property_, symmetry, threads, quick), property_)
    if trace is not None:
        assert replay(model, trace).message.endswith(f"{property_.name} is violated")
    assert (trace is not None) == cycles.violated(result)
    return result


def linear_differences(model: Model, property_: LtlProperty, seed: int) -> Iterator[str]:
    _, trace = reference_cycles.check_property(model, property_, Limits(), False, True)
    for symmetry in ("off", "auto"):
        with tier(is_quick=True):
            deep = linear(model, property_, symmetry, 1, quick=True)
        for threads in (1, 2):
            with tier(is_quick=False, largest=(numbered.LARGEST, 1)[seed // 4 % 2]):
                broad = linear(model, property_, symmetry, threads, quick=False)
            how = f"{property_.name}: {property_.text} ({symmetry}, {threads} threads)"
            if deep.stopped not in DECIDED or broad.stopped not in DECIDED:
                if deep.stopped != broad.stopped:
                    yield f"{how}: ended by {Stop(broad.stopped)!s}, depth first by {Stop(deep.stopped)!s}"
            elif not cycles.violated(deep) == cycles.violated(broad) == (trace is not None):
                yield f"{how}: {cycles.violated(broad)}, {cycles.violated(deep)} depth first, {trace is not None}"
            elif trace is None and (deep.states, deep.transitions) != (broad.states, broad.transitions):
                counts = f"{broad.states} states, {broad.transitions} transitions"
                yield f"{how}: {counts}; depth first {deep.states}, {deep.transitions}"


def branching_differences(model: Model, property_: CtlProperty, seed: int) -> Iterator[str]:
    (expected,) = reference_branching.check_properties(model, [property_])
    orbits = reduction(model, (property_,), Settings(symmetry="program")).representatives()
    (by_orbits,) = reference_branching.check_properties(model, [property_], representatives=orbits)
    if by_orbits.holds != expected.holds or by_orbits.states > expected.states:
        yield f"{property_.name}: {property_.text} (reference engine): {by_orbits[:3]}, {expected[:3]}"
    elif by_orbits.trace is not None and by_orbits.reason is None:
        assert replay(model, by_orbits.trace).message.endswith(f"{property_.name} is violated")
    for symmetry in ("off", "auto"):
        found: list[Decision] = []
        for threads, quick in ((1, True), (1, False), (2, False)):
            with tier(quick, largest=(numbered.LARGEST, 1)[seed // 4 % 2]):
                found += branching.check_properties(engine_for(model, property_, symmetry, threads, quick), [property_])
        for each in found:
            if each.holds != expected.holds or (each.states, each.transitions) != (
                found[0].states,
                found[0].transitions,
            ):
                yield f"{property_.name}: {property_.text} ({symmetry}): {each[:3]}, {found[0][:3]}, {expected[:3]}"
            elif each.trace is not None and each.reason is None:
                assert replay(model, each.trace).message.endswith(f"{property_.name} is violated")


def differences(model: Model, seed: int) -> Iterator[str]:
    for each in model.properties:
        alone = replace(model, properties=(each,))
        if isinstance(each, LtlProperty):
            yield from linear_differences(alone, each, seed)
        elif isinstance(each, CtlProperty):
            yield from branching_differences(alone, each, seed)


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    """What became of one seed, and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="coset-products-") as folder:
        try:
            model = program(seed, Path(folder))
            if model is None:
                return Counter(["left out"]), []
            problems = list(differences(model, seed))
        except Unsupported:
            return Counter(["not supported"]), []
        except Exception as error:
            return Counter(["FAILED"]), [f"seed {seed}: {type(error).__name__}: {str(error)[:2000]}"]
    return Counter(["DIFFERENT" if problems else "same"]), [f"seed {seed}: {problem}" for problem in problems]


def main(arguments: Sequence[str]) -> int:
    return compare_seeds(compare_seed, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
