"""Random models with `hidden` variables: scratch variables of one step, and others that are needed from step to step."""

from __future__ import annotations

import random

SAFE = (
    "{b} {{ h = {c}; g = h; h = 1 - g }}",
    "{b} {{ h = 0; do :: h < 2 -> a[h] = 1 - a[h]; h++ :: else -> break od }}",
    "atomic {{ h = {c}; if :: a[h] == 1 -> g = h :: else -> k = h fi; k = 0 }}",
    "atomic {{ g == {c}; h = g; a[_pid] = h }}",
    "atomic {{ c!{c}; h = {c}; g = h }}",
    "atomic {{ c?h; g = h & 1 }}",
    "h = {c}",
    "d_step {{ k = {c}; h = k; k = h + 1; g = k & 1 }}",
    "atomic {{ h = {c}; k = h; if :: k > 0 -> g = k :: else fi; assert(h <= g || g < 2) }}",
)
BROKEN = (
    "h = {c}; g = h",
    "g = h",
    "atomic {{ h = {c}; g == 0; a[_pid] = h }}",
    "atomic {{ h = {c}; r!h; g = h }}",
    "atomic {{ h = {c}; c!h; g = h }}",
    "h == {c} -> g = 1 - g",
    "d_step {{ g = k; k = {c} }}",
    "atomic {{ k = {c}; if :: a[_pid] == k -> skip :: g == k -> skip fi; g = k }}",
)


def generate(seed: int) -> str:
    """A model; about half of them have a statement by which some hidden variable matters."""
    chance = random.Random(seed)
    is_broken = chance.random() < 0.5
    options = [chance.choice(SAFE) for _ in range(chance.randint(1, 3))]
    if is_broken:
        options[chance.randrange(len(options))] = chance.choice(BROKEN)
    statements = [option.format(b=chance.choice(("atomic", "d_step")), c=chance.randint(0, 1)) for option in options]
    if chance.random() < 0.5:
        body = "do " + " ".join(f":: {each}" for each in statements) + " od"
    else:
        body = "do :: " + "; ".join(statements) + " od"
    other = "active proctype R() { byte x; do :: r?x -> g = x & 1 :: c?x od }" if chance.random() < 0.6 else ""
    first = chance.choice(("", " = 1"))
    return f"""
    hidden byte h{first}, k; byte g, a[3]; chan c = [1] of {{ byte }}; chan r = [0] of {{ byte }};
    active [2] proctype P() {{ {body} }}
    {other}
    """
