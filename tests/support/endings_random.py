"""Random programs whose processes end, some of them before the last one has been started.

python -m tests.support.endings_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

STEPS = (
    "x = 1 - x",
    "y = x",
    "atomic { x == 0 -> x = 1 }",
    "x != y",
    "q!x",
    "q?y",
    "if :: x == 1 -> y = 0 :: else fi",
    "if :: goto done :: skip fi",
    "assert(x + y < 2)",
    "timeout -> y = 1",
)
OBSERVED = (
    "y = _pid & 1",
    "_nr_pr < 4",
    "y = (_nr_pr > 2)",
    "_nr_pr == 1 -> x = 1",
    "P[1]@done -> x = 0",
    "enabled(2)",
)


JOINS = (
    "_nr_pr == 1; x = 1 - x",
    "x = 1; (_nr_pr == 1) -> y = 1",
    "if :: _nr_pr < 2 -> x = 0 :: y == 1 -> x = 1 fi",
    "if :: _nr_pr == 1 -> x = 0 :: else -> y = 1 fi",
    "atomic { x = 1; _nr_pr <= 1; x = 0 }",
    "atomic { _nr_pr == 1; assert(x == y) }",
    "do :: _nr_pr == 1 -> break :: x == 1 -> x = 0 od",
    "{ y = 1; _nr_pr == 1; y = 0 } unless (x == 1)",
    "x == 1; if :: _nr_pr == 1 -> x = 0 :: else -> y = 1 fi",
    "x == 1; atomic { y = 1; _nr_pr <= 1; y = 0 }",
)
"""What a process may do that waits for the others to end, some of it in a way that others may observe."""


def generate(seed: int) -> str:
    chance = random.Random(seed)
    steps = [chance.choice(STEPS) for _ in range(chance.randint(1, 3))]
    others = [chance.choice(STEPS) for _ in range(chance.randint(0, 2))]
    if chance.random() < 0.3:
        chance.choice((steps, others)).append(chance.choice(OBSERVED))
    local = chance.random() < 0.4
    channel = "chan q = [1] of { bit };"
    parameter, argument = ("chan q", "q") if local else ("", "")
    starts = [f"run P({argument})"] * chance.randint(2, 3)
    if others:
        starts.insert(chance.randrange(len(starts) + 1), f"run Q({argument})")
    if chance.random() < 0.4:
        starts.insert(chance.randrange(len(starts) + 1), chance.choice(("x = 1", "skip", "x == 0", "k++")))
    start = "; ".join(starts)
    join = f"; {chance.choice(JOINS)}" if chance.random() < 0.4 else ""
    if chance.random() < 0.3:
        start = f"atomic {{ {start} }}"
    first = "active proctype R() { y = 1 }" if chance.random() < 0.2 and not local else ""
    return f"""
    bit x, y; {"" if local else channel}
    {first}
    proctype P({parameter}) {{ {"; ".join(steps)}; done: skip }}
    proctype Q({parameter}) {{ {"; ".join([*others, "done: skip"])} }}
    init {{ byte k; {channel if local else ""} {start}{join} }}
    """


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
