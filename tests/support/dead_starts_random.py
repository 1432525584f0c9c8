"""Random Promela programs with ids in variables that start as 0: most are written before they are read, some are not.

python -m tests.support.dead_starts_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

WRITES = (
    "turn = ID",
    "turn = N - 1 - ID",
    "turn = (ID + 1) % N",
    "last[k] = ID",
    "last[0] = ID",
    "x = ID",
    "q!ID; q?x",
    "atomic { turn = ID; last[k] = turn }",
    "if :: turn = ID :: x = ID; turn = x fi",
    "d_step { x = ID; turn = x }",
)
READS = (
    "turn == ID -> skip",
    "turn != ID -> skip",
    "(turn == ID || flag[ID] == 0)",
    "last[k] == ID -> skip",
    "last[0] != ID -> skip",
    "x == ID -> skip",
    "flag[turn] = 0",
    "x = turn",
    "x = last[k]",
    "turn = last[k]",
    "assert(turn == ID || flag[turn] < 2)",
    "k = 1 - k",
)
OTHERS = ("flag[ID] = 1 - flag[ID]", "flag[ID] == 0 -> flag[ID] = 1", "skip", "k = 0", "c = 1 - c")
PROPERTIES = (
    "ltl p { [] (turn != 1) }",
    "ltl p { <> (c == 1) }",
    "ltl p { [] (flag[0] + flag[1] < 2) }",
    "",
    "",
    "",
    "",
)


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    n = rng.choice([2, 2, 3])
    chosen = rng.sample(WRITES, rng.randint(1, 2)) + rng.sample(READS, rng.randint(1, 2)) + rng.sample(OTHERS, 1)
    if rng.random() < 0.3:
        rng.shuffle(chosen)
    body = ";\n    ".join(chosen)
    looped = f"do\n  :: {body}\n  od" if rng.random() < 0.7 else f"{body};\n  end: false"
    before = rng.choice(["", "", "c == 0 -> ", "turn = ID; ", "flag[ID] = 1; "])
    is_started = rng.random() < 0.3
    head = f"proctype node({'byte me' if is_started else ''})"
    runs = "; ".join(f"run node({k})" for k in range(n))
    start = rng.choice([f"init {{ atomic {{ {runs} }} }}", f"init {{ atomic {{ {runs}; c = 1 }} }}"])
    return f"""#define N {n}
byte flag[N]; byte turn; byte last[2]; byte c; chan q = [1] of {{ byte }};
{head if is_started else f"active [{n}] {head}"} {{
  byte x, k;
  {before}{looped}
}}
{start if is_started else ""}
{rng.choice(PROPERTIES)}
""".replace("ID", "me" if is_started else "_pid")


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
