"""How fast the preprocessor is: lines per second of a text with macros and comments, the best of three runs.

python benchmarks/preprocess.py [LINES]
"""

from __future__ import annotations

import sys
import time

from coset.source.diagnostics import Diagnostics
from coset.source.preprocess import preprocess
from coset.source.text import Source

LINE = "\tif :: x[i] < N && y != 0 -> c!msg, x + N /* send */ :: else -> skip fi;\n"


def seconds(text: str) -> float:
    start = time.perf_counter()
    preprocess(Source("benchmark.pml", text), {}, [], Diagnostics())
    return time.perf_counter() - start


def main(arguments: list[str]) -> int:
    lines = int(arguments[0]) if arguments else 2000
    best = min(seconds("#define N 3\n" + LINE * lines) for _ in range(3))
    print(f"{lines:,} lines in {best:.3f} s, {lines / best:,.0f} lines per second")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
