"""`coset prove FILE`: decide every property for every number of processes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from coset.cli import options as common
from coset.cli.errors import VIOLATED, Missing
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption

if TYPE_CHECKING:
    from coset.results.proof import Proof
    from coset.results.trace import Run

NAME = "prove"
SUMMARY = "verify properties for every number of processes"
DESCRIPTION = f"""{SUMMARY.capitalize()}, by spotlight abstraction: a few processes are
concrete (the spotlight), the others are abstracted (the shade).  Applies to shared-variable programs (.spl) with parameters as
sizes, and to models in other languages whose processes of one kind are interchangeable and share only variables.
Exit code 0: all hold; 1: one is violated; 3: inconclusive."""

SHADES = ("fine", "merged")


def add_to(commands: Any) -> None:
    parser = commands.add_parser(NAME, help=SUMMARY, description=DESCRIPTION)
    common.add_model(parser)
    parser.add_argument(
        "--property", dest="properties", metavar="NAME", action="append", default=[],
        help="verify this one only; repeatable",
    )  # fmt: skip
    parser.add_argument(
        "--weak-fair", action="store_true",
        help="ignore runs in which a process is always enabled but never moves; a violation of progress is then "
        "reported for single sizes, not for all",
    )  # fmt: skip
    parser.add_argument(
        "--max-spotlight", metavar="N", type=common.count,
        help="at most this many processes in the spotlight (two more than the property mentions)",
    )  # fmt: skip
    parser.add_argument(
        "--shade", metavar="NAME", type=common.choice(SHADES, ()), default="fine",
        help="fine: a step for each statement of the others; merged: one step for all of them, as in the paper (fine)",
    )  # fmt: skip
    parser.add_argument("--no-steps", action="store_true", help="do not print how the abstraction was refined")
    common.add_limits(parser)
    common.add_progress(parser)
    common.add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from coset.results.trace import replay
    from coset.results.verdict import Verdict
    from coset.tasks import check as check_task
    from coset.tasks import prove as prove_task
    from coset.views.progress import listener

    defines, include_dirs = common.load_options(options)
    try:
        result = prove_task.prove(
            options.file,
            properties=options.properties or None,
            weak_fair=options.weak_fair,
            max_spotlight=options.max_spotlight,
            shade=options.shade,
            defines=defines,
            include_dirs=include_dirs,
            language=options.language,
            max_seconds=options.max_seconds,
            listener=listener(sys.stderr, options.progress),
        )
    except check_task.UnknownProperty as error:
        raise common.UsageError(str(error)) from None
    except ModuleNotFoundError as error:
        if error.name != "z3":
            raise
        raise Missing("proofs need Z3: pip install z3-solver") from None
    runs = {
        each.name: replay(each.model, each.trace)
        for each in result.properties
        if each.trace is not None and each.model is not None
    }
    show(result, runs, options)
    if Interruption.seen:
        return INTERRUPTED
    return {Verdict.HOLDS: 0, Verdict.VIOLATED: VIOLATED, Verdict.UNKNOWN: INCONCLUSIVE}[result.verdict]


def show(result: Proof, runs: dict[str, Run], options: argparse.Namespace) -> None:
    if options.json:
        from coset.formats import json_output, prove_json

        print(json_output.text(prove_json.proof(result, runs)))
        return
    import shutil

    from coset.views import proof_text, terminal
    from coset.views.lanes import lanes

    style = terminal.style(sys.stdout)
    for text in proof_text.proof(result, style, steps=not options.no_steps):
        common.say(text)
    for name, found in list(runs.items())[:1]:
        at = next(each.at for each in result.properties if each.name == name)
        others = f" ({len(runs) - 1} more: --property, --json)" if len(runs) > 1 else ""
        print(f"\nA run that violates '{name}'{f' for {at}' if at else ''}{others}:\n")
        common.say(lanes(found, shutil.get_terminal_size().columns))
    common.say(proof_text.conclusion(result, style))
