"""Random models that count for how many processes a condition holds, where the condition compares ids."""

from __future__ import annotations

import random

PROCESSES = 4

SAME = (
    "flag[{i}] == 1 && _pid != {i}",
    "turn != {i} && flag[{i}] == 1",
    "flag[{i}] == flag[_pid]",
    "turn == {i} || flag[{i}] == 0",
    "_pid == {i} || turn == {i}",
)
"""Conditions on one process; counted over all of them they are symmetric."""


def generate(seed: int) -> str:
    """A model; in some of them a process is treated differently, has another weight, or the sum is no sum."""
    chance = random.Random(seed)
    part, weight = chance.choice(SAME), chance.choice((1, 1, 2))
    terms = [(part.format(i=i), weight) for i in range(PROCESSES)]
    operators = ["+"] * (PROCESSES - 1)
    odd = chance.randrange(PROCESSES)
    match chance.randrange(6):
        case 0:
            terms[odd] = chance.choice(("flag[1] == 1", "turn == 0", "_pid == 2")), weight
        case 1:
            terms[odd] = terms[odd][0], weight + 1
        case 2:
            operators[odd % len(operators)] = chance.choice(("-", "*"))
    chance.shuffle(terms)
    total = "".join(
        f"{operator} ({condition} -> {number} : 0) "
        for operator, (condition, number) in zip(["", *operators], terms, strict=True)
    )
    target, after = chance.choice((("n", "n > 1"), ("n", "n == 0 || turn == _pid"), ("flag[_pid]", "turn == _pid")))
    count = chance.choice((f"{target} = {total}", f"{target} = ({total}) % 2", f"{target} = (({total}) > 1 -> 1 : 0)"))
    return f"""
    byte flag[{PROCESSES}], turn = {chance.choice((PROCESSES, PROCESSES, 0))};
    active [{PROCESSES}] proctype P() {{
      byte n;
      do
      :: atomic {{ flag[_pid] = 1; turn = _pid }};
         d_step {{ {count} }};
         atomic {{ if :: {after} -> flag[_pid] = 0 :: else fi; n = 0 }}
      od
    }}
    """
