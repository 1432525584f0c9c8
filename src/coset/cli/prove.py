"""`coset prove FILE`: decide every property for every number of processes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from coset.cli import options as common
from coset.cli.errors import VIOLATED, Missing
from coset.cli.interruption import INCONCLUSIVE, INTERRUPTED, Interruption
from coset.cli.parser import UsageError

if TYPE_CHECKING:
    from coset.results.proof import Proof
    from coset.results.trace import Run


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
            defines=defines,
            include_dirs=include_dirs,
            language=options.language,
            listener=listener(sys.stderr, options.progress),
            **common.keywords(options),
        )
    except check_task.UnknownProperty as error:
        raise UsageError(str(error)) from None
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
