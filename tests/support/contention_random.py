"""Random Promela programs that are tiny and dense.

The rules are those of `promela_grammar.contention`.

    python -m tests.support.contention_random SEED                 print a program
    python -m tests.support.contention_random --stats FROM TO      how many SPIN accepts, and their sizes
    python -m tests.support.contention_random --compare FROM TO    compare with SPIN; keep and shrink what differs
"""

from __future__ import annotations

import sys

from tests.support.promela_grammar.contention import Contention
from tests.support.promela_random import main


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    return f"/* contention, seed {seed} */\n" + Contention(seed).program()


def for_spin(seed: int) -> str:
    """A random program that has the same meaning in SPIN."""
    return f"/* contention for SPIN, seed {seed} */\n" + Contention(seed, strays=False).program()


if __name__ == "__main__":
    sys.exit(main(name="contention", generator=for_spin))
