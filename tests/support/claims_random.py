"""Random never claims with assertions, variables of their own and atomic sequences, beside a small process.

Conditions are about `x`, which the process changes, and `y`; `n` and `old` belong to the claim.
"""

from __future__ import annotations

from random import Random

SYSTEMS = (
    "active proctype P() { do :: x < 2 -> x++ :: x > 0 -> x = x - 1 od }",
    "active proctype P() { do :: atomic { x = 1; x = 2 } :: x == 2 -> x = 0; y = 1 - y od }",
    "active [2] proctype P() { x = x + 1; x = x + 1; y = 1 }",
    "active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od }",
)


def generate(seed: int) -> str:
    """A model with one claim, `c`.

    >>> print(generate(3).splitlines()[0])
    byte x; bit y, g, old; byte n;
    """
    random = Random(seed)
    choices = [option(random) for _ in range(random.randint(1, 3))]
    choices += ["else"] * (random.random() < 0.3)
    options = "\n".join(f"\t:: {each}" for each in choices)
    loop = f"do\n{options}\n\tod"
    label = random.choice(["accept_here: ", "", "here: "])
    ending = random.choice(["", ";\n\tx == 2", ";\naccept_all: do :: true od"])
    return f"byte x; bit y, g, old; byte n;\n{random.choice(SYSTEMS)}\nnever c {{\n{label}\t{loop}{ending}\n}}\n"


def option(random: Random) -> str:
    """One option of the claim's loop."""
    first = random.choice(["", "", f"{condition(random)} -> "])
    inside = "; ".join(statement(random) for _ in range(random.randint(1, 3)))
    match random.randrange(5):
        case 0 | 1:
            return f"atomic {{ {first}{inside} }}"
        case 2:
            return f"d_step {{ {condition(random)} -> {inside} }}" if not blocks(inside) else f"{first}{inside}"
        case 3:
            return f"{condition(random)} -> break"
    return f"{first}{inside}"


def blocks(inside: str) -> bool:
    """Whether a statement may wait, which a d_step must not do in the middle."""
    return any(not part.strip().startswith(("n =", "old =", "g =", "assert", "skip")) for part in inside.split(";"))


def statement(random: Random) -> str:
    return random.choice(
        [
            condition(random),
            "n = (n + 1) % 3",
            "n = x % 2",
            "old = y",
            "g = !g",
            "g = (x > 1)",
            f"assert({condition(random)})",
            "skip",
        ]
    )


def condition(random: Random) -> str:
    return random.choice(["x == 0", "x == 1", "x > 1", "y", "!y", "n == 1", "n != 2", "old == y", "g", "true"])
