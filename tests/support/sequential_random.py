"""Random small sequential models, as text: arrays, choices, branches, indices out of range, divisions by zero."""

from __future__ import annotations

import random

VARIABLES = "process p(bit a[3], 0..2 b[2], 0..2 x, 0..2 y)"
SCALARS = ["x", "y", "i", "j", "0", "1", "2"]


def random_model(rng: random.Random) -> str:
    """A model with a chance of being symmetric: summands come with their images under a swap of x and y, say."""
    summands = [summand(rng) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.6:
        summands += [swapped(each) for each in summands]
    starts = rng.choice(
        ["*", "a = *, b = 0, x = 0, y = 0", "a = 0, b = *, x = *, y = *", "a = {0, 1, 1}, b = 1, x = 0, y = 0"]
    )
    return f"{VARIABLES} =\n    " + "\n  + ".join(summands) + f"\ninit p({starts});\n"


def swapped(text: str) -> str:
    """With x and y exchanged, and the elements of b."""
    table = str.maketrans({"x": "y", "y": "x"})
    return text.translate(table).replace("b[0]", "b[#]").replace("b[1]", "b[0]").replace("b[#]", "b[1]")


def summand(rng: random.Random) -> str:
    guard = " && ".join(condition(rng, 2) for _ in range(rng.randint(1, 2)))
    return f"0..2 i, 0..1 j . [{guard}] step {{ {program(rng, 2)} }}"


def program(rng: random.Random, depth: int) -> str:
    return " ".join(statement(rng, depth) for _ in range(rng.randint(1, 2)))


def statement(rng: random.Random, depth: int) -> str:
    if depth and rng.random() < 0.25:
        return f"if ({condition(rng, 1)}) {{ {program(rng, depth - 1)} }} else {{ {program(rng, depth - 1)} }}"
    return f"{place(rng)} = {value(rng, 2)};"


def place(rng: random.Random) -> str:
    return rng.choice([f"a[{index(rng)}]", f"b[{index(rng)}]", "x", "y", f"b[{rng.randint(0, 1)}]"])


def index(rng: random.Random) -> str:
    return rng.choice(["i", "j", "x", "(i + 1) % 3", "1 - j"])


def condition(rng: random.Random, depth: int) -> str:
    if depth and rng.random() < 0.4:
        return f"({condition(rng, depth - 1)} {rng.choice(['&&', '||'])} {condition(rng, depth - 1)})"
    if rng.random() < 0.15:
        return f"all k : 0..1 ({value(rng, 0)} != b[k])"
    return f"{value(rng, 1)} {rng.choice(['==', '!=', '<'])} {value(rng, 1)}"


def value(rng: random.Random, depth: int) -> str:
    if depth and rng.random() < 0.4:
        return f"({value(rng, depth - 1)} {rng.choice(['+', '-', '/', '%', '+', '-'])} {value(rng, depth - 1)})"
    return rng.choice([*SCALARS, f"a[{index(rng)}]", f"b[{index(rng)}]"])
