"""A table like Table 1 of Miller, Calder and Donaldson (Computer Networks 51, 2007): an email network with and without features.

    python benchmarks/features.py [--largest N] [--memory 8G] [--seconds S] [--most N]

For each number of clients: |M| (all states), |G| (the group of the feature configuration diagram), |M_G| (states of the
quotient), the time of both, and |M| / (|M_G| |G|), which comes near to 1 the fewer states have symmetries of their own.  The
paper's model is not published; this one is modelled after what it tells, so that counts are near.  In brackets: the states that
the quotient stands for, where |M| was not counted by itself: it does not fit into the limits, or is larger than `--most`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import coset
from coset.features.load import diagram, load
from coset.features.verify import specification
from coset.options.values import size
from coset.results.exploration import Exploration

FOLDER = Path(__file__).parent / "email"
FEATURES = ["AUTORESP[1]", "FILTER[(2,1)]"]
PUBLISHED = {
    (3, False): "23,256 / 3,908", (4, False): "852,641 / 38,560", (5, False): "3.04e7 / 315,323",
    (6, False): "1.5e9 / 2.3e6", (7, False): "6.9e10 / 1.53e7", (3, True): "46,151", (4, True): "2.3e6 / 1.2e6",
    (5, True): "9.5e7 / 1.75e7",
}  # fmt: skip
HEAD = f"{'clients':>7} {'features':>8} {'|M|':>18} {'s':>7} {'|G|':>6} {'|M_G|':>12} {'s':>7} {'ratio':>6}  published"


def main() -> None:
    parser = argparse.ArgumentParser(description="Symmetry of featured networks.")
    parser.add_argument("--largest", type=int, default=5, help="clients without features (5); with features at most 5")
    parser.add_argument("--memory", type=size, default=size("8G"))
    parser.add_argument("--seconds", type=float, default=900.0, help="for one search")
    parser.add_argument("--most", type=int, default=200_000_000, help="states up to which |M| is counted by itself")
    options = parser.parse_args()
    print(HEAD)
    for features in ([], FEATURES):
        for clients in range(3, 1 + (min(options.largest, 5) if features else options.largest)):
            print(row(clients, features, options.memory, options.seconds, options.most), flush=True)


def row(clients: int, features: list[str], memory: int, seconds: float, most: int) -> str:
    network, _ = load(FOLDER, {"client": clients}, features)
    model = coset.parse_text(specification(network, []), "email.pml")
    reduced, spent = timed(model, "features", memory, seconds)
    order = diagram(network).group.order
    stands_for = reduced.represents if reduced.complete and reduced.represents is not None else None
    states, alone = f"({stands_for:,})" if stands_for is not None else "-", "-"
    if stands_for is None or stands_for <= most:
        full, took = timed(model, "off", memory, seconds)
        if full.complete and stands_for is not None and full.states != stands_for:
            raise AssertionError(f"{full.states} states, but orbits of {stands_for}")
        if full.complete:
            states, alone = f"{full.states:,}", f"{took:.1f}"
    ratio = f"{stands_for / (reduced.states * order):.3f}" if stands_for is not None else "-"
    few = f"{reduced.states:,}" if reduced.complete else "-"
    published = PUBLISHED.get((clients, bool(features)), "")
    return (
        f"{clients:>7} {'yes' if features else 'no':>8} {states:>18} {alone:>7} {order:>6} {few:>12} {spent:>7.1f} "
        f"{ratio:>6}  {published}"
    )


def timed(model: coset.Model, symmetry: str, memory: int, seconds: float) -> tuple[Exploration, float]:
    began = time.monotonic()
    found = coset.explore(model, engine="explicit", symmetry=symmetry, max_memory=memory, max_seconds=seconds)
    return found, time.monotonic() - began


if __name__ == "__main__":
    main()
