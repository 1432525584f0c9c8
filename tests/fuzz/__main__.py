"""`python -m tests.fuzz`: exit code 1 if there was a fault."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from tests.fuzz.campaign import campaign
from tests.fuzz.inputs import make
from tests.fuzz.judge import judge
from tests.fuzz.run import environment, load_everything, run

FOUND = Path("build") / "fuzz"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, help="go on for so long (10, unless --inputs is given)")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=1, help="what the inputs depend on (1)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first input (0)")
    parser.add_argument("--show", type=int, metavar="NUMBER", help="run this input only, and show what it does")
    parser.add_argument("--keep", type=Path, default=FOUND, help=f"the folder for faults ({FOUND})")
    options = parser.parse_args()
    if options.minutes is None and options.inputs is None:
        options.minutes = 10
    load_everything()
    with environment():
        if options.show is not None:
            return show(options.seed, options.show)
        seconds = None if options.minutes is None else options.minutes * 60
        say = partial(print, flush=True)
        tally = campaign(options.seed, options.inputs, seconds, options.start, options.keep, say)
    print("\n".join(tally.lines()))
    return 1 if tally.faults else 0


def show(seed: int, number: int) -> int:
    case = make(seed, number)
    print(case.command())
    for name, content in case.files.items():
        print(f"--- {name}\n{content[:4000].decode(errors='replace')}")
    outcome = run(case)
    print(f"--- exit code {outcome.code}, {outcome.cpu:.1f} s of computing, {outcome.memory >> 20} MB")
    print(outcome.out[:4000])
    print(outcome.err[-4000:])
    fault = judge(case, outcome)
    print("in order" if fault is None else f"{fault.kind}: {fault.place}: {fault.text}")
    return 0 if fault is None else 1


if __name__ == "__main__":
    sys.exit(main())
