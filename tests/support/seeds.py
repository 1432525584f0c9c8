"""Comparing two ways to decide on many random models, from the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

DIFFERENT, FAILED = "DIFFERENT", "FAILED"
Compared = tuple[Counter[str], list[str]]
"""How often each outcome was seen, and what is wrong."""


def compare_seeds(compare: Callable[[int], Compared], arguments: Sequence[str]) -> int:
    """Compare on every seed of a range, `FROM TO`, by two processes; 1 if something is wrong."""
    counted: Counter[str] = Counter()
    with ProcessPoolExecutor(2) as pool:
        for count, problems in pool.map(compare, range(*map(int, arguments))):
            counted += count
            for problem in problems:
                print(problem, flush=True)
    print(dict(counted))
    return 1 if counted[DIFFERENT] or counted[FAILED] else 0
