"""Random programs whose processes start others at their beginning, some of them in a way that others may observe.

python -m tests.support.nested_starts_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

STEPS = (
    "x = 1 - x",
    "x == 0 -> x = 1",
    "q!by",
    "q?eval(by)",
    "atomic { x == 1 -> y = 0; x = 0 }",
    "if :: x == y -> y = 1 :: else fi",
    "y = (y + by) % 3",
    "r!x",
    "r?x",
    "if :: r?x :: else -> y = 2 fi",
    "timeout -> y = 1",
    "assert(x + y < 3)",
    "if :: goto done :: skip fi",
)
BEFORE = ("skip", "k = 1", "k++", "by = by", 'printf("%d", k)')
OBSERVABLE = (
    "x = 1", "x == 0", "q!by", "r?x", "y = _pid % 3", "_nr_pr < 6", "by = 1", "y = y", "if :: k = 1 :: k = 2 fi",
    "assert(x == 0)", "assert(k == 0)",
)  # fmt: skip
STARTS = ("run W(by)", "run W(1)", "run W(k)", "run V(by, by)", "run V(0, k)")


def statements(chance: random.Random, count: int) -> str:
    return "; ".join(chance.choice(STEPS) for _ in range(count))


def beginning(chance: random.Random) -> str:
    """What a process does up to its last start."""
    parts = [chance.choice(STARTS) for _ in range(chance.randint(1, 2))]
    for _ in range(chance.randint(0, 2)):
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(BEFORE))
    if chance.random() < 0.35:
        parts.insert(chance.randrange(len(parts) + 1), chance.choice(OBSERVABLE))
    text = "; ".join(parts)
    shape = chance.random()
    if shape < 0.2:
        return f"atomic {{ {text} }}"
    if shape < 0.3:
        return f"atomic {{ {text}; x = 1 - x }}"
    if shape < 0.45:
        return f"for (k : 0 .. 1) {{ {chance.choice(STARTS)} }}"
    return text


def generate(seed: int) -> str:
    chance = random.Random(seed)
    first = statements(chance, 1)
    ending = chance.choice(("", "end: false", "end: do :: x == 2 -> x = 0 od"))
    starts = ["run M(0)", chance.choice(("run M(0)", "run M(1)"))]
    if chance.random() < 0.2:
        starts.insert(chance.randrange(3), chance.choice(("x = 1", "skip", "run W(0)")))
    whole = "; ".join(starts)
    if chance.random() < 0.6:
        whole = f"atomic {{ {whole} }}"
    is_active = chance.random() < 0.25
    head = "active [2] proctype M()" if is_active else "proctype M(byte by)"
    local = "byte k, by;" if is_active else "byte k;"
    return f"""
    byte x, y; chan q = [1] of {{ byte }}; chan r = [0] of {{ byte }};
    proctype W(byte by) {{ {statements(chance, 1)}; done: {ending or "skip"} }}
    proctype V(byte by, k) {{ {chance.choice((first, "run W(k)", f"run W(by); {first}"))}; done: skip }}
    {head} {{ {local} {beginning(chance)}; {statements(chance, chance.randint(0, 1)) or "skip"}; done: {ending or "skip"} }}
    {"" if is_active else f"init {{ {whole} }}"}
    """


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
