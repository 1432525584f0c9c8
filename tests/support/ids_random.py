"""Random Promela programs in which ids are computed with, in arrays, messages, loops and properties: processes of one kind,
some of them symmetric, most of them nearly so.  Small enough that a symmetry can be tried on every reachable state.

    python -m tests.support.ids_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

FAIR = (
    "a[ID] = 1 - a[ID]",
    "turn = ID",
    "turn == ID -> c = 1 - c",
    "nfull(q[ID]) -> q[ID]!ID",
    "q[ID]?x",
    "x = ID",
    "x == turn -> a[x % N] = 0",
    "atomic { a[ID] == 0 -> a[ID] = 1; c = 1 - c }",
    "d_step { turn = ID; x = turn }",
    "if :: a[ID] -> c = 0 :: else -> c = 1 fi",
    "turn != ID -> x = turn",
    "nfull(q[turn % N]) -> q[turn % N]!x",
    "select (x : 0 .. N - 1)",
    "q[ID]??eval(ID)",
    "len(q[ID]) == 0 && a[ID] == 0 -> turn = ID",
)
"""Statements that treat all ids alike."""

UNFAIR = (
    "turn == 1 -> c = 0",
    "turn = (ID + 1) % N",
    "x < ID -> c = 0",
    "nfull(q[(ID + 1) % N]) -> q[(ID + 1) % N]!ID",
    "a[0] = 1",
    "for (x : 0 .. N - 1) { a[x] = 0 }",
    "x = N - 1 - ID",
    "nfull(q[ID]) -> q[ID]!!x",
    "(ID & 1) -> c = 1",
    "assert(turn != 1)",
    "x = ID ^ 1",
    "if :: ID == 0 -> c = 1 :: ID == 1 -> c = 1 :: else -> c = 0 fi",
    "x = (turn == 0 -> 1 : 0)",
    "c = turn",
    "turn = c",
    "a[ID] = ID",
    "x = 2 * ID",
    "q[1]?[eval(ID)] -> c = 1",
    "break",
)
"""Statements that may not; some of them keep part of the symmetry."""

PROPERTIES = (
    "ltl p { [] (turn != 0) }",
    "ltl p { [] (a[0] + a[1] < 2) }",
    "ltl p { <> (c == 1) }",
    "ltl p { [] (turn == 0 || turn == 1) }",
    "ltl p { [] !(KIND[FIRST]@spot) }",
    "ltl p { <> (KIND@spot) }",
    "",
    "",
    "",
)


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    n = rng.choice([2, 2, 3, 3, 4])
    started = rng.random() < 0.5
    chosen = rng.sample(FAIR, rng.randint(1, 3)) + rng.sample(UNFAIR, rng.choice([0, 0, 1, 1, 2]))
    rng.shuffle(chosen)
    options = [" ; ".join(chosen[k : k + 2]) for k in range(0, len(chosen), 2)]
    body = "\n    ".join(f":: {option}" for option in options)
    turn = rng.choice(["", " = N", " = N", " = 1"])
    stays = "end: false" if rng.random() < 0.8 else "skip"
    head = f"proctype node({'byte me' if started else ''})"
    kind = head if started else f"active [{n}] {head}"
    runs = rng.choice(
        ["; ".join(f"run node({k})" for k in range(n)), f"byte k; for (k : 0 .. {n - 1}) {{ run node(k) }}"]
    )
    start = f"init {{ atomic {{ {runs} }} }}" if started else ""
    text = f"""#define N {n}
byte a[N]; byte turn{turn}; byte c; chan q[N] = [1] of {{ byte }};
{kind} {{
  byte x;
spot:
  do
    {body}
  od;
  {stays}
}}
{start}
{rng.choice(PROPERTIES)}
"""
    return text.replace("ID", "me" if started else "_pid").replace("KIND", "node").replace("FIRST", str(int(started)))


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
