"""A model of a search by many machines: what limits it, and how long it takes.

    python benchmarks/cluster_model.py                                     machines of 24 processors, by the costs below
    python benchmarks/cluster_model.py --calibrate MODEL [NAME=VALUE...]   measure the costs here, with 1, 2 and 4 workers
    python benchmarks/cluster_model.py --machines 10 --gigabits 25 --orbit 120 --canonical 150

In each level, every machine expands its part of the states, sends the successors that it has not sent lately, and stores those
that it receives.  A level takes as long as the slowest of these: processors or network, on the machine with the largest part, and
some time for its calls.  With `--calibrate`, costs come from 1 and 2 workers; 4 workers show how good the model is.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence

from cluster import MODELS, Measured, by_workers, in_one_process

import coset
from coset.source.records import dataclass


@dataclass(frozen=True)
class Costs:
    """Nanoseconds of processor time, as measured for 15 philosophers (ADR 76), and what is sent."""

    transition: float = 34.0
    """Of a transition in one process."""
    looked_up: float = 6.2
    """More for each transition: the table of what was sent lately, the files of levels."""
    moved: float = 32.0
    """For each state that is sent, received and stored elsewhere."""
    sent_by_two: float = 0.49
    """States that are sent for each transition to another owner, with two processes."""
    growth: float = 0.425
    """How fast this comes near to one: the same successors are found by ever more processes."""
    call: float = 0.5e6
    """Of the driver for each call."""

    def sent(self, processes: int) -> float:
        """States that are sent for each transition.

        >>> [round(Costs().sent(n), 2) for n in (1, 2, 4)]
        [0.0, 0.24, 0.47]
        """
        if processes == 1:
            return 0.0
        part: float = 1 - (1 - self.sent_by_two) * (2 / processes) ** self.growth
        return part * (processes - 1) / processes

    def processor(self, transitions: float, processes: int) -> float:
        """Seconds of all processors together."""
        each = self.transition + self.looked_up + self.moved * self.sent(processes)
        return transitions * each / 1e9


@dataclass(frozen=True)
class Site:
    """`processes` for each machine of `processors`; a network of so many gigabits per second at each machine."""

    machines: int
    processors: int
    processes: int
    gigabits: float


CALLS = 3
"""Calls of each process in a level."""


def level_sizes(states: float, levels: int) -> Iterator[float]:
    """A bell."""
    weights = [math.exp(-(((k - levels / 2) / (levels / 5)) ** 2) / 2) for k in range(levels)]
    return (states * weight / sum(weights) for weight in weights)


def largest_part(size: float, parts: int) -> float:
    """The states of the machine that has most of them: hashing spreads them at random."""
    mean = size / parts
    return mean + 3 * math.sqrt(mean)


def seconds(
    costs: Costs, site: Site, sizes: Sequence[float], per_state: float, key_bytes: int
) -> tuple[float, float, float]:
    """How long a search takes, and the parts of that time in which processors and network are busy."""
    total = working = moving = 0.0
    whole = site.machines * site.processes
    away = 1 - 1 / site.machines  # the rest goes to processes of the same machine
    for size in sizes:
        transitions = largest_part(size, site.machines) * per_state
        busy = costs.processor(transitions, whole) / site.processors
        sent = transitions * costs.sent(whole) * away * key_bytes
        network = 8 * sent / (site.gigabits * 1e9)
        total += max(busy, network) + CALLS * whole * costs.call / 1e9
        working, moving = working + busy, moving + network
    return total, working / total, moving / total


def calibrated(found: dict[int, Measured]) -> Costs:
    """Costs by the processor time of one process, and of one and two workers; `growth` by what four workers sent."""
    alone, one, two, four = (found[count] for count in (0, 1, 2, 4))
    transition = alone.processor / alone.transitions * 1e9
    by_two, by_four = (2 * two.sent / two.transitions, 4 / 3 * four.sent / four.transitions)
    growth = math.log((1 - by_two) / max(1e-9, 1 - by_four)) / math.log(2)
    return Costs(
        transition,
        max(0.0, one.processor / one.transitions * 1e9 - transition),
        max(0.0, (two.processor - one.processor) / max(1, two.sent) * 1e9),
        by_two,
        growth,
    )


def calibration(path: str, defines: dict[str, str], symmetry: str) -> Costs:
    model = coset.load(path, defines=defines)
    found = {0: in_one_process(model, symmetry)}
    found |= {count: by_workers(model, symmetry, count) for count in (1, 2, 4)}
    costs = calibrated(found)
    print(costs)
    for count, measured in found.items():
        expected = costs.processor(measured.transitions, count) if count else measured.processor
        print(
            f"{count or 'no'} workers: {measured.processor:.1f} s of processor time, {expected:.1f} s expected; states sent for "
            f"each transition: {measured.sent / measured.transitions:.2f}, {costs.sent(max(1, count)):.2f} expected"
        )
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calibrate", nargs="+", metavar=("MODEL", "NAME=VALUE"))
    parser.add_argument("--symmetry", default="off")
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--processors", type=int, default=24)
    parser.add_argument(
        "--processes", type=int, default=1, help="on each machine; with one, it has a thread for each processor"
    )
    parser.add_argument("--gigabits", type=float, nargs="+", default=[10, 25])
    parser.add_argument("--states", type=float, default=1e12, help="of the model, without symmetry")
    parser.add_argument("--transitions", type=float, default=10.0, help="for each state")
    parser.add_argument("--key-bytes", type=int, default=8)
    parser.add_argument("--levels", type=int, default=100)
    parser.add_argument("--orbit", type=float, default=1.0, help="the average size of orbits")
    parser.add_argument("--canonical", type=float, default=0.0, help="nanoseconds to find a representative")
    options = parser.parse_args()
    costs = Costs()
    if options.calibrate:
        path, *defines = options.calibrate
        costs = calibration(
            path if "/" in path else str(MODELS / path), dict(each.split("=", 1) for each in defines), options.symmetry
        )
    costs = Costs(
        costs.transition + options.canonical, costs.looked_up, costs.moved, costs.sent_by_two, costs.growth, costs.call
    )
    stored = options.states / options.orbit
    sizes = list(level_sizes(stored, options.levels))
    print(f"{options.states:.3g} states, {stored:.3g} stored, {stored * options.transitions:.3g} transitions")
    for machines in options.machines:
        for gigabits in options.gigabits:
            site = Site(machines, options.processors, options.processes, gigabits)
            total, working, moving = seconds(costs, site, sizes, options.transitions, options.key_bytes)
            print(
                f"{machines:4} machines, {gigabits:3g} Gbit/s: {total / 3600:8.2f} h, processors busy {working:4.0%}, "
                f"network {moving:4.0%}, {options.states / total:.3g} states of the model per second"
            )


if __name__ == "__main__":
    main()
