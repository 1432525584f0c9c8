"""Random programs that start processes while they run, some of them in a way that tells the processes apart.

python -m tests.support.dynamic_starts_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

STEPS = (
    "x = 1 - x",
    "x == 0 -> x = 1",
    "y = (y + 1) % 3",
    "q!x",
    "q?x",
    "q!by",
    "r!x",
    "r?x",
    "k = x; y = k",
    "by = 1 - by",
    "y = by",
    "atomic { x == 1 -> y = 0; x = 0 }",
    "d_step { k = y; x = k % 2; k = 0 }",
    "if :: x == y -> y = 1 :: else fi",
    "if :: r?x :: else -> y = 2 fi",
    "timeout -> y = 1",
    "assert(x + y < 3)",
    "if :: goto done :: skip fi",
    'printf("%d", _pid)',
)
OBSERVED = (
    "y = _pid % 3",
    "_nr_pr < 4",
    "y = (_nr_pr > 3)",
    "q!_pid % 2",
    "k = run W(0); y = k % 2",
    "if :: W[2]@done -> x = 0 :: else fi",
    "enabled(2)",
    "x = W:k",
)
WORKERS = ("run W(0)", "run W(1)", "run W(x)", "run V(x)", "run V(0)")
ENDS = ("skip", "x = 1", "x = 1", "false", "do :: x == 2 -> y = 1 od")


JOINS = (
    "_nr_pr == 1; x = 1 - x",
    "if :: _nr_pr < 2 -> x = 0 :: y == 1 -> x = 1 fi; run W(0)",
    "if :: _nr_pr == 1 -> x = 0 :: else -> y = 1 fi",
    "atomic { x = 1; _nr_pr <= 1; x = 0 }",
    "atomic { _nr_pr == 1; run W(1); run W(0) }",
    "do :: _nr_pr == 1 -> run W(x); break :: x == 1 -> x = 0 od",
    "{ y = 1; _nr_pr == 1; y = 0 } unless (x == 1)",
    "x == 1; if :: _nr_pr == 1 -> x = 0 :: else -> y = 1 fi",
    "x == 1; atomic { y = 1; _nr_pr <= 1; y = 0 }",
)
"""What a process may do that waits for the others to end, some of it in a way that others may observe."""


def statements(chance: random.Random, count: int) -> list[str]:
    return [chance.choice(STEPS) for _ in range(count)]


def body(chance: random.Random, least: int = 0) -> str:
    found = statements(chance, chance.randint(least, 2))
    if chance.random() < 0.2:
        found.append(chance.choice(OBSERVED))
    return "; ".join([*found, "skip"])


def starter(chance: random.Random, starts: int) -> str:
    """A process that starts others, some steps apart."""
    found = list[str]()
    for _ in range(starts):
        start = chance.choice(WORKERS)
        before = chance.choice(("x == 0", "y != 1", "q?x", "r?x", "x = 1 - x", "skip"))
        found += [
            chance.choice(
                (start, f"{before}; {start}", f"atomic {{ {before}; {start} }}", f"atomic {{ {start}; {start} }}")
            )
        ]
        found += statements(chance, chance.randint(0, 1))
    if chance.random() < 0.25:
        local = chance.choice(WORKERS)
        found.append(f"do :: x == 1 -> {local}; x = 0 :: y == 2 -> break od")
    if chance.random() < 0.3:
        found += [chance.choice(JOINS)]
    return "; ".join(found)


def generate(seed: int) -> str:
    chance = random.Random(seed)
    two = chance.random() < 0.35
    more = chance.random() < 0.15
    is_local = chance.random() < 0.15
    worker = f"proctype W(bit by) {{ byte k; {body(chance, 1)}; done: {chance.choice(ENDS)} }}"
    other = (
        f"proctype V(bit by) {{ byte k; {'run W(by); ' if more else ''}{body(chance)}; done: {chance.choice(ENDS)} }}"
    )
    channel = "chan q = [1] of { byte };"
    first = f"init {{ byte k; bit by; {starter(chance, chance.randint(1, 2))}; done: {chance.choice(ENDS)} }}"
    second = (
        f"active proctype M() {{ byte k; bit by; {starter(chance, 1)}; done: {chance.choice(ENDS)} }}" if two else ""
    )
    if is_local:
        worker = worker.replace(
            "byte k;", "byte k; chan c = [2] of { bit }; c!by; if :: x == 1 -> c!1 :: c?k; y = k :: skip fi;", 1
        )
    never = chance.random() < 0.4
    parts = [worker, other, second, first]
    if never:
        parts = [part.replace("done: x = 1", "done: false") for part in parts]
    return "\n".join(["bit x; byte y;", channel, "chan r = [0] of { byte };", *parts])


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
