"""Random programs with loops that send to all channels, or that search for extreme values, inside of atomic sequences.

python -m tests.support.sends_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

GUARDS = (
    "empty(to[0]) && empty(to[1]) && empty(to[2]) -> ",
    "nfull(to[0]) && nfull(to[1]) && nfull(to[2]) -> ",
    "len(to[0]) < 1 && len(to[1]) < 1 && len(to[2]) < 1 -> ",
    "",
    "",
    "empty(to[0]) && empty(to[2]) -> ",
    "nempty(to[0]) -> ",
    "x = 1 - x; ",
)
BODIES = (
    "to[i]!1",
    "to[i]!1",
    "if :: i != _pid -> to[i]!1 :: else fi",
    "if :: num[i] > 0 -> to[i]!num[i] :: else fi",
    "to[i]!x",
    "to[i]!i",
    "to[i]!1; to[i]!0",
    "to[i]!1; num[i] = 0",
    "num[i] = 0; to[i]!num[i]",
    "if :: num[i] > best -> best = num[i] :: else fi",
    "if :: num[i] <= least -> least = num[i] :: num[i] > least -> skip fi",
    "if :: best < num[i] -> best = num[i] :: else -> num[i] = 1 fi",
    "best = (num[i] > best -> num[i] : best)",
    "if :: num[i] > best -> best = num[i]; who = i :: else fi",
    "to[i]!best; if :: num[i] > best -> best = num[i] :: else fi",
    "to[i]?x",
    "all!1",
    "all!i",
    "to[(i + 1) % 3]!1",
    "if :: nfull(to[i]) -> to[i]!1 :: else fi",
    "one!1",
)
LOOPS = (
    "for (i : 0 .. 2) { BODY }",
    "i = 0; do :: i < 3 -> BODY; i++ :: else -> break od",
    "i = 3; do :: i > 0 -> i--; BODY :: else -> break od",
    "i = 1; do :: i < 3 -> BODY; i++ :: else -> break od",
)


def generate(seed: int) -> str:
    chance = random.Random(seed)
    body = "; ".join(chance.choice(BODIES) for _ in range(chance.choice((1, 1, 1, 2))))
    loop = chance.choice(LOOPS).replace("BODY", body)
    block = chance.choice(("atomic", "atomic", "d_step"))
    step = f"{block} {{ {chance.choice(GUARDS)}{loop}; i = 0; best = 0 }}"
    rest = chance.choice((f"{step}; end: false", f"end: do :: {step} od", f"{step}; {step}; end: false"))
    sender = "active proctype Boss() { byte i, best, least = 1; REST }"
    if chance.random() < 0.2:
        rest = rest.replace("end: ", "")
        sender = "active proctype Boss() { byte i, best, least = 1; chan one = to[1]; REST }"
    elif "one!" in rest:
        rest = rest.replace("one!1", "to[1]!1")
    worker = chance.choice(("num[_pid] = 1 - num[_pid]", "to[_pid]!0", "num[_pid] = x", "skip"))
    return f"""
    byte num[3], x, who = 3; chan to[3] = [{chance.randint(1, 2)}] of {{ byte }}; chan all = [3] of {{ byte }};
    active [3] proctype P() {{ byte k; end: do :: to[_pid]?k -> x = k & 1 :: {worker} od }}
    {sender.replace("REST", rest)}
    """


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
