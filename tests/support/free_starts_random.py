"""Random programs whose variables start with ids that are read: the initial state favours a process, the steps do not.

python -m tests.support.free_starts_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

ALIKE = (
    "turn == _pid -> turn = other",
    "turn != _pid -> turn = owner",
    "want[_pid] = 1",
    "want[turn] == 0 -> turn = _pid",
    "owner != _pid -> owner = turn",
    "atomic { turn == owner -> turn = _pid }",
    "other = turn; want[other] = 0",
    "assert(want[turn] == 0 || owner != turn)",
    "last[0] == _pid -> last[0] = turn",
    "atomic { q!turn; turn = _pid }",
    "q?owner",
    "d_step { other == _pid -> want[other] = 1 - want[other]; other = owner }",
    "turn = (turn + 1) % 3",
    "turn == _pid -> goto stop",
)
BROKEN = (
    "fixed == _pid -> want[_pid] = 0",
    "turn < _pid -> turn = _pid",
    "owner = 0",
    "turn == 1 -> turn = _pid",
    "want[_pid] = turn",
    "assert(turn != 2 || want[0] == 0)",
)
FORMULAS = (
    "[] <> (turn == owner)",
    "[] (want[0] + want[1] + want[2] < 3)",
    "[] (turn != 0 || want[0] == 0)",
    "<> (owner == turn && want[0] == 1 && want[1] == 1 && want[2] == 1)",
    "[] (P[0]@again -> <> (turn == 0))",
)
BRANCHING = ("AG EF (turn == owner)", "AF (want[0] == 1)", "EG (turn != owner)", "AG (turn == 0 -> EF (turn == 1))")


def generate(seed: int) -> str:
    chance = random.Random(seed)
    options = chance.sample(ALIKE, chance.randint(2, 4))
    if chance.random() < 0.3:
        options.append(chance.choice(BROKEN))
    first = [chance.choice((0, 0, 1, 2, 3)) for _ in range(5)]
    started = chance.random() < 0.3
    kind = "proctype" if started else "active [3] proctype"
    numbers = "_pid - 1" if started else "_pid"
    body = " ".join(f":: {each}" for each in options).replace("_pid", f"({numbers})" if started else "_pid")
    begin = "init { atomic { run P(); run P(); run P() } }" if started else ""
    formula = chance.choice(FORMULAS)
    return f"""
    byte turn = {first[0]}, owner = {first[1]}, fixed = {first[2]}; bool want[3 + 1]; byte last[2] = {first[3]};
    chan q = [1] of {{ byte }};
    {kind} P() {{
      byte other = {first[4]};
      again: do {body} od;
      stop: end: false
    }}
    {begin}
    ltl p {{ {formula} }}
    """


def branching(seed: int) -> str:
    """A formula of computation tree logic for the model."""
    return random.Random(seed + 1).choice(BRANCHING)


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
