"""Symmetry by constraints: the rows of Table I of Zhang et al. (ASE 2013), our seconds beside the published ones.

    python benchmarks/constraints.py [--json FILE]

Ours are seconds of wall time in one process: parsing, construction of the graph, automorphisms with a check of every
generator against the graph (without the trial on reachable states, which goes on for as long as it is given).  The published
ones are construction and saucy, on a machine of 2013.  A group of another order than published makes the run fail.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from math import factorial
from pathlib import Path

from coset.model.sequential.parse import parse
from coset.source.text import Source
from coset.symmetry.constraints import detect_constraints

MODELS = Path(__file__).resolve().parent.parent / "models"

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file, too")
    options = parser.parse_args()
    figures, wrong = [], 0
    print(f"{'model':42} {'order':>15} {'vertices':>9} {'seconds':>8} {'published':>9} {'ratio':>6}")
    for name, defines, order, published in ROWS:
        path = MODELS / f"{name}.seq"
        began = time.monotonic()
        model = parse(Source(str(path), path.read_text()), {key: str(value) for key, value in defines.items()})
        found = detect_constraints(model, seconds=0.0)
        spent = time.monotonic() - began - found.seconds["certification"]
        wrong += found.order != order
        title = " ".join([name, *(f"{key}={value}" for key, value in defines.items())])
        told = ("-", "-") if published is None else (f"{published:.3f}", f"{published / spent:.0f}x")
        mark = "" if found.order == order else f"  expected {order}"
        print(f"{title:42} {found.order:15,} {found.vertices:9,} {spent:8.3f} {told[0]:>9} {told[1]:>6}{mark}")
        figures.append(
            {"model": title, "order": found.order, "vertices": found.vertices, "seconds": spent, "published": published}
        )
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
