"""Random models that store the truth of large conditions over all processes, as TopSPIN's Peterson does."""

from __future__ import annotations

import random

SAME = (
    "(_pid == {i} || flag[{i}] < k)",
    "(_pid == {i} || (_pid != {i} && flag[{i}] <= k))",
    "(turn != {i} || flag[{i}] == 0)",
    "(turn == {i} && flag[{i}] > k)",
    "!(flag[{i}] > k && turn == {i})",
)
"""Conditions on one process; joined over all of them they are symmetric."""


def generate(seed: int) -> str:
    """A model; in some of them one process is left out, treated differently, or the conjunction is no conjunction."""
    chance = random.Random(seed)
    part, operator = chance.choice(SAME), chance.choice(("&&", "||", "&&", "||", "+"))
    parts = [part.format(i=i) for i in range(3)]
    match chance.randrange(5):
        case 0:
            parts[chance.randrange(3)] = chance.choice(("flag[1] < k", "true", "turn == 0"))
        case 1:
            parts = parts[: chance.randint(1, 2)]
    chance.shuffle(parts)
    first = chance.choice(("3", "0", "3"))
    target = chance.choice(("ok", "flag[_pid]", "ok", "turn"))
    after = chance.choice(("ok || turn != _pid", "ok", "turn == _pid || !ok"))
    return f"""
    byte flag[3], turn = {first};
    active [3] proctype P() {{
      byte k = {chance.randint(0, 1)}; bool ok;
      do
      :: flag[_pid] = {chance.randint(1, 2)}; turn = _pid;
         {chance.choice(("atomic", "d_step"))} {{ {target} = ({operator.join(f" {each} " for each in parts)}) }};
         if :: {after} -> flag[_pid] = 0 :: else fi
      od
    }}
    """
