"""Random Promela programs, small enough to explore and rich enough to break an implementation.

`generate(seed)` is a grammar with a memory: it knows the variables, channels and labels in scope and their types, so
that nearly every program is accepted by SPIN and uses only what has one meaning. Left out on purpose: indices out of
range, `hidden`, division by zero, uninitialised channels (all depend on SPIN's memory layout or search order).

State spaces stay small by two rules rather than by luck. A *cyclic* process may loop for ever, so it only writes
*bounded* values (`(x + 1) % 3`, small constants); a straight process may compute anything, overflow included,
because it does so finitely often. And nothing loops for ever inside `atomic` or `d_step`, whose inner states SPIN
does not store and would therefore never recognise.

    python -m tests.support.promela_random SEED                  print a program
    python -m tests.support.promela_random --stats FROM TO       how many SPIN accepts, and their sizes
    python -m tests.support.promela_random --compare FROM TO     compare with SPIN; keep and shrink what differs
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.support.paths import CASES
from tests.support.promela_grammar.program import RandomProgram
from tests.support.spin_compare import FAILURES, Comparison, compare_many, minimise_file
from tests.support.spin_reference import SpinReference, spin_reference, spin_reference_many

CASES = CASES / "random"
MAX_STATES = 20_000
SECONDS = 2.0
Generator = Callable[[int], str]


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    return f"/* seed {seed} */\n" + RandomProgram(seed).program()


def interesting(seed: int) -> SpinReference | None:
    """SPIN's answer for the program of a seed, or None if SPIN rejects it or finds it too large to be of use."""
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        answer = spin_reference(write(seed, Path(folder)), seconds=SECONDS)
    return answer if answer.ok and answer.states <= MAX_STATES else None


def write(seed: int, folder: Path, generator: Generator = generate) -> Path:
    path = folder / f"seed-{seed}.pml"
    path.write_text(generator(seed))
    return path


def compare_seeds(
    seeds: Sequence[int], folder: Path, max_states: int = MAX_STATES, generator: Generator = generate
) -> Iterator[tuple[int, Comparison]]:
    """Compare the programs of some seeds with SPIN; their texts are left in `folder`."""
    paths = [write(seed, folder, generator) for seed in seeds]
    yield from zip(seeds, compare_many(paths, seconds=SECONDS, max_states=max_states), strict=True)


def print_statistics(seeds: Sequence[int], generator: Generator = generate) -> None:
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        paths = [write(seed, Path(folder), generator) for seed in seeds]
        answers = list(spin_reference_many(paths, seconds=SECONDS))
    print(dict(Counter(answer.status for answer in answers)), "of", len(answers))
    for seed, answer in zip(seeds, answers, strict=True):
        if not answer.accepted:
            print(f"  seed {seed}: {answer.why[:140]}")
    sizes = [answer.states for answer in answers if answer.ok and answer.states <= MAX_STATES]
    deciles = statistics.quantiles(sizes, n=10)
    print(f"{len(sizes)} usable; states: mean {statistics.mean(sizes):.0f}, deciles {[round(d) for d in deciles]}")


def main(arguments: Sequence[str] | None = None, name: str = "promela", generator: Generator = generate) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m tests.{name}_random", description=__doc__.splitlines()[0])
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--stats", nargs=2, type=int, metavar=("FROM", "TO"))
    parser.add_argument("--compare", nargs=2, type=int, metavar=("FROM", "TO"))
    parser.add_argument("--max-states", type=int, default=MAX_STATES)
    options = parser.parse_args(arguments)
    if options.seed is not None:
        print(generator(options.seed), end="")
    if options.stats:
        print_statistics(range(*options.stats), generator)
    if not options.compare:
        return 0
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="coset-random-") as folder:
        seeds = range(*options.compare)
        for seed, comparison in compare_seeds(seeds, Path(folder), options.max_states, generator):
            verdicts[comparison.verdict] += 1
            if comparison.failed:
                print(comparison, flush=True)
                kept = CASES / f"failed-{name}-{seed}.pml"
                kept.write_text(minimise_file(comparison))
                print(f"    kept as {kept}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    return 1 if FAILURES & verdicts.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
