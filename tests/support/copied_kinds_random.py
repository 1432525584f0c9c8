"""Random Promela programs whose proctypes are copies of one another under other names; in some, one copy differs in a constant.

python -m tests.support.copied_kinds_random SEED         print a program
"""

from __future__ import annotations

import random
import sys

STATEMENTS = (
    "flagME = 1 - flagME",
    "!flagNEXT -> flagME = 1",
    "flagME = 0",
    "(flagME || !flagNEXT)",
    "turn = ME; (turn == ME || !flagNEXT)",
    "turn = NEXT",
    "n < 2 -> n++",
    "n > 0 -> n--",
    "xME = 1 - xME",
    "xME == 1 -> n = 0",
    "qME!1",
    "qME?xME",
    "qME!xME; qNEXT?xME",
    "row[ME] = 1 - row[ME]",
    "row[NEXT] == 0 -> row[ME] = 1",
    "atomic { !flagME; flagME = 1; turn = ME }",
    "d_step { yME = turn; turn = ME; yME = 0 }",
    "assert(!flagME || n < 2)",
    "yME = xME; xME = 0",
    "if :: flagME = 1 :: n = 1 - n % 2 fi",
    "if :: turn == ME -> flagME = 0 :: else -> turn = ME fi",
    "link!ME; link?turn",
    "if :: qNEXT?[1] -> n = 0 :: else -> xME = 1 fi",
)
PROPERTIES = (
    "ltl p { [] (flag1 + flag2 < 2) }",
    "ltl p { [] !flag1 }",
    "ltl p { <> (n == 1) }",
    "ltl p { [] <> (turn == 1) }",
    "ltl p { <> P1@spot }",
    "ltl p { [] !(P1@spot && P2@spot) }",
    "",
    "",
)


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    copies = rng.choice([2, 2, 3])
    each = 2 if copies == 2 and rng.random() < 0.15 else 1
    chosen = rng.sample(STATEMENTS, rng.randint(2, 4))
    body = ";\n    ".join(chosen[:-1]) + f"\n  :: {chosen[-1]}"
    order = rng.sample(range(1, copies + 1), copies)
    broken = rng.choice(order) if rng.random() < 0.35 else 0
    started = rng.random() < 0.25
    texts = []
    for me in order:
        text = body.replace("ME", str(me)).replace("NEXT", str(me % copies + 1))
        if me == broken:
            text = spoilt(text, rng)
        head = f"proctype P{me}()" if started else f"active [{each}] proctype P{me}()"
        texts.append(f"{head} {{\n  bit x{me}, y{me};\n  do\n  :: {text};\nspot: skip\n  od\n}}")
    if started:
        texts.append("init { atomic { " + "; ".join(f"run P{me}()" for me in order for _ in range(each)) + " } }")
    numbers = range(1, copies + 1)
    flags = ", ".join(f"flag{k}" for k in numbers)
    channels = "\n".join(f"chan q{k} = [1] of {{ bit }};" for k in numbers)
    turn = rng.choice(["byte turn;", "byte turn = 9;"])
    return f"""bool {flags}; byte n; {turn} byte row[{copies + 1}];
{channels}
chan link = [1] of {{ byte }};
""" + "\n".join(texts) + f"\n{rng.choice(PROPERTIES)}\n"  # fmt: skip


def spoilt(text: str, rng: random.Random) -> str:
    """The text with another constant in one place, if it has one."""
    places = [k for k, c in enumerate(text) if c in "01" and not text[k - 1].isalnum() and text[k - 1] != "_"]
    if not places:
        return text + "; n = 0"
    k = rng.choice(places)
    return text[:k] + ("1" if text[k] == "0" else "0") + text[k + 1 :]


if __name__ == "__main__":
    print(generate(int(sys.argv[1])))
