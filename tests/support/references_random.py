"""Random programs in which several processes of one kind hold the same interchangeable channels in variables of their own.

    python -m tests.support.references_random FROM TO      programs with seeds from FROM to below TO

Dispatchers get the channels of workers as parameters, and choose among them.  In most programs something may break the
symmetry: parameters in another order for one dispatcher, a preferred channel, an option that is missing, an assignment from
one of these variables to another, one that names a channel.  Orbits must add up to all states for every strategy.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

from coset.engines.reduction import UnusableSymmetry
from coset.engines.settings import Settings
from coset.model.model import Model
from coset.source.budget import Limits
from coset.symmetry.methods.program.detect import detect
from coset.tasks.explore import explored
from coset.tasks.load import parse_text
from tests.support.seeds import compare_seeds

MOST = 20_000
STRATEGIES = ("auto", "enumerate", "chain", "sort")


def generate(seed: int) -> str:
    """A random program; the same seed always gives the same text."""
    rng = random.Random(seed)
    workers, dispatchers = rng.choice((2, 2, 3)), rng.choice((1, 2, 2))
    how = rng.choice(("", "", "", "order", "prefer", "missing", "assign", "named", "guard"))
    outs = [f"out{k}" for k in range(workers)]
    capacity = rng.choice((0, 1))
    test = rng.choice(("", "empty(OUT) && ")) if capacity else ""
    value = rng.choice(("_pid", "1"))
    before = rng.choice(("", "n = 1 - n; "))
    options = [f":: {test.replace('OUT', out)}true -> {before}{out}!{value}" for out in outs]
    if how == "missing":
        options.pop()
    if how == "prefer" and capacity:
        options[0] = f":: empty({outs[0]}) && full({outs[1]}) -> {outs[0]}!{value}"
    if how == "assign":
        options.append(f":: {outs[0]} = {outs[1]}")
    if how == "named":
        options.append(f":: q0!{value}")
    if how == "guard":
        options.append(f":: {outs[0]} == q0 -> n = 1 - n")
    if rng.random() < 0.3:
        options.append(":: skip; " + rng.choice(("n = 0", "n = 1")))
    orders = [list(range(workers)) for _ in range(dispatchers)]
    if how == "order":
        rng.shuffle(orders[-1])
    keeps = rng.choice(("", "last = who; ", "seen[_pid] = 1 - seen[_pid]; "))
    starts = " ".join(f"run D({', '.join(f'q{k}' for k in order)});" for order in orders)
    starts += " " + " ".join(f"run W(q{k});" for k in range(workers))
    count = 1 + workers + dispatchers
    return f"""{" ".join(f"chan q{k} = [{capacity}] of {{ pid }};" for k in range(workers))}
bit n; pid last; bit seen[{count}];
proctype D(chan {", ".join(outs)}) {{ do {" ".join(options)} od }}
proctype W(chan in) {{ pid who; do :: in?who -> {keeps}who = 0 od }}
init {{ atomic {{ {starts} }} }}
"""


def problems_of(model: Model) -> tuple[str, list[str]]:
    """Which sort of case it is, and what is wrong."""
    off = explored(model, "explicit", Limits(MOST), Settings(), lambda event: None)
    if not off.complete:
        return "too large", []
    found = detect(model)
    assert found.points is not None
    moved = {found.points.points[k].what for g in found.group.generators for k in g.support()}
    wrong = []
    for engine in ("reference", "explicit"):
        for strategy in STRATEGIES:
            try:
                settings = Settings(symmetry="program", representative=strategy)
                reduced = explored(model, engine, Limits(MOST), settings, lambda event: None)
            except UnusableSymmetry:
                continue
            if reduced.represents != off.states or reduced.states > off.states:
                wrong.append(f"{engine}, {strategy}: {reduced.states} represent {reduced.represents} of {off.states}")
    return "variables" if "local" in moved else "other" if found.order > 1 else "none", wrong


def compare_seed(seed: int) -> tuple[Counter[str], list[str]]:
    kind, wrong = problems_of(parse_text(generate(seed)))
    return Counter({kind: 1, "DIFFERENT": len(wrong)}), [f"seed {seed}: {each}" for each in wrong]


if __name__ == "__main__":
    raise SystemExit(compare_seeds(compare_seed, sys.argv[1:]))
