"""Symmetry by constraints: the rows of Table I of Zhang et al. (ASE 2013), our seconds beside the published ones.

    python benchmarks/constraints.py [--json FILE]

Ours are CPU seconds of one process, the best of five: parsing, construction of the graph, automorphisms with a check of
every generator against the graph (without the trial on reachable states, which goes on for as long as it is given).  The
published ones are construction and saucy, on a machine of 2013.  A group of another order than published makes the run fail.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from math import factorial
from pathlib import Path

from coset.languages.sequential.parse import parse
from coset.source.text import Source
from coset.symmetry.methods.constraints import ConstraintSymmetry, tables
from coset.symmetry.methods.constraints.detect import uncertified

MODELS = Path(__file__).resolve().parent.parent / "models"
TIMES = 5

ROWS: list[tuple[str, dict[str, int], int, float | None]] = [
    ("token_circulation", {}, 6, None),
    ("readers_writer", {}, 2, 0.131),
    ("peterson", {"N": 9}, factorial(9), 0.713),
    ("peterson", {"N": 12}, factorial(12), 1.067),
    ("resource_allocator", {}, 24, 0.557),
    ("resource_allocator", {"A": 3, "B": 3, "C": 4}, 864, 0.907),
    ("three_tiered", {}, 144, 0.485),
    ("three_tiered", {"C": 3}, 1296, 0.521),
    ("three_tiered", {"A": 4, "B": 4, "C": 3}, 6912, 0.514),
    ("hypercube", {"D": 5}, 3840, 1.473),
    ("hypercube", {"D": 6}, 46080, 3.383),
    ("philosophers", {"N": 10}, 10, 0.497),
    ("philosophers", {"N": 20}, 20, 1.040),
    ("scheduler", {"N": 10}, 1, 2.666),
    ("two_hop_colouring", {"N": 9}, 216, 0.800),
    ("two_hop_colouring", {"N": 12}, 288, 1.295),
    ("leader_complete", {"N": 12}, factorial(12), 3.078),
    ("leader_complete", {"N": 15}, factorial(15), 24.109),
    ("leader_tree", {}, 16, 4.229),
    ("leader_tree", {"N": 19, "SHIFT": 1}, 128, 7.409),
    ("leader_ring", {"N": 9}, 9, 4.874),
    ("leader_ring", {"N": 12}, 12, 52.531),
    ("hanoi", {}, 2, 0.526),
    ("hanoi", {"D": 6}, 2, 1.659),
    ("social_golfer", {}, 2 * factorial(9), 1.383),
]


def measured(name: str, defines: dict[str, int]) -> tuple[float, ConstraintSymmetry]:
    """Seconds, and what was found, with nothing known from before."""
    for function in vars(tables).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()
    path = MODELS / f"{name}.seq"
    began = time.process_time()
    model = parse(Source(str(path), path.read_text()), {key: str(value) for key, value in defines.items()})
    found = uncertified(model)
    return time.process_time() - began, found


def table_one(only: str = "") -> tuple[list[dict[str, object]], bool]:
    """Prints the table; the figures, and whether all groups have the published orders."""
    measured("token_circulation", {})  # imports are not what is measured
    figures: list[dict[str, object]] = []
    right = True
    print(f"{'model':42} {'order':>22} {'vertices':>9} {'seconds':>8} {'published':>9} {'ratio':>6}")
    for name, defines, order, published in ROWS:
        title = " ".join([name, *(f"{key}={value}" for key, value in defines.items())])
        if only not in title:
            continue
        spent, found = min((measured(name, defines) for _ in range(TIMES)), key=lambda pair: pair[0])
        right = right and found.order == order
        told = ("-", "-") if published is None else (f"{published:.3f}", f"{published / spent:.0f}x")
        mark = "" if found.order == order else f"  expected {order}"
        print(
            f"{title:42} {found.order:22,} {found.vertices:9,} {spent:8.3f} {told[0]:>9} {told[1]:>6}{mark}", flush=True
        )
        figures.append(
            {"model": title, "order": found.order, "vertices": found.vertices, "seconds": spent, "published": published}
        )
    return figures, right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file, too")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    options = parser.parse_args()
    figures, right = table_one(options.only)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
