"""Random models of each pattern in which symmetry is found, against brute force over all of their states.

    python -m tests.brute_force                         2,000 models of each pattern
    python -m tests.brute_force sends starts --models 100 --seed 5000

For every model: each generator commutes with each step from each reachable state, sums of orbits are the unreduced counts, and a
search of the quotient finds the same errors (`tests/support/unreduced.py`).  Patterns about formulas compare the verdicts
decided by orbit with those of the unreduced search.  A model with too many states is replaced by another one.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from typing import NamedTuple

from coset.languages.csp.load import load_suite
from coset.model import model as m
from coset.source.diagnostics import Diagnostics
from coset.source.text import Source
from coset.symmetry.logical_values import written_as_choices
from coset.symmetry.loop_summaries import summarised
from coset.symmetry.methods.hypergraph import detect_hypergraph
from coset.symmetry.passes import merged_for_symmetry
from coset.symmetry.passes.keep_terminated import keep_terminated
from coset.symmetry.passes.start_families import start_families
from coset.tasks.load import parse_text
from tests.support import (
    arrays_by_id_random,
    copied_kinds_random,
    counts_random,
    csp_beginnings_random,
    csp_copies_random,
    dead_starts_random,
    dynamic_starts_random,
    endings_random,
    free_starts_random,
    hidden_random,
    logical_random,
    loops_random,
    nested_starts_random,
    orbits_random,
    references_random,
    sends_random,
    symmetric_random,
)
from tests.support.anonymous_trial import tried
from tests.support.bisimulation import changed_correctly
from tests.support.csp_random import few_locations
from tests.support.state_graph import TooLarge
from tests.support.summaries import same_steps
from tests.support.unreduced import compared, tried_everywhere

SYMMETRIC, TRIVIAL, LARGE, WRONG = "symmetric", "no symmetry", "too large", "WRONG"

Reading = Callable[[m.Model], m.Model]


class Pattern(NamedTuple):
    """`outcome` is what is found of the model with a seed; it raises an AssertionError if something is wrong."""

    outcome: Callable[[int], str]
    summary: str


def of_promela(generate: Callable[[int], str], *readings: Reading) -> Callable[[int], str]:
    """Compare on plain and on merged steps, and each reading of the model with the model as it is written."""

    def outcome(seed: int) -> str:
        plain = parse_text(generate(seed))
        found = TRIVIAL
        for model in (plain, merged_for_symmetry(plain, marks=False)):
            for read_as in readings:
                same_steps(model, read_as)
            if largest(model) > 1:
                found = SYMMETRIC
        return found

    return outcome


def of_csp(generate: Callable[[int], str]) -> Callable[[int], str]:
    def outcome(seed: int) -> str:
        with few_locations():
            suite = load_suite(Source("m.csp", generate(seed)), {}, Diagnostics())
        if suite is None:
            raise TooLarge
        return SYMMETRIC if largest(suite.models[0]) > 1 else TRIVIAL

    return outcome


def largest(model: m.Model) -> int:
    """The order of the group that a search uses, with sums and without."""
    return max(compared(model, counts).used.group.order for counts in (True, False))


def in_any_order(seed: int) -> str:
    """Processes that are arranged in any order, on plain and on merged steps."""
    plain = parse_text(dynamic_starts_random.generate(seed))
    found = [tried(model) for model in (plain, merged_for_symmetry(plain, marks=False))]
    return SYMMETRIC if any(found) else TRIVIAL


def of_changed(generate: Callable[[int], str], change: Reading) -> Callable[[int], str]:
    """Also compare the model with a changed one, up to stuttering."""

    def outcome(seed: int) -> str:
        model = parse_text(generate(seed))
        changed_correctly(model, change)
        return SYMMETRIC if largest(merged_for_symmetry(model, marks=False)) > 1 else TRIVIAL

    return outcome


def linear(seed: int) -> str:
    counted, wrong = orbits_random.compare_seed(seed, ("explicit",))
    assert not wrong, wrong
    if counted["too large"]:
        raise TooLarge
    return SYMMETRIC if counted["by orbit"] else TRIVIAL


def roles(seed: int) -> str:
    """What `hypergraph` finds of a model of one of several patterns."""
    generate = BY_ROLES[seed % len(BY_ROLES)]
    model = parse_text(generate(seed))
    found = detect_hypergraph(model, moves=0)
    if found.points is not None:
        tried_everywhere(found, model)
    return SYMMETRIC if found.order > 1 else TRIVIAL


def branching(seed: int) -> str:
    is_by_orbit, wrong = orbits_random.compare_branching(seed, "explicit")
    assert not wrong, wrong
    return SYMMETRIC if is_by_orbit else TRIVIAL


def with_room(generate: Callable[[int], str]) -> Callable[[int], str]:
    """Models whose arrays have elements that no step can access."""

    def widened(seed: int) -> str:
        return DECLARATION.sub(lambda found: LENGTH.sub(r"[\1 + 3]", found[0]), generate(seed))

    return widened


DECLARATION = re.compile(r"^(?:byte|bit|bool|pid)\b[^;]*;", re.MULTILINE)
LENGTH = re.compile(r"\[(N|\d+)\]")

BY_ROLES = (
    references_random.generate, loops_random.generate, logical_random.generate, counts_random.generate,
    arrays_by_id_random.generate, symmetric_random.generate,
)  # fmt: skip

PATTERNS = {
    "dead": Pattern(of_promela(dead_starts_random.generate), "initial values that no step reads"),
    "room": Pattern(of_promela(with_room(dead_starts_random.generate)), "array elements that no step can access"),
    "starts": Pattern(of_promela(free_starts_random.generate), "initial values that are ids, and read"),
    "loops": Pattern(of_promela(loops_random.generate, summarised), "atomic loops over ids"),
    "sends": Pattern(of_promela(sends_random.generate, summarised), "atomic loops that send, or look for a maximum"),
    "truths": Pattern(of_promela(logical_random.generate, written_as_choices), "stored truth values of conditions over all ids"),
    "counts": Pattern(of_promela(counts_random.generate), "numbers of processes for which a condition on ids holds"),
    "endings": Pattern(of_changed(endings_random.generate, keep_terminated), "processes that end"),
    "nested": Pattern(of_changed(nested_starts_random.generate, start_families), "processes that start others"),
    "dynamic": Pattern(in_any_order, "processes that are started while the system runs"),
    "hidden": Pattern(of_promela(hidden_random.generate), "hidden variables"),
    "references": Pattern(of_promela(references_random.generate), "variables that hold processes and channels"),
    "roles": Pattern(roles, "roles of shared variables, by the hypergraph"),
    "copies": Pattern(of_promela(copied_kinds_random.generate), "proctypes that are copied and renamed"),
    "csp_copies": Pattern(of_csp(csp_copies_random.generate), "copies in CSP#"),
    "csp_beginnings": Pattern(of_csp(csp_beginnings_random.generate), "initialisation before the processes in CSP#"),
    "linear": Pattern(linear, "LTL by orbit, in the compiled engine"),
    "branching": Pattern(branching, "CTL by orbit, in the compiled engine"),
}  # fmt: skip


def outcome_of(name: str, seed: int) -> tuple[str, str]:
    """What is found of one model, and what is wrong with it."""
    try:
        return PATTERNS[name].outcome(seed), ""
    except TooLarge:
        return LARGE, ""
    except AssertionError as problem:
        return WRONG, f"{name}: seed {seed}: {problem}"


def run(name: str, models: int, seed: int, jobs: int) -> Counter[str]:
    """So many models that are small enough, from a seed on.  A process is replaced after some models: the libraries that it has
    compiled and loaded stay with it."""
    counted: Counter[str] = Counter()
    with get_context("spawn").Pool(jobs, maxtasksperchild=5) as pool:
        while (missing := models - counted.total() + counted[LARGE]) > 0:
            tasks = [(name, each) for each in range(seed, seed + missing)]
            for outcome, problem in pool.starmap(outcome_of, tasks, chunksize=20):
                counted[outcome] += 1
                if problem:
                    print(problem, flush=True)
            seed += missing
    return counted


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.brute_force", description=__doc__.partition("\n")[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help=", ".join(PATTERNS))
    parser.add_argument("--models", type=int, default=2000, help="how many of each pattern (%(default)s)")
    parser.add_argument("--seed", type=int, default=10_000, help="the seed of the first (%(default)s)")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many processes (%(default)s)")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.patterns) - PATTERNS.keys():
        parser.error(f"no such pattern: {', '.join(sorted(unknown))}")
    wrong = 0
    for name in asked.patterns or PATTERNS:
        pattern = PATTERNS[name]
        counted = run(name, asked.models, asked.seed, asked.jobs)
        wrong += counted[WRONG]
        outcomes = ", ".join(f"{counted[each]} {each}" for each in (SYMMETRIC, TRIVIAL, LARGE, WRONG))
        print(f"{pattern.summary}: {outcomes}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
