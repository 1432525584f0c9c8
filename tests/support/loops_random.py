"""Random Promela programs with loops over ids inside of atomic and deterministic sequences: some of them commute, some do not.

python -m tests.support.loops_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

FAIR = (
    "flag[i] = true",
    "flag[i] = 1 - flag[i]",
    "sum = sum + flag[i]",
    "sum = sum + num[i]",
    "sum = sum | num[i]",
    "num[i] = 0",
    "num[i] = flag[i]",
    "flag[i] = (num[i] > 0)",
    "ok = ok && flag[i]",
    "ok = (ok || num[i] == 0)",
    "if :: flag[i] -> sum = sum + 1 :: else fi",
    "if :: flag[i] -> sum-- :: else -> skip fi",
    "if :: !flag[i] -> ok = false :: else fi",
    "if :: num[i] == 1 -> ok = true :: num[i] != 1 fi",
    "if :: flag[i] -> num[i] = 0; flag[i] = 0 :: else -> num[i] = 1 fi",
    "assert(num[i] < 2)",
    "num[i] = sum & 1",
    "b = b ^ flag[i]",
)
"""Iterations that treat all ids alike, though not all of them in any order together."""

UNFAIR = (
    "flag[i] = (i == 1)",
    "num[i] = i",
    "num[i] = sum & 1; sum = sum + num[i]",
    "sum = 2 * sum + flag[i]",
    "who = i",
    "if :: flag[i] -> who = i :: else fi",
    "flag[i] = flag[(i + 1) % N]",
    "num[0] = num[i]",
    "if :: flag[i] -> break :: else fi",
    "num[i] = flag[i] -> skip",
    "flag[i] == 0",
    "if :: flag[i] -> sum = sum + 1 :: num[i] == 0 -> ok = false fi",
    "if :: sum = sum + 1 :: sum = 0 fi",
    "assert(flag[i] || i > 0)",
    "sum = sum - num[i] * i",
    "ok = flag[i]",
    "flag[who] = flag[i]",
    "sum = sum / (1 + num[i])",
)
"""Iterations that may not; some block, fault or choose."""

LOOPS = (
    "i = 0; do :: i < N -> BODY; i++ :: else -> break od",
    "for (i : 0 .. N - 1) { BODY }",
    "for (i in flag) { BODY }",
    "i = N; do :: i > 0 -> i--; BODY :: else -> break od",
    "i = 0; do :: i < N -> BODY; i = i + 1 :: i >= N -> break od",
    "i = 1; do :: i < N -> BODY; i++ :: else -> break od",
    "i = 0; do :: BODY; i++; if :: i == N -> break :: else fi od",
)
ENDS = (
    "",
    "i = 0",
    "sum = 0; i = 0",
    "i = 0; who = N",
    "flag[0] = i",
    "if :: ok -> sum = 0 :: else fi; ok = 1",
    "ok = 1",
)
AROUND = (
    "atomic { LOOP; END }",
    "d_step { LOOP; END }",
    "atomic { n == 0 -> LOOP; END }",
    "atomic { sum = 0; LOOP; END }",
    "atomic { q!0; LOOP; q?_; END }",
    "atomic { r!0; LOOP; END }",
    "atomic { LOOP; d_step { END }; n = 0 }",
    "LOOP; END",
    "atomic { d_step { LOOP }; END }",
    "d_step { n = 0; LOOP; END }; n = 0",
    "atomic { if :: n == 0 -> who = N :: else -> who = 0 fi; LOOP; END }",
    "d_step { if :: n == 0 -> who = N :: else -> who = 0 fi; LOOP; if :: i == 0 -> i = 1 :: else -> i = 0 fi }; END",
)
WORK = (
    "flag[_pid] -> flag[_pid] = false",
    "num[_pid] = 1 - num[_pid]",
    "atomic { flag[_pid] == 0; flag[_pid] = 1 }",
    "n = 1 - n",
    "who = _pid",
    "num[_pid] = flag[_pid]",
    "r?_",
)
PROPERTIES = ("ltl p { [] (sum < 2) }", "ltl p { <> (ok == 0) }", "ltl p { [] (flag[0] == 0) }", "", "", "")


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    chosen = rng.sample(FAIR, rng.choice([1, 1, 2]))
    if rng.random() < 0.35:
        chosen[rng.randrange(len(chosen))] = rng.choice(UNFAIR)
    loop = rng.choice(LOOPS).replace("BODY", "; ".join(chosen))
    around = (
        rng.choices(AROUND, [4, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1])[0]
        .replace("LOOP", loop)
        .replace("END", rng.choice(ENDS) or "skip")
    )
    works = "\n  ".join(f":: {each}" for each in rng.sample(WORK, rng.choice([1, 2, 2])))
    # Without a bound on what a loop adds up, there would be too many states.
    reset = rng.choice(["sum < 3", "sum == 0", "sum % 2 == 0 && sum < 4"])
    return f"""#define N {rng.choice([2, 3, 3])}
bool flag[N], ok = {rng.choice("01")}, b; byte num[N], sum, n, who = N; chan q = [1] of {{ byte }}; chan r = [0] of {{ byte }};
active [N] proctype W() {{
  do
  {works}
  od
}}
active proctype Boss() {{
  byte i{rng.choice(["", " = 7"])};
  do
  :: {reset} -> {around}
  {rng.choice(["", ":: sum > 0 -> sum = 0"])}
  od
}}
{rng.choice(PROPERTIES)}
"""


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
